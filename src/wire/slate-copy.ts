import type { Market, MarketObservation } from '../model/market.js';
import type { Lots, Notional, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';

/** One copy of a row is the eight numbers of Market, its turnover in two, then the stamp: all float64. */
export const COPY_NUMBERS = 11;
const TURNOVER_OFFSET = 8;
const STAMP_OFFSET = 10;

/** A turnover outgrows the exact integers of a float64: the part below 2^48 stands apart from the one above. */
const LOW_BITS = 48n;
const LOW_MASK = (1n << LOW_BITS) - 1n;

export function storeCopy(numbers: Float64Array, at: number, market: Market, stampUs: number): void {
  const { turnover = 0n } = market;
  numbers[at] = market.bid;
  numbers[at + 1] = market.ask;
  numbers[at + 2] = market.bidQuantity;
  numbers[at + 3] = market.askQuantity;
  numbers[at + 4] = market.last;
  numbers[at + 5] = market.volume;
  numbers[at + 6] = market.volatility;
  numbers[at + 7] = market.atMs;
  numbers[at + TURNOVER_OFFSET] = Number(turnover >> LOW_BITS);
  numbers[at + TURNOVER_OFFSET + 1] = Number(turnover & LOW_MASK);
  numbers[at + STAMP_OFFSET] = stampUs;
}

/** All but the turnover, of which only an observation is made: this is read at every look of every order. */
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

export function loadObservation(numbers: Float64Array, at: number): MarketObservation {
  const [high, low] = [numbers[at + TURNOVER_OFFSET]!, numbers[at + TURNOVER_OFFSET + 1]!];
  return {
    bid: numbers[at] as Ticks,
    ask: numbers[at + 1] as Ticks,
    volume: numbers[at + 5] as Lots,
    turnover: ((BigInt(high) << LOW_BITS) + BigInt(low)) as Notional,
    atMs: numbers[at + 7] as EpochMs,
  };
}

export function loadStampUs(numbers: Float64Array, at: number): number {
  return numbers[at + STAMP_OFFSET]!;
}
