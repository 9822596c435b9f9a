import type { CancelCause } from './cancel-cause.js';
import type { ChildNumber, VenueOrderId } from './ids.js';
import type { ChildType, ParentOrder, Reason, SettledStatus, Side, TimeInForce } from './order.js';
import { leadingIndexOf, leadingLeg } from './order-legs.js';
import { legAt, type LegIndex, type PerLeg } from './pair.js';
import { type Amount, type Lots, type Notional, type Ticks, ZERO_LOTS, ZERO_NOTIONAL } from './quantity.js';
import type { Quarantine } from './quarantine.js';
import type { Rejection } from './rejection.js';
import type { HedgeMemory, LegMemory } from './strategy-memory.js';
import type { EpochMs } from './time.js';

/** A child order as it is sent to the venue. Constant for the life of the child. */
export interface ChildOrder {
  readonly child: ChildNumber;
  readonly leg: LegIndex;
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

/** Filled quantity and notional of a child, a leg or an order, as in a FIX execution report. */
export interface Progress {
  readonly filled: Lots;
  readonly notional: Notional;
}

/**
 * A child that the venue may still fill. Its leaves count as working in every state. IN_FLIGHT: journalled and sent, no
 * answer yet. OPEN: the venue has it. CANCEL_IN_FLIGHT: cancel sent. UNKNOWN: the venue was lost or the process
 * restarted. An order status request resolves it; the child is never sent again.
 */
export type LiveChild = { readonly order: ChildOrder; readonly progress: Progress } & (
  | { readonly state: 'IN_FLIGHT' }
  | { readonly state: 'OPEN'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'CANCEL_IN_FLIGHT'; readonly venueOrderId: VenueOrderId | null }
  | { readonly state: 'UNKNOWN'; readonly venueOrderId: VenueOrderId | null; readonly cancelWanted: boolean }
);

/** Reason code of an adopted child: the exchange has it, the backup does not. */
export const ADOPTED = 'ADOPTED';

/** True for a child that was placed after the backup. Its terms come from the exchange. */
export function isAdopted({ order }: LiveChild): boolean {
  return order.reason.code === ADOPTED;
}

/** A child that an operator has settled with a quantity which no fill of the exchange has shown. */
export interface SettledChild {
  readonly child: ChildNumber;
  /** Fills that the exchange shows later are part of this quantity, which is counted. */
  readonly unseen: Lots;
}

export interface FeeTotal {
  readonly currency: string;
  readonly amount: Amount;
}

/** State of one leg. */
export interface LegState {
  readonly progress: Progress;
  readonly makerFilled: Lots;
  readonly lastQuantity: Lots;
  readonly lastPrice: Ticks;
  /** One entry for each currency, in order of first appearance. */
  readonly fees: readonly FeeTotal[];
  /** Bid + ask in ticks at the start of the order: twice the arrival mid. null before the start. */
  readonly arrivalTwiceMid: number | null;
  /** Lots filled at the order's last plan. The plan spreads the leaves over the remaining time. */
  readonly plannedFilled: Lots;
  /** Child numbers that the leg has used or skipped. The counts of all legs add up to the last child number. */
  readonly childCount: number;
  /** Live children, in the order of their numbers. */
  readonly children: readonly LiveChild[];
  /** Count of children in a row that the venue refused or ended on its own, and the last cause. */
  readonly refusals: number;
  readonly lastRefusal: Rejection | null;
  /** Memory of the leg's strategy. null: before the first plan, or the leg has no strategy and only hedges. */
  readonly memory: LegMemory | null;
}

/** State of one parent: the fold of its events. Ended children leave the state; their history is in the journal. */
export interface ParentState {
  readonly order: ParentOrder;
  readonly status: SettledStatus;
  /** In the order of the request. */
  readonly legs: PerLeg<LegState>;
  readonly startedAtMs: EpochMs | null;
  /** Time of the last plan: at the start, after a pause or after an amendment. null: a plan is due. */
  readonly plannedAtMs: EpochMs | null;
  /** Requested terms. They take effect when conflicting children have ended. null: none. */
  readonly amendment: ParentOrder | null;
  readonly endedAtMs: EpochMs | null;
  /** Epoch of the last restore; 0: none. */
  readonly epoch: number;
  /** True until the reconciliation after a restore. The order then places nothing and does not end. */
  readonly isReconciling: boolean;
  /** Cause of the end or refusal; null: none. */
  readonly outcome: Rejection | null;
  /** Count of fills after the end of their child, in any status of the parent. */
  readonly lateFills: number;
  /** Memory of a pair's hedge; null before the first hedge. */
  readonly hedge: HedgeMemory | null;
  /** null: never quarantined. The value stays after the end. */
  readonly quarantine: Quarantine | null;
  /** Count of journalled contradictory reports. */
  readonly contradictions: number;
  /** The first cause of the cancel of an order that is being cancelled or is CANCELLED; null: none, or not recorded. */
  readonly cancelCause: CancelCause | null;
  /** Children whose settled quantity the exchange has not shown. Almost always empty. */
  readonly settled: readonly SettledChild[];
}

// Shared by all states: most of 100,000 waiting orders have none of these.
export const NO_PROGRESS: Progress = { filled: ZERO_LOTS, notional: ZERO_NOTIONAL };
const NO_FEES: readonly FeeTotal[] = [];
export const NO_CHILDREN: readonly LiveChild[] = [];
export const NO_SETTLED: readonly SettledChild[] = [];

const UNTRADED: LegState = {
  progress: NO_PROGRESS,
  makerFilled: ZERO_LOTS,
  lastQuantity: ZERO_LOTS,
  lastPrice: 0 as Ticks,
  fees: NO_FEES,
  arrivalTwiceMid: null,
  plannedFilled: ZERO_LOTS,
  childCount: 0,
  children: NO_CHILDREN,
  refusals: 0,
  lastRefusal: null,
  memory: null,
};
const ONE_LEG: PerLeg<LegState> = [UNTRADED];
const TWO_LEGS: PerLeg<LegState> = [UNTRADED, UNTRADED];

/** State of an order after ParentCreated. */
export function newState(order: ParentOrder): ParentState {
  return {
    order,
    status: 'PENDING_NEW',
    legs: order.pair === null ? ONE_LEG : TWO_LEGS,
    startedAtMs: null,
    plannedAtMs: null,
    amendment: null,
    endedAtMs: null,
    epoch: 0,
    isReconciling: false,
    outcome: null,
    lateFills: 0,
    hedge: null,
    quarantine: null,
    contradictions: 0,
    cancelCause: null,
    settled: NO_SETTLED,
  };
}

/**
 * When the order ended, service time; null: it has not. Its last event has the time of an exchange, whose clock may be
 * late: an order never ends before it starts or is created.
 */
export function endTimeOf({
  endedAtMs,
  startedAtMs,
  order,
}: Pick<ParentState, 'endedAtMs' | 'startedAtMs' | 'order'>): EpochMs | null {
  return endedAtMs === null ? null : (Math.max(endedAtMs, startedAtMs ?? order.createdAtMs) as EpochMs);
}

/**
 * When trading ends: the earlier of end_time and start + duration. The duration of an order with a trigger counts from
 * the time of the trigger. Before that (`startedAtMs` null) only end_time ends it. null: until filled or cancelled.
 */
export function endOf(order: ParentOrder, startedAtMs: EpochMs | null): EpochMs | null {
  const { endAtMs } = order;
  const { trigger, durationMs } = leadingLeg(order);
  if (trigger === null || durationMs === null || startedAtMs === null) return endAtMs;
  const elapsedAtMs = (startedAtMs + durationMs) as EpochMs;
  return endAtMs === null || elapsedAtMs < endAtMs ? elapsedAtMs : endAtMs;
}

/** The terms of the client's last request, whether they are in effect or not. */
export function wantedTerms({ order, amendment }: Pick<ParentState, 'order' | 'amendment'>): ParentOrder {
  return amendment ?? order;
}

/** End of trading by the client's last request. null: the order ends when it is filled or cancelled. */
export function endsAtMs(state: ParentState): EpochMs | null {
  return endOf(wantedTerms(state), state.startedAtMs);
}

/**
 * True for a state that differs from the new one in its order and its status at most, such as that of an order that
 * waits for its start. It may be false for a state that was read.
 */
export function isUntouched(state: ParentState): boolean {
  return (
    (state.legs === ONE_LEG || state.legs === TWO_LEGS) &&
    state.startedAtMs === null &&
    state.plannedAtMs === null &&
    state.amendment === null &&
    state.endedAtMs === null &&
    state.epoch === 0 &&
    !state.isReconciling &&
    state.outcome === null &&
    state.lateFills === 0 &&
    state.hedge === null &&
    state.quarantine === null &&
    state.contradictions === 0 &&
    state.cancelCause === null &&
    state.settled.length === 0
  );
}

/** State of the leading leg, or of the only one. */
export function leadingOf({ order, legs }: Pick<ParentState, 'order' | 'legs'>): LegState {
  return legAt(legs, leadingIndexOf(order));
}

/** Live children of all legs, leg by leg. */
export function liveChildren({ legs }: Pick<ParentState, 'legs'>): readonly LiveChild[] {
  return legs.length === 1 ? legs[0].children : legs[0].children.concat(legs[1].children);
}

/** Value of one unit of the hedging leg's quote currency in the leading leg's, at the last hedge. */
export function quoteRateOf({ hedge }: Pick<ParentState, 'hedge'>): number {
  return hedge?.quoteRate ?? 1;
}

/** Leaves of the child. 0 also when its fills exceed its quantity. */
export function restOf({ order, progress }: LiveChild): Lots {
  return Math.max(0, order.quantity - progress.filled) as Lots;
}
