import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/domain/rejection.js';
import { CACHED_INSTRUMENTS_MAX } from '../../src/domain/limits/process.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { BellRinger, BlockingBell, createBell } from '../../src/wire/bell.js';
import { createMarketCache, MarketCacheReader, MarketCacheWriter } from '../../src/marketdata/market-cache.js';
import { marketOf } from './market-of.js';

const READERS = 2;
const at = (row: number): InstrumentIndex => row as InstrumentIndex;

class Rig {
  readonly bells = Array.from({ length: READERS }, () => createBell());
  readonly waits = this.bells.map((memory) => new BlockingBell(memory));
  readonly writer: MarketCacheWriter;
  readonly readers: readonly MarketCacheReader[];

  constructor(rowCount: number) {
    const memory = createMarketCache(rowCount, READERS);
    this.writer = new MarketCacheWriter(
      memory,
      this.bells.map((bell) => new BellRinger(bell)),
    );
    this.readers = this.bells.map((_, reader) => new MarketCacheReader(memory, reader));
  }

  taken(reader: number): number[] {
    const rows: number[] = [];
    this.readers[reader]!.takeDirty((row) => rows.push(row));
    return rows;
  }

  newlyWanted(rowCount: number): number[] {
    const rows: number[] = [];
    this.writer.takeNewlyWanted(rowCount, (row) => rows.push(row));
    return rows;
  }
}

type Step =
  | { readonly kind: 'write'; readonly row: number }
  | { readonly kind: 'watch'; readonly row: number; readonly reader: number; readonly isWatched: boolean }
  | { readonly kind: 'take'; readonly reader: number }
  | { readonly kind: 'take wanted' };

const scenarios = fc.integer({ min: 1, max: 1100 }).chain((rowCount) => {
  const row = fc.nat(rowCount - 1);
  const reader = fc.nat(READERS - 1);
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), row }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('watch' as const), row, reader, isWatched: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), reader }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('take wanted' as const) }) },
  );
  return fc.record({ rowCount: fc.constant(rowCount), steps: fc.array(step, { maxLength: 150 }) });
});

