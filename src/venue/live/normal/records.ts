import type { Side } from '../../../domain/order.js';
import type { EpochMs } from '../../../domain/time.js';
import type { Level } from '../json/json-fields.js';

/*
 * What messages of exchanges say, in one form. Decimals are canonical texts, and quantities are in the exchange's own
 * unit: contracts of a perpetual count as contracts (contractSize in listing/listed-market.ts). Symbols are the
 * exchange's own.
 */

export interface TopOfBook {
  readonly kind: 'TopOfBook';
  readonly symbol: string;
  readonly bid: Level;
  readonly ask: Level;
  readonly updateId: string | null;
  readonly atMs: EpochMs | null;
}

/** A whole book when isSnapshot, else the changed levels. */
export interface Depth {
  readonly kind: 'Depth';
  readonly symbol: string;
  readonly isSnapshot: boolean;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Ids of the first and the last change in the message, and of the last change before it. */
  readonly firstUpdateId: string | null;
  readonly lastUpdateId: string;
  readonly previousUpdateId: string | null;
  readonly atMs: EpochMs | null;
}

export interface PublicTrade {
  readonly kind: 'PublicTrade';
  readonly symbol: string;
  readonly tradeId: string;
  readonly price: string;
  readonly quantity: string;
  readonly takerSide: Side;
  readonly atMs: EpochMs;
}

export interface CandleRecord {
  readonly kind: 'Candle';
  readonly symbol: string;
  /** The exchange's own name. */
  readonly interval: string;
  readonly openMs: EpochMs;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** In the exchange's unit of quantity. */
  readonly volume: string;
  readonly quoteVolume: string;
  /** null: the message does not say. */
  readonly isClosed: boolean | null;
}

export interface MarkPrice {
  readonly kind: 'MarkPrice';
  readonly symbol: string;
  readonly markPrice: string | null;
  readonly indexPrice: string | null;
  readonly fundingRate: string | null;
  readonly nextFundingMs: EpochMs | null;
  readonly atMs: EpochMs;
}

/** The rate of a future at a funding time: longs pay it to shorts. */
export interface FundingRecord {
  readonly kind: 'FundingRate';
  readonly symbol: string;
  readonly atMs: EpochMs;
  readonly rate: string;
  readonly markPrice: string | null;
}

export interface OpenInterest {
  readonly kind: 'OpenInterest';
  readonly symbol: string;
  readonly quantity: string;
  readonly atMs: EpochMs;
}

/** UNKNOWN: a state that is not in the exchange's documents. The order must be looked up. */
export type OrderState = 'OPEN' | 'FILLED' | 'CANCELLED' | 'REJECTED' | 'UNKNOWN';

/** The state of one order of the account after the message. */
export interface OrderRecord {
  readonly kind: 'Order';
  readonly symbol: string;
  /** The client order id under which the order was placed; null: it has none. */
  readonly clientId: string | null;
  readonly venueOrderId: string;
  readonly side: Side;
  readonly state: OrderState;
  readonly quantity: string;
  /** null: no limit price. */
  readonly price: string | null;
  /** Traded quantity in total. */
  readonly filled: string;
  /** Why the exchange refused or ended the order, in its own words. */
  readonly reason: string | null;
  readonly atMs: EpochMs;
}

export interface FillRecord {
  readonly kind: 'Fill';
  readonly symbol: string;
  readonly clientId: string | null;
  readonly venueOrderId: string;
  readonly tradeId: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  /** What the account paid; negative for a rebate; null: the message does not say. */
  readonly fee: string | null;
  readonly feeAsset: string | null;
  readonly liquidity: 'MAKER' | 'TAKER';
  readonly atMs: EpochMs;
}

export interface BalanceRecord {
  readonly asset: string;
  readonly total: string;
  /** null: the message does not say. */
  readonly free: string | null;
}

/** All balances of the account when isSnapshot, else the changed ones. */
export interface Balances {
  readonly kind: 'Balances';
  readonly isSnapshot: boolean;
  readonly balances: readonly BalanceRecord[];
  readonly atMs: EpochMs | null;
}

export interface PositionRecord {
  readonly symbol: string;
  /** NET: the account has one position in a symbol. LONG and SHORT: it has two. */
  readonly mode: 'NET' | 'LONG' | 'SHORT';
  /** Negative: short. */
  readonly quantity: string;
  readonly entryPrice: string | null;
  readonly unrealizedPnl: string | null;
  /** Absent: the message does not say. */
  readonly margin?: PositionMargin;
}

/** How a position is secured. Each member is null when the message does not say. Amounts are in quote currency. */
export interface PositionMargin {
  readonly mode: 'CROSS' | 'ISOLATED' | null;
  readonly leverage: number | null;
  readonly markPrice: string | null;
  readonly liquidationPrice: string | null;
  readonly initialMargin: string | null;
  readonly maintenanceMargin: string | null;
  /** Balance that secures an isolated position. */
  readonly isolatedBalance: string | null;
}

/** All positions of the account when isSnapshot, else the changed ones. */
export interface Positions {
  readonly kind: 'Positions';
  readonly isSnapshot: boolean;
  readonly positions: readonly PositionRecord[];
  readonly atMs: EpochMs | null;
}

/** The stream of the account has ended and must be opened again. */
export interface StreamEnded {
  readonly kind: 'StreamEnded';
  readonly reason: string;
}

export type MarketRecord = TopOfBook | Depth | PublicTrade | CandleRecord | MarkPrice | OpenInterest;
export type AccountRecord = OrderRecord | FillRecord | Balances | Positions | StreamEnded;
export type VenueRecord = MarketRecord | AccountRecord;
