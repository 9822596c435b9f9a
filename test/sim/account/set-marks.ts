import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { MarkSource } from '../../../src/sim/account/margin.js';

/** Mark prices set by the test: one price and one funding rate for all instruments. */
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
