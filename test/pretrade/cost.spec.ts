import { describe, expect, it } from 'vitest';
import {
  normalTail,
  restingExposure,
  restingVariance,
  scheduleExposureMs,
  touchProbability,
} from '../../src/pretrade/preview-exposure.js';
import { previewOf } from '../../src/pretrade/preview.js';
import { scheduleImpact, sweepCost } from '../../src/pretrade/preview-impact.js';
import { Depth, DepthSide } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { urgencyOf } from '../../src/strategy/schedule/is.js';
import { costVariance, holdingsOf } from '../strategy/almgren-chriss-cost.js';
import { Random } from '../../src/sim/prng.js';
import { START_MS } from '../order/orders.js';
import { MARKET, previewed } from './previewed.js';
import type { FlatTerms } from '../domain/plain-order.js';

const MINUTE_MS = 60_000;
const timed = (minutes: number): Partial<FlatTerms> => ({
  durationMs: (minutes * MINUTE_MS) as DurationMs,
  endAtMs: (START_MS + minutes * MINUTE_MS) as EpochMs,
});
const costOf = (fields: Partial<FlatTerms>) => previewOf(previewed(fields)).cost;

/** A book with `quantity` lots at the touch and as many further away. */
function bookOf(quantity: number): Depth {
  const depth = new Depth();
  for (const side of [depth.bids, depth.asks]) {
    side.count = 2;
    side.prices.set(side === depth.bids ? [6_399_990, 6_399_000] : [6_400_010, 6_401_000]);
    side.quantities.set([quantity, quantity]);
  }
  return depth;
}

/** Walks a price without drift in small steps. Prices are in standard deviations over the whole time. */
function walk(chance: Random, steps: number, visit: (price: number) => boolean): void {
  let price = 0;
  for (let step = 0; step < steps; step += 1) {
    price += (chance.uniform() < 0.5 ? -1 : 1) / Math.sqrt(steps);
    if (visit(price)) return;
  }
}

describe('exposure', () => {
  it('equals the variance of Almgren and Chriss for slices', () => {
    const model = { sigma: 0.95, epsilon: 0.0625, eta: 2.5e-6, gamma: 2.5e-7 };
    const liquidation = { quantity: 1e6, horizon: 5, count: 5 };
    const kappa = urgencyOf(1e-6, model, 1);
    const holdings = holdingsOf(kappa, liquidation);
    // Their slice is traded over the interval before it is removed from the holdings.
    const slices = holdings.slice(1).map((held, index) => ({
      atMs: index as EpochMs,
      quantity: (holdings[index]! - held) as Lots,
    }));
    const variance = model.sigma ** 2 * 1e12 * scheduleExposureMs(slices, 0);
    expect(variance / costVariance(model, liquidation, kappa)).toBeCloseTo(1, 12);
  });

  it('equals the mean time until a random walk reaches the price of a resting order', () => {
    for (const distance of [0.2, 0.7, 1.5]) {
      const chance = new Random(`walk/${distance}`);
      const [trials, steps] = [3_000, 2_500];
      let [touched, waited] = [0, 0];
      for (let trial = 0; trial < trials; trial += 1) {
        walk(chance, steps, (price) => {
          waited += 1 / steps / trials;
          if (price < distance) return false;
          touched += 1 / trials;
          return true;
        });
      }
      // A walk in steps reaches the price slightly late.
      expect(Math.abs(touched - touchProbability(distance))).toBeLessThan(0.04);
      expect(Math.abs(waited - restingExposure(distance))).toBeLessThan(0.04);
    }
    expect(touchProbability(-1)).toBe(1);
    expect(restingExposure(-1)).toBeCloseTo(0, 6);
    expect(restingExposure(8)).toBeCloseTo(1, 6);
  });

  it('equals the variance over random walks for parts at several prices, with the extra cost of the rest', () => {
    const resting = [
      { share: 0.5, deviations: 0.9 },
      { share: 0.2, deviations: 0.2 },
      { share: 0.3, deviations: 0.5 },
    ];
    for (const saved of [0, 0.4]) {
      const chance = new Random(`resting/${saved}`);
      const [trials, steps] = [4_000, 2_500];
      const costs = Array.from({ length: trials }, () => {
        let [lowest, last] = [0, 0];
        walk(chance, steps, (price) => {
          lowest = Math.min(lowest, price);
          last = price;
          return false;
        });
        return resting.reduce((cost, { share, deviations }) => {
          return cost + share * (lowest <= -deviations ? -deviations : last + saved);
        }, 0);
      });
      const mean = costs.reduce((sum, cost) => sum + cost, 0) / trials;
      const variance = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / trials;
      expect(Math.abs(restingVariance(resting, saved) / variance - 1)).toBeLessThan(0.1);
    }
    expect(restingVariance([{ share: 1, deviations: 0.7 }], 0)).toBeCloseTo(restingExposure(0.7), 12);
    expect(restingVariance([{ share: 1, deviations: -1 }], 1)).toBeCloseTo(0, 6);
  });

  it('normalTail matches the normal distribution', () => {
    expect([0, 1, 1.959964, -1].map(normalTail).map((tail) => tail.toFixed(6))).toEqual([
      '0.500000',
      '0.158655',
      '0.025000',
      '0.841345',
    ]);
  });
});

