import type { AssetCategory, Venue } from './exchange.js';
import type { AccountId, ClientOrderId, OrderId, SessionNumber } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import type { Pair, PerLeg } from './pair.js';
import type { Grid, Lots, Ticks } from './quantity.js';
import type { ReasonCode } from './reason.js';
import type { DurationMs, EpochMs } from './time.js';

export type Side = 'BUY' | 'SELL';

export const STRATEGY_NAMES = ['TWAP', 'VWAP', 'ICEBERG', 'POV', 'MARKET', 'LIMIT', 'IS', 'SCALE'] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

export const ORDER_STATUSES = [
  'PENDING_NEW',
  'ACCEPTED',
  'REJECTED',
  'PARTIALLY_FILLED',
  'FILLED',
  'PENDING_CANCEL',
  'CANCELLED',
  'PENDING_PAUSE',
  'PAUSED',
  'PENDING_UNPAUSE',
  'EXPIRED',
  'CANCEL_REJECTED',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Status of a stored order. CANCEL_REJECTED is only the answer to a cancel that cannot be carried out. */
export type SettledStatus = Exclude<OrderStatus, 'CANCEL_REJECTED'>;

export function isTerminal(status: OrderStatus): boolean {
  return status === 'FILLED' || status === 'CANCELLED' || status === 'REJECTED' || status === 'EXPIRED';
}

export const TRADING_STYLES = ['PASSIVE', 'AGGRESSIVE', 'HYBRID'] as const;
export type TradingStyle = (typeof TRADING_STYLES)[number];
export const URGENCIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type Urgency = (typeof URGENCIES)[number];
export const CLIP_SIZE_TYPES = ['ABSOLUTE', 'PERCENTAGE', 'AUTOMATIC', 'ORDER_COUNT'] as const;

/** Largest size of one placement. */
export type Clip =
  | { readonly type: 'AUTOMATIC' }
  | { readonly type: 'ABSOLUTE'; readonly quantity: Lots }
  /** Percent of the parent in units of 10^-6 percent. */
  | { readonly type: 'PERCENTAGE'; readonly ppmOfPercent: number }
  | { readonly type: 'ORDER_COUNT'; readonly count: number };

/** Part of an order that may trade at once, in its own style, while the price is good. */
export interface Would {
  /** A buy acts while the ask is at or under it, a sell while the bid is at or above it; null: the arrival price. */
  readonly price: Ticks | null;
  /** Percent of the order's quantity in units of 10^-6 percent. */
  readonly ppmOfPercent: number;
  readonly style: TradingStyle;
}

export const TRIGGER_CONDITIONS = ['ABOVE', 'BELOW'] as const;

/** The order starts when the last price is at or beyond this one. */
export interface Trigger {
  readonly price: Ticks;
  readonly condition: (typeof TRIGGER_CONDITIONS)[number];
}

export const PLACEMENT_MODES = ['DEFAULT', 'TIGHT', 'CUSTOM'] as const;

/** Price of passive children in the book. With DEFAULT there is none, and the strategy decides. */
export type BookPlacement =
  /** At the best level of the own side; moved at every change of that level. */
  | { readonly mode: 'TIGHT' }
  /**
   * Placed at one level of the book (1 is the best). Withdrawn when it has drifted to the cancel level, which is worse.
   */
  | { readonly mode: 'CUSTOM'; readonly level: number; readonly cancelLevel: number };

export const LADDER_DIRECTIONS = ['UPWARDS', 'DOWNWARDS'] as const;
export const LADDER_PROFILES = ['LINEAR'] as const;

/** Prices of an order's rungs, from one to the other inclusive. */
export interface Ladder {
  readonly start: Ticks;
  readonly end: Ticks;
  /** Size at the end price ÷ size at the start price, linear between, in units of 10^-6. */
  readonly skewPpm: number;
}

/** Execution terms of an order, or of one leg; null: the term is absent. */
export interface WorkingTerms {
  readonly durationMs: DurationMs | null;
  readonly style: TradingStyle;
  readonly urgency: Urgency;
  readonly randomizeQuantity: boolean;
  readonly would: Would | null;
  readonly trigger: Trigger | null;
  readonly placement: BookPlacement | null;
}

/** Target of a leg of a pair, from which its quantity was computed. */
export interface LegTarget {
  /** Target in `ccy`: canonical decimal text, above 0. */
  readonly value: string;
  /** Currency of the target in upper case: the base, the quote, or USD for a quote that is worth one USD. */
  readonly ccy: string;
  /** True when `ccy` is the base: the target is a quantity. */
  readonly isBase: boolean;
}

/** Terms of one leg: what it trades, how much, at which price at most, and by which strategy. */
export interface Leg extends Grid, WorkingTerms {
  readonly venue: Venue;
  readonly instrument: InstrumentIndex;
  /** As the client sent it; answers echo it. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly side: Side;
  /** Of a pair's leg: its target in lots, at the limit price or the mid at the creation of the order. */
  readonly quantity: Lots;
  readonly limitPrice: Ticks | null;
  readonly strategy: StrategyName;
  readonly clip: Clip;
  readonly ladder: Ladder | null;
  /** null for the leg of an order of one leg: the client gave its quantity. */
  readonly target: LegTarget | null;
  /**
   * The part of the request that streams echo and no code uses: canonical JSON of clip and params; '' when there is
   * none.
   */
  readonly requestEcho: string;
}

/** The validated order of the client, as last amended. */
export interface ParentOrder {
  readonly orderId: OrderId;
  readonly account: AccountId;
  readonly clientOrderId: ClientOrderId | null;
  readonly subaccount: string | null;
  /** In the order of the request. */
  readonly legs: PerLeg<Leg>;
  /** Terms that bind the two legs; null for an order of one leg. */
  readonly pair: Pair | null;
  readonly createdAtMs: EpochMs;
  /** When trading may start; createdAtMs when the client gave none. */
  readonly startAtMs: EpochMs;
  /** When trading ends, as far as it is known before the start (see endOf); null: until filled or cancelled. */
  readonly endAtMs: EpochMs | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  /**
   * Share of the book's best level, in units of 10^-6, from which the book is imbalanced against a resting child; null:
   * never.
   */
  readonly imbalanceThresholdPpm: number | null;
  /**
   * When the price is this many basis points better than at arrival, the order takes its whole leaves at once; null:
   * never.
   */
  readonly priceLockBps: number | null;
  /** Number of amendments. */
  readonly revision: number;
  /**
   * Digest of the request by meaning as first submitted, for idempotency: 32 hex characters; '' without a client order
   * id.
   */
  readonly requestDigest: string;
  /** The session that placed it and cancels it at its end; null: none, or a session without cancel_on_disconnect. */
  readonly session: SessionNumber | null;
}

/** Members of an order that no request sets directly. */
export type OrderIdentity = Pick<
  ParentOrder,
  'orderId' | 'account' | 'createdAtMs' | 'startAtMs' | 'endAtMs' | 'revision' | 'requestDigest' | 'session'
>;

/** Terms of an order besides those of its legs. */
export type OrderTerms = Omit<ParentOrder, keyof OrderIdentity | 'legs' | 'pair'>;

/* The two functions list every member, so that all orders and all legs have one shape. */

export function orderOf(terms: OrderTerms, legs: PerLeg<Leg>, pair: Pair | null, identity: OrderIdentity): ParentOrder {
  return {
    orderId: identity.orderId,
    account: identity.account,
    clientOrderId: terms.clientOrderId,
    subaccount: terms.subaccount,
    legs,
    pair,
    createdAtMs: identity.createdAtMs,
    startAtMs: identity.startAtMs,
    endAtMs: identity.endAtMs,
    postOnly: terms.postOnly,
    reduceOnly: terms.reduceOnly,
    imbalanceThresholdPpm: terms.imbalanceThresholdPpm,
    priceLockBps: terms.priceLockBps,
    revision: identity.revision,
    requestDigest: identity.requestDigest,
    session: identity.session,
  };
}

export function legOf(terms: Omit<Leg, 'requestEcho'>, requestEcho: string): Leg {
  return {
    quantityPrecision: terms.quantityPrecision,
    pricePrecision: terms.pricePrecision,
    quantityStep: terms.quantityStep,
    priceStep: terms.priceStep,
    durationMs: terms.durationMs,
    style: terms.style,
    urgency: terms.urgency,
    randomizeQuantity: terms.randomizeQuantity,
    would: terms.would,
    trigger: terms.trigger,
    placement: terms.placement,
    venue: terms.venue,
    instrument: terms.instrument,
    symbol: terms.symbol,
    assetCategory: terms.assetCategory,
    side: terms.side,
    quantity: terms.quantity,
    limitPrice: terms.limitPrice,
    strategy: terms.strategy,
    clip: terms.clip,
    ladder: terms.ladder,
    target: terms.target,
    requestEcho,
  };
}

/** True when a leg of the order has a gate besides its schedule. */
export function isGated({ priceLockBps, imbalanceThresholdPpm }: ParentOrder, { would }: Leg): boolean {
  return would !== null || priceLockBps !== null || imbalanceThresholdPpm !== null;
}

export type ChildType = 'LIMIT' | 'MARKET';
export type TimeInForce = 'GTC' | 'IOC';
export type Liquidity = 'MAKER' | 'TAKER';

/** Why something was done, as the journal has it: a code, words and figures. */
export interface Reason {
  /** A ReasonCode, or a code of an earlier version. */
  readonly code: string;
  /** Empty: none. Earlier versions wrote their figures here, in lots and ticks. */
  readonly detail: string;
  /** Figures of the code in the order of its row in REASONS. NaN or absent: unknown. */
  readonly figures?: readonly number[];
}

/** A reason of this version. */
export interface GivenReason extends Reason {
  readonly code: ReasonCode;
}

/** A validated order. Its id is 0 and its session null until order placement writes them. */
export type ParentOrderDraft = Omit<ParentOrder, 'orderId' | 'session'> & {
  orderId: OrderId;
  session: SessionNumber | null;
};

export const NO_ORDER_ID = 0 as OrderId;

/** A hundred percent, in units of 10^-6 percent. */
export const WHOLE_PPM_OF_PERCENT = 100_000_000;

/** Number of children that a clip divides an order into, at least 1; null when the strategy decides. */
export function childCountOf(clip: Clip, quantity: Lots): number | null {
  switch (clip.type) {
    case 'AUTOMATIC':
      return null;
    case 'ABSOLUTE':
      return Math.ceil(quantity / clip.quantity);
    case 'PERCENTAGE':
      return Math.ceil(WHOLE_PPM_OF_PERCENT / clip.ppmOfPercent);
    case 'ORDER_COUNT':
      return clip.count;
  }
}
