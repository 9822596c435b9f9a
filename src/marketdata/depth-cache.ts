import type { Depth, DepthSide } from '../domain/market.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { DEPTH_LEVELS_COUNT } from '../domain/limits/trading.js';
import type { EpochMs } from '../domain/time.js';
import type { BellRinger } from '../wire/bell.js';
import { allocateRows, SharedRowsReader, SharedRowsWriter } from './shared-rows.js';

/** One copy of a row: time and stamp, then each side's count of levels, prices and quantities. */
const HEAD_NUMBERS = 2;
const SIDE_NUMBERS = 1 + 2 * DEPTH_LEVELS_COUNT;
const COPY_NUMBERS = HEAD_NUMBERS + 2 * SIDE_NUMBERS;

/** Memory for the books of `rowCount` instruments; bounds as of createMarketCache. */
export function createDepthCache(rowCount: number, readerCount: number): SharedArrayBuffer {
  return allocateRows({ rowCount, readerCount, copyNumbers: COPY_NUMBERS });
}

/** Writes the best levels of books. Callers write only wanted rows: a book changes with every order. */
export class DepthCacheWriter extends SharedRowsWriter {
  /** `bells` has one bell for each reader, in order of reader number. */
  constructor(memory: SharedArrayBuffer, bells: readonly BellRinger[]) {
    super(memory, COPY_NUMBERS, bells);
  }

  /** `stampUs`: monotonic microseconds. */
  write(row: InstrumentIndex, depth: Depth, stampUs: number): void {
    this.replace(row, (numbers, at) => {
      numbers[at] = depth.atMs;
      numbers[at + 1] = stampUs;
      storeSide(numbers, at + HEAD_NUMBERS, depth.bids);
      storeSide(numbers, at + HEAD_NUMBERS + SIDE_NUMBERS, depth.asks);
    });
  }
}

export class DepthCacheReader extends SharedRowsReader {
  constructor(memory: SharedArrayBuffer, reader: number) {
    super(memory, COPY_NUMBERS, reader);
  }

  /**
   * Fills `depth` with the book of the last complete write. Before the first write, both sides are empty and the time
   * is 0.
   */
  read(row: InstrumentIndex, depth: Depth): void {
    this.load(row, (numbers, at) => {
      depth.atMs = numbers[at] as EpochMs;
      loadSide(numbers, at + HEAD_NUMBERS, depth.bids);
      loadSide(numbers, at + HEAD_NUMBERS + SIDE_NUMBERS, depth.asks);
    });
  }

  /** The writer's stamp of the row, in monotonic microseconds; 0 before the first write. */
  stampUs(row: InstrumentIndex): number {
    return this.load(row, (numbers, at) => numbers[at + 1]!);
  }
}

/** Entries from `count` on keep the values of an earlier book. */
function storeSide(numbers: Float64Array, at: number, { count, prices, quantities }: DepthSide): void {
  numbers[at] = count;
  for (let level = 0; level < count; level += 1) {
    numbers[at + 1 + level] = prices[level]!;
    numbers[at + 1 + DEPTH_LEVELS_COUNT + level] = quantities[level]!;
  }
}

function loadSide(numbers: Float64Array, at: number, side: DepthSide): void {
  const count = numbers[at]!;
  side.count = count;
  for (let level = 0; level < count; level += 1) {
    side.prices[level] = numbers[at + 1 + level]!;
    side.quantities[level] = numbers[at + 1 + DEPTH_LEVELS_COUNT + level]!;
  }
}
