import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots } from '../../../../src/domain/quantity.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { Random } from '../../../../src/sim/prng.js';
import { units } from '../../../loopback/decimal.js';
import { now, passed, until } from '../binance/loopback-exchange.js';
import { BybitRig, INSTRUMENTS, LOTS, type Product, PRODUCTS } from './bybit-rig.js';

/* The session, the requests and the private stream against an exchange with a ledger of its own. */

let rig: BybitRig;
beforeEach(async () => {
  rig = await BybitRig.open();
  await rig.connected();
});
afterEach(() => rig.close());

/** Compares the shard's view with the exchange's ledgers. */
function judge(): void {
  const { shard, loopback, owner, contradictions, opened } = rig;
  expect(contradictions.filter((what) => what !== 'an order is denied')).toEqual([]);
  expect(opened.findings).toEqual([]);
  for (const product of PRODUCTS) {
    const { ledger } = loopback[product].exchange;
    expect(ledger.repeatedClientIds(owner.id)).toEqual([]);
    const placed = new Map(ledger.ordersOf(owner.id).map((order) => [order.terms.clientId, order]));
    for (const [name, { state, filled, submission }] of shard.children) {
      if (submission.instrument !== INSTRUMENTS[product].index) continue;
      const order = placed.get(name);
      if (order === undefined) {
        expect(['REFUSED', 'ABSENT'], name).toContain(state);
        continue;
      }
      expect([name, units(LOTS[product]) * BigInt(filled)]).toEqual([name, order.state.filled]);
      expect([name, state === 'OPEN']).toEqual([name, order.isOpen]);
    }
  }
}

