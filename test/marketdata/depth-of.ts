import { Depth, type DepthSide } from '../../src/domain/market.js';
import { DEPTH_LEVELS_COUNT } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';

/**
 * Book number 0, 1, …: every price and quantity encodes the number, and the level counts vary. Number 0 is an unwritten
 * row.
 */
export function depthOf(number: number): Depth {
  const depth = new Depth();
  depth.atMs = number as EpochMs;
  fill(depth.bids, number, number % (DEPTH_LEVELS_COUNT + 1));
  fill(depth.asks, number, (number * 3) % (DEPTH_LEVELS_COUNT + 1));
  return depth;
}

/** The number that every place of the book encodes; null when they differ. */
export function numberOfDepth({ bids, asks, atMs }: Depth): number | null {
  const hasCounts =
    bids.count === atMs % (DEPTH_LEVELS_COUNT + 1) && asks.count === (atMs * 3) % (DEPTH_LEVELS_COUNT + 1);
  return hasCounts && encodes(bids, atMs) && encodes(asks, atMs) ? atMs : null;
}

function fill(side: DepthSide, number: number, count: number): void {
  side.count = count;
  for (let level = 0; level < count; level += 1) {
    side.prices[level] = number * 32 + level;
    side.quantities[level] = number * 64 + level;
  }
}

function encodes({ count, prices, quantities }: DepthSide, number: number): boolean {
  for (let level = 0; level < count; level += 1) {
    if (prices[level] !== number * 32 + level || quantities[level] !== number * 64 + level) return false;
  }
  return true;
}
