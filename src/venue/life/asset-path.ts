import { PAIR_LISTINGS } from '../listing/index.js';
import { RandomPath } from './random-path.js';

/** Correlation of an asset's returns with those of the market's leader. */
const LEADER = 'BTC';
const CORRELATIONS: Readonly<Record<string, number>> = { ETH: 0.85 };
const OTHERS_CORRELATION = 0.7;
const NUMERAIRE = 'USDT';
/** Of an asset that no listing prices in the numeraire: another dollar. */
const STABLE_VOLATILITY = 0.0002;

/** The value of one asset in dollars against its reference, in logarithms. All assets move partly with the leader. */
export interface AssetPath {
  valueAt(ms: number): number;
  /** Activity from the epoch to an instant, in mean days. */
  activityUntil(ms: number): number;
}

/** The paths of all assets under one seed; the same asset is the same path for every venue and contract. */
export class AssetPaths {
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

/** Moves with the leader by `loading`, and by itself; `share` of its variance and activity are the leader's. */
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
