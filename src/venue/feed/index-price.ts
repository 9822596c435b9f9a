import { assert } from '../../model/assert.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import type { MarketPast } from './port.js';

const SECOND_MS = 1_000;

/**
 * What a pair is worth on spot, in quote units: the median over all venues, so that no single one moves it. Where nobody
 * lists the spot pair, the futures themselves say what it is worth.
 */
export class IndexPrice {
  readonly #past: MarketPast;
  readonly #markets: readonly Instrument[];
  readonly #prices: Float64Array;
  #second = NaN;
  #price = 0;

  constructor(catalogue: InstrumentCatalogue, past: MarketPast, pair: Pick<Instrument, 'base' | 'quote'>) {
    const { base, quote } = pair;
    this.#past = past;
    const listed = catalogue.instruments.filter((each) => each.base === base && each.quote === quote);
    const spots = listed.filter(({ assetCategory }) => assetCategory === 'SPOT');
    this.#markets = spots.length > 0 ? spots : listed;
    assert(listed.length > 0, `somebody lists ${base}/${quote}`);
    this.#prices = new Float64Array(this.#markets.length);
  }

  /** It changes once a second: the futures of all venues ask for the same ones. */
  at(ms: number): number {
    const second = Math.floor(ms / SECOND_MS);
    if (second !== this.#second) {
      this.#price = this.#median(second * SECOND_MS);
      this.#second = second;
    }
    return this.#price;
  }

  #median(ms: number): number {
    this.#markets.forEach((market, place) => {
      this.#prices[place] = this.#past.priceAt(market, ms) * 10 ** -market.pricePrecision;
    });
    this.#prices.sort();
    const middle = this.#prices.length / 2;
    return (this.#prices[Math.ceil(middle) - 1]! + this.#prices[Math.floor(middle)]!) / 2;
  }
}
