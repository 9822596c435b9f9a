import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faultySource } from '../../simulation/mutations/list.js';
import { PLANTS } from './plant-list.js';

const ROOT = join(import.meta.dirname, '../../..');

it.each(PLANTS)('the fault "$name" changes its file', (plant) => {
  expect(faultySource(ROOT, plant)).toContain(plant.after);
});
