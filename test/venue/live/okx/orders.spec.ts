import { afterEach, describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots } from '../../../../src/domain/quantity.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { LookUpAnswer } from '../../../../src/venue/live/exchange-client.js';
import { Random } from '../../../../src/sim/prng.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, now, passed, until } from '../binance/loopback-exchange.js';
import { AccountRig, child, INSTRUMENTS, price, type Section } from './account-rig.js';

/* The session, the requests and the sockets against an exchange with a ledger of its own. */

const LOTS: Readonly<Record<Section, bigint>> = { spot: units('0.00000001'), swap: units('0.0001') };
/** Above the quotes of the background, which begin 0.5 below 50,000. */
const BEST_BID = price(49_999.8);
const CROSSING = price(51_000);
let rig: AccountRig;
afterEach(() => rig.close());

/** Compares the shard's view with the exchange's ledgers. */
function judge(): void {
  const { shard, loopback, owner, contradictions, opened } = rig;
  expect(contradictions.filter((what) => what !== 'an order is denied')).toEqual([]);
  expect(opened.findings).toEqual([]);
  for (const section of ['spot', 'swap'] as const) {
    const { ledger } = loopback.trading[section];
    expect(ledger.repeatedClientIds(owner.id)).toEqual([]);
    const placed = new Map(ledger.ordersOf(owner.id).map((order) => [order.terms.clientId, order]));
    for (const { submission, state, filled } of shard.children.values()) {
      if (submission.instrument !== INSTRUMENTS[section].index) continue;
      const name = `${submission.orderId}x${submission.child}`;
      const order = placed.get(name);
      if (order === undefined) {
        expect(['REFUSED', 'ABSENT'], name).toContain(state);
        continue;
      }
      // The library's tag of a broker is not in our orders.
      expect([name, order.terms.wireMembers?.['tag']]).toEqual([name, '']);
      expect([name, LOTS[section] * BigInt(filled)]).toEqual([name, order.state.filled]);
      expect([name, state === 'OPEN']).toEqual([name, order.isOpen]);
    }
  }
}

const stateOf = (id: number): string | undefined => rig.shard.children.get(`${id}-1`)?.state;

describe.each(['spot', 'swap'] as const)('an account at OKX %s', (section) => {
  const of = (id: number, change: Parameters<typeof child>[2] = {}) => child(section, id, change);

  it('lists open orders, and ended ones of the asked instruments since a time', async () => {
    rig = await AccountRig.open();
    const { index } = INSTRUMENTS[section];
    await until(() => rig.isLinked, 'the link');
    rig.shard.submit(of(1), now());
    rig.shard.submit(of(2, { limitPrice: CROSSING, timeInForce: 'IOC' }), now());
    await until(() => stateOf(1) === 'OPEN' && stateOf(2) === 'FILLED', 'both orders');
    const list = (instruments: readonly InstrumentIndex[], sinceMs: number) =>
      new Promise((resolve) => {
        rig.account.client.listOrders({ instruments, sinceMs: sinceMs as EpochMs }, resolve);
      });
    const { quantity } = of(1);
    const open = { orderId: 1, child: 1, instrument: index, side: 'BUY', quantity, state: 'OPEN', filled: 0 };
    const filled = { ...open, orderId: 2, state: 'FILLED', filled: quantity };
    expect(await list([], 0)).toMatchObject([open]);
    expect(await list([index], now() - 60_000)).toMatchObject([open, filled]);
    rig.loopback.faults.add({ on: 'GET *orders-history', fault: { kind: 'maintenance', status: 502 } });
    expect(await list([index], now() - 60_000)).toMatchObject({ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('places, fills, cancels and looks orders up, and ends with the ledger of the exchange', async () => {
    rig = await AccountRig.open();
    const { shard } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(of(1), now());
    shard.submit(of(2, { limitPrice: CROSSING, timeInForce: 'IOC' }), now());
    shard.submit(of(3, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null }), now());
    shard.submit(of(4, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, side: 'SELL' }), now());
    // The exchange accepts this one and cancels it at once.
    shard.submit(of(5, { postOnly: true, limitPrice: CROSSING }), now());
    shard.submit(of(6, { quantity: (section === 'spot' ? 900_000_000_000 : 9_000_000) as Lots }), now());
    shard.submit(of(7, { limitPrice: price(60_000) }), now());
    await until(() => [2, 3, 4].every((id) => stateOf(id) === 'FILLED'), 'the fills');
    await until(() => [6, 7].every((id) => stateOf(id) === 'REFUSED'), 'the refusals');
    await until(() => stateOf(5) === 'CANCELLED', 'the end of the post-only order');
    await until(() => stateOf(1) === 'OPEN', 'the resting order');
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => stateOf(1) === 'CANCELLED', 'the cancel');
    judge();
  });

  it('asks for an order whose answer was lost, and does not send it again', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard, owner } = rig;
    loopback.faults.add({ on: 'okx order', nth: 1, fault: { kind: 'lose' } });
    loopback.faults.add({ on: 'okx orders', nth: 1, fault: { kind: 'lose' } });
    shard.submit(of(1), now());
    await until(() => stateOf(1) === 'OPEN', 'the answer');
    expect(loopback.trading[section].ledger.ordersOf(owner.id)).toHaveLength(1);
    judge();
  });

  it('reports an order that arrives after its expiry as absent', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard, owner } = rig;
    loopback.faults.add({ on: 'okx order', nth: 1, fault: { kind: 'hold', ms: 2_200 } });
    shard.submit(of(1), now());
    await until(() => ['ABSENT', 'REFUSED'].includes(stateOf(1) ?? ''), 'the answer');
    expect(loopback.trading[section].ledger.ordersOf(owner.id)).toEqual([]);
  });

  it('catches up after a cut of the private channels', async () => {
    rig = await AccountRig.open();
    const { shard, loopback } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(of(1, { limitPrice: BEST_BID }), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    loopback.cut('ws.okx.com');
    loopback.background[section].trade(INSTRUMENTS[section].exchangeSymbol, 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => stateOf(1) === 'FILLED', 'the missed fill');
    judge();
  });
});

