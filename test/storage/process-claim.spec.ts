import { afterAll, expect, test } from 'vitest';
import { CLAIM_WAIT_MS_MAX } from '../../src/domain/limits/process.js';
import { ProcessClaim } from '../../src/storage/process-claim.js';
import { Folders } from '../journal/journal-world.js';

const folders = new Folders();
afterAll(() => folders.removeAll());

test('a released folder is free at once', () => {
  const dataDir = folders.fresh();
  ProcessClaim.take(dataDir).release();
  const startMs = performance.now();
  ProcessClaim.take(dataDir).release();
  expect(performance.now() - startMs).toBeLessThan(CLAIM_WAIT_MS_MAX / 2);
});
