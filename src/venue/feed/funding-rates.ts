import type { Instrument } from '../../model/instrument.js';
import { FUNDING_INTERVAL_MS, FUNDING_RATE_PPM_MAX, FUNDING_RATES_CACHED_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { IndexPrice } from './index-price.js';
import type { MarketPast } from './port.js';

const PPM = 1_000_000;
/** Within a funding period the premium is looked at so often. */
const SAMPLE_MS = 40 * 60_000;
const PERIOD_SAMPLES = FUNDING_INTERVAL_MS / SAMPLE_MS;
/** Number of a sample counted from the epoch stays below. */
const SAMPLE_NUMBERS = 2 ** 21;
/** What a period costs at a future without a premium: the difference of the two currencies' interest. */
const INTEREST_PPM = 100;
/** A premium this close to the interest does not move the rate. */
const DAMPER_PPM = 500;

/** The funding time that the instant's period ends at; a funding time ends its own period. */
export function fundingTimeOf(atMs: number): EpochMs {
  return (Math.ceil(atMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS) as EpochMs;
}

/**
 * Funding rates of futures as the large exchanges reckon them: of the premium of a future over its index, the mean over
 * the eight hours before the funding time, later samples weighing more (1, 2, 3, …);
 *
 *     rate = premium + clamp(interest − premium, ±5 bps), within ±FUNDING_RATE_PPM_MAX
 *
 * (Binance, "Introduction to Binance Futures Funding Rates"). A function of the instant alone: history needs no memory.
 */
export class FundingRates {
  readonly #past: MarketPast;
  readonly #indexOf: (instrument: Instrument) => IndexPrice;
  /** By instrument and latest sample: the rate changes with each sample only. */
  readonly #known = new Map<number, number>();

  constructor(past: MarketPast, indexOf: (instrument: Instrument) => IndexPrice) {
    this.#past = past;
    this.#indexOf = indexOf;
  }

  /** The rate of the period as far as it has come at the instant, in 10^-6; at a funding time, the one that is paid. */
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

  /** The rate that was paid last before the instant, or at it. */
  lastPpm(instrument: Instrument, atMs: number): number {
    return this.ppmAt(instrument, Math.floor(atMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS);
  }

  /** Weighted mean from the period's first sample to this one. */
  #premiumPpm(instrument: Instrument, lastSample: number): number {
    const index = this.#indexOf(instrument);
    const firstSample = Math.floor(lastSample / PERIOD_SAMPLES) * PERIOD_SAMPLES;
    let sum = 0;
    let weights = 0;
    for (let sample = firstSample; sample <= lastSample; sample += 1) {
      const ms = sample * SAMPLE_MS;
      const weight = sample - firstSample + 1;
      const price = this.#past.priceAt(instrument, ms) * 10 ** -instrument.pricePrecision;
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
