import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { VolumeProfile } from '../../src/domain/intent.js';
import type { Market } from '../../src/domain/market.js';
import type { StrategyName, Urgency } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { type ImpactModel, urgencyOf } from '../../src/strategy/schedule/is.js';
import { costVariance, expectedCost } from './almgren-chriss-cost.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { Random } from '../../src/sim/prng.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';

const LAMBDA: { readonly [Name in Urgency]: number } = { LOW: 0.2e-6, MEDIUM: 1e-6, HIGH: 5e-6 };
const COUNT = 48;
const HOURS = 4;
const DAYS = HOURS / 24;
const UNITS = 500;
const LOTS_PER_UNIT = 100_000;
const VOLUME_UNITS = 96_000;
const PRICE = 63_000;
const VOLATILITY = 0.025;
const PATHS_COUNT = 20_000;
const INSTRUMENT: Instrument = { ...BTC, quantityMax: 1e9 as Lots, takerFeePpm: 0 };

/** The strategy's model: half a dollar of spread, no fee, and the published impact for this volume and volatility. */
const MODEL: ImpactModel = {
  sigma: PRICE * VOLATILITY,
  epsilon: 0.5,
  eta: (0.357 * PRICE * VOLATILITY) / VOLUME_UNITS,
  gamma: (0.314 * PRICE * VOLATILITY) / VOLUME_UNITS,
};
/** A day with uneven volume, so that a VWAP differs from a TWAP. */
const WEIGHTS = Array.from({ length: 288 }, (_, part) => 1 + 0.5 * Math.sin((2 * Math.PI * part) / 72));
const WHOLE = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
const PROFILE: VolumeProfile = {
  shares: WEIGHTS.map((weight) => weight / WHOLE),
  dailyVolume: (VOLUME_UNITS * LOTS_PER_UNIT) as Lots,
};
const MARKET: Market = {
  ...marketOf({ bid: PRICE * 100 - 50, ask: PRICE * 100 + 50 }),
  volatility: VOLATILITY / Math.sqrt(1_440),
};

/** Returns the units that the strategy trades in each slot, in a market that takes any quantity. */
function slicesOf(strategy: StrategyName, urgency: Urgency): number[] {
  const endAtMs = (START_MS + HOURS * 3_600_000) as EpochMs;
  const order = orderOf({
    strategy,
    urgency,
    endAtMs,
    quantity: (UNITS * LOTS_PER_UNIT) as Lots,
    clip: { type: 'ORDER_COUNT', count: COUNT },
  });
  const rig = new OrderRig(order, strategyFor(order) as never, INSTRUMENT);
  rig.profile = PROFILE;
  rig.venue.move(MARKET, Infinity);
  rig.look();
  let before = 0;
  return Array.from({ length: COUNT }, (_, slot) => {
    rig.passUntil(START_MS + ((slot + 1) * HOURS * 3_600_000) / COUNT - (slot + 1 < COUNT ? 1 : 0));
    const done = rig.state.legs[0].progress.filled / LOTS_PER_UNIT;
    const slice = done - before;
    before = done;
    return slice;
  });
}

/** Returns the cost of the slices on one price path, with the model's own impact. */
function costOf(slices: readonly number[], moves: Float64Array): number {
  const interval = DAYS / COUNT;
  let [drift, held, cost] = [0, UNITS, 0];
  slices.forEach((slice, slot) => {
    cost += slice * (drift + MODEL.epsilon + (MODEL.eta * slice) / interval);
    held -= slice;
    drift += MODEL.gamma * slice + moves[slot]!;
  });
  return cost + held * drift;
}

interface Objective {
  readonly value: number;
  /** Part of each path in the objective, for a comparison path by path. */
  readonly parts: Float64Array;
}

function objectiveOf(slices: readonly number[], lambda: number): Objective {
  const random = new Random('shortfall');
  const moves = new Float64Array(COUNT);
  const costs = Float64Array.from({ length: PATHS_COUNT }, (_, path) => {
    // Every other path is the negative of the one before, so that the drawn paths have no drift.
    if (path % 2 === 1) moves.forEach((move, slot) => (moves[slot] = -move));
    else moves.forEach((_move, slot) => (moves[slot] = MODEL.sigma * Math.sqrt(DAYS / COUNT) * normal(random)));
    return costOf(slices, moves);
  });
  const mean = meanOf(costs);
  const parts = costs.map((cost) => cost + lambda * (cost - mean) ** 2);
  return { value: meanOf(parts), parts };
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Upper end of the 95 % interval of the mean difference, path by path. */
function upperDifference(left: Objective, right: Objective): number {
  const differences = left.parts.map((part, path) => part - right.parts[path]!);
  const mean = meanOf(differences);
  const variance = meanOf(differences.map((difference) => (difference - mean) ** 2));
  return mean + 1.96 * Math.sqrt(variance / differences.length);
}

describe.each(['LOW', 'MEDIUM', 'HIGH'] as const)(
  'cost and risk of IS, urgency %s, with its model as the market',
  (urgency) => {
    const lambda = LAMBDA[urgency];
    const own = objectiveOf(slicesOf('IS', urgency), lambda);

    test.each(['TWAP', 'VWAP'] as const)('are at most those of %s, path by path', (other) => {
      expect(upperDifference(own, objectiveOf(slicesOf(other, urgency), lambda))).toBeLessThanOrEqual(0);
    });

    test('are within 3 % of the closed form', () => {
      const liquidation = { quantity: UNITS, horizon: DAYS, count: COUNT };
      const kappa = urgencyOf(lambda, MODEL, DAYS / COUNT);
      const best = expectedCost(MODEL, liquidation, kappa) + lambda * costVariance(MODEL, liquidation, kappa);
      expect(Math.abs(own.value / best - 1)).toBeLessThan(0.03);
    });
  },
);

test('an IS order with a trigger and a duration keeps its end when it is paused and resumed', () => {
  const durationMs = 3_600_000 as DurationMs;
  const trigger = { price: MARKET.last, condition: 'ABOVE' } as const;
  const order = orderOf({ strategy: 'IS', trigger, durationMs, endAtMs: null });
  const rig = new OrderRig(order, strategyFor(order) as never, BTC);
  rig.look();
  rig.passUntil(START_MS + durationMs / 2);
  rig.pause();
  rig.exchange();
  rig.resume();
  rig.look();
  expect(rig.state.legs[0].memory).toMatchObject({ kind: 'IS', endMs: START_MS + durationMs });
  rig.passUntil(START_MS + durationMs);
  expect(rig.state.status).toBe('FILLED');
});
