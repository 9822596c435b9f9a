import { describe, expect, it } from 'vitest';
import { normalTail } from '../../src/analytics/normal-distribution.js';
import { previewOf } from '../../src/analytics/preview.js';
import {
  restingExposure,
  restingVariance,
  scheduleExposureMs,
  touchProbability,
} from '../../src/analytics/preview-exposure.js';
import { scheduleImpact } from '../../src/analytics/preview-impact.js';
import { sweepCost } from '../../src/analytics/preview-sweep.js';
import { Depth, DepthSide } from '../../src/model/depth.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { costVariance, urgencyOf, holdingsOf } from '../../src/strategy/almgren-chriss.js';
import { Random } from '../../src/venue/prng.js';
import { START_MS } from '../order/orders.js';
import { MARKET, previewed } from './previewed.js';

const MINUTE_MS = 60_000;
const timed = (minutes: number): Partial<ParentOrder> => ({
  durationMs: (minutes * MINUTE_MS) as DurationMs,
  endAtMs: (START_MS + minutes * MINUTE_MS) as EpochMs,
});
const costOf = (fields: Partial<ParentOrder>) => previewOf(previewed(fields)).cost;

/** So many lots at the touch, and as many a little further away. */
function bookOf(quantity: number): Depth {
  const depth = new Depth();
  for (const side of [depth.bids, depth.asks]) {
    side.count = 2;
    side.prices.set(side === depth.bids ? [6_399_990, 6_399_000] : [6_400_010, 6_401_000]);
    side.quantities.set([quantity, quantity]);
  }
  return depth;
}

/** A price without drift that is looked at often: in standard deviations over its whole time, of which a step is a part. */
function walk(chance: Random, steps: number, visit: (price: number) => boolean): void {
  let price = 0;
  for (let step = 0; step < steps; step += 1) {
    price += (chance.uniform() < 0.5 ? -1 : 1) / Math.sqrt(steps);
    if (visit(price)) return;
  }
}

describe('exposure', () => {
  it('of slices is the variance of Almgren and Chriss', () => {
    const model = { sigma: 0.95, epsilon: 0.0625, eta: 2.5e-6, gamma: 2.5e-7 };
    const liquidation = { quantity: 1e6, horizon: 5, count: 5 };
    const kappa = urgencyOf(1e-6, model, 1);
    const holdings = holdingsOf(kappa, liquidation);
    // Their slice is traded over the interval before it counts as gone.
    const slices = holdings.slice(1).map((held, index) => ({
      atMs: index as EpochMs,
      quantity: (holdings[index]! - held) as Lots,
    }));
    const variance = model.sigma ** 2 * 1e12 * scheduleExposureMs(slices, 0);
    expect(variance / costVariance(model, liquidation, kappa)).toBeCloseTo(1, 12);
  });

  it('of a resting order is how long a walk takes to come to it', () => {
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
      // A walk by steps comes a little late.
      expect(Math.abs(touched - touchProbability(distance))).toBeLessThan(0.04);
      expect(Math.abs(waited - restingExposure(distance))).toBeLessThan(0.04);
    }
    expect(touchProbability(-1)).toBe(1);
    expect(restingExposure(-1)).toBeCloseTo(0, 6);
    expect(restingExposure(8)).toBeCloseTo(1, 6);
  });

  it('of parts at several prices is the variance of what a walk makes of them, what the rest costs more included', () => {
    const stands = [
      { share: 0.5, deviations: 0.9 },
      { share: 0.2, deviations: 0.2 },
      { share: 0.3, deviations: 0.5 },
    ];
    for (const saved of [0, 0.4]) {
      const chance = new Random(`stands/${saved}`);
      const [trials, steps] = [4_000, 2_500];
      const costs = Array.from({ length: trials }, () => {
        let [lowest, last] = [0, 0];
        walk(chance, steps, (price) => {
          lowest = Math.min(lowest, price);
          last = price;
          return false;
        });
        return stands.reduce((cost, { share, deviations }) => {
          return cost + share * (lowest <= -deviations ? -deviations : last + saved);
        }, 0);
      });
      const mean = costs.reduce((sum, cost) => sum + cost, 0) / trials;
      const variance = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / trials;
      expect(Math.abs(restingVariance(stands, saved) / variance - 1)).toBeLessThan(0.1);
    }
    expect(restingVariance([{ share: 1, deviations: 0.7 }], 0)).toBeCloseTo(restingExposure(0.7), 12);
    expect(restingVariance([{ share: 1, deviations: -1 }], 1)).toBeCloseTo(0, 6);
  });

  it('knows the normal distribution', () => {
    expect([0, 1, 1.959964, -1].map(normalTail).map((tail) => tail.toFixed(6))).toEqual([
      '0.500000',
      '0.158655',
      '0.025000',
      '0.841345',
    ]);
  });
});

describe('impact', () => {
  it('of a sweep is what the levels ask, and beyond them what they would ask', () => {
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

  it('grows with the square root of what is taken, and fades with time', () => {
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

  it('pays half the spread where it takes, and fees by how it is filled', () => {
    const half = (5_000 * (MARKET.ask - MARKET.bid)) / 6_400_000;
    const taker = costOf({ strategy: 'TWAP', style: 'AGGRESSIVE', ...timed(10) });
    expect(taker.spreadBps).toBeCloseTo(half, 9);
    expect(costOf({ strategy: 'TWAP', style: 'PASSIVE', ...timed(10) }).spreadBps).toBeLessThan(taker.spreadBps + 1);
    expect(costOf({ strategy: 'MARKET' }).spreadBps).toBeCloseTo(half, 9);
  });

  it('is the surer the sooner it is done', () => {
    const deviations = [1, 10, 100].map((minutes) => costOf({ strategy: 'TWAP', ...timed(minutes) }).stdevBps);
    expect(deviations[1]! / deviations[0]!).toBeCloseTo(Math.sqrt(10), 0);
    expect(deviations[2]! / deviations[1]!).toBeCloseTo(Math.sqrt(10), 0);
    expect(costOf({ strategy: 'MARKET' }).stdevBps).toBeLessThan(deviations[0]!);
  });

  it('is not known worse where the volume is not known', () => {
    for (const strategy of ['LIMIT', 'MARKET'] as const) {
      const fields = { strategy, limitPrice: strategy === 'LIMIT' ? (6_390_000 as Ticks) : null, ...timed(10) };
      const { totalBps, stdevBps } = previewOf(previewed(fields, { profile: null })).cost;
      expect(Number.isFinite(totalBps) && stdevBps > 0).toBe(true);
    }
  });

  it('of an order that rests is less in a thin book: sweeps come to it before the price does', () => {
    const limit = { strategy: 'LIMIT', limitPrice: 6_395_000 as Ticks, ...timed(10) } as const;
    const spreadIn = (quantity: number): number => {
      return previewOf(previewed(limit, { depth: bookOf(quantity) })).cost.spreadBps;
    };
    expect(spreadIn(2_000)).toBeLessThan(spreadIn(200_000));
  });

  it('of a limit behind the market depends on how far it is', () => {
    const at = (limitPrice: number) => costOf({ strategy: 'LIMIT', limitPrice: limitPrice as Ticks, ...timed(10) });
    expect(at(6_399_000).stdevBps).toBeLessThan(at(6_380_000).stdevBps);
    // One that can be taken is taken.
    expect(at(6_500_000).spreadBps).toBeCloseTo(costOf({ strategy: 'MARKET' }).spreadBps, 9);
  });
});
