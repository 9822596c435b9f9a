import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 400;

/** Measures the minimum latency of a durable write: one append with fdatasync to a preallocated file. In µs, sorted. */
export function measureSyncUs(count: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-floor-'));
  const file = openSync(join(folder, 'append'), 'w');
  const latencies: number[] = [];
  try {
    writeSync(file, Buffer.alloc(FILE_BYTES));
    fdatasyncSync(file);
    const entry = Buffer.alloc(ENTRY_BYTES, 1);
    for (let index = 0; index < count; index += 1) {
      const before = process.hrtime.bigint();
      writeSync(file, entry, 0, ENTRY_BYTES, (index * ENTRY_BYTES) % (FILE_BYTES - ENTRY_BYTES));
      fdatasyncSync(file);
      latencies.push(Number(process.hrtime.bigint() - before) / 1000);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
  return latencies.sort((left, right) => left - right);
}
