import type { Depth, DepthSide } from '../../model/depth.js';
import { DEPTH_LEVELS_COUNT } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { RemainingBook } from './remaining-book.js';
import type { RestingOrders } from './resting-orders.js';
import { isBetter } from './shown-book.js';

/** Fills `depth` with the book as the venue would show it with us in it: what is left of the recorded one, and our orders. */
export function fillDepth(depth: Depth, remaining: RemainingBook, resting: RestingOrders, atMs: EpochMs): void {
  depth.atMs = atMs;
  fillSide('BUY', depth.bids, remaining, resting);
  fillSide('SELL', depth.asks, remaining, resting);
}

function fillSide(side: Side, shown: DepthSide, remaining: RemainingBook, resting: RestingOrders): void {
  shown.count = 0;
  remaining.walk(side, (price, quantity) => {
    shown.prices[shown.count] = price;
    shown.quantities[shown.count] = quantity;
    shown.count += 1;
    return shown.count < DEPTH_LEVELS_COUNT;
  });
  for (const { price, order } of resting.side(side)) add(side, shown, price, order.leaves);
}

/** Adds to the level of that price, or puts one in; what does not fit at the far end is no longer shown. */
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
