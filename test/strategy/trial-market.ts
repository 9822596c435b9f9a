import { Depth, type Market } from '../../src/domain/market.js';
import type { VolumeProfile } from '../../src/domain/intent.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { Chance } from '../simulation/chance.js';
import { MID } from './trial-orders.js';

const LEVELS_COUNT = 8;
const PARTS_PER_DAY = 288;

/** A market with random prices, quantities at the best prices, and volume. */
export class TrialMarket {
  readonly depth = new Depth();
  readonly #chance: Chance;
  readonly #volatility: number;
  #mid = MID;
  #volume = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#volatility = chance.hits(0.5) ? 0 : chance.skewed(1, 100) / 100_000;
  }

  /** Returns the market after some time and updates `depth`. `own`: lots that the order has traded in it. */
  next(nowMs: EpochMs, own: number): Market {
    const chance = this.#chance;
    this.#mid += chance.hits(0.5) ? 0 : chance.between(-1, 1) * chance.skewed(1, 300);
    this.#mid += Math.round((MID - this.#mid) / 50);
    this.#volume += chance.hits(0.3) ? 0 : chance.skewed(1, 20_000);
    const bid = this.#mid - chance.between(0, 5);
    const ask = bid + chance.skewed(1, 20);
    const [bidQuantity, askQuantity] = [chance.skewed(1, 5_000), chance.skewed(1, 5_000)];
    this.#showBook(bid, ask, nowMs);
    return {
      bid: bid as Ticks,
      ask: ask as Ticks,
      bidQuantity: bidQuantity as Lots,
      askQuantity: askQuantity as Lots,
      last: chance.pick([bid, ask]) as Ticks,
      volume: (this.#volume + own) as Lots,
      volatility: this.#volatility,
      atMs: nowMs,
    };
  }

  #showBook(bid: number, ask: number, nowMs: EpochMs): void {
    const { bids, asks } = this.depth;
    bids.count = asks.count = this.#chance.between(0, LEVELS_COUNT);
    for (let level = 0; level < bids.count; level += 1) {
      bids.prices[level] = bid - 3 * level;
      asks.prices[level] = ask + 3 * level;
    }
    this.depth.atMs = nowMs;
  }
}

/** Returns a volume profile of some shape, or undefined for an instrument without history. */
export function trialProfile(chance: Chance): VolumeProfile | undefined {
  if (chance.hits(0.3)) return undefined;
  const peak = chance.between(1, 10);
  const weights = Array.from({ length: PARTS_PER_DAY }, (_, part) => (part < PARTS_PER_DAY / 3 ? peak : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const dailyVolume = chance.skewed(1_000, 1e10) as Lots;
  return {
    shares: weights.map((weight) => weight / whole),
    dailyVolume,
    ...(chance.hits(0.5) && { recentDailyVolume: Math.ceil(dailyVolume * (chance.between(1, 40) / 10)) as Lots }),
  };
}
