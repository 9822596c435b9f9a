import type { Side } from '../../model/order.js';
import { BACKGROUND, BookOrder } from '../matching/index.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { MarketProfile } from './market-profile.js';
import type { Random } from '../prng.js';

/** How much more takers buy than sell when the fair price leans up: the argument of a hyperbolic tangent. */
const LEAN_SHARPNESS = 1;
/** The volume of the day is made up for within this part of it when it runs ahead or behind. */
const CATCH_UP_DAYS = 1 / 288;
const SCALE_MIN = 0.2;
const SCALE_MAX = 4;

/**
 * The background's market orders: mostly small, some very large, and more of them with the coming move of the price
 * than against it. All the background trades is held against the volume that the day should have had so far, and the
 * sizes follow, so that the tape adds up to the turnover.
 */
export class TakerFlow {
  readonly #profile: MarketProfile;
  readonly #random: Random;
  readonly #orders: Record<Side, BookOrder>;
  readonly #medianLots: number;
  readonly #deviation: number;
  #ahead = 0;
  #scale = 1;

  constructor(profile: MarketProfile, random: Random) {
    const { dailyTurnover, takersPerDay, takenShare, takerMedianShare } = profile;
    this.#profile = profile;
    this.#random = random;
    this.#orders = { BUY: takerOf('BUY'), SELL: takerOf('SELL') };
    this.#medianLots = ((takenShare * dailyTurnover) / takersPerDay) * takerMedianShare;
    // A lognormal's mean is its median times exp(deviation² / 2).
    this.#deviation = Math.sqrt(-2 * Math.log(takerMedianShare));
  }

  /** The next taker, who pays up to `slip` ticks more than the fair price; good until the one after. */
  next(lean: number, fair: number, slip: number): BookOrder {
    const isBuying = this.#random.uniform() * 2 < 1 + Math.tanh(LEAN_SHARPNESS * lean);
    const order = this.#orders[isBuying ? 'BUY' : 'SELL'];
    const lots = this.#scale * this.#medianLots * Math.exp(this.#deviation * this.#random.normal());
    order.leaves = Math.max(this.#profile.lotsMin, Math.round(lots)) as Lots;
    order.price = Math.max(1, Math.round(isBuying ? fair + slip : fair - slip)) as Ticks;
    return order;
  }

  /** The background has traded so many lots. */
  noteTraded(lots: number): void {
    this.#ahead += lots;
  }

  /** So many lots are to be traded in the time that comes: brings the sizes in line. */
  expect(lots: number): void {
    this.#ahead -= lots;
    const excess = this.#ahead / (this.#profile.dailyTurnover * CATCH_UP_DAYS);
    this.#scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, 1 - excess));
  }

  forget(): void {
    this.#ahead = 0;
    this.#scale = 1;
  }
}

export function takerOf(side: Side): BookOrder {
  return new BookOrder({ id: 0, participant: BACKGROUND, side, price: 1 as Ticks, leaves: 1 as Lots });
}
