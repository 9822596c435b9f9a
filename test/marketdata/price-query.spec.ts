import { beforeEach, expect, it } from 'vitest';
import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import { PRICE_WAITERS_MAX, PRICE_CHECK_MS, PRICE_WAIT_MS } from '../../src/domain/limits/process.js';
import { MARKET_STALE_MS } from '../../src/domain/limits/trading.js';
import type { Market } from '../../src/domain/market.js';
import type { OrRejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { PriceQuery } from '../../src/marketdata/price-query.js';

const INSTRUMENT = { index: 3 as InstrumentIndex, venue: 'OKX', symbol: 'BTC/USDT' } as Instrument;

/** A price query whose market and clocks the test sets. */
class Rig {
  market = { bid: 0, ask: 0, atMs: 0 };
  nowMs = 1_000_000;
  realMs = 0;
  isVenueUp = true;
  readonly awake: boolean[] = [];
  readonly answers: OrRejection<number>[] = [];
  #polls: (() => void)[] = [];
  readonly query = new PriceQuery({
    read: () => this.market as unknown as Market,
    keepAwake: (_instrument, isAwake) => void this.awake.push(isAwake),
    isVenueUp: () => this.isVenueUp,
    clock: { nowMs: () => this.nowMs as EpochMs },
    nowRealMs: () => this.realMs,
    after: (_delayMs, run) => void this.#polls.push(run),
  });

  ask(): void {
    this.query.twiceMid(INSTRUMENT, (result) => this.answers.push(result));
  }

  /** Advances real time, poll by poll. */
  pass(ms: number): void {
    for (const endMs = this.realMs + ms; this.realMs < endMs;) {
      this.realMs += PRICE_CHECK_MS;
      for (const poll of this.#polls.splice(0)) poll();
    }
  }

  get isPolling(): boolean {
    return this.#polls.length > 0;
  }
}

let rig: Rig;
beforeEach(() => (rig = new Rig()));

it('answers at once from a fresh market and wakes no market', () => {
  rig.market = { bid: 100, ask: 103, atMs: rig.nowMs - MARKET_STALE_MS };
  rig.ask();
  expect([rig.answers, rig.awake, rig.isPolling]).toEqual([[203], [], false]);
});

it('wakes a sleeping market once for all callers, then lets it sleep again', () => {
  rig.market = { bid: 1, ask: 3, atMs: rig.nowMs - MARKET_STALE_MS - 1 };
  rig.ask();
  rig.pass(20);
  rig.ask();
  expect([rig.answers, rig.awake]).toEqual([[], [true]]);
  rig.market = { bid: 100, ask: 102, atMs: rig.nowMs };
  rig.pass(PRICE_CHECK_MS);
  expect([rig.answers, rig.awake, rig.isPolling]).toEqual([[202, 202], [true, false], false]);
});

it.each([
  ['has no bid', { bid: 0, ask: 102 }],
  ['has no ask', { bid: 100, ask: 0 }],
  ['is crossed', { bid: 102, ask: 100 }],
])('answers no price for a market that %s', (_what, sides) => {
  rig.market = { ...sides, atMs: rig.nowMs };
  rig.ask();
  rig.pass(PRICE_WAIT_MS);
  const rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange OKX has no price of BTC/USDT' };
  expect([rig.answers, rig.awake, rig.isPolling]).toEqual([[{ rejection }], [true, false], false]);
});

it('refuses at once while the venues are down', () => {
  rig.isVenueUp = false;
  rig.ask();
  expect(rig.answers).toMatchObject([{ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } }]);
  expect(rig.awake).toEqual([]);
});

it('bounds the waiting callers and frees their places after the answers', () => {
  for (let count = 0; count <= PRICE_WAITERS_MAX; count += 1) rig.ask();
  expect(rig.answers).toMatchObject([{ rejection: { code: 'SYSTEM_BUSY' } }]);
  rig.pass(PRICE_WAIT_MS);
  expect(rig.answers).toHaveLength(PRICE_WAITERS_MAX + 1);
  rig.ask();
  expect(rig.awake).toEqual([true, false, true]);
});
