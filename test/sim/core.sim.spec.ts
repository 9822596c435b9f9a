import { expect, it } from 'vitest';
import { simulate } from './simulation.js';

const SEEDS_COUNT = 60;
const STEPS_COUNT = 1_500;

const { SIM_SEED, SIM_SEEDS, SIM_STEPS } = process.env;
const stepCount = Number(SIM_STEPS ?? STEPS_COUNT);
const seeds =
  SIM_SEED === undefined
    ? Array.from({ length: Number(SIM_SEEDS ?? SEEDS_COUNT) }, (_, index) => index + 1)
    : [Number(SIM_SEED)];

it.each(seeds)('seed %i', (seed) => {
  const { orderCount, eventCount } = simulate(seed, stepCount);
  expect(eventCount).toBeGreaterThanOrEqual(orderCount);
});
