import type { OrderEvent } from '../model/event.js';
import type { Hedged } from '../model/hedge.js';
import type { LiveChild, ParentState, Reason } from '../model/order.js';
import { shortfallOf } from '../model/pair-balance.js';
import { formatLots } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { carryOutAmendment, endsAtMs, wantedTerms } from './amendment.js';
import type { Draft } from './draft.js';
import { settleQuarantined } from './quarantine.js';
import { isGivenUp } from './refusals.js';
import { childrenOf, restOf, unplacedOf } from './working.js';

/** How an order ends: its children are withdrawn for the reason, and the event follows once none lives. */
export interface Ending {
  readonly reason: Reason;
  readonly event: OrderEvent;
}

const CANCELLED_BY_CLIENT: Ending = {
  reason: { code: 'PARENT_CANCEL', detail: 'the order is being cancelled' },
  event: { kind: 'ParentCancelled', cause: null },
};

const PAUSED_BY_CLIENT: Reason = { code: 'PARENT_PAUSE', detail: 'the order is being paused' };
const NOT_HEDGED: Hedged = { isHedged: false, rest: null };
const OVERFILLED: Reason = { code: 'LATE_FILL', detail: 'a late fill leaves less to do than is working' };

/** The ending that the order is bound for; null while it goes on, and after it. */
export function endingOf(state: ParentState, nowMs: EpochMs): Ending | null {
  switch (state.status) {
    case 'PENDING_CANCEL':
      return CANCELLED_BY_CLIENT;
    case 'ACCEPTED':
    case 'PARTIALLY_FILLED':
      return refusedEnding(state) ?? expiredEnding(state, nowMs);
    case 'PENDING_NEW':
    case 'PENDING_PAUSE':
    case 'PAUSED':
    case 'PENDING_UNPAUSE':
      return expiredEnding(state, nowMs);
    case 'FILLED':
    case 'CANCELLED':
    case 'REJECTED':
    case 'EXPIRED':
      return null;
    default:
      return state.status satisfies never;
  }
}

/**
 * Takes the order to its end when it is bound for one, and else keeps its children within what is still wanted, lets an
 * amendment hold and a pause begin as soon as no child is in the way. A pair is hedged first: `hedged` says
 * whether it is.
 */
export function settle(draft: Draft, nowMs: EpochMs, hedged: Hedged = NOT_HEDGED): void {
  // Children may live that are not known here.
  if (draft.state.isReconciling) return;
  if (draft.state.quarantine !== null) return settleQuarantined(draft);
  const ending = endingOf(draft.state, nowMs);
  if (ending !== null) return end(draft, ending, hedged);
  trim(draft, false);
  if (draft.state.order.pair !== null) trim(draft, true);
  carryOutAmendment(draft);
  if (draft.state.status === 'PENDING_PAUSE') rest(draft, hedged);
}

/** A paused order keeps nothing at its venue. */
function rest(draft: Draft, hedged: Hedged): void {
  draft.withdraw(PAUSED_BY_CLIENT);
  if (isAtRest(draft.state, hedged)) draft.add({ kind: 'ParentPaused' });
}

/** What filled of a pair's leading leg is hedged before it ends; a rest that cannot be is named. */
export function end(draft: Draft, { reason, event }: Ending, hedged: Hedged = NOT_HEDGED): void {
  draft.withdraw(reason);
  if (isAtRest(draft.state, hedged)) draft.add(hedged.rest === null ? event : withRest(event, hedged.rest));
}

function isAtRest(state: ParentState, { isHedged }: Hedged): boolean {
  return state.children.length === 0 && (isHedged || shortfallOf(state) === null);
}

function withRest(event: OrderEvent, rest: Rejection): OrderEvent {
  if (event.kind !== 'ParentExpired' && event.kind !== 'ParentCancelled') return event;
  const { cause } = event;
  return { ...event, cause: cause === null ? rest : { ...cause, message: `${cause.message}; ${rest.message}` } };
}

/** Ends the order whatever of it is unhedged: it can be no more. */
export function abandon(draft: Draft, cause: Rejection): void {
  const { reason, event } = endedBy(cause);
  draft.cancelAll(reason);
  if (draft.state.children.length === 0) draft.add(event);
}

/** The service itself ends an order that may trade, for a cause the client is told. */
export function endedBy(cause: Rejection): Ending {
  return { reason: { code: cause.code, detail: cause.message }, event: { kind: 'ParentCancelled', cause } };
}

function refusedEnding(state: ParentState): Ending | null {
  const { lastRefusal, progress } = state;
  if (lastRefusal === null || !isGivenUp(state)) return null;
  if (progress.filled > 0 || hasFollowed(state)) return endedBy(lastRefusal);
  return { ...endedBy(lastRefusal), event: { kind: 'ParentRejected', rejection: lastRefusal } };
}

/** The other leg of a pair without a leader has traded. */
function hasFollowed({ follower }: ParentState): boolean {
  return follower !== null && follower.progress.filled > 0;
}

function expiredEnding(state: ParentState, nowMs: EpochMs): Ending | null {
  const endAtMs = endsAtMs(state);
  if (endAtMs === null || nowMs < endAtMs) return null;
  const order = wantedTerms(state);
  const filled = formatLots(state.progress.filled, order);
  const message = `the end time passed with ${filled} of ${formatLots(order.quantity, order)} filled`;
  return {
    reason: { code: 'EXPIRY_REACHED', detail: message },
    event: { kind: 'ParentExpired', cause: { code: 'EXPIRY_REACHED', message } },
  };
}

/** Only a late fill can leave more working than is wanted: the newest children go first, the oldest keep their queue. */
function trim(draft: Draft, ofFollower: boolean): void {
  let excess = -unplacedOf(draft.state, ofFollower);
  if (excess <= 0) return;
  const newestFirst: readonly LiveChild[] = childrenOf(draft.state, ofFollower).toReversed();
  for (const child of newestFirst) {
    if (excess <= 0) return;
    draft.cancel(child, OVERFILLED);
    excess -= restOf(child);
  }
}
