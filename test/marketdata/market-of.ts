import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';

/**
 * Market number 0, 1, ...: every field encodes the number, so a mix of two is detected. Number 0 is an unwritten row.
 */
export function marketOf(number: number): Market {
  return {
    bid: number as Ticks,
    ask: (number * 2) as Ticks,
    bidQuantity: (number * 3) as Lots,
    askQuantity: (number * 5) as Lots,
    last: (number * 7) as Ticks,
    volume: (number * 2 ** 20) as Lots,
    volatility: number / 1024,
    atMs: (number * 1.5) as EpochMs,
  };
}

/** The number that every field of the market encodes; null when they differ. */
export function numberOf(market: Market): number | null {
  const number = market.bid;
  const isWhole =
    market.ask === number * 2 &&
    market.bidQuantity === number * 3 &&
    market.askQuantity === number * 5 &&
    market.last === number * 7 &&
    market.volume === number * 2 ** 20 &&
    market.volatility === number / 1024 &&
    market.atMs === number * 1.5;
  return isWhole ? number : null;
}
