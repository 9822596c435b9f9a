import { assert } from '../model/assert.js';
import type { OrderEventKind } from '../model/event.js';
import type { RestingStatus } from '../model/order.js';

/**
 * What moves a parent's status. Some facts need a row of their own beside the kinds of events:
 * OrderCompleted is any event about a child, or new terms, after which nothing is left to fill and no child lives;
 * FactNoted is any event about a child of a quarantined order that was never accepted;
 * ResumedWithFills is ParentResumed of an order that has fills;
 * HedgeSubmitted, HedgeNoted and HedgeGivenUp are ChildSubmitted, StrategyNoted and ParentCancelled of a pair's hedge,
 * which goes on while the leading leg is not worked.
 */
export type ParentInput =
  | OrderEventKind
  | 'OrderCompleted'
  | 'FactNoted'
  | 'ResumedWithFills'
  | 'HedgeSubmitted'
  | 'HedgeNoted'
  | 'HedgeGivenUp';

type Row = { readonly [Input in ParentInput]?: RestingStatus };

/** What becomes of a child moves no status of its parent; only a fill does. */
function childNews(status: RestingStatus): Row {
  return {
    ChildAccepted: status,
    ChildRejected: status,
    ChildFilled: status,
    ChildCancelRequested: status,
    ChildCancelRefused: status,
    ChildCancelled: status,
    ChildUnknown: status,
    ChildNeverPlaced: status,
    OrderCompleted: 'FILLED',
    ...restored(status),
  };
}

/** An order that is open may be set apart wherever it is; its release is a cancel. */
function quarantinable(status: RestingStatus): Row {
  return { ParentQuarantined: status, ParentReleased: 'PENDING_CANCEL', ReportContradicted: status };
}

/** What the exchanges know is taken over in any status; it completes the order when nothing is left to fill. */
function restored(status: RestingStatus): Row {
  return { ParentRestored: status, ChildAdopted: status, ParentReconciled: status };
}

/** What filled of a pair's leading leg is hedged wherever a fill may come. */
function hedging(status: RestingStatus): Row {
  return { HedgeSubmitted: status, HedgeNoted: status };
}

/** New terms move no status, unless nothing is left to fill by them. */
function amendable(status: RestingStatus): Row {
  return { ParentAmendRequested: status, ParentAmended: status, OrderCompleted: 'FILLED' };
}

/** Where a strategy may trade. */
function trading(status: 'ACCEPTED' | 'PARTIALLY_FILLED'): Row {
  return {
    ...childNews(status),
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

/** An end absorbs: no child lives any more, and a late fill is counted without waking the dead. */
function absorbing(status: RestingStatus): Row {
  return { ChildFilled: status, OrderCompleted: status, ReportContradicted: status };
}

/**
 * The life of a parent, and the only place that says what is legal. What is not here is impossible.
 *
 *   PENDING_NEW ──▶ ACCEPTED ──▶ PARTIALLY_FILLED ──▶ FILLED
 *        │             │  ▲            │  ▲
 *        │             ▼  │            ▼  │
 *        │        PENDING_PAUSE ─▶ PAUSED ─▶ PENDING_UNPAUSE
 *        ▼             └──────┬────────┴───────────┘
 *    REJECTED           PENDING_CANCEL ─▶ CANCELLED (or FILLED, when the last fill wins the race)
 *                       time over with quantity left ─▶ EXPIRED
 */
const TABLE: { readonly [Status in RestingStatus]: Row } = {
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
    ...childNews('PENDING_PAUSE'),
    ...amendable('PENDING_PAUSE'),
    ...hedging('PENDING_PAUSE'),
    ...quarantinable('PENDING_PAUSE'),
    HedgeGivenUp: 'CANCELLED',
    ParentPaused: 'PAUSED',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  PAUSED: {
    ...childNews('PAUSED'),
    ...amendable('PAUSED'),
    ...hedging('PAUSED'),
    ...quarantinable('PAUSED'),
    HedgeGivenUp: 'CANCELLED',
    ParentResumeRequested: 'PENDING_UNPAUSE',
    ParentCancelRequested: 'PENDING_CANCEL',
    ParentExpired: 'EXPIRED',
  },
  PENDING_UNPAUSE: {
    ...childNews('PENDING_UNPAUSE'),
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
    ...childNews('PENDING_CANCEL'),
    ...hedging('PENDING_CANCEL'),
    ...quarantinable('PENDING_CANCEL'),
    ParentCancelled: 'CANCELLED',
  },
  FILLED: absorbing('FILLED'),
  CANCELLED: absorbing('CANCELLED'),
  REJECTED: absorbing('REJECTED'),
  EXPIRED: absorbing('EXPIRED'),
};

/** The status after the input; an illegal step is an invariant violation. */
export function nextStatus(status: RestingStatus, input: ParentInput): RestingStatus {
  const next = TABLE[status][input];
  assert(next !== undefined, `no step from ${status} by ${input}`);
  return next;
}
