import { DEPTH_LEVELS_COUNT } from '../../domain/limits/trading.js';
import type { Depth, DepthSide, Market } from '../../domain/market.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { VolatilityEstimate } from '../../domain/volatility-estimate.js';
import { isBetter, type RemainingBook } from '../../venue/matching/remaining-book.js';
import type { MatchedOrder, RestingOrders } from '../../venue/matching/resting-orders.js';

/** Daily volatility until the recording has shown its own. */
const DAILY_VOLATILITY_AT_FIRST = 0.03;

/** The venue's market with our orders in it: the remaining recorded book and our resting orders. */
export class BacktestMarketView {
  readonly #remaining: RemainingBook;
  readonly #resting: RestingOrders<MatchedOrder>;
  readonly #volatility = new VolatilityEstimate(DAILY_VOLATILITY_AT_FIRST);
  #last = 0 as Ticks;
  #volume = 0;
  #atMs = 0 as EpochMs;
  #hasChanged = false;

  constructor(remaining: RemainingBook, resting: RestingOrders<MatchedOrder>) {
    this.#remaining = remaining;
    this.#resting = resting;
  }

  /** Called when the book may have changed. */
  touch(atMs: EpochMs): void {
    this.#atMs = atMs;
    this.#hasChanged = true;
  }

  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.#last = price;
    this.#volume += quantity;
    this.touch(atMs);
  }

  /** The current market; null when nothing changed since the last call. */
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

  /** Fills `depth` with the current book. */
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

function fillDepth(depth: Depth, remaining: RemainingBook, resting: RestingOrders<MatchedOrder>, atMs: EpochMs): void {
  depth.atMs = atMs;
  fillSide('BUY', depth.bids, remaining, resting);
  fillSide('SELL', depth.asks, remaining, resting);
}

function fillSide(side: Side, shown: DepthSide, remaining: RemainingBook, resting: RestingOrders<MatchedOrder>): void {
  shown.count = 0;
  remaining.walk(side, (price, quantity) => {
    shown.prices[shown.count] = price;
    shown.quantities[shown.count] = quantity;
    shown.count += 1;
    return shown.count < DEPTH_LEVELS_COUNT;
  });
  for (const { price, order } of resting.side(side)) add(side, shown, price, order.leaves);
}

/** Adds to the level at `price`, or inserts a level. The last level is dropped when the side is full. */
function add(side: Side, shown: DepthSide, price: Ticks, quantity: Lots): void {
  const { prices, quantities } = shown;
  let rank = 0;
  while (rank < shown.count && isBetter(side, prices[rank] as Ticks, price)) rank += 1;
  if (rank === DEPTH_LEVELS_COUNT) return;
  if (rank < shown.count && prices[rank] === price) {
    quantities[rank]! += quantity;
    return;
  }
  prices.copyWithin(rank + 1, rank, DEPTH_LEVELS_COUNT - 1);
  quantities.copyWithin(rank + 1, rank, DEPTH_LEVELS_COUNT - 1);
  prices[rank] = price;
  quantities[rank] = quantity;
  shown.count = Math.min(shown.count + 1, DEPTH_LEVELS_COUNT);
}
