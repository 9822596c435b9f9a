import type { InstrumentIndex } from '../../model/instrument.js';
import type { Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';

/** What positions are valued at and funded by, at any instant. */
export interface MarkSource {
  /** Mark price of a future, above 0. */
  markPrice(instrument: InstrumentIndex, atMs: EpochMs): Ticks;
  /** What longs pay shorts at a funding time, in 10^-6 of the notional at the mark price; negative: shorts pay. */
  fundingRatePpm(instrument: InstrumentIndex, atMs: EpochMs): number;
}
