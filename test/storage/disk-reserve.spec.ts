import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DiskReserve, RESERVE_FILE } from '../../src/storage/disk-reserve.js';

const BYTES = 3 * 1024 * 1024 + 5;

it('writes the reserve again that was not written to its end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reserve-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, RESERVE_FILE);
  const reserve = new DiskReserve(folder, BYTES);
  reserve.restoreWhenRoomy(0);
  expect(statSync(file).size).toBe(BYTES);
  truncateSync(file, 7);
  reserve.restoreWhenRoomy(0);
  expect(statSync(file).size).toBe(BYTES);
});