describe('the market cache', () => {
  it('returns the last write, announces each watched row once and passes newly wanted rows, as a naive twin does', () => {
    fc.assert(
      fc.property(scenarios, ({ rowCount, steps }) => playTwin(rowCount, steps)),
      { numRuns: 500 },
    );
  });

  it('returns zeros before the first write', () => {
    const reader = new Rig(3).readers[0]!;
    expect(Object.values(reader.read(at(2)))).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(reader.stampUs(at(2))).toBe(0);
  });

  it('returns the previous market when a write stopped halfway', () => {
    const { writer, readers } = new Rig(1);
    writer.write(at(0), marketOf(1), 10);
    const halfway = Object.defineProperty({ ...marketOf(2) }, 'volume', {
      get: () => {
        throw new Error('the writer dies');
      },
    });
    expect(() => writer.write(at(0), halfway, 20)).toThrow('the writer dies');
    expect(readers[0]!.read(at(0))).toEqual(marketOf(1));
    expect(readers[0]!.stampUs(at(0))).toBe(10);
    writer.write(at(0), marketOf(3), 30);
    expect(readers[0]!.read(at(0))).toEqual(marketOf(3));
  });

  it('announces a write made during the handler, and keeps the remaining rows dirty when a handler throws', () => {
    const rig = new Rig(40);
    const reader = rig.readers[0]!;
    for (const row of [3, 4, 35]) {
      reader.watch(at(row), true);
      rig.writer.write(at(row), marketOf(row), 0);
    }
    reader.takeDirty((row) => {
      if (row === 3) rig.writer.write(row, marketOf(9), 0);
    });
    expect(rig.taken(0)).toEqual([3]);

    for (const row of [3, 4, 35]) rig.writer.write(at(row), marketOf(row), 0);
    expect(() =>
      reader.takeDirty(() => {
        throw new Error('handler failed');
      }),
    ).toThrow('handler failed');
    expect(rig.taken(0)).toEqual([4, 35]);
  });

  it('passes each row once when it becomes wanted, by a watch or a wish to keep it awake', () => {
    const rig = new Rig(70);
    const [reader, other] = rig.readers as [MarketCacheReader, MarketCacheReader];
    for (const row of [69, 31, 0]) reader.watch(at(row), true);
    other.keepAwake(at(32), true);
    expect(rig.newlyWanted(70)).toEqual([0, 31, 32, 69]);
    other.watch(at(31), true);
    reader.watch(at(31), false);
    expect(rig.newlyWanted(70)).toEqual([]);
    other.watch(at(31), false);
    expect(rig.newlyWanted(70)).toEqual([]);
    reader.keepAwake(at(31), true);
    expect(rig.newlyWanted(70)).toEqual([31]);
  });

  it('leaves out the rows of other writers, also in the last word of its own rows', () => {
    const rig = new Rig(70);
    for (let row = 0; row < 70; row += 1) rig.readers[1]!.keepAwake(at(row), true);
    expect(rig.newlyWanted(37)).toEqual(Array.from({ length: 37 }, (_, row) => row));
    expect(rig.newlyWanted(37)).toEqual([]);
    expect(() => rig.newlyWanted(97)).toThrow(InvariantViolation);
  });

  it('passes a row that becomes wanted during the handler at the next call', () => {
    const rig = new Rig(2);
    rig.readers[0]!.watch(at(1), true);
    rig.writer.takeNewlyWanted(2, () => rig.readers[0]!.watch(at(0), true));
    expect(rig.newlyWanted(2)).toEqual([0]);
  });

  it('refuses rows and readers outside its shape', () => {
    const memory = createMarketCache(5, 1);
    const reader = new MarketCacheReader(memory, 0);
    for (const row of [-1, 5, NaN]) {
      expect(() => reader.read(at(row))).toThrow(InvariantViolation);
      expect(() => reader.watch(at(row), true)).toThrow(InvariantViolation);
    }
    expect(() => new MarketCacheReader(memory, 1)).toThrow(InvariantViolation);
    expect(() => new MarketCacheWriter(memory, [])).toThrow(InvariantViolation);
    expect(() => createMarketCache(0, 1)).toThrow(InvariantViolation);
    expect(() => createMarketCache(CACHED_INSTRUMENTS_MAX + 1, 1)).toThrow(InvariantViolation);
  });
});

/** Runs the steps on a last-value cache and on its naive twin: a map, and two sets for each reader. */
function playTwin(rowCount: number, steps: readonly Step[]): void {
  const rig = new Rig(rowCount);
  const written = new Map<number, number>();
  const watched = rig.bells.map(() => new Set<number>());
  const dirty = rig.bells.map(() => new Set<number>());
  let wantedBefore = new Set<number>();
  steps.forEach((step, index) => {
    const number = index + 1;
    switch (step.kind) {
      case 'write': {
        rig.writer.write(at(step.row), marketOf(number), number);
        written.set(step.row, number);
        const watchers = rig.bells.map((_, reader) => watched[reader]!.has(step.row));
        watchers.forEach((watches, reader) => watches && dirty[reader]!.add(step.row));
        expect(rig.waits.map((bell) => bell.wait(0) === 'rung')).toEqual(watchers);
        return;
      }
      case 'watch':
        rig.readers[step.reader]!.watch(at(step.row), step.isWatched);
        if (step.isWatched) watched[step.reader]!.add(step.row);
        else watched[step.reader]!.delete(step.row);
        return;
      case 'take':
        expect(rig.taken(step.reader)).toEqual([...dirty[step.reader]!].sort((a, b) => a - b));
        dirty[step.reader]!.clear();
        return;
      case 'take wanted': {
        const wanted = new Set(watched.flatMap((rows) => [...rows]));
        const fresh = [...wanted].filter((row) => !wantedBefore.has(row));
        expect(rig.newlyWanted(rowCount)).toEqual(fresh.sort((a, b) => a - b));
        wantedBefore = wanted;
        return;
      }
      default:
        step satisfies never;
    }
  });
  for (const [row, number] of written) {
    expect(rig.readers[0]!.read(at(row))).toEqual(marketOf(number));
    expect(rig.readers[1]!.stampUs(at(row))).toBe(number);
  }
}
