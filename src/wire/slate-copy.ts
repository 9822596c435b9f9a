import type { Market } from '../model/market.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';

/** One copy of a row is the eight fields of Market, then the stamp: all float64. */
export const COPY_NUMBERS = 9;
const STAMP_OFFSET = 8;

export function storeCopy(numbers: Float64Array, at: number, market: Market, stampUs: number): void {
  numbers[at] = market.bid;
  numbers[at + 1] = market.ask;
  numbers[at + 2] = market.bidQuantity;
  numbers[at + 3] = market.askQuantity;
  numbers[at + 4] = market.last;
  numbers[at + 5] = market.volume;
  numbers[at + 6] = market.volatility;
  numbers[at + 7] = market.atMs;
  numbers[at + STAMP_OFFSET] = stampUs;
}

export function loadMarket(numbers: Float64Array, at: number): Market {
  return {
    bid: numbers[at] as Ticks,
    ask: numbers[at + 1] as Ticks,
    bidQuantity: numbers[at + 2] as Lots,
    askQuantity: numbers[at + 3] as Lots,
    last: numbers[at + 4] as Ticks,
    volume: numbers[at + 5] as Lots,
    volatility: numbers[at + 6]!,
    atMs: numbers[at + 7] as EpochMs,
  };
}

export function loadStampUs(numbers: Float64Array, at: number): number {
  return numbers[at + STAMP_OFFSET]!;
}
