import type { Amount } from './amount.js';
import type { AssetCategory, Venue } from './exchange.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, VenueOrderId } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import type { FollowerState, Pair } from './pair.js';
import type { Grid, Lots, Notional, Ticks } from './quantity.js';
import type { Quarantine } from './quarantine.js';
import type { Rejection } from './rejection.js';
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

/** No order rests in CANCEL_REJECTED: it is only the answer to a cancel that cannot be carried out. */
export type RestingStatus = Exclude<OrderStatus, 'CANCEL_REJECTED'>;

export function isTerminal(status: OrderStatus): boolean {
  return status === 'FILLED' || status === 'CANCELLED' || status === 'REJECTED' || status === 'EXPIRED';
}

export const TRADING_STYLES = ['PASSIVE', 'AGGRESSIVE', 'HYBRID'] as const;
export type TradingStyle = (typeof TRADING_STYLES)[number];
export const URGENCIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type Urgency = (typeof URGENCIES)[number];
export const CLIP_SIZE_TYPES = ['ABSOLUTE', 'PERCENTAGE', 'AUTOMATIC', 'ORDER_COUNT'] as const;

/** How large one placement may be. */
export type Clip =
  | { readonly type: 'AUTOMATIC' }
  | { readonly type: 'ABSOLUTE'; readonly quantity: Lots }
  /** Percent of the parent in units of 10^-6 percent. */
  | { readonly type: 'PERCENTAGE'; readonly ppmOfPercent: number }
  | { readonly type: 'ORDER_COUNT'; readonly count: number };

/** Part of an order that may be worked at once, in a style of its own, while the price is good. */
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

/** Where passive children stand in the book; with DEFAULT there is none and the strategy decides. */
export type Placement =
  /** At the best level of the own side, moved at every change of it. */
  | { readonly mode: 'TIGHT' }
  /** Placed at one level of the book (1 is the best), withdrawn once it has drifted to the other, which is the worse. */
  | { readonly mode: 'CUSTOM'; readonly level: number; readonly cancelLevel: number };

export const LADDER_DIRECTIONS = ['UPWARDS', 'DOWNWARDS'] as const;
export const LADDER_PROFILES = ['LINEAR'] as const;

/** Prices from one to the other inclusive, at which an order is laid out. */
export interface Ladder {
  readonly start: Ticks;
  readonly end: Ticks;
  /** Size at the end price ÷ size at the start price, linear between, in units of 10^-6. */
  readonly skewPpm: number;
}

/** How an order, or a leg of one, is to be worked; null where it does without. */
export interface WorkingTerms {
  readonly durationMs: DurationMs | null;
  readonly style: TradingStyle;
  readonly urgency: Urgency;
  readonly randomizeQuantity: boolean;
  readonly would: Would | null;
  readonly trigger: Trigger | null;
  readonly placement: Placement | null;
}

/** What the client submitted, after validation, as last amended. Of a pair: its leading leg. */
export interface ParentOrder extends Grid, WorkingTerms {
  readonly orderId: OrderId;
  readonly account: AccountId;
  readonly clientOrderId: ClientOrderId | null;
  readonly venue: Venue;
  readonly subaccount: string | null;
  readonly instrument: InstrumentIndex;
  /** As the client sent it; answers echo it. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly side: Side;
  readonly quantity: Lots;
  readonly strategy: StrategyName;
  readonly limitPrice: Ticks | null;
  readonly createdAtMs: EpochMs;
  /** When trading may start; createdAtMs when the client gave none. */
  readonly startAtMs: EpochMs;
  /** When trading ends, as far as it is known before the start (see endOf); null: worked until filled or cancelled. */
  readonly endAtMs: EpochMs | null;
  readonly clip: Clip;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly ladder: Ladder | null;
  /** Share of the book's best level, in units of 10^-6, from which on it leans against a resting child; null: never. */
  readonly imbalanceThresholdPpm: number | null;
  /** So many basis points better than at arrival, all that is left is taken at once; null: never. */
  readonly priceLockBps: number | null;
  /** Both legs of a multi-leg order; null for any other. */
  readonly pair: Pair | null;
  /** What of the request the streams echo but no code decides by: canonical JSON of clip and params, '' when none. */
  readonly requestEcho: string;
  /** How often its terms have been amended. */
  readonly revision: number;
  /** Digest of the request by meaning as first submitted, for idempotency: 32 hex characters; '' without a client order id. */
  readonly requestDigest: string;
}

/** True when something but its schedule decides about the order. */
export function isGated({ would, priceLockBps, imbalanceThresholdPpm }: ParentOrder): boolean {
  return would !== null || priceLockBps !== null || imbalanceThresholdPpm !== null;
}

/**
 * When trading ends: the earlier of end_time and start + duration. The duration of an order with a trigger counts from
 * when it was triggered; until then (`startedAtMs` null) only end_time ends it. null: worked until filled or cancelled.
 */
