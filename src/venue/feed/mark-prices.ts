import { assert } from '../../model/assert.js';
import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import { FUNDING_INTERVAL_MS } from '../../model/limits.js';
import type { FundingRate, Mark } from '../../model/market-feed.js';
import type { Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { MarkSource } from '../account/mark-source.js';
import { FundingRates, fundingTimeOf } from './funding-rates.js';
import { IndexPrice } from './index-price.js';
import type { MarketPast } from './port.js';

const PPM = 1_000_000;

/**
 * What futures are valued at: the index and a basis that decays to nothing until the next funding,
 *
 *     mark = index × (1 + last funding rate × part of the period that is left)
 *
 * No trade moves it, so that nobody is liquidated by the print of a thin moment, nor by our own orders.
 */
export class MarkPrices implements MarkSource {
  readonly #catalogue: InstrumentCatalogue;
  readonly #past: MarketPast;
  readonly #funding: FundingRates;
  readonly #indices = new Map<string, IndexPrice>();

  constructor(catalogue: InstrumentCatalogue, past: MarketPast) {
    this.#catalogue = catalogue;
    this.#past = past;
    this.#funding = new FundingRates(past, (instrument) => this.#indexOf(instrument));
  }

  markPrice(index: InstrumentIndex, atMs: EpochMs): Ticks {
    const future = this.#future(index);
    const left = 1 - (atMs % FUNDING_INTERVAL_MS) / FUNDING_INTERVAL_MS;
    const basis = (this.#funding.lastPpm(future, atMs) / PPM) * left;
    return ticksOf(future, this.#indexOf(future).at(atMs) * (1 + basis));
  }

  fundingRatePpm(index: InstrumentIndex, atMs: EpochMs): number {
    return this.#funding.ppmAt(this.#future(index), atMs);
  }

  /** All that is told of a future at an instant. */
  markAt(index: InstrumentIndex, atMs: EpochMs): Mark {
    const future = this.#future(index);
    return {
      markPrice: this.markPrice(index, atMs),
      indexPrice: ticksOf(future, this.#indexOf(future).at(atMs)),
      fundingRatePpm: this.fundingRatePpm(index, atMs),
      nextFundingAtMs: fundingTimeOf(atMs + 1),
      atMs,
    };
  }

  /** What was paid at a funding time; of one to come, what would be paid if its period ended now. */
  rateOf(index: InstrumentIndex, atMs: EpochMs, nowMs: EpochMs): FundingRate {
    const knownMs = Math.min(atMs, nowMs) as EpochMs;
    return { atMs, ratePpm: this.fundingRatePpm(index, knownMs), markPrice: this.markPrice(index, knownMs) };
  }

  #future(index: InstrumentIndex): Instrument {
    const instrument = this.#catalogue.at(index);
    assert(instrument.assetCategory === 'FUTURE', `only futures are marked, ${instrument.symbol} is none`);
    return instrument;
  }

  #indexOf({ base, quote }: Instrument): IndexPrice {
    const pair = `${base}/${quote}`;
    let index = this.#indices.get(pair);
    if (index === undefined) {
      index = new IndexPrice(this.#catalogue, this.#past, { base, quote });
      this.#indices.set(pair, index);
    }
    return index;
  }
}

function ticksOf({ pricePrecision }: Instrument, price: number): Ticks {
  return Math.max(1, Math.round(price * 10 ** pricePrecision)) as Ticks;
}