describe('impact', () => {
  it('walks the published levels for a sweep, and extrapolates beyond them', () => {
    const asks = new DepthSide();
    asks.count = 3;
    asks.prices.set([100, 101, 103]);
    asks.quantities.set([10, 10, 20]);
    expect(sweepCost(asks, 10)).toBe(0);
    expect(sweepCost(asks, 20)).toBe(0.5);
    // 40 lots in 4 ticks; the next 40 in 4 more, from 4 to 8 beyond the best.
    expect(sweepCost(asks, 80)).toBe((10 + 60 + 40 * 6) / 80);
    expect(sweepCost(new DepthSide(), 1)).toBe(null);
  });

  it('grows with the square root of the taken quantity, and decays with time', () => {
    const terms = { taken: 100, spanMs: 60_000, dailyVolume: 1e6, dailyVolatility: 0.04 };
    expect(scheduleImpact({ ...terms, taken: 400 }) / scheduleImpact(terms)).toBeCloseTo(2, 12);
    expect(scheduleImpact({ ...terms, spanMs: 600_000 })).toBeLessThan(scheduleImpact(terms));
    expect(scheduleImpact({ ...terms, dailyVolume: Infinity })).toBe(0);
  });
});

describe('expected cost', () => {
  it('is the sum of its parts', () => {
    const { spreadBps, impactBps, feeBps, totalBps } = costOf({
      strategy: 'TWAP',
      quantity: 10_000 as Lots,
      ...timed(10),
    });
    expect(totalBps).toBe(spreadBps + impactBps + feeBps);
  });

  it('includes half the spread where it takes, and fees by maker or taker', () => {
    const half = (5_000 * (MARKET.ask - MARKET.bid)) / 6_400_000;
    const taker = costOf({
      strategy: 'TWAP',
      style: 'AGGRESSIVE',
      ...timed(10),
      clip: { type: 'ORDER_COUNT', count: 1 },
    });
    expect(taker.spreadBps).toBeCloseTo(half, 9);
    // Slices that wait for their moment gain a part of the move in their slot.
    expect(costOf({ strategy: 'TWAP', style: 'AGGRESSIVE', ...timed(10) }).spreadBps).toBeLessThan(half);
    expect(costOf({ strategy: 'TWAP', style: 'PASSIVE', ...timed(10) }).spreadBps).toBeLessThan(taker.spreadBps + 1);
    expect(costOf({ strategy: 'MARKET' }).spreadBps).toBeCloseTo(half, 9);
  });

  it('has a smaller deviation, the sooner the order is done', () => {
    const deviations = [1, 10, 100].map((minutes) => costOf({ strategy: 'TWAP', ...timed(minutes) }).stdevBps);
    expect(deviations[1]! / deviations[0]!).toBeCloseTo(Math.sqrt(10), 0);
    expect(deviations[2]! / deviations[1]!).toBeCloseTo(Math.sqrt(10), 0);
    expect(costOf({ strategy: 'MARKET' }).stdevBps).toBeLessThan(deviations[0]!);
  });

  it('is finite while the volume is unknown', () => {
    for (const strategy of ['LIMIT', 'MARKET'] as const) {
      const fields = { strategy, limitPrice: strategy === 'LIMIT' ? (6_390_000 as Ticks) : null, ...timed(10) };
      const { totalBps, stdevBps } = previewOf(previewed(fields, { profile: null })).cost;
      expect(Number.isFinite(totalBps) && stdevBps > 0).toBe(true);
    }
  });

  it('is lower for a resting order in a thin book, because sweeps reach it before the mid does', () => {
    const limit = { strategy: 'LIMIT', limitPrice: 6_395_000 as Ticks, ...timed(10) } as const;
    const spreadIn = (quantity: number): number => {
      return previewOf(previewed(limit, { depth: bookOf(quantity) })).cost.spreadBps;
    };
    expect(spreadIn(2_000)).toBeLessThan(spreadIn(200_000));
  });

  it('depends on the distance of a limit from the market', () => {
    const at = (limitPrice: number) => costOf({ strategy: 'LIMIT', limitPrice: limitPrice as Ticks, ...timed(10) });
    expect(at(6_399_000).stdevBps).toBeLessThan(at(6_380_000).stdevBps);
    // A marketable limit is taken.
    expect(at(6_500_000).spreadBps).toBeCloseTo(costOf({ strategy: 'MARKET' }).spreadBps, 9);
  });
});
