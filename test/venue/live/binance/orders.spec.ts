import { afterEach, describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots } from '../../../../src/domain/quantity.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { Random } from '../../../../src/sim/prng.js';
import { units } from '../../../loopback/decimal.js';
import { targetOf } from '../../child-target.js';
import { AccountRig, type RigOptions } from './account-rig.js';
import { BTC, now, passed, until } from './loopback-exchange.js';

/* The session, the requests and the sockets against an exchange with a ledger of its own. */

let rig: AccountRig;
afterEach(() => rig.close());

/** Compares the shard's view with the exchange's ledger. */
function judge(): void {
  const { shard, loopback, owner, section, contradictions, opened, lot } = rig;
  const { ledger } = loopback[section].exchange;
  expect(ledger.repeatedClientIds(owner.id)).toEqual([]);
  expect(contradictions.filter((what) => what !== 'an order is denied')).toEqual([]);
  expect(opened.findings.filter((finding) => !finding.startsWith('the private stream was refused'))).toEqual([]);
  const placed = new Map(ledger.ordersOf(owner.id).map((order) => [order.terms.clientId, order]));
  for (const [name, { state, filled }] of shard.children) {
    const order = placed.get(name);
    if (order === undefined) {
      expect(['REFUSED', 'ABSENT'], name).toContain(state);
      continue;
    }
    expect([name, units(lot) * BigInt(filled)]).toEqual([name, order.state.filled]);
    expect([name, state === 'OPEN']).toEqual([name, order.isOpen]);
  }
}

const stateOf = (id: number): string | undefined => rig.shard.children.get(`${id}-1`)?.state;

const CASES: readonly RigOptions[] = [
  { section: 'spot', key: 'HMAC' },
  { section: 'spot', key: 'ED25519' },
  { section: 'futures', key: 'HMAC' },
  { section: 'futures', key: 'ED25519' },
];

