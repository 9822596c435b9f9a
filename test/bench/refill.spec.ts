import { describe, expect, it } from 'vitest';
import { RefillEstimate } from '../../bench/quality/refill.js';
import { sweepPriceOf } from '../../src/backtest/backtest-run.js';
import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { Random } from '../../src/sim/prng.js';

const ASK = 10_001 as Ticks;
const BEHIND = 10_002 as Ticks;

/** A book of one level on the ask side. */
class OneLevel {
  quantity = 1_000;
  readonly refill = new RefillEstimate({
    best: () => (this.quantity > 0 ? ASK : BEHIND),
    quantityAt: (side: Side, price) => (side === 'SELL' && price === ASK ? this.quantity : 0) as Lots,
    walk: () => undefined,
  });

  trade(quantity: number, atMs: number): this {
    this.refill.onTrade(ASK, quantity as Lots, 'BUY', atMs as EpochMs);
    return this;
  }

  show(quantity: number, atMs: number): this {
    this.quantity = quantity;
    this.refill.onBook(atMs as EpochMs);
    return this;
  }
}

describe('the half-life of a level', () => {
  it('counts from the shown loss until half of it is back', () => {
    const { refill } = new OneLevel().trade(400, 0).show(600, 50).show(790, 700).show(801, 1_050);
    expect(refill.halfLifeMs).toBe(1_000);
  });

  it('joins the trades of one millisecond at one price', () => {
    const { refill } = new OneLevel().trade(100, 0).trade(300, 0).show(600, 50).show(760, 700).show(801, 1_050);
    expect(refill.count).toBe(1);
    expect(refill.halfLifeMs).toBe(1_000);
  });

  it('ignores takes whose loss is not shown soon', () => {
    const { refill } = new OneLevel().trade(400, 0).show(1_000, 100).show(990, 250).show(600, 260).show(1_000, 500);
    expect(refill.halfLifeMs).toBeNull();
  });

  it('counts a level that stays away as longer than the watched time', () => {
    const { refill } = new OneLevel().trade(400, 0).show(600, 50).show(600, 5_000).show(600, 10_050);
    expect(refill.count).toBe(1);
    expect(refill.halfLifeMs).toBe(10_000);
  });

  it('watches a level only while the market is there', () => {
    const level = new OneLevel();
    level.trade(1_000, 0).show(0, 10).show(0, 9_000).show(1_000, 20_000);
    level.trade(100, 30_000).show(900, 30_010).show(1_000, 30_110);
    expect(level.refill.count).toBe(2);
    expect(level.refill.halfLifeMs).toBe(100);
  });

  it('knows of a take that was lost sight of that it was away until then', () => {
    // Kaplan and Meier: 3 of 4 are away after 100 ms; the second is not watched any more; 1 of 2 after 300 ms: 3/8.
    const level = new OneLevel();
    level.trade(100, 0).show(900, 10).show(1_000, 110);
    level.trade(100, 1_000).show(900, 1_010).show(0, 1_210).show(1_000, 1_220);
    level.trade(100, 2_000).show(900, 2_010).show(1_000, 2_310);
    level.trade(100, 3_000).show(900, 3_010).show(1_000, 3_510);
    expect(level.refill.count).toBe(4);
    expect(level.refill.halfLifeMs).toBe(300);
  });

  it('is the median by quantity', () => {
    const level = new OneLevel();
    // A large take is back after 3 s, two small ones after 100 ms.
    level.trade(900, 0).show(100, 10).show(1_000, 3_010);
    level.trade(100, 4_000).show(900, 4_010).show(1_000, 4_110);
    level.trade(100, 5_000).show(900, 5_010).show(1_000, 5_110);
    expect(level.refill.halfLifeMs).toBe(3_000);
  });

  it('is found again in a level that refills by that half-life', () => {
    const level = new OneLevel();
    const random = new Random('refill');
    const halfLifeMs = 800;
    let missing = 0;
    for (let atMs = 10; atMs < 300_000; atMs += 10) {
      missing *= 2 ** (-10 / halfLifeMs);
      level.show(Math.round(1_000 - missing), atMs);
      if (random.uniform() < 0.002) {
        const quantity = 200 + Math.floor(random.uniform() * 200);
        level.trade(quantity, atMs);
        missing = Math.min(1_000, missing + quantity);
      }
    }
    expect(level.refill.count).toBeGreaterThan(30);
    expect(level.refill.halfLifeMs! / halfLifeMs).toBeGreaterThan(0.75);
    expect(level.refill.halfLifeMs! / halfLifeMs).toBeLessThan(1.25);
  });
});

describe('the price of an unfilled rest', () => {
  const levels = [
    [10_001, 5],
    [10_003, 10],
  ] as const;
  const walk: Parameters<typeof sweepPriceOf>[0] = (visit) => {
    for (const [price, quantity] of levels) if (!visit(price as Ticks, quantity as Lots)) return;
  };

  it('is what a MARKET order of its size pays, level by level', () => {
    expect(sweepPriceOf(walk, 4)).toBe(10_001);
    expect(sweepPriceOf(walk, 10)).toBe(10_002);
  });

  it('is the last level beyond the known book, and unknown without a book', () => {
    expect(sweepPriceOf(walk, 30)).toBeCloseTo((5 * 10_001 + 25 * 10_003) / 30, 9);
    expect(sweepPriceOf(() => undefined, 30)).toBeNull();
  });
});
