import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from './data-dir.js';

const NOW_MS = Date.UTC(2026, 10, 21);

describe('order ids', () => {
  it('increase and never repeat, with any clock and any number of restarts', async () => {
    const dataDir = temporaryDataDir();
    const reservation = fc.record({
      count: fc.integer({ min: 1, max: 100_000 }),
      nowMs: fc.integer({ min: NOW_MS - 1e9, max: NOW_MS + 1e9 }),
      reopen: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    let end = 0;
    let identity = openIdentity(dataDir);
    await fc.assert(
      fc.asyncProperty(fc.array(reservation, { maxLength: 5 }), async (reservations) => {
        for (const { count, nowMs, reopen } of reservations) {
          if (reopen) {
            await identity.close();
            identity = openIdentity(dataDir);
          }
          const block = identity.ids.reserveOrderIds(count, nowMs);
          expect(block.from).toBeGreaterThanOrEqual(end);
          expect(block.to - block.from).toBe(count);
          end = block.to;
        }
      }),
      { numRuns: 40 },
    );
    await identity.close();
  });

  it('are above all ids of an earlier run, also when the directory has lost its blocks', async () => {
    const [used, restored] = [openIdentity(temporaryDataDir()), openIdentity(temporaryDataDir())];
    const before = used.ids.reserveOrderIds(65_536, NOW_MS);
    const after = restored.ids.reserveOrderIds(65_536, NOW_MS + 2_000);
    expect(after.from).toBeGreaterThan(before.to);
    await Promise.all([used.close(), restored.close()]);
  });

  it('stay below 2^53 and start at 1 when the clock is before 2025', async () => {
    const identity = openIdentity(temporaryDataDir());
    expect(identity.ids.reserveOrderIds(1, 0)).toEqual({ from: 1, to: 2 });
    expect(() => identity.ids.reserveOrderIds(1, 2 ** 53)).toThrow(/2\^53/);
    expect(() => identity.ids.reserveOrderIds(0, NOW_MS)).toThrow(/a block has 1 to/);
    await identity.close();
  });
});