describe.each(CASES)('an account at Binance $section with a key of the kind $key', (options) => {
  it('lists open orders, and ended ones of the asked instruments since a time', async () => {
    rig = await AccountRig.open(options);
    const { shard } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(rig.child(1), now());
    shard.submit(rig.child(2, { limitPrice: rig.price(51_000), timeInForce: 'IOC' }), now());
    await until(() => stateOf(1) === 'OPEN' && stateOf(2) === 'FILLED', 'both orders');
    const list = (instruments: readonly InstrumentIndex[], sinceMs: number) =>
      new Promise((resolve) => {
        rig.account.client.listOrders({ instruments, sinceMs: sinceMs as EpochMs }, resolve);
      });
    const { quantity } = rig.child(1);
    const open = {
      orderId: 1,
      child: 1,
      instrument: BTC,
      side: 'BUY',
      quantity,
      type: 'LIMIT',
      state: 'OPEN',
      filled: 0,
    };
    const filled = { ...open, orderId: 2, state: 'FILLED', filled: quantity };
    expect(await list([], 0)).toMatchObject([open]);
    const ago = now() - 3 * 86_400_000;
    expect(await list([BTC], ago)).toMatchObject([{ ...open, limitPrice: rig.price(49_000) }, filled]);
    expect(await list([BTC], now() + 60_000)).toMatchObject([open]);
    rig.loopback.faults.add({ on: 'GET *allOrders', fault: { kind: 'maintenance', status: 502 } });
    expect(await list([BTC], ago)).toMatchObject({ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('places, fills, cancels and looks orders up, and ends with the ledger of the exchange', async () => {
    rig = await AccountRig.open(options);
    const { shard } = rig;
    await until(() => rig.isLinked, 'the link');
    const crossing = rig.price(51_000);
    shard.submit(rig.child(1), now());
    shard.submit(rig.child(2, { limitPrice: crossing, timeInForce: 'IOC' }), now());
    shard.submit(rig.child(3, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, side: 'SELL' }), now());
    shard.submit(rig.child(4, { postOnly: true, limitPrice: crossing }), now());
    shard.submit(rig.child(5, { quantity: 900_000_000 as Lots }), now());
    await until(() => [2, 3].every((id) => stateOf(id) === 'FILLED'), 'the fills');
    await until(() => [4, 5].every((id) => stateOf(id) === 'REFUSED'), 'the refusals');
    await until(() => stateOf(1) === 'OPEN', 'the resting order');
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => stateOf(1) === 'CANCELLED', 'the cancel');
    judge();
  });
});

describe.each(['spot', 'futures'] as const)('an account at Binance %s', (section) => {
  it('sends orders over its socket, and by REST while the socket is not open', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard, hosts } = rig;
    const rest = section === 'spot' ? 'POST /api/v3/order' : 'POST /fapi/v1/order';
    // Both rules match any request: the log says which way was taken.
    loopback.faults.add({ on: rest, fault: { kind: 'hold', ms: 1 } });
    loopback.faults.add({ on: `${section} order.place`, fault: { kind: 'hold', ms: 1 } });
    shard.submit(rig.child(1), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    expect(loopback.faults.applied.map(({ on }) => on)).toEqual([`${section} order.place`]);
    if (section === 'spot') return judge();
    loopback.cut(hosts.orders);
    await passed(50);
    shard.submit(rig.child(2), now());
    await until(() => stateOf(2) === 'OPEN', 'the order by REST');
    expect(loopback.faults.applied.map(({ on }) => on)).toEqual([`${section} order.place`, rest]);
    judge();
  });

  it('asks for an order whose answer on the socket was lost, and does not send it again', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard } = rig;
    loopback.faults.add({ on: `${section} order.place`, nth: 1, fault: { kind: 'lose' } });
    const update = section === 'spot' ? 'executionReport' : 'ORDER_TRADE_UPDATE';
    loopback.faults.add({ on: `${section} ${update}`, nth: 1, fault: { kind: 'lose' } });
    shard.submit(rig.child(1), now());
    await until(() => stateOf(1) !== 'IN_FLIGHT' && stateOf(1) !== 'UNKNOWN', 'the answer');
    judge();
    expect(rig.loopback[section].exchange.ledger.ordersOf(rig.owner.id).length).toBeLessThanOrEqual(1);
  });

  it.each([12])('finds an order that the engine takes %i s after the answer -1007', async (seconds) => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard } = rig;
    const update = section === 'spot' ? 'executionReport' : 'ORDER_TRADE_UPDATE';
    loopback.faults.add({ on: `${section} order.place`, fault: { kind: 'late', ms: seconds * 1_000 } });
    const timeout = { kind: 'fail', failure: 'timeout', executed: true } as const;
    loopback.faults.add({ on: `${section} order.place`, fault: timeout });
    // Only look-ups show the order.
    loopback.faults.add({ on: `${section} ${update}`, fault: { kind: 'lose' } });
    shard.submit(rig.child(1, { limitPrice: rig.price(51_000), timeInForce: 'IOC' }), now());
    await until(() => !['IN_FLIGHT', 'UNKNOWN'].includes(stateOf(1) ?? ''), 'the answer');
    expect(stateOf(1)).toBe('FILLED');
    judge();
  });

  it('says that an order is absent 65 s after a request that was not carried out', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard } = rig;
    const timeout = { kind: 'fail', failure: 'timeout', executed: false } as const;
    loopback.faults.add({ on: `${section} order.place`, fault: timeout });
    const sentAtMs = now();
    shard.submit(rig.child(1), sentAtMs);
    await until(() => stateOf(1) === 'ABSENT', 'the answer');
    expect(now() - sentAtMs).toBeGreaterThan(65_000);
    judge();
  });

  it.each([
    ['the open orders', 'GTC', 'found'],
    ['all orders of the symbol', 'IOC', 'found'],
    ['the trades alone', 'IOC', 'unknown'],
  ] as const)('does not take an order for absent that %s show', async (list, timeInForce, kind) => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard } = rig;
    const limitPrice = rig.price(timeInForce === 'IOC' ? 51_000 : 49_000);
    shard.submit(rig.child(1, { limitPrice, timeInForce }), now());
    await until(() => stateOf(1) === (timeInForce === 'IOC' ? 'FILLED' : 'OPEN'), 'the order');
    const path = section === 'spot' ? '/api/v3' : '/fapi/v1';
    const hidden = [`${section} order.status`, `GET ${path}/order`];
    if (list !== 'all orders of the symbol') hidden.push(`GET ${path}/allOrders`);
    if (list === 'the trades alone') hidden.push(`GET ${path}/openOrders`);
    for (const on of hidden) loopback.faults.add({ on, fault: { kind: 'absent', ms: 3_600_000 } });
    const target = { ...targetOf(rig.child(1)), submittedAtMs: now() };
    const { client } = rig.account;
    expect(await new Promise((resolve) => client.lookUp(target, resolve))).toEqual({ kind: 'absent' });
    expect(await new Promise((resolve) => client.lookInLists(target, resolve))).toMatchObject({ kind });
    const other = { ...target, orderId: 99 as typeof target.orderId };
    loopback.faults.clear();
    expect(await new Promise((resolve) => client.lookInLists(other, resolve))).toEqual({ kind: 'absent' });
  });

  it('catches up after a cut of the private stream', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    const { shard, loopback, hosts } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(rig.child(1, { limitPrice: rig.price(section === 'spot' ? 49_999.98 : 49_999.8) }), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    loopback.cut(hosts.stream);
    loopback[section].background.trade('BTCUSDT', 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => stateOf(1) === 'FILLED', 'the missed fill');
    judge();
  });

  it('opens its private stream again after a frame that is cut in half, and shows what it said', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    const { shard, loopback } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(rig.child(1, { limitPrice: rig.price(section === 'spot' ? 49_999.98 : 49_999.8) }), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    const update = section === 'spot' ? 'executionReport' : 'ORDER_TRADE_UPDATE';
    loopback.faults.add({ on: `${section} ${update}`, fault: { kind: 'half' }, times: 1 });
    loopback[section].background.trade('BTCUSDT', 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => stateOf(1) === 'FILLED', 'the missed fill');
    expect(rig.opened.findings.splice(0)).toEqual(['the frame is no JSON']);
    judge();
  });

  it('ends with the ledger after lost, late and meaningless answers, lost updates and cuts', async () => {
    rig = await AccountRig.open({ section, key: 'HMAC' });
    const { shard, loopback, hosts } = rig;
    await until(() => rig.isLinked, 'the link');
    const path = section === 'spot' ? '/api/v3/order' : '/fapi/v1/order';
    const update = section === 'spot' ? 'executionReport' : 'ORDER_TRADE_UPDATE';
    for (const on of [`${section} order.place`, `POST ${path}`]) {
      loopback.faults.add({ on, fault: { kind: 'lose' }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'hold', ms: 2_500 }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'unknown', executed: true }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'timeout', executed: false }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'maintenance', status: 502 }, chance: 0.05 });
    }
    for (const on of [`${section} order.status`, `GET ${path}`]) {
      loopback.faults.add({ on, fault: { kind: 'stale', ms: 300 }, chance: 0.3 });
    }
    for (const on of [`${section} order.cancel`, `DELETE ${path}`]) {
      loopback.faults.add({ on, fault: { kind: 'lose' }, chance: 0.2 });
    }
    loopback.faults.add({ on: `${section} ${update}`, fault: { kind: 'duplicate' }, chance: 0.2 });
    loopback.faults.add({ on: `${section} ${update}`, fault: { kind: 'lose' }, chance: 0.1 });
    const random = new Random(`binance-${section}`);
    const bestBid = rig.price(section === 'spot' ? 49_999.98 : 49_999.8);
    for (let id = 1; id <= 50; id += 1) {
      const isCrossing = random.uniform() < 0.4;
      const limitPrice = isCrossing ? rig.price(51_000) : bestBid;
      shard.submit(rig.child(id, { limitPrice, timeInForce: isCrossing ? 'IOC' : 'GTC' }), now());
      if (random.uniform() < 0.2) shard.cancelSome(random.uniform(), now());
      if (random.uniform() < 0.1) loopback[section].background.trade('BTCUSDT', 'SELL', units('1'));
      if (random.uniform() < 0.05) loopback.cut(random.uniform() < 0.5 ? hosts.stream : hosts.orders);
      await passed(random.uniform() * 150);
    }
    loopback.faults.clear();
    await until(() => rig.isLinked, 'the link');
    const isSettled = (): boolean =>
      [...shard.children.values()].every(({ state }) => state !== 'IN_FLIGHT' && state !== 'UNKNOWN');
    // Resting children are asked for every 2 s: an update was lost on a connection that stayed.
    await passed(5_000);
    shard.asksResting = false;
    await until(isSettled, 'every answer');
    expect(shard.children.size).toBeGreaterThan(20);
    expect(loopback.faults.applied.length).toBeGreaterThan(10);
    judge();
  });
});
