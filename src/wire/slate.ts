import type { InstrumentIndex } from '../model/instrument.js';
import type { Market, MarketObservation } from '../model/market.js';
import type { BellRinger } from './doorbell.js';
import { COPY_NUMBERS, loadMarket, loadObservation, loadStampUs, storeCopy } from './slate-copy.js';
import { allocateSlate } from './slate-layout.js';
import { SlateRowsReader, SlateRowsWriter } from './slate-rows.js';

/**
 * Memory for the markets of `rowCount` instruments (1..SLATE_INSTRUMENTS_MAX) and the marks of `readerCount`
 * readers (0..SLATE_READERS_MAX); anything else is an InvariantViolation.
 */
export function createSlate(rowCount: number, readerCount: number): SharedArrayBuffer {
  return allocateSlate({ rowCount, readerCount, copyNumbers: COPY_NUMBERS });
}

/** Writes the best prices and quantities of instruments. */
export class SlateWriter extends SlateRowsWriter {
  /** `bells` has one bell a reader, in the order of the reader numbers. */
  constructor(memory: SharedArrayBuffer, bells: readonly BellRinger[]) {
    super(memory, COPY_NUMBERS, bells);
  }

  /** `stampUs`: monotonic microseconds. */
  write(row: InstrumentIndex, market: Market, stampUs: number): void {
    this.replace(row, (numbers, at) => storeCopy(numbers, at, market, stampUs));
  }
}

export class SlateReader extends SlateRowsReader {
  constructor(memory: SharedArrayBuffer, reader: number) {
    super(memory, COPY_NUMBERS, reader);
  }

  /** The market as one write left it; all fields 0 before the first. */
  read(row: InstrumentIndex): Market {
    return this.load(row, loadMarket);
  }

  /** What of the market is kept, as one write left it. */
  observe(row: InstrumentIndex): MarketObservation {
    return this.load(row, loadObservation);
  }

  /** The writer's stamp of the row, in monotonic microseconds; 0 before the first write. */
  stampUs(row: InstrumentIndex): number {
    return this.load(row, loadStampUs);
  }
}
