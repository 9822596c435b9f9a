import { assert } from '../../model/assert.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import type { MarketPast } from './port.js';

/** What a pair is worth on spot: the median over all venues, in quote units, so that no single venue moves it. */
export class IndexPrice {
  readonly #past: MarketPast;
  readonly #spots: readonly Instrument[];
  readonly #prices: Float64Array;
  #atMs = NaN;
  #price = 0;

  constructor(catalogue: InstrumentCatalogue, past: MarketPast, pair: Pick<Instrument, 'base' | 'quote'>) {
    const { base, quote } = pair;
    this.#past = past;
    this.#spots = catalogue.instruments.filter(
      (instrument) => instrument.assetCategory === 'SPOT' && instrument.base === base && instrument.quote === quote,
    );
    assert(this.#spots.length > 0, `${base}/${quote} has a spot market, or it had no index`);
    this.#prices = new Float64Array(this.#spots.length);
  }

  /** The latest instant is remembered: every venue's future asks for the same ones. */
  at(ms: number): number {
    if (ms !== this.#atMs) {
      this.#price = this.#median(ms);
      this.#atMs = ms;
    }
    return this.#price;
  }

  #median(ms: number): number {
    this.#spots.forEach((spot, place) => {
      this.#prices[place] = this.#past.priceAt(spot, ms) * 10 ** -spot.pricePrecision;
    });
    this.#prices.sort();
    const middle = this.#prices.length / 2;
    return (this.#prices[Math.ceil(middle) - 1]! + this.#prices[Math.floor(middle)]!) / 2;
  }
}
