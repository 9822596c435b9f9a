import type { InstrumentIndex } from './instrument.js';
import { DEPTH_LEVELS_COUNT, MARKET_STALE_MS } from './limits/trading.js';
import type { Side } from './order.js';
import type { Lots, Notional, Ticks } from './quantity.js';
import type { EpochMs } from './time.js';

/** One instrument's market as the last-value cache holds it. A side without orders has price and quantity 0. */
export interface Market {
  readonly bid: Ticks;
  readonly ask: Ticks;
  readonly bidQuantity: Lots;
  readonly askQuantity: Lots;
  /** Price of the latest trade; 0 before the first. */
  readonly last: Ticks;
  /** Traded since the venue's start, in lots. */
  readonly volume: Lots;
  /**
   * Notional of `volume`, in lots × ticks. Venues set it; a reader of a last-value cache row gets it from `observe`.
   */
  readonly turnover?: Notional;
  /** Standard deviation of the mid's return over one minute, as a fraction; 0 while unknown. */
  readonly volatility: number;
  readonly atMs: EpochMs;
}

/** The part of a market that is stored, so that an execution can be measured against it later. */
export interface MarketObservation {
  /** A side without orders has price 0. */
  readonly bid: Ticks;
  readonly ask: Ticks;
  /** Traded so far by the venue's count. The trades between two observations are their difference. */
  readonly volume: Lots;
  readonly turnover: Notional;
  readonly atMs: EpochMs;
}

/** An instrument without any market data yet. */
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

/** True when the best bid is at or above the best ask. No valid book is crossed, so its prices mean nothing. */
export function isCrossed(market: Pick<Market, 'bid' | 'ask'>): boolean {
  return isTwoSided(market) && market.bid >= market.ask;
}

/** Twice the mid in ticks. null: the market is one-sided, crossed, or older than MARKET_STALE_MS. */
export function currentTwiceMid(market: Pick<Market, 'bid' | 'ask' | 'atMs'>, nowMs: EpochMs): number | null {
  const isCurrent = nowMs - market.atMs <= MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
  return isCurrent ? market.bid + market.ask : null;
}

/** One public trade. */
export interface TradePrint {
  readonly instrument: InstrumentIndex;
  readonly price: Ticks;
  readonly quantity: Lots;
  readonly takerSide: Side;
  readonly atMs: EpochMs;
}

/** A field of the market that a strategy can wait on. `volume` is in lots; bid, ask and last are in ticks. */
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

/** null while the field has no meaning: an empty side, or no trade so far. */
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

/** The best levels of one side of a book, best first. Only the first `count` entries are valid. */
export class DepthSide {
  /** Number of valid levels: 0..DEPTH_LEVELS_COUNT. */
  count = 0;
  /** In ticks. */
  readonly prices = new Float64Array(DEPTH_LEVELS_COUNT);
  /** In lots. */
  readonly quantities = new Float64Array(DEPTH_LEVELS_COUNT);

  /** Copies the other side. */
  set({ count, prices, quantities }: DepthSide): void {
    this.count = count;
    this.prices.set(prices);
    this.quantities.set(quantities);
  }
}

/** The best levels of a book. The reader allocates it once and refills it, because it is read often. */
export class Depth {
  readonly bids = new DepthSide();
  readonly asks = new DepthSide();
  atMs = 0 as EpochMs;

  /** Copies the other book. */
  set({ bids, asks, atMs }: Depth): void {
    this.bids.set(bids);
    this.asks.set(asks);
    this.atMs = atMs;
  }
}
