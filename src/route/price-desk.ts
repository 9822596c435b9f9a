import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import { MARKET_STALE_MS } from '../model/limits.js';
import { isCrossed, isTwoSided, type Market } from '../model/market.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import { MarketLookout, type MarketLookoutParts } from './market-lookout.js';

export interface PriceDeskParts extends MarketLookoutParts {
  readonly read: (instrument: InstrumentIndex) => Market;
}

/** What instruments are worth now. */
export class PriceDesk {
  readonly #lookout: MarketLookout<Market>;

  constructor({ read, ...parts }: PriceDeskParts) {
    this.#lookout = new MarketLookout(parts, ({ index }, askedAtMs) => {
      const market = read(index);
      const isTold = market.atMs >= askedAtMs - MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
      return isTold ? market : null;
    });
  }

  /** Both sides of the market. EXCHANGE_NOT_AVAILABLE when it tells no price within PRICE_WAIT_MS. */
  market(instrument: Instrument, answer: (market: OrRejection<Market>) => void): void {
    this.#lookout.see(instrument, answer);
  }

  /** Twice the mid, in ticks; the same otherwise. */
  twiceMid(instrument: Instrument, answer: (twiceMid: OrRejection<number>) => void): void {
    this.#lookout.see(instrument, (market) => answer(isRejected(market) ? market : market.bid + market.ask));
  }
}
