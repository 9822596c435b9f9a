import { Depth } from '../model/depth.js';
import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import { MARKET_STALE_MS } from '../model/limits.js';
import { isRejected } from '../model/rejection.js';
import { MarketLookout, type MarketLookoutParts } from './market-lookout.js';

export interface BookDeskParts extends MarketLookoutParts {
  /** Fills the depth with the book as it was last shown; time 0 before the first. */
  readonly read: (instrument: InstrumentIndex, depth: Depth) => void;
}

/** Books as they stand now, each shown while somebody waits for it. */
export class BookDesk {
  readonly #lookout: MarketLookout<Depth>;

  constructor({ read, ...parts }: BookDeskParts) {
    this.#lookout = new MarketLookout(parts, ({ index }, askedAtMs) => {
      const depth = new Depth();
      read(index, depth);
      return depth.atMs >= askedAtMs - MARKET_STALE_MS ? depth : null;
    });
  }

  /** null when the book is not shown within PRICE_WAIT_MS. The depth is the asker's own. */
  book(instrument: Instrument, answer: (depth: Depth | null) => void): void {
    this.#lookout.see(instrument, (depth) => answer(isRejected(depth) ? null : depth));
  }
}
