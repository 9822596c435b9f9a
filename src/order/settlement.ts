import { serviceCause } from '../domain/cancel-cause.js';
import type { OrderEvent } from '../domain/event.js';
import type { Hedged } from '../domain/intent.js';
import { leadingOf, type LiveChild, type ParentState, restOf, endsAtMs, wantedTerms } from '../domain/order-state.js';
import type { GivenReason } from '../domain/order.js';
import { hedgeDeficit } from '../domain/pair-balance.js';
import { legAt, type LegIndex } from '../domain/pair.js';
import { leadingLeg } from '../domain/order-legs.js';
import { formatLots } from '../domain/quantity.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { carryOutAmendment } from './amendment.js';
import type { Draft } from './decision.js';
import { settleQuarantined } from './quarantine.js';
import { finalRefusalOf } from './child-refusals.js';
import { hasNoChild, unplacedOf } from './children.js';

/** End of an order: the reason to cancel its children, and the event to record when none is live. */
export interface Ending {
  readonly reason: GivenReason;
  readonly event: OrderEvent;
}

const CANCELLED_BY_REQUEST: Ending = {
  reason: { code: 'PARENT_CANCEL', detail: 'the order is being cancelled' },
  event: { kind: 'ParentCancelled', cause: null, cancelCause: null },
};

const PAUSED_BY_CLIENT: GivenReason = { code: 'PARENT_PAUSE', detail: 'the order is being paused' };
const NOT_HEDGED: Hedged = { isHedged: false, rest: null };
const OVERFILLED: GivenReason = {
  code: 'LATE_FILL',
  detail: 'after a late fill, the working quantity exceeds the leaves',
};

/** Returns how the order must end now. null: it continues, or it has ended. */
export function endingOf(state: ParentState, nowMs: EpochMs): Ending | null {
  switch (state.status) {
    case 'PENDING_CANCEL':
      return CANCELLED_BY_REQUEST;
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
 * Ends an order that must end. Else it cancels children beyond the leaves, then completes an amendment or a pause when
 * no child conflicts with it. A pair ends or pauses when it is hedged: see `hedged`.
 */
export function settle(draft: Draft, nowMs: EpochMs, hedged: Hedged = NOT_HEDGED): void {
  // The exchanges may have more children.
  if (draft.state.isReconciling) return;
  if (draft.state.quarantine !== null) return settleQuarantined(draft);
  const ending = endingOf(draft.state, nowMs);
  if (ending !== null) return end(draft, ending, hedged);
  trim(draft, 0);
  if (draft.state.order.pair !== null) trim(draft, 1);
  carryOutAmendment(draft);
  if (draft.state.status === 'PENDING_PAUSE') rest(draft, hedged);
}

/** Cancels the children and records the pause when none is live. */
function rest(draft: Draft, hedged: Hedged): void {
  draft.withdraw(PAUSED_BY_CLIENT);
  if (isAtRest(draft.state, hedged)) draft.add({ kind: 'ParentPaused' });
}

/**
 * Cancels the children and records the end when none is live and a pair is hedged. The cause names an unhedged rest.
 */
export function end(draft: Draft, { reason, event }: Ending, hedged: Hedged = NOT_HEDGED): void {
  draft.withdraw(reason);
  if (isAtRest(draft.state, hedged)) draft.add(hedged.rest === null ? event : withRest(event, hedged.rest));
}

function isAtRest(state: ParentState, { isHedged }: Hedged): boolean {
  return hasNoChild(state) && (isHedged || hedgeDeficit(state) === null);
}

function withRest(event: OrderEvent, rest: Rejection): OrderEvent {
  if (event.kind !== 'ParentExpired' && event.kind !== 'ParentCancelled') return event;
  const { cause } = event;
  return { ...event, cause: cause === null ? rest : { ...cause, message: `${cause.message}; ${rest.message}` } };
}

/** Ends a pair that cannot be hedged. */
export function abandon(draft: Draft, cause: Rejection): void {
  const { reason, event } = endedBy(cause);
  draft.cancelAll(reason);
  if (hasNoChild(draft.state)) draft.add(event);
}

/** The end of an order by the service, for a cause that the client sees. */
export function endedBy(cause: Rejection): Ending {
  const { code, message } = cause;
  return {
    reason: { code, detail: message },
    event: { kind: 'ParentCancelled', cause, cancelCause: serviceCause(code) },
  };
}

function refusedEnding(state: ParentState): Ending | null {
  const rejection = finalRefusalOf(state);
  if (rejection === null) return null;
  if (state.legs.some(({ progress }) => progress.filled > 0)) return endedBy(rejection);
  return { ...endedBy(rejection), event: { kind: 'ParentRejected', rejection } };
}

function expiredEnding(state: ParentState, nowMs: EpochMs): Ending | null {
  const endAtMs = endsAtMs(state);
  if (endAtMs === null || nowMs < endAtMs) return null;
  const leg = leadingLeg(wantedTerms(state));
  const filled = formatLots(leadingOf(state).progress.filled, leg);
  const message = `the end time passed with ${filled} of ${formatLots(leg.quantity, leg)} filled`;
  return {
    reason: { code: 'EXPIRY_REACHED', detail: message },
    event: { kind: 'ParentExpired', cause: { code: 'EXPIRY_REACHED', message } },
  };
}

/**
 * Cancels children beyond the leaves after a late fill. The newest end first; the oldest keep their place in the queue.
 */
function trim(draft: Draft, leg: LegIndex): void {
  let excess = -unplacedOf(draft.state, leg);
  if (excess <= 0) return;
  const newestFirst: readonly LiveChild[] = legAt(draft.state.legs, leg).children.toReversed();
  for (const child of newestFirst) {
    if (excess <= 0) return;
    draft.cancel(child, OVERFILLED);
    excess -= restOf(child);
  }
}
