import type { Depth } from '../../model/depth.js';
import type { Market } from '../../model/market.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { VolatilityEstimate } from '../volatility-estimate.js';
import type { RemainingBook } from './remaining-book.js';
import type { RestingOrders } from './resting-orders.js';
import { isBetter } from './shown-book.js';
import { fillDepth } from './shown-depth.js';

/** Deviation of a day's return that is assumed before the recording has shown its own. */
const DAILY_VOLATILITY_AT_FIRST = 0.03;

/** The market as the venue would show it with us in it: what is left of the recorded book, and our own waiting orders. */
export class MarketView {
  readonly #remaining: RemainingBook;
  readonly #resting: RestingOrders;
  readonly #volatility = new VolatilityEstimate(DAILY_VOLATILITY_AT_FIRST);
  #last = 0 as Ticks;
  #volume = 0;
  #atMs = 0 as EpochMs;
  #hasChanged = false;

  constructor(remaining: RemainingBook, resting: RestingOrders) {
    this.#remaining = remaining;
    this.#resting = resting;
  }

  /** The book has, or may have, changed. */
  touch(atMs: EpochMs): void {
    this.#atMs = atMs;
    this.#hasChanged = true;
  }

  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.#last = price;
    this.#volume += quantity;
    this.touch(atMs);
  }

  /** The market as it stands; null when nothing has happened since the last call. */
  takeChange(): Market | null {
    if (!this.#hasChanged) return null;
    this.#hasChanged = false;
    const [bid, ask] = [this.#best('BUY'), this.#best('SELL')];
    if (bid > 0 && ask > 0) this.#volatility.observe((bid + ask) / 2, this.#atMs);
    return {
      bid,
      ask,
      bidQuantity: this.#quantityAt('BUY', bid),
      askQuantity: this.#quantityAt('SELL', ask),
      last: this.#last,
      volume: this.#volume as Lots,
      volatility: this.#volatility.perMinute,
      atMs: this.#atMs,
    };
  }

  /** Fills `depth` with the book as it stands. */
  fill(depth: Depth): void {
    fillDepth(depth, this.#remaining, this.#resting, this.#atMs);
  }

  #best(side: Side): Ticks {
    const [market, own] = [this.#remaining.best(side), this.#resting.best(side)];
    return own > 0 && (market === 0 || isBetter(side, own, market)) ? own : market;
  }

  #quantityAt(side: Side, price: Ticks): Lots {
    if (price === 0) return 0 as Lots;
    return (this.#remaining.quantityAt(side, price) + this.#resting.quantityAt(side, price)) as Lots;
  }
}
