import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import { isRejected, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { Mids } from './order-worth.js';

/** Tells twice the mid of an instrument in ticks, or why there is none. */
type AskForPrice = (instrument: Instrument, answer: (twiceMid: OrRejection<number>) => void) => void;

/** Gathers the mids of several instruments. */
export class MidsDesk {
  readonly #price: AskForPrice;

  constructor(price: AskForPrice) {
    this.#price = price;
  }

  /** Answers once, with those that are known and those asked for, each asked once; or with why one of them is not told. */
  ask(instruments: readonly Instrument[], known: Mids, answer: (mids: OrRejection<Mids>) => void): void {
    const asked = new Map(instruments.map((instrument) => [instrument.index, instrument]));
    const mids = new Map<InstrumentIndex, number>(known);
    let missingCount = asked.size;
    let lack: Rejection | null = null;
    if (missingCount === 0) return answer(mids);
    for (const [index, instrument] of asked) {
      this.#price(instrument, (twiceMid) => {
        if (isRejected(twiceMid)) lack = twiceMid.rejection;
        else mids.set(index, twiceMid);
        missingCount -= 1;
        if (missingCount === 0) answer(lack === null ? mids : { rejection: lack });
      });
    }
  }
}
