import type { ChildEvent, OrderEvent, OrderEventKind } from '../domain/event.js';
import type { LiveChild } from '../domain/order-state.js';
import type { SettledStatus } from '../domain/order.js';
import { InvariantViolation } from '../domain/rejection.js';
/**
 * Inputs of a parent's transition table. Most are kinds of events. These cases have their own input: OrderCompleted: an
 * event of a child, or new terms, after which no leaves and no live child remain. FactNoted: an event of a child of a
 * quarantined order that was never accepted. ResumedWithFills: ParentResumed of an order with fills. HedgeSubmitted,
 * HedgeNoted, HedgeGivenUp: ChildSubmitted, StrategyNoted and ParentCancelled of a pair's hedge. A hedge continues
 * while the leading leg is not worked.
 */
export type ParentInput =
  | OrderEventKind
  | 'OrderCompleted'
  | 'FactNoted'
  | 'ResumedWithFills'
  | 'HedgeSubmitted'
  | 'HedgeNoted'
  | 'HedgeGivenUp';

type Row = { readonly [Input in ParentInput]?: SettledStatus };

/** Events of a child keep the status of its parent, except a fill. */
function childEvents(status: SettledStatus): Row {
  return {
    ChildAccepted: status,
    ChildRejected: status,
    ChildFilled: status,
    ChildCancelRequested: status,
    ChildCancelRefused: status,
    ChildCancelled: status,
    ChildUnknown: status,
    ChildNeverPlaced: status,
    ChildSettled: status,
    OrderCompleted: 'FILLED',
    ...restored(status),
  };
}

/** An open order can be quarantined in any status. Its release is a cancel. */
function quarantinable(status: SettledStatus): Row {
  return { ParentQuarantined: status, ParentReleased: 'PENDING_CANCEL', ReportContradicted: status };
}

/** A reconciliation is possible in any status. It completes the order when no leaves remain. */
function restored(status: SettledStatus): Row {
  return { ParentRestored: status, ChildAdopted: status, ParentReconciled: status };
}

/** The hedge works in every status in which a fill may come. */
function hedging(status: SettledStatus): Row {
  return { HedgeSubmitted: status, HedgeNoted: status };
}

/** New terms keep the status, unless they leave nothing to fill. */
function amendable(status: SettledStatus): Row {
  return { ParentAmendRequested: status, ParentAmended: status, OrderCompleted: 'FILLED' };
}

/** Transitions of the statuses in which a strategy may trade. */
function trading(status: 'ACCEPTED' | 'PARTIALLY_FILLED'): Row {
  return {
    ...childEvents(status),
    ...amendable(status),
    ...hedging(status),
    ...quarantinable(status),
    ParentStarted: status,
    ParentPlanned: status,
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentCancelled: 'CANCELLED',
    ParentExpired: 'EXPIRED',
    ParentPauseRequested: 'PENDING_PAUSE',
    StrategyNoted: status,
    ChildSubmitted: status,
    ChildFilled: 'PARTIALLY_FILLED',
  };
}

/** A terminal status never changes. A late fill is counted. */
function absorbing(status: SettledStatus): Row {
  return { ChildFilled: status, OrderCompleted: status, ReportContradicted: status };
}

/**
 * Transition table of a parent. A transition that is not in it is illegal.
 *
 *   PENDING_NEW ──▶ ACCEPTED ──▶ PARTIALLY_FILLED ──▶ FILLED
 *        │             │  ▲            │  ▲
 *        │             ▼  │            ▼  │
 *        │        PENDING_PAUSE ─▶ PAUSED ─▶ PENDING_UNPAUSE
 *        ▼             └──────┬────────┴───────────┘
 *    REJECTED           PENDING_CANCEL ─▶ CANCELLED (or FILLED, when the last fill comes first)
 *                       end time with leaves ─▶ EXPIRED
 */
