import { DEPTH_LEVELS_COUNT } from './limits.js';
import type { EpochMs } from './time.js';

/** The best levels of one side of a book, best first. Only the first `count` places mean anything. */
export class DepthSide {
  /** Levels that are shown: 0..DEPTH_LEVELS_COUNT. */
  count = 0;
  /** In ticks. */
  readonly prices = new Float64Array(DEPTH_LEVELS_COUNT);
  /** In lots. */
  readonly quantities = new Float64Array(DEPTH_LEVELS_COUNT);

  /** Becomes the same as the other. */
  set({ count, prices, quantities }: DepthSide): void {
    this.count = count;
    this.prices.set(prices);
    this.quantities.set(quantities);
  }
}

/** The best levels of a book: made once by whoever reads and filled again and again, for it is read often. */
export class Depth {
  readonly bids = new DepthSide();
  readonly asks = new DepthSide();
  atMs = 0 as EpochMs;

  /** Becomes the same as the other. */
  set({ bids, asks, atMs }: Depth): void {
    this.bids.set(bids);
    this.asks.set(asks);
    this.atMs = atMs;
  }
}
