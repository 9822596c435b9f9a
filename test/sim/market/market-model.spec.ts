import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { DEPTH_HALF_LIFE_MS, IMPACT_HALF_LIFE_MS } from '../../../src/sim/market/market-model.js';
import { BookOrder } from '../../../src/sim/matching/book-order.js';
import { instrumentAt, START_MS } from '../simulated-exchange.js';
import { LoneMarket } from './lone-market.js';
import { runs } from '../../runs.js';

const BTC = instrumentAt('BINANCE', 'BTC/USDT');
const BPS = 10_000;

function lone(seed = 1): LoneMarket {
  return new LoneMarket({ instrument: BTC, seed, startMs: START_MS });
}

/** Ask quantity within 25 bps relative to a twin market without our take. */
function asksLeft(seed: number, afterMs: number): number {
  const [taken, left] = [lone(seed), lone(seed)];
  const [fromMs, toMs] = [START_MS + 10_000, START_MS + 10_000 + afterMs];
  for (const market of [taken, left]) market.background.advance(fromMs);
  taken.takeAny('BUY', taken.depth('SELL', 25, fromMs));
  for (const market of [taken, left]) market.background.advance(toMs);
  return taken.depth('SELL', 25, toMs) / left.depth('SELL', 25, toMs);
}

/** The mean over several markets. */
function meanAsksLeft(afterMs: number): number {
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
  return seeds.reduce((sum, seed) => sum + asksLeft(seed, afterMs), 0) / seeds.length;
}

/** Twice the mid price. */
function middle({ book }: LoneMarket): number {
  return book.bestBid() + book.bestAsk();
}

/** Difference of the mid to a twin market without our buy, in basis points. */
function displacement(seed: number, afterMs: number): number {
  const [moved, left] = [lone(seed), lone(seed)];
  moved.takeAny('BUY', 3_000_000);
  moved.impact.note('BUY', 3_000_000, START_MS);
  for (const market of [moved, left]) market.background.advance(START_MS + afterMs);
  return (middle(moved) / middle(left) - 1) * BPS;
}

describe('events of the market model', () => {
  test('do not depend on how turns divide time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 }), (turns) => {
        const [one, other] = [lone(), lone()];
        let nowMs: number = START_MS;
        for (const turnMs of turns) other.background.advance((nowMs += turnMs));
        one.background.advance(nowMs);
        expect(other.matches).toEqual(one.matches);
        expect([other.book.bestBid(), other.book.bestAsk()]).toEqual([one.book.bestBid(), one.book.bestAsk()]);
      }),
      { numRuns: runs(8, 20) },
    );
  });

  test('come in bursts: the trades per second vary more than a Poisson count', () => {
    const market = lone();
    const counts: number[] = [];
    for (let second = 1; second <= 600; second += 1) {
      const before = market.matches.length;
      market.background.advance(START_MS + second * 1_000);
      counts.push(market.matches.length - before);
    }
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
    // Independent arrivals have a variance equal to their mean.
    expect(variance / mean).toBeGreaterThan(3);
  });
});

describe('taken liquidity', () => {
  test('is missing at once, returns by half after the half-life, and nearly completely after five', () => {
    expect(meanAsksLeft(0)).toBeLessThan(0.02);
    expect(meanAsksLeft(DEPTH_HALF_LIFE_MS)).toBeGreaterThan(0.4);
    expect(meanAsksLeft(DEPTH_HALF_LIFE_MS)).toBeLessThan(0.6);
    expect(meanAsksLeft(5 * DEPTH_HALF_LIFE_MS)).toBeGreaterThan(0.85);
  });
});

describe('the price of the market model', () => {
  test('is displaced by our takes and returns through arbitrage', () => {
    const seeds = Array.from({ length: runs(14, 40) }, (_, index) => index + 1);
    const mean = (afterMs: number): number =>
      seeds.reduce((sum, seed) => sum + displacement(seed, afterMs), 0) / seeds.length;
    const soon = mean(2_000);
    expect(soon).toBeGreaterThan(2);
    const later = mean(2 * IMPACT_HALF_LIFE_MS);
    // Two half-lives of the quantity are one of the displacement, which is its square root.
    expect(later / soon).toBeGreaterThan(0.3);
    expect(later / soon).toBeLessThan(0.75);
    expect(Math.abs(mean(16 * IMPACT_HALF_LIFE_MS))).toBeLessThan(0.3);
  });

  test('moves towards the thin side of the touch more often than not', () => {
    const market = lone(7);
    let [hits, outcomes] = [0, 0];
    let open = { heavyBids: 0, heavyAsks: 0 };
    let middle = market.book.bestBid() + market.book.bestAsk();
    for (let step = 1; step <= 12_000; step += 1) {
      market.background.advance(START_MS + step * 100);
      const { book } = market;
      const now = book.bestBid() + book.bestAsk();
      if (now !== middle) {
        hits += now > middle ? open.heavyBids : open.heavyAsks;
        outcomes += open.heavyBids + open.heavyAsks;
        open = { heavyBids: 0, heavyAsks: 0 };
        middle = now;
      }
      const bids = book.quantityAt('BUY', book.bestBid() as never);
      const share = bids / (bids + book.quantityAt('SELL', book.bestAsk() as never));
      if (share >= 0.9) open.heavyBids += 1;
      if (share <= 0.1) open.heavyAsks += 1;
    }
    expect(outcomes).toBeGreaterThan(1_000);
    expect(hits / outcomes).toBeGreaterThan(0.65);
  });
});

describe('one of our orders far beyond the fair price', () => {
  test('trades with crossing quotes at a bounded rate; the touch returns to the fair price after its cancel', () => {
    const market = lone(3);
    const price = Math.round(market.fair.priceAt(START_MS) * 1.01) as Ticks;
    market.takeAny('BUY', market.depth('SELL', 100, START_MS));
    const ours = new BookOrder({ id: 2, participant: 1, side: 'BUY', price, leaves: 1_000_000_000 as Lots });
    market.rest(ours);
    const filled: number[] = [];
    for (let second = 1; second <= 20; second += 1) {
      const before = ours.leaves;
      market.background.advance(START_MS + second * 1_000);
      filled.push(before - ours.leaves);
    }
    expect(ours.isResting).toBe(true);
    expect(Math.min(...filled)).toBeGreaterThan(0);
    expect(Math.max(...filled)).toBeLessThan(market.profile.lotsPerBps * 60);
    market.book.cancel(ours);
    market.background.advance(START_MS + 40_000);
    expect(market.book.bestAsk() - market.book.bestBid()).toBeLessThan(price / BPS);
    expect(market.book.bestBid() / market.fair.priceAt(START_MS + 40_000)).toBeCloseTo(1, 3);
  });
});
