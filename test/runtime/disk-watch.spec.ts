import { describe, expect, it } from 'vitest';
import { DiskWatch } from '../../src/runtime/disk-watch.js';
import { TradingGate } from '../../src/intake/trading-gate.js';

const MEGABYTE = 1_000_000;

class Rig {
  freeMegabytes = 5_000;
  readonly gate = new TradingGate();
  readonly said: string[] = [];
  readonly watch = new DiskWatch({
    freeBytes: () => this.freeMegabytes * MEGABYTE,
    warningBytes: 2_000 * MEGABYTE,
    haltBytes: 500 * MEGABYTE,
    gate: this.gate,
    realNowMs: () => 1_800_000_000_000,
    log: {
      error: (_context, message) => this.said.push(`error: ${message}`),
      warn: (_context, message) => this.said.push(`warn: ${message}`),
      info: (_context, message) => this.said.push(`info: ${message}`),
    },
  });

  look(freeMegabytes: number): string {
    this.freeMegabytes = freeMegabytes;
    this.watch.check();
    return this.watch.figures.state;
  }
}

describe('the watch over the disk', () => {
  it('warns below the first bound, halts trading below the second, and recovers without an operator', () => {
    const rig = new Rig();
    expect(rig.look(2_000)).toBe('OK');
    expect(rig.look(1_999)).toBe('LOW');
    expect(rig.gate.halts).toEqual([]);
    expect(rig.look(499)).toBe('FULL');
    expect(rig.gate.halts).toMatchObject([
      { reason: 'DISK_FULL', message: expect.stringContaining('499 MB left, less than 500 MB') as string },
    ]);
    expect(rig.look(560)).toBe('LOW');
    expect(rig.gate.halts).toEqual([]);
    expect(rig.look(3_000)).toBe('OK');
    expect(rig.said.map((line) => line.split(':')[0])).toEqual(['warn', 'error', 'warn', 'info']);
  });

  it('does not go back and forth at a bound', () => {
    const rig = new Rig();
    for (const freeMegabytes of [499, 501, 499, 501]) rig.look(freeMegabytes);
    expect(rig.said).toHaveLength(1);
    for (const freeMegabytes of [1_999, 2_001, 1_999, 2_001]) rig.look(freeMegabytes);
    expect(rig.said).toHaveLength(2);
  });

  it('leaves other halts alone', () => {
    const rig = new Rig();
    rig.gate.halt({ reason: 'OPERATOR', sinceMs: 0, message: 'maintenance', exempt: [] });
    rig.look(1);
    rig.look(5_000);
    expect(rig.gate.halts.map(({ reason }) => reason)).toEqual(['OPERATOR']);
  });
});