describe.each(PRODUCTS)('an account at Bybit %s', (product: Product) => {
  it('lists open orders, and ended ones of the asked instruments since a time', async () => {
    const { shard } = rig;
    const { index } = INSTRUMENTS[product];
    shard.submit(rig.child(product, 1), now());
    shard.submit(rig.child(product, 2, { limitPrice: rig.price(product, 51_000), timeInForce: 'IOC' }), now());
    await until(() => rig.stateOf(1) === 'OPEN' && rig.stateOf(2) === 'FILLED', 'both orders');
    const list = (instruments: readonly InstrumentIndex[], sinceMs: number) =>
      new Promise((resolve) => {
        rig.account.client.listOrders({ instruments, sinceMs: sinceMs as EpochMs }, resolve);
      });
    const { quantity } = rig.child(product, 1);
    const open = { orderId: 1, child: 1, instrument: index, side: 'BUY', quantity, state: 'OPEN', filled: 0 };
    const filled = { ...open, orderId: 2, state: 'FILLED', filled: quantity };
    expect(await list([], 0)).toMatchObject([open]);
    expect(await list([index], now() - 20 * 86_400_000)).toMatchObject([open, filled]);
    rig.loopback.faults.add({ on: 'GET *history', fault: { kind: 'maintenance', status: 502 } });
    expect(await list([index], now() - 60_000)).toMatchObject({ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('places, fills, cancels and looks orders up, and ends with the ledger of the exchange', async () => {
    const { shard } = rig;
    const crossing = rig.price(product, 51_000);
    shard.submit(rig.child(product, 1), now());
    shard.submit(rig.child(product, 2, { limitPrice: crossing, timeInForce: 'IOC' }), now());
    await until(() => rig.stateOf(2) === 'FILLED', 'the fill');
    const market = { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, side: 'SELL' } as const;
    shard.submit(rig.child(product, 3, { ...market, reduceOnly: product === 'linear' }), now());
    // The exchange accepts these two and ends them at once.
    shard.submit(rig.child(product, 4, { postOnly: true, limitPrice: crossing }), now());
    shard.submit(rig.child(product, 5, { timeInForce: 'IOC' }), now());
    shard.submit(rig.child(product, 6, { quantity: 100_000_000 as Lots }), now());
    await until(() => rig.stateOf(3) === 'FILLED', 'the fill of the market order');
    // Of spot, it states the first one as rejected.
    await until(() => rig.stateOf(4) === (product === 'spot' ? 'REFUSED' : 'CANCELLED'), 'the post-only end');
    await until(() => rig.stateOf(5) === 'CANCELLED', 'the end without liquidity');
    await until(() => rig.stateOf(6) === 'REFUSED', 'the refusal');
    await until(() => rig.stateOf(1) === 'OPEN', 'the resting order');
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => rig.stateOf(1) === 'CANCELLED', 'the cancel');
    judge();
  });

  it('asks for an order whose answer and updates were lost, and does not send it again', async () => {
    const { shard, loopback } = rig;
    loopback.faults.add({ on: 'trade order.create', nth: 1, fault: { kind: 'lose' } });
    loopback.faults.add({ on: 'private *', fault: { kind: 'lose' }, times: 4 });
    shard.submit(rig.child(product, 1, { limitPrice: rig.price(product, 51_000), timeInForce: 'IOC' }), now());
    await until(() => rig.stateOf(1) === 'FILLED', 'the fill');
    judge();
    expect(loopback[product].exchange.ledger.ordersOf(rig.owner.id)).toHaveLength(1);
  });

  it('finds an order in the history when the list of recent orders has lost it', async () => {
    const { shard, loopback } = rig;
    shard.submit(rig.child(product, 1, { limitPrice: rig.price(product, 51_000), timeInForce: 'IOC' }), now());
    await until(() => rig.stateOf(1) === 'FILLED', 'the fill');
    // The list of recent orders is empty after a restart of the exchange.
    loopback.faults.add({ on: 'GET /v5/order/realtime', fault: { kind: 'absent', ms: 3_600_000 } });
    const { account, venue, orderId, child, instrument } = rig.child(product, 1);
    const target = { account, venue, orderId, child, instrument, submittedAtMs: now(), venueOrderId: null };
    const answer = await new Promise<unknown>((resolve) => rig.account.client.lookUp(target, resolve));
    expect(answer).toMatchObject({ kind: 'found', order: { state: 'FILLED' }, fills: [{}] });
    const other = { ...target, orderId: 99 as typeof orderId };
    expect(await new Promise((resolve) => rig.account.client.lookUp(other, resolve))).toEqual({
      kind: 'absent',
    });
  });

  it('does not take an order for absent that no list shows but that has traded', async () => {
    const { shard, loopback } = rig;
    shard.submit(rig.child(product, 1, { limitPrice: rig.price(product, 51_000), timeInForce: 'IOC' }), now());
    await until(() => rig.stateOf(1) === 'FILLED', 'the fill');
    loopback.faults.add({ on: 'GET /v5/order/*', fault: { kind: 'absent', ms: 3_600_000 } });
    const { account, venue, orderId, child, instrument } = rig.child(product, 1);
    const target = { account, venue, orderId, child, instrument, submittedAtMs: now(), venueOrderId: null };
    expect(await new Promise((resolve) => rig.account.client.lookUp(target, resolve))).toEqual({
      kind: 'unknown',
    });
  });
});

/** Notes each placement and cancel, and the way that it has taken. */
function noteWays(): () => string[] {
  const { faults } = rig.loopback;
  for (const on of ['trade order.*', 'POST /v5/order/*']) faults.add({ on, fault: { kind: 'hold', ms: 1 } });
  return () => faults.applied.map(({ on }) => on);
}

describe('a unified account at Bybit', () => {
  it('sends orders and cancels over its socket, and by REST while the socket is not logged on', async () => {
    const ways = noteWays();
    const { shard, loopback } = rig;
    shard.submit(rig.child('spot', 1), now());
    await until(() => rig.stateOf(1) === 'OPEN', 'the order');
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => rig.stateOf(1) === 'CANCELLED', 'the cancel');
    expect(ways()).toEqual(['trade order.create', 'trade order.cancel']);
    // The connection that ends opens again and is refused.
    loopback.faults.add({ on: 'trade order.create', fault: { kind: 'cut', executed: true }, times: 1 });
    loopback.faults.add({ on: 'trade auth', fault: { kind: 'fail', failure: 'unknown', executed: false } });
    shard.submit(rig.child('linear', 2), now());
    await until(() => rig.stateOf(2) === 'OPEN', 'the order without an answer');
    await until(() => rig.opened.findings.length > 0, 'the refused login');
    shard.submit(rig.child('linear', 3), now());
    await until(() => rig.stateOf(3) === 'OPEN', 'the order by REST');
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => [2, 3].some((id) => rig.stateOf(id) === 'CANCELLED'), 'the cancel by REST');
    const placed = ways().filter((way) => !way.endsWith('auth'));
    expect(placed.slice(-2)).toEqual(['POST /v5/order/create', 'POST /v5/order/cancel']);
    // Only the refused login is found.
    expect(new Set(rig.opened.findings.splice(0))).toEqual(new Set(['UNKNOWN the login was refused with 10016']));
    judge();
  });

  it('stops orders for the time that a refusal for the rate on the socket names', async () => {
    const ways = noteWays();
    const { shard, loopback } = rig;
    const rate = { kind: 'limit', status: 429, retryAfterSeconds: 2 } as const;
    loopback.faults.add({ on: 'trade order.create', fault: rate, times: 1 });
    const sentAtMs = now();
    shard.submit(rig.child('spot', 1), now());
    await until(() => rig.stateOf(1) === 'REFUSED', 'the refusal');
    shard.submit(rig.child('spot', 2), now());
    await until(() => rig.stateOf(2) === 'REFUSED', 'the refusal without a request');
    await passed(2_000 - (now() - sentAtMs) + 50);
    shard.submit(rig.child('spot', 3), now());
    await until(() => rig.stateOf(3) === 'OPEN', 'the order');
    expect(ways().filter((way) => way.includes('create'))).toHaveLength(3);
    judge();
  });

  it('logs its socket on again when the exchange restarts it, and refuses what it was not sent', async () => {
    const { shard, loopback } = rig;
    loopback.trade.refusedByRestart = 1;
    shard.submit(rig.child('spot', 1), now());
    await until(() => rig.stateOf(1) === 'REFUSED', 'the refusal');
    shard.submit(rig.child('spot', 2), now());
    await until(() => rig.stateOf(2) === 'OPEN', 'the order');
    judge();
  });

  it('catches up orders of both products after a cut', async () => {
    const { shard, loopback } = rig;
    for (const [index, product] of PRODUCTS.entries()) {
      shard.submit(rig.child(product, index + 1, { limitPrice: rig.bestBid(product) }), now());
    }
    await until(() => [1, 2].every((id) => rig.stateOf(id) === 'OPEN'), 'the orders');
    loopback.cut('stream.bybit.com');
    for (const product of PRODUCTS) loopback[product].background.trade('BTCUSDT', 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => [1, 2].every((id) => rig.stateOf(id) === 'FILLED'), 'the missed fills');
    judge();
  });

  it('opens its private stream again after a frame that is cut in half, and shows what it said', async () => {
    const { shard, loopback } = rig;
    const limitPrice = rig.bestBid('spot');
    shard.submit(rig.child('spot', 1, { limitPrice }), now());
    await until(() => rig.stateOf(1) === 'OPEN', 'the order');
    loopback.faults.add({ on: 'private execution', fault: { kind: 'half' }, times: 1 });
    loopback.spot.background.trade('BTCUSDT', 'SELL', units('1'));
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    await until(() => rig.stateOf(1) === 'FILLED', 'the missed fill');
    expect(rig.opened.findings.splice(0)).toEqual(['UNREADABLE the frame is no JSON']);
    judge();
  });

  it('lists more open orders than fit on one page', async () => {
    const { loopback, owner } = rig;
    // The shard of this rig has not sent them.
    loopback.faults.add({ on: 'private *', fault: { kind: 'lose' } });
    const market = loopback.linear.exchange.market('BTCUSDT')!;
    for (let index = 1; index <= 120; index += 1) {
      loopback.linear.exchange.place({
        account: owner.id,
        instrument: market.instrument,
        clientId: `${index}-1`,
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        isPostOnly: false,
        isReduceOnly: false,
        positionSide: 'BOTH',
        quantity: units('0.001'),
        price: units('40000'),
        prevention: 'NONE',
        wireType: 'Limit',
        wireTimeInForce: 'GTC',
        quoteQuantity: 0n,
      });
    }
    const orders = await new Promise<readonly unknown[] | null>((resolve) => {
      rig.account.client.openOrders(resolve);
    });
    expect(orders).toHaveLength(120);
  });

  it('ends with the ledger after lost, late and meaningless answers, lost updates and cuts', async () => {
    const { shard, loopback } = rig;
    for (const create of ['trade order.create', 'POST /v5/order/create']) {
      loopback.faults.add({ on: create, fault: { kind: 'lose' }, chance: 0.1 });
      loopback.faults.add({ on: create, fault: { kind: 'hold', ms: 2_500 }, chance: 0.1 });
      loopback.faults.add({ on: create, fault: { kind: 'fail', failure: 'unknown', executed: true }, chance: 0.1 });
      loopback.faults.add({ on: create, fault: { kind: 'fail', failure: 'timeout', executed: false }, chance: 0.1 });
      loopback.faults.add({ on: create, fault: { kind: 'duplicate' }, chance: 0.1 });
      loopback.faults.add({ on: create, fault: { kind: 'maintenance', status: 502 }, chance: 0.05 });
      loopback.faults.add({ on: create, fault: { kind: 'cut', executed: true }, chance: 0.05 });
      loopback.faults.add({ on: create, fault: { kind: 'cut', executed: false }, chance: 0.05 });
    }
    loopback.faults.add({ on: 'GET /v5/order/realtime', fault: { kind: 'stale', ms: 300 }, chance: 0.3 });
    loopback.faults.add({ on: 'GET /v5/execution/list', fault: { kind: 'stale', ms: 300 }, chance: 0.2 });
    for (const cancel of ['trade order.cancel', 'POST /v5/order/cancel']) {
      loopback.faults.add({ on: cancel, fault: { kind: 'lose' }, chance: 0.2 });
    }
    for (const on of ['private order', 'private execution']) {
      loopback.faults.add({ on, fault: { kind: 'duplicate' }, chance: 0.2 });
      loopback.faults.add({ on, fault: { kind: 'reorder' }, chance: 0.1 });
      loopback.faults.add({ on, fault: { kind: 'lose' }, chance: 0.1 });
    }
    const random = new Random('bybit');
    for (let id = 1; id <= 80; id += 1) {
      const product = random.uniform() < 0.5 ? 'spot' : 'linear';
      const isCrossing = random.uniform() < 0.4;
      const limitPrice = isCrossing ? rig.price(product, 51_000) : rig.bestBid(product);
      shard.submit(rig.child(product, id, { limitPrice, timeInForce: isCrossing ? 'IOC' : 'GTC' }), now());
      if (random.uniform() < 0.2) shard.cancelSome(random.uniform(), now());
      if (random.uniform() < 0.1) loopback[product].background.trade('BTCUSDT', 'SELL', units('1'));
      if (random.uniform() < 0.05) loopback.cut('stream.bybit.com');
      await passed(random.uniform() * 200);
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
    const ways = new Set(loopback.faults.applied.map(({ on }) => on));
    expect(ways).toContain('trade order.create');
    expect(loopback.faults.applied.length).toBeGreaterThan(10);
    judge();
  });
});