export function endOf({ trigger, endAtMs, durationMs }: ParentOrder, startedAtMs: EpochMs | null): EpochMs | null {
  if (trigger === null || durationMs === null || startedAtMs === null) return endAtMs;
  const elapsedAtMs = (startedAtMs + durationMs) as EpochMs;
  return endAtMs === null || elapsedAtMs < endAtMs ? elapsedAtMs : endAtMs;
}

export type ChildType = 'LIMIT' | 'MARKET';
export type TimeInForce = 'GTC' | 'IOC';
export type Liquidity = 'MAKER' | 'TAKER';

/** Why the strategy did something: a short machine code and the numbers behind it. */
export interface Reason {
  readonly code: string;
  /** For example `target=120 filled=100 working=0 bid=6123450 ask=6123460`, in lots and ticks. */
  readonly detail: string;
}

/** What is placed at the venue. Constant for the life of the child. */
export interface ChildOrder {
  readonly child: ChildNumber;
  readonly side: Side;
  readonly quantity: Lots;
  readonly type: ChildType;
  readonly timeInForce: TimeInForce;
  /** null only for MARKET. */
  readonly limitPrice: Ticks | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly submittedAtMs: EpochMs;
  readonly reason: Reason;
}

/** How far a child or parent has come: what FIX repeats in every execution report. */
export interface Progress {
  readonly filled: Lots;
  readonly notional: Notional;
}

/**
 * A child the venue may still fill. Its unfilled rest counts as working in every state.
 * IN_FLIGHT: journalled and sent, no answer yet. OPEN: the venue has it. CANCEL_IN_FLIGHT: cancel sent.
 * UNKNOWN: the venue was lost or this process restarted; resolved by asking for the client id, never by sending again.
 */
export type LiveChild = { readonly order: ChildOrder; readonly progress: Progress } & (
  | { readonly state: 'IN_FLIGHT' }
  | { readonly state: 'OPEN'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'CANCEL_IN_FLIGHT'; readonly venueOrderId: VenueOrderId | null }
  | { readonly state: 'UNKNOWN'; readonly venueOrderId: VenueOrderId | null; readonly cancelWanted: boolean }
);

/** Why a child stands in an order that did not place it: its exchange has it, the backup does not. */
export const ADOPTED = 'ADOPTED';

/** True for a child that was placed after the backup from which the order was restored. Its terms are facts, not ours. */
export function isAdopted({ order }: LiveChild): boolean {
  return order.reason.code === ADOPTED;
}

/** Numbers a strategy carries from one wake to the next; each strategy documents its own. Journalled when they change. */
export type StrategyMemory = readonly number[];

export interface FeeTotal {
  readonly currency: string;
  readonly amount: Amount;
}

/**
 * State of one parent: a fold of its events. Dead children leave it; their history is in the journal. Of a pair, what is
 * not of the order as a whole is the leading leg's; the other leg has its own in `follower`.
 */
export interface ParentState {
  readonly order: ParentOrder;
  readonly status: RestingStatus;
  readonly progress: Progress;
  readonly makerFilled: Lots;
  readonly lastQuantity: Lots;
  readonly lastPrice: Ticks;
  /** One entry a currency, in order of first appearance. */
  readonly fees: readonly FeeTotal[];
  /** Bid + ask in ticks when the order first could trade (twice the mid); null before. */
  readonly arrivalTwiceMid: number | null;
  readonly startedAtMs: EpochMs | null;
  /** When the strategy last began, which is again after a pause or an amendment; null: it has yet to. */
  readonly plannedAtMs: EpochMs | null;
  /** Filled at that time: what is left then is spread over the time that is left. */
  readonly plannedFilled: Lots;
  /** New terms that hold once the children they rule out are withdrawn; null: none are wanted. */
  readonly amendment: ParentOrder | null;
  readonly endedAtMs: EpochMs | null;
  /** Place of the last child among those of its leg: nextChildNumber makes a number of it. Restores leave gaps. */
  readonly childCount: number;
  /** Of the restore that the order has last come through; 0: none. */
  readonly epoch: number;
  /** True while the exchanges may know children that are not known here: nothing is placed, and nothing ends. */
  readonly isReconciling: boolean;
  /** In the order in which they were placed: those of both legs of a pair. */
  readonly children: readonly LiveChild[];
  /** Children the venue refused, or ended by itself, in a row, and why it did so last. */
  readonly refusals: number;
  readonly lastRefusal: Rejection | null;
  readonly memory: StrategyMemory;
  /** Why it ended or was refused; null when there is nothing to say. */
  readonly outcome: Rejection | null;
  /** Fills that came after their child had ended, at any status of the parent. */
  readonly lateFills: number;
  /** null for an order that is no pair. */
  readonly follower: FollowerState | null;
  /** null: never quarantined. Kept after the end. */
  readonly quarantine: Quarantine | null;
  /** Contradictory reports that are journalled. */
  readonly contradictions: number;
}
