import type { InstrumentIndex } from '../../../src/model/instrument.js';
import type { Ticks } from '../../../src/model/quantity.js';
import type { EpochMs } from '../../../src/model/time.js';
import type { MarkSource } from '../../../src/venue/account/mark-source.js';

/** Marks that a test sets: one price and rate for all instruments, from the moment they are set. */
export class SetMarks implements MarkSource {
  price: number;
  ratePpm = 0;

  constructor(price: number) {
    this.price = price;
  }

  markPrice(_instrument: InstrumentIndex, _atMs: EpochMs): Ticks {
    return this.price as Ticks;
  }

  fundingRatePpm(_instrument: InstrumentIndex, _atMs: EpochMs): number {
    return this.ratePpm;
  }
}
