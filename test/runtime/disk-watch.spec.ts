import { describe, expect, it } from 'vitest';
import { DiskWatch } from '../../src/runtime/disk-watch.js';
import type { AccountId } from '../../src/domain/ids.js';
import { TradingGate } from '../../src/intake/trading-gate.js';
import type { AccountWrite } from '../../src/runtime/account-writes.js';

const MEGABYTE = 1_000_000;

class Rig {
  freeMegabytes = 5_000;
  readonly gate = new TradingGate();
  /** Bytes per second that each account writes. */
  rates: Readonly<Record<string, number>> = {};
  readonly said: string[] = [];
  readonly watch = new DiskWatch({
    freeBytes: () => this.freeMegabytes * MEGABYTE,
    warningBytes: 2_000 * MEGABYTE,
    haltBytes: 500 * MEGABYTE,
    gate: this.gate,
    writes: this.#writes(),
    realNowMs: () => 1_800_000_000_000,
    log: {
      error: (_context, message) => this.said.push(`error: ${message}`),
      warn: (_context, message) => this.said.push(`warn: ${message}`),
      info: (_context, message) => this.said.push(`info: ${message}`),
    },
  });

  #writes(): ConstructorParameters<typeof DiskWatch>[0]['writes'] {
    const all = (): AccountWrite[] =>
      Object.entries(this.rates).map(([account, bytesPerSecond]) => ({
        account: account as AccountId,
        bytesPerSecond,
      }));
    return {
      heaviest: (countMax) =>
        all()
          .sort((a, b) => b.bytesPerSecond - a.bytesPerSecond)
          .slice(0, countMax),
      get total() {
        return all().reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0);
      },
    };
  }

  /** The accounts of these that may place orders. */
  trading(...names: readonly string[]): string[] {
    return names.filter((name) => this.gate.refusalOf(name as AccountId) === null);
  }

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

  it('halts the heaviest writer below twice the bound of trading, then all, and lets it trade when there is room', () => {
    const rig = new Rig();
    rig.rates = { greedy: 5_000_000, modest: 20_000, small: 100 };
    const accounts = ['greedy', 'modest', 'small'];
    rig.look(1_001);
    expect(rig.trading(...accounts)).toEqual(accounts);
    rig.look(999);
    expect(rig.trading(...accounts)).toEqual(['modest', 'small']);
    expect(rig.gate.mode).toEqual({ isHalted: false, exempt: [], halted: ['greedy'] });
    expect(rig.gate.refusalOf('greedy' as AccountId)).toMatchObject({ code: 'SYSTEM_BUSY', reason: 'TRADING_HALTED' });
    expect(rig.gate.halts[0]?.message).not.toContain('greedy');
    // Its writes end with the halt. The next one is not halted instead.
    rig.rates = { modest: 200_000 };
    for (const freeMegabytes of [800, 1_001, 1_099]) rig.look(freeMegabytes);
    expect(rig.trading(...accounts)).toEqual(['modest', 'small']);
    rig.look(499);
    expect(rig.trading(...accounts)).toEqual([]);
    rig.look(560);
    expect(rig.trading(...accounts)).toEqual(['greedy', 'small']);
    rig.look(1_101);
    expect(rig.trading(...accounts)).toEqual(accounts);
  });

  it.each([
    ['writes little', { quiet: 90_000 }],
    ['writes less than half', { one: 300_000, two: 200_000, three: 200_000 }],
    ['writes nothing', {}],
  ])('halts no account alone that %s', (_why, rates) => {
    const rig = new Rig();
    rig.rates = rates;
    rig.look(600);
    expect(rig.gate.halts).toEqual([]);
  });

  it('leaves other halts alone', () => {
    const rig = new Rig();
    rig.gate.halt({ reason: 'OPERATOR', sinceMs: 0, message: 'maintenance', exempt: [] });
    rig.look(1);
    rig.look(5_000);
    expect(rig.gate.halts.map(({ reason }) => reason)).toEqual(['OPERATOR']);
  });
});
