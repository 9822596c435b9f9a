import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { hunt } from './hunt.js';
import { MUTATIONS } from './list.js';
import { ScratchCopy } from './plant.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Faults that the simulation finds soonest. `npm run sim:mutations` runs all. */
const QUICK = [
  'requests leave before the turn is synced',
  'another request by the same client_order_id is answered with the first order',
  'an order that ends keeps a child that is being cancelled',
];
const SEEDS_COUNT = 150;
const TIMEOUT_MS = 600_000;

describe('The simulation', () => {
  const scratch = new ScratchCopy(ROOT);
  afterAll(() => scratch.remove());

  it.each(QUICK)(
    'finds that %s',
    (name) => {
      const mutation = MUTATIONS.find((one) => one.name === name);
      expect(mutation).toBeDefined();
      expect(hunt(scratch, mutation!, { seeds: SEEDS_COUNT, jobs: 1 }).seedCount).not.toBeNull();
    },
    TIMEOUT_MS,
  );
});
