import type { Instrument, InstrumentIndex } from '../../domain/instrument.js';
import type { MarketPast } from '../feed/port.js';
import { PAIR_LISTINGS } from '../../venue/listing/pair-listing.js';
import { Wander, type WanderScale } from './hashed-chance.js';
import { profileOf } from './market-profile.js';
import { RandomPath } from './random-path.js';

const BPS = 10_000;
/** Deviation of one venue's prices from the others before arbitrage removes it, in bps. */
const VENUE_WANDER: readonly WanderScale[] = [
  { everyMs: 600_000, deviation: 0.4 },
  { everyMs: 20_000, deviation: 0.15 },
];
/** Deviation of perpetuals from spot over a day and over a quarter of an hour, in bps, equal at all venues. */
const BASIS_BPS = 1;
const BASIS_WANDER: readonly WanderScale[] = [
  { everyMs: 6 * 3_600_000, deviation: 3 },
  { everyMs: 900_000, deviation: 1 },
];

/** Fair price and activity of one instrument at any instant. */
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

  /** The fair price at this venue, in ticks, not necessarily whole. */
  priceAt(ms: number): number {
    const basis = this.#basis === null ? 0 : BASIS_BPS + this.#basis.valueAt(ms);
    const bps = basis + this.#venue.valueAt(ms);
    return this.#referencePrice * Math.exp(this.#base.valueAt(ms) - this.#quote.valueAt(ms) + bps / BPS);
  }

  /** Activity from the epoch to an instant, in units of an average day. */
  activityUntil(ms: number): number {
    return this.#base.activityUntil(ms);
  }

  /** Expected lots in the interval; not whole. */
  volumeBetween(fromMs: number, toMs: number): number {
    return this.#dailyTurnover * (this.activityUntil(toMs) - this.activityUntil(fromMs));
  }
}

/**
 * Fair prices of all instruments at any instant, past or future: a function of seed, instrument and instant. All
 * venues, spot and perpetual share one path for each asset, plus a small deviation for each venue and a basis for
 * perpetuals.
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

  /** Fair price of an instrument at any instant, in ticks, not necessarily whole. */
  priceAt(instrument: Instrument, ms: number): number {
    return this.of(instrument).priceAt(ms);
  }

  /** Expected lots between two instants; not whole. */
  volumeBetween(instrument: Instrument, fromMs: number, toMs: number): number {
    return this.of(instrument).volumeBetween(fromMs, toMs);
  }
}

/** The asset that leads the market. The correlations are those of other assets' returns with its returns. */
const LEADER = 'BTC';
const CORRELATIONS: Readonly<Record<string, number>> = { ETH: 0.85 };
const OTHERS_CORRELATION = 0.7;
const NUMERAIRE = 'USDT';
/** Volatility of assets without a price in the numeraire: stable coins. */
const STABLE_VOLATILITY = 0.0002;

/** Logarithm of an asset's dollar value relative to its reference. All assets follow the leader partly. */
interface AssetPath {
  valueAt(ms: number): number;
  /** Activity from the epoch to an instant, in units of an average day. */
  activityUntil(ms: number): number;
}

/** The paths of all assets under one seed, shared by all venues and contracts. */
class AssetPaths {
  readonly #seed: number;
  readonly #paths = new Map<string, AssetPath>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  of(asset: string): AssetPath {
    let path = this.#paths.get(asset);
    if (path === undefined) {
      path = this.#make(asset);
      this.#paths.set(asset, path);
    }
    return path;
  }

  #make(asset: string): AssetPath {
    if (asset === NUMERAIRE) return STILL;
    const own = new RandomPath(`${this.#seed}/asset/${asset}`);
    const volatility = dailyVolatilityOf(asset);
    if (asset === LEADER) return new LoadedPath(own, volatility);
    if (volatility === STABLE_VOLATILITY) return new LoadedPath(own, volatility);
    const correlation = CORRELATIONS[asset] ?? OTHERS_CORRELATION;
    return new FollowingPath(this.of(LEADER), own, {
      loading: (correlation * volatility) / dailyVolatilityOf(LEADER),
      volatility: volatility * Math.sqrt(1 - correlation * correlation),
      share: correlation * correlation,
    });
  }
}

const STILL: AssetPath = { valueAt: () => 0, activityUntil: () => 0 };

class LoadedPath implements AssetPath {
  readonly #path: RandomPath;
  readonly #volatility: number;

  constructor(path: RandomPath, volatility: number) {
    this.#path = path;
    this.#volatility = volatility;
  }

  valueAt(ms: number): number {
    return this.#volatility * this.#path.valueAt(ms);
  }

  activityUntil(ms: number): number {
    return this.#path.activityUntil(ms);
  }
}

/** Follows the leader by `loading`, plus an own path; `share` is the leader's part of its variance and activity. */
class FollowingPath implements AssetPath {
  readonly #leader: AssetPath;
  readonly #own: RandomPath;
  readonly #terms: { readonly loading: number; readonly volatility: number; readonly share: number };

  constructor(leader: AssetPath, own: RandomPath, terms: { loading: number; volatility: number; share: number }) {
    this.#leader = leader;
    this.#own = own;
    this.#terms = terms;
  }

  valueAt(ms: number): number {
    const { loading, volatility } = this.#terms;
    return loading * this.#leader.valueAt(ms) + volatility * this.#own.valueAt(ms);
  }

  activityUntil(ms: number): number {
    const { share } = this.#terms;
    return share * this.#leader.activityUntil(ms) + (1 - share) * this.#own.activityUntil(ms);
  }
}

function dailyVolatilityOf(asset: string): number {
  const listing = PAIR_LISTINGS.find(({ base, quote }) => base === asset && quote === NUMERAIRE);
  return listing?.dailyVolatility ?? STABLE_VOLATILITY;
}

/**
 * Synthetic history of markets from their fair prices. It has its own paths: a path caches its latest position, and
 * shared paths would alternate between past and present.
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
