import { afterEach, describe, expect, it } from 'vitest';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import { BinanceSpotLine } from '../../../src/venue/live/binance-spot-line.js';
import { BINANCE_RECV_WINDOW_MS } from '../../../src/venue/live/dialect/binance-orders.js';
import type { SendingRules } from '../../../src/venue/live/exchange-line.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import { CcxtTransport } from '../../../src/venue/live/transport/ccxt-transport.js';
import type { TradedInstrument } from '../../../src/venue/live/wire-guard.js';
import { Random } from '../../../src/sim/prng.js';
import type { LoopbackAccount } from '../../loopback/accounts.js';
import { BinanceLoopback } from '../../loopback/binance/binance-loopback.js';
import { units } from '../../loopback/decimal.js';
import { ShardModel } from './shard-model.js';

/* The session, the requests and the library against an exchange with a ledger of its own, over real sockets. */

const BTC = 4_096 as InstrumentIndex;
const TRADED: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: false,
  quantityPrecision: 5,
  pricePrecision: 2,
  quantityStep: 1,
  priceStep: 1,
};
const RULES: SendingRules = {
  expiryMs: BINANCE_RECV_WINDOW_MS as DurationMs,
  marginMs: 500 as DurationMs,
  orderHistoryMs: 86_400_000 as DurationMs,
};
const TICK_MS = 10;

class Desk {
  readonly shard: ShardModel;
  readonly findings: string[] = [];
  readonly contradictions: string[] = [];
  readonly loopback: BinanceLoopback;
  readonly account: LoopbackAccount;
  #session!: OrderSession;
  #transport!: CcxtTransport;
  #line!: BinanceSpotLine;
  #isOpen = true;
  #timer: NodeJS.Timeout | undefined;

  private constructor(loopback: BinanceLoopback) {
    this.loopback = loopback;
    this.account = loopback.openAccount();
    this.shard = new ShardModel((request) => this.#session.handle(request, now()));
  }

  static async open(): Promise<Desk> {
    const desk = new Desk(await BinanceLoopback.start({ seed: 'desk' }));
    const { loopback, account } = desk;
    desk.#transport = await CcxtTransport.open({
      exchange: 'binance',
      apiKey: account.keys[0]!.key,
      secret: account.keys[0]!.secret ?? '',
      timeoutMs: 3_000,
      urls: {
        rest: loopback.address('api.binance.com'),
        socketApi: loopback.address('ws-api.binance.com', 'ws'),
      },
      onFrame: (frame) => {
        for (const update of desk.#line.updatesIn(frame)) desk.#session.onUpdate(update, now());
      },
      onCut: () => desk.#onCut(),
    });
    desk.#line = new BinanceSpotLine({
      transport: desk.#transport,
      instruments: { at: () => TRADED, bySymbol: (symbol) => (symbol === 'BTCUSDT' ? BTC : null) },
      nowMs: now,
      onFinding: ({ type, message }) => desk.findings.push(`${type}: ${message}`),
    });
    desk.#session = new OrderSession({
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      line: desk.#line,
      rules: RULES,
      startedAtMs: now(),
      report: (report) => desk.shard.take(report, now()),
      onLink: (isUp) => desk.shard.setLink(isUp, now()),
      onContradiction: (what) => desk.contradictions.push(what),
    });
    desk.#timer = setInterval(() => {
      desk.#session.advance(now());
      desk.shard.advance(now());
    }, TICK_MS);
    await desk.#connect();
    return desk;
  }

  get isLinked(): boolean {
    return this.#session.isLinked;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#timer);
    await this.#transport.close();
    await this.loopback.close();
  }

  async #connect(): Promise<void> {
    while (this.#isOpen) {
      try {
        await this.#transport.subscribeSpot();
        return this.#session.onSubscribed();
      } catch {
        await passed(50);
      }
    }
  }

  #onCut(): void {
    if (!this.#isOpen) return;
    this.#session.onCut(now());
    void this.#connect();
  }
}

function now(): EpochMs {
  return Date.now() as EpochMs;
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isTrue(); waitedMs += TICK_MS) {
    if (waitedMs > 60_000) throw new Error(`waited in vain: ${what}`);
    await passed(TICK_MS);
  }
}

function child(orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
  return {
    account: 'alice' as AccountId,
    venue: 'BINANCE',
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: BTC,
    side: 'BUY',
    quantity: 1_000 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 4_900_000 as Ticks,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'EXPIRE_TAKER',
    ...change,
  };
}

const CROSSING = 5_100_000 as Ticks;
/** Above the quotes of the loopback's background, which begin 0.05 below 50,000. */
const BEST_BID = 4_999_998 as Ticks;
let desk: Desk;
afterEach(() => desk.close());

