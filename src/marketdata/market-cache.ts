import type { InstrumentIndex } from '../domain/instrument.js';
import type { Market, MarketObservation } from '../domain/market.js';
import type { Lots, Notional, Ticks } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { BellRinger } from '../wire/bell.js';
import { allocateRows, SharedRowsReader, SharedRowsWriter } from './shared-rows.js';

/** Float64s of one copy of a row: the eight numbers of Market, its turnover in two, and the stamp. */
const COPY_NUMBERS = 11;
const TURNOVER_OFFSET = 8;
const STAMP_OFFSET = 10;

/** A turnover can exceed the exact integers of a float64, so the bits below 2^48 are stored separately. */
const LOW_BITS = 48n;
const LOW_MASK = (1n << LOW_BITS) - 1n;

function storeCopy(numbers: Float64Array, at: number, market: Market, stampUs: number): void {
  const { turnover = 0n } = market;
  numbers[at] = market.bid;
  numbers[at + 1] = market.ask;
  numbers[at + 2] = market.bidQuantity;
  numbers[at + 3] = market.askQuantity;
  numbers[at + 4] = market.last;
  numbers[at + 5] = market.volume;
  numbers[at + 6] = market.volatility;
  numbers[at + 7] = market.atMs;
  numbers[at + TURNOVER_OFFSET] = Number(turnover >> LOW_BITS);
  numbers[at + TURNOVER_OFFSET + 1] = Number(turnover & LOW_MASK);
  numbers[at + STAMP_OFFSET] = stampUs;
}

/** Loads all fields but the turnover. Every order reads the market often, and only observations need turnover. */
function loadMarket(numbers: Float64Array, at: number): Market {
  return {
    bid: numbers[at] as Ticks,
    ask: numbers[at + 1] as Ticks,
    bidQuantity: numbers[at + 2] as Lots,
    askQuantity: numbers[at + 3] as Lots,
    last: numbers[at + 4] as Ticks,
    volume: numbers[at + 5] as Lots,
    volatility: numbers[at + 6]!,
    atMs: numbers[at + 7] as EpochMs,
  };
}

function loadObservation(numbers: Float64Array, at: number): MarketObservation {
  const [high, low] = [numbers[at + TURNOVER_OFFSET]!, numbers[at + TURNOVER_OFFSET + 1]!];
  return {
    bid: numbers[at] as Ticks,
    ask: numbers[at + 1] as Ticks,
    volume: numbers[at + 5] as Lots,
    turnover: ((BigInt(high) << LOW_BITS) + BigInt(low)) as Notional,
    atMs: numbers[at + 7] as EpochMs,
  };
}

function loadStampUs(numbers: Float64Array, at: number): number {
  return numbers[at + STAMP_OFFSET]!;
}

/**
 * Memory for the markets of `rowCount` instruments (1..CACHED_INSTRUMENTS_MAX) and the bitmaps of `readerCount` readers
 * (0..CACHE_READERS_MAX). Throws InvariantViolation outside these ranges.
 */
export function createMarketCache(rowCount: number, readerCount: number): SharedArrayBuffer {
  return allocateRows({ rowCount, readerCount, copyNumbers: COPY_NUMBERS });
}

/** Writes the best prices and quantities of instruments. */
export class MarketCacheWriter extends SharedRowsWriter {
  /** `bells` has one bell for each reader, in order of reader number. */
  constructor(memory: SharedArrayBuffer, bells: readonly BellRinger[]) {
    super(memory, COPY_NUMBERS, bells);
  }

  /** `stampUs`: monotonic microseconds. */
  write(row: InstrumentIndex, market: Market, stampUs: number): void {
    this.replace(row, (numbers, at) => storeCopy(numbers, at, market, stampUs));
  }
}

export class MarketCacheReader extends SharedRowsReader {
  constructor(memory: SharedArrayBuffer, reader: number) {
    super(memory, COPY_NUMBERS, reader);
  }

  /** The market of the last complete write; all fields are 0 before the first. */
  read(row: InstrumentIndex): Market {
    return this.load(row, loadMarket);
  }

  /** The observation of the last complete write. */
  observe(row: InstrumentIndex): MarketObservation {
    return this.load(row, loadObservation);
  }

  /** The writer's stamp of the row, in monotonic microseconds; 0 before the first write. */
  stampUs(row: InstrumentIndex): number {
    return this.load(row, loadStampUs);
  }
}
