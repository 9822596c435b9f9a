import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import { FairMarket, type FairInstrument } from '../life/index.js';
import { profileOf } from '../life/market-profile.js';
import type { MarketPast } from './port.js';

/**
 * The past that markets would have had, from their fair prices. Its paths are beside those the markets live by: a path
 * remembers the place it was last looked at, and looking back would make both begin anew each time.
 */
export class FairPast implements MarketPast {
  readonly #fairMarket: FairMarket;
  readonly #markets = new Map<InstrumentIndex, { readonly fair: FairInstrument; readonly dailyTurnover: number }>();

  constructor(seed: number) {
    this.#fairMarket = new FairMarket(seed);
  }

  priceAt(instrument: Instrument, ms: number): number {
    return this.#market(instrument).fair.priceAt(ms);
  }

  volumeUntil(instrument: Instrument, ms: number): number {
    const { fair, dailyTurnover } = this.#market(instrument);
    return fair.activityUntil(ms) * dailyTurnover;
  }

  #market(instrument: Instrument) {
    let market = this.#markets.get(instrument.index);
    if (market === undefined) {
      const { dailyTurnover } = profileOf(instrument);
      market = { fair: this.#fairMarket.of(instrument), dailyTurnover };
      this.#markets.set(instrument.index, market);
    }
    return market;
  }
}
