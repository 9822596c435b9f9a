import { expect, it } from 'vitest';
import { runs } from '../runs.js';
import { simulate } from './simulation.js';

/* `npm run sim` runs thousands of these: see main.ts. */
const SEEDS_COUNT = runs(10, 40);
const REPEATED_SEED = 13;

it.each(Array.from({ length: SEEDS_COUNT }, (_, index) => index + 1))(
  'keeps every promise in the world of seed %i',
  (seed) => {
    simulate(seed);
  },
);

it('repeats a run from its seed', () => {
  expect(simulate(REPEATED_SEED).digest).toBe(simulate(REPEATED_SEED).digest);
});