/** Compares the shard's view with the exchange's ledger. */
function judge({ shard, loopback, account, contradictions, findings }: Desk): void {
  const { ledger } = loopback.spot.exchange;
  expect(ledger.repeatedClientIds(account.id)).toEqual([]);
  expect(contradictions.filter((what) => what !== 'an order is denied')).toEqual([]);
  expect(findings).toEqual([]);
  const placed = new Map(ledger.ordersOf(account.id).map((order) => [order.terms.clientId, order]));
  for (const [name, { state, filled }] of shard.children) {
    const order = placed.get(name);
    const isAbsent = order === undefined;
    if (isAbsent) expect(['REFUSED', 'ABSENT'], name).toContain(state);
    else expect([name, units('0.00001') * BigInt(filled)]).toEqual([name, order.state.filled]);
    if (!isAbsent) expect([name, state === 'OPEN']).toEqual([name, order.isOpen]);
  }
}

describe('an account at Binance spot', () => {
  it('places, fills, cancels and looks orders up, and ends with the ledger of the exchange', async () => {
    desk = await Desk.open();
    const { shard } = desk;
    await until(() => desk.isLinked, 'the link');
    shard.submit(child(1), now());
    shard.submit(child(2, { limitPrice: CROSSING, timeInForce: 'IOC' }), now());
    shard.submit(child(3, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, side: 'SELL' }), now());
    shard.submit(child(4, { postOnly: true, limitPrice: CROSSING }), now());
    shard.submit(child(5, { quantity: 900_000_000 as Lots }), now());
    const stateOf = (id: number) => shard.children.get(`${id}-1`)?.state;
    await until(() => [2, 3].every((id) => stateOf(id) === 'FILLED'), 'the fills');
    await until(() => [4, 5].every((id) => stateOf(id) === 'REFUSED'), 'the refusals');
    await until(() => stateOf(1) === 'OPEN', 'the resting order');
    shard.cancelSome(0, now());
    await until(() => stateOf(1) === 'CANCELLED', 'the cancel');
    judge(desk);
  });

  it('catches up within 2 s after a cut', async () => {
    desk = await Desk.open();
    const { shard, loopback } = desk;
    await until(() => desk.isLinked, 'the link');
    shard.submit(child(1, { limitPrice: BEST_BID }), now());
    await until(() => shard.children.get('1-1')?.state === 'OPEN', 'the order');
    loopback.cut('ws-api.binance.com');
    loopback.spot.background.trade('BTCUSDT', 'SELL', units('1'));
    await until(() => !desk.isLinked, 'the cut');
    const cutAtMs = now();
    await until(() => desk.isLinked, 'the link again');
    await until(() => shard.children.get('1-1')?.state === 'FILLED', 'the missed fill');
    expect(now() - cutAtMs).toBeLessThan(5_000);
    judge(desk);
  });

  it('ends with the ledger after lost, late and meaningless answers, lost updates and cuts', async () => {
    desk = await Desk.open();
    const { shard, loopback } = desk;
    await until(() => desk.isLinked, 'the link');
    const order = 'POST /api/v3/order';
    loopback.faults.add({ on: order, fault: { kind: 'lose' }, chance: 0.1 });
    loopback.faults.add({ on: order, fault: { kind: 'hold', ms: 2_500 }, chance: 0.1 });
    loopback.faults.add({ on: order, fault: { kind: 'fail', failure: 'unknown', executed: true }, chance: 0.1 });
    loopback.faults.add({ on: order, fault: { kind: 'fail', failure: 'timeout', executed: false }, chance: 0.1 });
    loopback.faults.add({ on: order, fault: { kind: 'maintenance', status: 502 }, chance: 0.05 });
    loopback.faults.add({ on: 'GET /api/v3/order', fault: { kind: 'stale', ms: 300 }, chance: 0.3 });
    loopback.faults.add({ on: 'DELETE /api/v3/order', fault: { kind: 'lose' }, chance: 0.2 });
    loopback.faults.add({ on: 'spot executionReport', fault: { kind: 'duplicate' }, chance: 0.2 });
    loopback.faults.add({ on: 'spot executionReport', fault: { kind: 'lose' }, chance: 0.1 });
    const random = new Random('binance-spot');
    for (let id = 1; id <= 60; id += 1) {
      const isCrossing = random.uniform() < 0.4;
      const limitPrice = isCrossing ? CROSSING : BEST_BID;
      shard.submit(child(id, { limitPrice, timeInForce: isCrossing ? 'IOC' : 'GTC' }), now());
      if (random.uniform() < 0.2) shard.cancelSome(random.uniform(), now());
      if (random.uniform() < 0.1) loopback.spot.background.trade('BTCUSDT', 'SELL', units('1'));
      if (random.uniform() < 0.05) loopback.cut('ws-api.binance.com');
      await passed(random.uniform() * 150);
    }
    loopback.faults.clear();
    await until(() => desk.isLinked, 'the link');
    const isSettled = (): boolean =>
      [...shard.children.values()].every(({ state }) => state !== 'IN_FLIGHT' && state !== 'UNKNOWN');
    // Resting children are asked for every 2 s: an update was lost on a connection that stayed.
    await passed(5_000);
    shard.asksResting = false;
    await until(isSettled, 'every answer');
    expect(shard.children.size).toBeGreaterThan(20);
    expect(loopback.faults.applied.length).toBeGreaterThan(10);
    judge(desk);
  }, 120_000);
});