const TABLE: { readonly [Status in SettledStatus]: Row } = {
  PENDING_NEW: {
    ...quarantinable('PENDING_NEW'),
    FactNoted: 'PENDING_NEW',
    ...restored('PENDING_NEW'),
    ParentAmended: 'PENDING_NEW',
    ParentAccepted: 'ACCEPTED',
    ParentRejected: 'REJECTED',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  ACCEPTED: { ...trading('ACCEPTED'), ParentRejected: 'REJECTED' },
  PARTIALLY_FILLED: trading('PARTIALLY_FILLED'),
  PENDING_PAUSE: {
    ...childEvents('PENDING_PAUSE'),
    ...amendable('PENDING_PAUSE'),
    ...hedging('PENDING_PAUSE'),
    ...quarantinable('PENDING_PAUSE'),
    HedgeGivenUp: 'CANCELLED',
    ParentPaused: 'PAUSED',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  PAUSED: {
    ...childEvents('PAUSED'),
    ...amendable('PAUSED'),
    ...hedging('PAUSED'),
    ...quarantinable('PAUSED'),
    HedgeGivenUp: 'CANCELLED',
    ParentResumeRequested: 'PENDING_UNPAUSE',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  PENDING_UNPAUSE: {
    ...childEvents('PENDING_UNPAUSE'),
    ...amendable('PENDING_UNPAUSE'),
    ...hedging('PENDING_UNPAUSE'),
    ...quarantinable('PENDING_UNPAUSE'),
    HedgeGivenUp: 'CANCELLED',
    ParentResumed: 'ACCEPTED',
    ResumedWithFills: 'PARTIALLY_FILLED',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  PENDING_CANCEL: {
    ...childEvents('PENDING_CANCEL'),
    ...hedging('PENDING_CANCEL'),
    ...quarantinable('PENDING_CANCEL'),
    ParentCancelled: 'CANCELLED',
  },
  FILLED: absorbing('FILLED'),
  CANCELLED: absorbing('CANCELLED'),
  REJECTED: absorbing('REJECTED'),
  EXPIRED: absorbing('EXPIRED'),
};

/** Returns the status after the input. Throws InvariantViolation for an illegal transition. */
export function nextStatus(status: SettledStatus, input: ParentInput): SettledStatus {
  const next = TABLE[status][input];
  if (next === undefined) throw new InvariantViolation(`no transition from ${status} by ${input}`);
  return next;
}

/** Events about a child after its submission. */
export type ChildUpdate = Exclude<ChildEvent, { readonly kind: 'ChildSubmitted' | 'ChildAdopted' }>;

export function isChildEvent(event: OrderEvent): event is ChildEvent {
  return event.kind.startsWith('Child');
}

export type ChildPhase = LiveChild['state'] | 'ENDED';
/** ChildFilledWhole: the fill after which the child has no leaves. */
export type ChildInput = ChildUpdate['kind'] | 'ChildFilledWhole';
/** No child returns to IN_FLIGHT, because a client id is sent once. */
type NextPhase = Exclude<ChildPhase, 'IN_FLIGHT'>;

/**
 * Transition table of a child from its submission. A transition that is not in it is illegal. Repeated and outdated
 * reports are dropped before they become events.
 *
 *   IN_FLIGHT ──▶ OPEN ──▶ CANCEL_IN_FLIGHT ──▶ ENDED
 *       └───────────┴──── venue lost ─▶ UNKNOWN ──▶ OPEN or ENDED, as the venue answers
 */
const CHILD_TABLE: { readonly [Phase in ChildPhase]: { readonly [Input in ChildInput]?: NextPhase } } = {
  IN_FLIGHT: {
    ChildAccepted: 'OPEN',
    ChildRejected: 'ENDED',
    // A venue may fill a child before it acknowledges it.
    ChildFilled: 'OPEN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'CANCEL_IN_FLIGHT',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  OPEN: {
    ChildRejected: 'ENDED',
    ChildFilled: 'OPEN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'CANCEL_IN_FLIGHT',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  CANCEL_IN_FLIGHT: {
    ChildAccepted: 'CANCEL_IN_FLIGHT',
    ChildRejected: 'ENDED',
    ChildFilled: 'CANCEL_IN_FLIGHT',
    ChildFilledWhole: 'ENDED',
    // The venue refuses the cancel of a live child. An order status request finds the true state.
    ChildCancelRefused: 'UNKNOWN',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  UNKNOWN: {
    ChildAccepted: 'OPEN',
    ChildRejected: 'ENDED',
    // The venue repeats the fills before its answer, so more fills may follow.
    ChildFilled: 'UNKNOWN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'UNKNOWN',
    ChildCancelled: 'ENDED',
    ChildNeverPlaced: 'ENDED',
    // Its fill and its end follow.
    ChildSettled: 'UNKNOWN',
  },
  // A late fill counts, because it changes the position.
  ENDED: { ChildFilled: 'ENDED' },
};

/** Returns the phase after the input. Throws InvariantViolation for an illegal transition. */
export function nextPhase(phase: ChildPhase, input: ChildInput): NextPhase {
  const next = CHILD_TABLE[phase][input];
  if (next === undefined) throw new InvariantViolation(`no transition of a child from ${phase} by ${input}`);
  return next;
}
