import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import { AssetPaths, type AssetPath } from './asset-path.js';
import { profileOf } from './market-profile.js';
import { Wander, type WanderScale } from './wander.js';

const BPS = 10_000;
/** How a venue's prices stray from those of the others before somebody trades the difference away, in bps. */
const VENUE_WANDER: readonly WanderScale[] = [
  { everyMs: 600_000, deviation: 0.4 },
  { everyMs: 20_000, deviation: 0.15 },
];
/** How perpetuals stray from spot: the mood of a day and of a quarter of an hour, in bps, the same at every venue. */
const BASIS_BPS = 1;
const BASIS_WANDER: readonly WanderScale[] = [
  { everyMs: 6 * 3_600_000, deviation: 3 },
  { everyMs: 900_000, deviation: 1 },
];

/** What one instrument is worth, and how busy its market is, at any instant. */
export class FairInstrument {
  readonly #referencePrice: number;
  readonly #dailyTurnover: number;
  readonly #base: AssetPath;
  readonly #quote: AssetPath;
  readonly #venue: Wander;
  readonly #basis: Wander | null;

  constructor(instrument: Instrument, seed: number, paths: AssetPaths) {
    const { base, quote, venue, symbol, assetCategory } = instrument;
    const profile = profileOf(instrument);
    this.#referencePrice = profile.referencePrice;
    this.#dailyTurnover = profile.dailyTurnover;
    this.#base = paths.of(base);
    this.#quote = paths.of(quote);
    this.#venue = new Wander(`${seed}/venue/${venue}/${symbol}`, VENUE_WANDER);
    this.#basis = assetCategory === 'FUTURE' ? new Wander(`${seed}/basis/${base}/${quote}`, BASIS_WANDER) : null;
  }

  /** The price this venue's market is drawn to, in ticks and parts of them. */
  priceAt(ms: number): number {
    const basis = this.#basis === null ? 0 : BASIS_BPS + this.#basis.valueAt(ms);
    const bps = basis + this.#venue.valueAt(ms);
    return this.#referencePrice * Math.exp(this.#base.valueAt(ms) - this.#quote.valueAt(ms) + bps / BPS);
  }

  /** Activity from the epoch to an instant, in mean days of this market. */
  activityUntil(ms: number): number {
    return this.#base.activityUntil(ms);
  }

  /** Lots that are expected to trade in the time; not whole. */
  volumeBetween(fromMs: number, toMs: number): number {
    return this.#dailyTurnover * (this.activityUntil(toMs) - this.activityUntil(fromMs));
  }
}

/**
 * What every instrument is worth at any instant, past or future: a function of the seed, the instrument and the instant.
 * All venues, spot and perpetual share one path an asset; what differs is a venue's own small deviation and the basis.
 */
export class FairMarket {
  readonly #seed: number;
  readonly #paths: AssetPaths;
  readonly #instruments = new Map<InstrumentIndex, FairInstrument>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#paths = new AssetPaths(seed);
  }

  of(instrument: Instrument): FairInstrument {
    let fair = this.#instruments.get(instrument.index);
    if (fair === undefined) {
      fair = new FairInstrument(instrument, this.#seed, this.#paths);
      this.#instruments.set(instrument.index, fair);
    }
    return fair;
  }

  /** The fair price of an instrument at any instant, in ticks and parts of them. */
  priceAt(instrument: Instrument, ms: number): number {
    return this.of(instrument).priceAt(ms);
  }

  /** Lots expected to trade between two instants; not whole. */
  volumeBetween(instrument: Instrument, fromMs: number, toMs: number): number {
    return this.of(instrument).volumeBetween(fromMs, toMs);
  }
}