/** Notes each placement and cancel, and the way that it has taken. */
function noteWays(): () => string[] {
  const { faults } = rig.loopback;
  const ways = ['okx order', 'okx cancel-order', 'POST /api/v5/trade/*'];
  for (const on of ways) faults.add({ on, fault: { kind: 'hold', ms: 1 } });
  return () => faults.applied.map(({ on }) => on);
}

describe('an account at OKX', () => {
  it('sends orders and cancels over its socket', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const ways = noteWays();
    rig.shard.submit(child('swap', 1), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    await until(() => rig.shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => stateOf(1) === 'CANCELLED', 'the cancel');
    expect(ways()).toEqual(['okx order', 'okx cancel-order']);
    judge();
  });

  it('sends orders by REST in an instrument whose number the socket does not know', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const ways = noteWays();
    rig.loopback.sockets.unknownCodes.add(rig.loopback.trading.market('BTC-USDT').instrument.instIdCode);
    for (const id of [1, 2]) {
      rig.shard.submit(child('spot', id), now());
      await until(() => stateOf(id) === 'OPEN', 'the order by REST');
    }
    rig.shard.submit(child('swap', 3), now());
    await until(() => stateOf(3) === 'OPEN', 'the order of another instrument');
    const rest = 'POST /api/v5/trade/order';
    // The number was tried once.
    expect(ways()).toEqual(['okx order', rest, rest, 'okx order']);
    judge();
  });

  it('sends an order by REST that the socket refuses because it is not logged on, and opens the socket again', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const ways = noteWays();
    for (const session of rig.loopback.sockets.sessions) session.identity = null;
    rig.shard.submit(child('spot', 1), now());
    await until(() => stateOf(1) === 'OPEN' && rig.isLinked, 'the order by REST, and the link');
    rig.shard.submit(child('spot', 2), now());
    await until(() => stateOf(2) === 'OPEN', 'the order on the new connection');
    expect(ways()).toEqual(['okx order', 'POST /api/v5/trade/order', 'okx order']);
    judge();
  });

  it('finds an order that its look-up denies among the open and the ended ones', async () => {
    rig = await AccountRig.open();
    const { shard, loopback, account } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.asksResting = false;
    shard.submit(child('spot', 1), now());
    shard.submit(child('swap', 2, { limitPrice: CROSSING, timeInForce: 'IOC' }), now());
    shard.submit(child('spot', 3, { timeInForce: 'IOC' }), now());
    await until(() => stateOf(1) === 'OPEN' && stateOf(2) === 'FILLED' && stateOf(3) === 'CANCELLED', 'the orders');
    loopback.faults.add({ on: 'GET /api/v5/trade/order', fault: { kind: 'absent', ms: 60_000 } });
    const lookUp = (section: Section, id: number) => {
      const { account: owner, venue, orderId, child: number, instrument } = child(section, id);
      const target = {
        account: owner,
        venue,
        orderId,
        child: number,
        instrument,
        submittedAtMs: now(),
        venueOrderId: null,
      };
      return new Promise<LookUpAnswer>((resolve) => {
        account.client.lookUp(target, resolve);
      });
    };
    expect(await lookUp('spot', 1)).toMatchObject({ kind: 'found', order: { state: 'OPEN', filled: 0 } });
    expect(await lookUp('swap', 2)).toMatchObject({ kind: 'found', order: { state: 'FILLED' }, fills: [{}] });
    expect(await lookUp('spot', 3)).toMatchObject({ kind: 'found', order: { state: 'CANCELLED', cause: null } });
    expect(await lookUp('spot', 4)).toEqual({ kind: 'absent' });
    // The exchange forgets an order without fills after two hours.
    loopback.faults.clear();
    loopback.clock.offsetMs = 3 * 3_600_000;
    accepted(await rig.opened.exchange.measureClock());
    loopback.rest.limits.pardon();
    expect(await lookUp('spot', 3)).toEqual({ kind: 'absent' });
    expect(rig.opened.exchange.rules.orderHistoryMs).toBe(2 * 3_600_000);
    // A fill without its order proves that the order exists.
    loopback.clock.offsetMs = 0;
    accepted(await rig.opened.exchange.measureClock());
    for (const path of ['order', 'orders-pending', 'orders-history']) {
      loopback.faults.add({ on: `GET /api/v5/trade/${path}`, fault: { kind: 'absent', ms: 60_000 } });
    }
    expect(await lookUp('swap', 2)).toEqual({ kind: 'unknown' });
  });

  it('lists more open orders than one page has', async () => {
    rig = await AccountRig.open();
    const { shard, account } = rig;
    await until(() => rig.isLinked, 'the link');
    // Look-ups of all of them at once would be above the exchange's limit.
    shard.asksResting = false;
    for (let id = 1; id <= 120; id += 1) {
      if (id % 50 === 0) await passed(2_100);
      shard.submit(child(id % 2 === 0 ? 'spot' : 'swap', id, { quantity: (id % 2 === 0 ? 1_000 : 1) as Lots }), now());
    }
    await until(() => [...shard.children.values()].every(({ state }) => state === 'OPEN'), 'the orders');
    const listed = await new Promise<unknown[]>((resolve) => {
      account.client.openOrders((orders) => resolve([...(orders ?? [])]));
    });
    expect(listed).toHaveLength(120);
    judge();
  });

  it('opens its private channels again after a frame that is cut in half, and shows what it said', async () => {
    rig = await AccountRig.open();
    const { shard, loopback } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(child('spot', 1, { limitPrice: BEST_BID }), now());
    await until(() => stateOf(1) === 'OPEN', 'the order');
    loopback.faults.add({ on: 'okx orders', fault: { kind: 'half' }, times: 1 });
    loopback.background.spot.trade(INSTRUMENTS.spot.exchangeSymbol, 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => stateOf(1) === 'FILLED', 'the missed fill');
    expect(rig.opened.findings.splice(0)).toEqual(['the frame is no JSON']);
    judge();
  });

  it('ends with the ledger after lost, late and meaningless answers, lost updates and cuts', async () => {
    rig = await AccountRig.open();
    const { shard, loopback } = rig;
    await until(() => rig.isLinked, 'the link');
    for (const on of ['okx order', 'POST /api/v5/trade/order']) {
      loopback.faults.add({ on, fault: { kind: 'lose' }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'hold', ms: 2_500 }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'duplicate' }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'unknown', executed: true }, chance: 0.05 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'unexpected', executed: true }, chance: 0.05 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'timeout', executed: false }, chance: 0.05 });
      loopback.faults.add({ on, fault: { kind: 'fail', failure: 'overloaded', executed: true }, chance: 0.05 });
      loopback.faults.add({ on, fault: { kind: 'maintenance', status: 502 }, chance: 0.05 });
      loopback.faults.add({ on, fault: { kind: 'cut', executed: true }, chance: 0.03 });
      loopback.faults.add({ on, fault: { kind: 'cut', executed: false }, chance: 0.03 });
    }
    loopback.faults.add({ on: 'GET /api/v5/trade/order', fault: { kind: 'stale', ms: 300 }, chance: 0.3 });
    loopback.faults.add({ on: 'GET /api/v5/trade/fills', fault: { kind: 'stale', ms: 300 }, chance: 0.3 });
    loopback.faults.add({ on: 'okx cancel-order', fault: { kind: 'lose' }, chance: 0.2 });
    loopback.faults.add({ on: 'okx orders', fault: { kind: 'duplicate' }, chance: 0.2 });
    loopback.faults.add({ on: 'okx orders', fault: { kind: 'reorder' }, chance: 0.1 });
    loopback.faults.add({ on: 'okx orders', fault: { kind: 'lose' }, chance: 0.1 });
    const random = new Random('okx');
    for (let id = 1; id <= 80; id += 1) {
      const section = random.uniform() < 0.5 ? 'spot' : 'swap';
      const isCrossing = random.uniform() < 0.4;
      const limitPrice = isCrossing ? CROSSING : BEST_BID;
      shard.submit(child(section, id, { limitPrice, timeInForce: isCrossing ? 'IOC' : 'GTC' }), now());
      if (random.uniform() < 0.2) shard.cancelSome(random.uniform(), now());
      const { exchangeSymbol } = INSTRUMENTS[section];
      if (random.uniform() < 0.1) loopback.background[section].trade(exchangeSymbol, 'SELL', units('1'));
      if (random.uniform() < 0.05) loopback.cut('ws.okx.com');
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
    expect(shard.children.size).toBeGreaterThan(30);
    expect(new Set(loopback.faults.applied.map(({ on }) => on))).toContain('okx order');
    expect(loopback.faults.applied.length).toBeGreaterThan(10);
    judge();
  });
});
