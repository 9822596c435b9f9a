import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { FUNDING_INTERVAL_MS, FUNDING_RATE_PPM_MAX, FUNDING_RATES_CACHED_MAX } from '../../domain/limits/trading.js';
import type { FundingRate, Mark } from '../../domain/market-feed.js';
import { type Ticks, ticksPerUnit, tickSize } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { MarkSource } from '../account/margin.js';
import type { MarketPast } from './port.js';

const PPM = 1_000_000;

/**
 * Mark prices of futures: the index plus a basis that decays to zero at the next funding time,
 *
 *     mark = index × (1 + last funding rate × remaining part of the period)
 *
 * No trade moves it. So neither a print in a thin market nor our own orders cause a liquidation.
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

  /** All published figures of a future at an instant. */
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

  /** The rate paid at a past funding time. For a future time, the rate that would be paid if its period ended now. */
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

function ticksOf(instrument: Instrument, price: number): Ticks {
  return Math.max(1, Math.round(price * ticksPerUnit(instrument))) as Ticks;
}

const SECOND_MS = 1_000;

/**
 * Spot price of a pair in quote units: the median over all venues, so that no single venue moves it. Uses the futures
 * when no venue lists the spot pair.
 */
class IndexPrice {
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
    assert(listed.length > 0, `no venue lists ${base}/${quote}`);
    this.#prices = new Float64Array(this.#markets.length);
  }

  /** Cached for one second, because the futures of all venues share the same index. */
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
      this.#prices[place] = this.#past.priceAt(market, ms) * tickSize(market);
    });
    this.#prices.sort();
    const middle = this.#prices.length / 2;
    return (this.#prices[Math.ceil(middle) - 1]! + this.#prices[Math.floor(middle)]!) / 2;
  }
}

/** Sampling interval of the premium within a funding period. */
const SAMPLE_MS = 40 * 60_000;
const PERIOD_SAMPLES = FUNDING_INTERVAL_MS / SAMPLE_MS;
/** Upper bound of sample numbers since the epoch. */
const SAMPLE_NUMBERS = 2 ** 21;
/** Interest part of a period's rate: the difference of the two currencies' interest. */
const INTEREST_PPM = 100;
/** Maximum correction of the premium towards the interest. */
const DAMPER_PPM = 500;

/** The funding time that ends the instant's period; a funding time belongs to the period that it ends. */
export function fundingTimeOf(atMs: number): EpochMs {
  return (Math.ceil(atMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS) as EpochMs;
}

/**
 * Funding rates of futures by the formula of the large exchanges. The premium is the mean of the future's premium over
 * its index in the eight hours before the funding time, with weights 1, 2, 3, … towards the end;
 *
 *     rate = premium + clamp(interest − premium, ±5 bps), within ±FUNDING_RATE_PPM_MAX
 *
 * (Binance, "Introduction to Binance Futures Funding Rates"). It depends on the instant alone, so no history is stored.
 */
class FundingRates {
  readonly #past: MarketPast;
  readonly #indexOf: (instrument: Instrument) => IndexPrice;
  /** Cache by instrument and latest sample: the rate changes only with a sample. */
  readonly #known = new Map<number, number>();

  constructor(past: MarketPast, indexOf: (instrument: Instrument) => IndexPrice) {
    this.#past = past;
    this.#indexOf = indexOf;
  }

  /** The rate of the current period up to the instant, in 10^-6; at a funding time, the rate that is paid. */
  ppmAt(instrument: Instrument, atMs: number): number {
    const sample = Math.ceil(atMs / SAMPLE_MS) - 1;
    const place = instrument.index * SAMPLE_NUMBERS + sample;
    let ppm = this.#known.get(place);
    if (ppm === undefined) {
      if (this.#known.size >= FUNDING_RATES_CACHED_MAX) this.#known.clear();
      ppm = rateOf(this.#premiumPpm(instrument, sample));
      this.#known.set(place, ppm);
    }
    return ppm;
  }

  /** The last rate paid at or before the instant. */
  lastPpm(instrument: Instrument, atMs: number): number {
    return this.ppmAt(instrument, Math.floor(atMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS);
  }

  /** Weighted mean from the period's first sample to `lastSample`. */
  #premiumPpm(instrument: Instrument, lastSample: number): number {
    const index = this.#indexOf(instrument);
    const firstSample = Math.floor(lastSample / PERIOD_SAMPLES) * PERIOD_SAMPLES;
    let sum = 0;
    let weights = 0;
    for (let sample = firstSample; sample <= lastSample; sample += 1) {
      const ms = sample * SAMPLE_MS;
      const weight = sample - firstSample + 1;
      const price = this.#past.priceAt(instrument, ms) * tickSize(instrument);
      sum += weight * (price / index.at(ms) - 1);
      weights += weight;
    }
    return (sum / weights) * PPM;
  }
}

function rateOf(premiumPpm: number): number {
  const damped = premiumPpm + clamp(INTEREST_PPM - premiumPpm, DAMPER_PPM);
  return Math.round(clamp(damped, FUNDING_RATE_PPM_MAX));
}

function clamp(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value));
}
