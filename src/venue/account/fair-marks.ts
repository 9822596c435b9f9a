import type { InstrumentIndex } from '../../model/instrument.js';
import type { Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { MarkSource } from './mark-source.js';

/** Longs pay a ten-thousandth: the interest that perpetuals are quoted with when they trade at their index. */
const INTEREST_PPM = 100;

/** Marks positions at the price that the market is drawn to, whoever has just traded there at what price. */
export class FairMarks implements MarkSource {
  readonly #priceAt: (instrument: InstrumentIndex, atMs: EpochMs) => number;

  /** `priceAt` is in ticks, not necessarily whole. */
  constructor(priceAt: (instrument: InstrumentIndex, atMs: EpochMs) => number) {
    this.#priceAt = priceAt;
  }

  markPrice(instrument: InstrumentIndex, atMs: EpochMs): Ticks {
    return Math.max(1, Math.round(this.#priceAt(instrument, atMs))) as Ticks;
  }

  fundingRatePpm(): number {
    return INTEREST_PPM;
  }
}
