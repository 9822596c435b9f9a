import type { InstrumentIndex } from './instrument.js';
import type { Side } from './order.js';
import type { Lots, Notional, Ticks } from './quantity.js';
import type { EpochMs } from './time.js';

/** One instrument's market as the slate holds it. A side without orders has price and quantity 0. */
export interface Market {
  readonly bid: Ticks;
  readonly ask: Ticks;
  readonly bidQuantity: Lots;
  readonly askQuantity: Lots;
  /** Price of the latest trade; 0 before the first. */
  readonly last: Ticks;
  /** Traded since the venue's start, in lots. */
  readonly volume: Lots;
  /** Its money, in lots × ticks. Told by venues; who reads a slate row asks for it with `observe`. */
  readonly turnover?: Notional;
  /** Standard deviation of the mid's return over one minute, as a fraction; 0 while unknown. */
  readonly volatility: number;
  readonly atMs: EpochMs;
}

/** What of a market is kept, so that an execution can be measured against it later. */
export interface MarketObservation {
  /** A side without orders has price 0. */
  readonly bid: Ticks;
  readonly ask: Ticks;
  /** Traded so far, as the venue counts it: what was traded between two observations is their difference. */
  readonly volume: Lots;
  readonly turnover: Notional;
  readonly atMs: EpochMs;
}

/** Of an instrument of which nothing has been told yet. */
export const NO_MARKET: Market = {
  bid: 0 as Ticks,
  ask: 0 as Ticks,
  bidQuantity: 0 as Lots,
  askQuantity: 0 as Lots,
  last: 0 as Ticks,
  volume: 0 as Lots,
  turnover: 0n as Notional,
  volatility: 0,
  atMs: 0 as EpochMs,
};

export function isTwoSided(market: Pick<Market, 'bid' | 'ask'>): boolean {
  return market.bid > 0 && market.ask > 0;
}

/** True when somebody bids as much as somebody else asks, or more: no book is so, and its prices mean nothing. */
export function isCrossed(market: Pick<Market, 'bid' | 'ask'>): boolean {
  return isTwoSided(market) && market.bid >= market.ask;
}

/** One public trade. */
export interface TradePrint {
  readonly instrument: InstrumentIndex;
  readonly price: Ticks;
  readonly quantity: Lots;
  readonly takerSide: Side;
  readonly atMs: EpochMs;
}

/** A field of the market a strategy can wait on. `volume` counts lots, the rest are ticks. */
export type MarketField = 'bid' | 'ask' | 'last' | 'volume' | 'bidShare' | 'askShare';

/** Wakes once when the field is at or beyond the bound. Shares are bidQty/(bidQty+askQty) in 0..1. */
export interface MarketCondition {
  readonly field: MarketField;
  readonly at: 'or above' | 'or below';
  readonly bound: number;
}

export function isMet(condition: MarketCondition, market: Market): boolean {
  const value = fieldOf(condition.field, market);
  return value !== null && (condition.at === 'or above' ? value >= condition.bound : value <= condition.bound);
}

/** null while the field has no meaning: an empty side, no trade yet. */
export function fieldOf(field: MarketField, market: Market): number | null {
  switch (field) {
    case 'bid':
      return market.bid > 0 ? market.bid : null;
    case 'ask':
      return market.ask > 0 ? market.ask : null;
    case 'last':
      return market.last > 0 ? market.last : null;
    case 'volume':
      return market.volume;
    case 'bidShare':
      return isTwoSided(market) ? market.bidQuantity / (market.bidQuantity + market.askQuantity) : null;
    case 'askShare':
      return isTwoSided(market) ? market.askQuantity / (market.bidQuantity + market.askQuantity) : null;
  }
}
