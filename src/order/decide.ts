import type { CancelCause } from '../domain/cancel-cause.js';
import type { Venue } from '../domain/exchange.js';
import type { ChildNumber } from '../domain/ids.js';
import { isTwoSided } from '../domain/market.js';
import { type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { legAt, mapLegs } from '../domain/pair.js';
import { assert, type OrRejection, reject, type Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { refusalOf } from './admission.js';
import { findChild } from './children.js';
import { decideSettlement } from './child-settlement.js';
import { decideAmend, decidePause, decideResume, plan } from './control.js';
import { type DecideContext, type Decision, Draft, NOTHING, type OrderInput } from './decision.js';
import { hedge, isWorkable, work } from './work.js';
import { decideRelease, noteContradiction, quarantine } from './quarantine.js';
import { askForSilent, reconcile, takeReport } from './report.js';
import { settle } from './settlement.js';

export type { AdmissionGrounds, DecideContext, Decision, OrderEffect, OrderInput } from './decision.js';

/**
 * Decides one input: returns the recorded events and the effects, or the refusal of a client's request. Pure. A
 * quarantined order takes facts, a cancel, its release and settlements of its children only. An input that no longer
 * fits the status changes nothing, for example a timer after the end. Throws InvariantViolation when a strategy's
 * intent would break an invariant.
 */
export function decide(state: ParentState, input: OrderInput, context: DecideContext): OrRejection<Decision> {
  if (input.kind === 'Cancel') return decideCancel(state, input.cancelCause, context);
  if (input.kind === 'Pause') return decidePause(state, context);
  if (input.kind === 'Resume') return decideResume(state, context);
  if (input.kind === 'Amend') return decideAmend(state, input, context);
  if (input.kind === 'Release') return decideRelease(state, context);
  if (input.kind === 'Settle') return decideSettlement(state, input.settlement, context);
  const draft = new Draft(state, context);
  apply(draft, input, context);
  return draft.decision;
}

/** Inputs that are no request of a client. They are never refused. */
type Happening = Exclude<OrderInput, { kind: 'Cancel' | 'Pause' | 'Resume' | 'Amend' | 'Release' | 'Settle' }>;

function apply(draft: Draft, input: Happening, context: DecideContext): void {
  const { nowMs } = context;
  if (draft.state.quarantine !== null && !isFact(input)) return;
  switch (input.kind) {
    case 'Admit':
      return admit(draft, refusalOf(draft.state.order, input.legs, nowMs));
    case 'Start':
      return start(draft, input);
    case 'Work':
      return isWorkable(draft.state) ? work(draft, input, context) : undefined;
    case 'Hedge':
      return hedge(draft, input, context);
    case 'Plan':
      return plan(draft, input.memories);
    case 'Expire':
      return settle(draft, nowMs);
    case 'Report':
      takeReport(draft, input.report, nowMs);
      return settle(draft, nowMs);
    case 'Quarantine':
      return quarantine(draft, input.reason, input.detail);
    case 'Unusable': {
      const { detail, report } = input;
      noteContradiction(draft, report, { contradiction: 'UNUSABLE_REPORT', detail, isGrave: true, isUnusable: true });
      return settle(draft, nowMs);
    }
    case 'Silence':
      return breakSilence(draft, input.children, nowMs);
    case 'VenueLost':
      return loseVenue(draft, input.venue);
    case 'VenueBack':
      return askForUnknown(draft, input.venue, context);
    case 'Restore':
      return draft.state.epoch === input.epoch ? undefined : draft.add({ kind: 'ParentRestored', epoch: input.epoch });
    case 'Reconcile':
      return reconcile(draft, input, context);
    case 'Recover':
      loseVenue(draft, null);
      return askForUnknown(draft, null, context);
    default:
      return input satisfies never;
  }
}

/** True for inputs that a quarantined order still takes. None of them places a child. */
function isFact({ kind }: Happening): boolean {
  return FACTS.has(kind);
}

const FACTS: ReadonlySet<Happening['kind']> = new Set([
  'Report',
  'Unusable',
  'Silence',
  'VenueLost',
  'VenueBack',
  'Recover',
  'Restore',
  'Reconcile',
]);

function decideCancel(state: ParentState, cancelCause: CancelCause, context: DecideContext): OrRejection<Decision> {
  if (isTerminal(state.status)) {
    const message = `order_id ${state.order.orderId} is already ${state.status} and cannot be cancelled`;
    return reject('INVALID_ORDER', message);
  }
  // A repeated cancel changes nothing; the client reads PENDING_CANCEL again.
  if (state.status === 'PENDING_CANCEL' && state.quarantine === null) return NOTHING;
  const draft = new Draft(state, context);
  if (state.status !== 'PENDING_CANCEL') draft.add({ kind: 'ParentCancelRequested', cancelCause });
  settle(draft, context.nowMs);
  return draft.decision;
}

function admit(draft: Draft, rejection: Rejection | null): void {
  if (draft.state.status !== 'PENDING_NEW') return;
  draft.add(rejection === null ? { kind: 'ParentAccepted' } : { kind: 'ParentRejected', rejection });
}

function start(draft: Draft, { legs }: Extract<OrderInput, { kind: 'Start' }>): void {
  const { status, startedAtMs } = draft.state;
  // An order with fills of adopted children may not have started yet.
  if ((status !== 'ACCEPTED' && status !== 'PARTIALLY_FILLED') || startedAtMs !== null) return;
  const starts = mapLegs(legs, ({ market, memory }) => {
    assert(isTwoSided(market), 'the arrival price needs both sides of the market');
    return { arrivalTwiceMid: market.bid + market.ask, memory };
  });
  draft.add({ kind: 'ParentStarted', legs: starts });
}

function breakSilence(draft: Draft, children: readonly ChildNumber[], nowMs: EpochMs): void {
  for (const number of children) {
    const child = findChild(draft.state, number);
    if (child !== null) askForSilent(draft, child, nowMs);
  }
}

function loseVenue(draft: Draft, venue: Venue | null): void {
  for (const child of childrenAt(draft.state, venue)) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
  }
}

function askForUnknown(draft: Draft, venue: Venue | null, { nowMs }: DecideContext): void {
  // The reconciliation requests the status of all children later.
  if (draft.state.isReconciling) return;
  for (const child of childrenAt(draft.state, venue)) {
    if (child.state === 'UNKNOWN') draft.query(child.order.child, nowMs);
  }
}

/** Live children at the venue; null: at all venues. */
function childrenAt(state: ParentState, venue: Venue | null): readonly LiveChild[] {
  const { order } = state;
  const children = liveChildren(state);
  if (order.pair === null || venue === null) return children;
  return children.filter((child) => legAt(order.legs, child.order.leg).venue === venue);
}
