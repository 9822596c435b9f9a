import { assert } from '../model/assert.js';
import type { Venue } from '../model/exchange.js';
import type { ChildNumber } from '../model/ids.js';
import type { EpochMs } from '../model/time.js';
import { isTwoSided } from '../model/market.js';
import { isTerminal, type LiveChild, type ParentState } from '../model/order.js';
import { tradedBy } from '../model/pair.js';
import { reject, type OrRejection, type Rejection } from '../model/rejection.js';
import { refusalOf, refusalOfLegs } from './admission.js';
import { findChild } from './children.js';
import { decideAmend, decidePause, decideResume, plan } from './control.js';
import type { DecideContext, Decision, OrderInput } from './decision.js';
import { Draft } from './draft.js';
import { hedge } from './hedge.js';
import { decideRelease, noteContradiction, quarantine } from './quarantine.js';
import { reconcile } from './reconcile.js';
import { askForSilent, takeReport } from './report.js';
import { settle } from './settlement.js';
import { isWorkable, work } from './work.js';

export type { AdmissionGrounds, DecideContext, Decision, OrderEffect, OrderInput } from './decision.js';

const NOTHING: Decision = { events: [], effects: [] };

/**
 * What follows from an input: facts and effects, or the reason why it is refused (only what a client asks for can be).
 * Pure. A quarantined order takes in facts, a cancel and its release alone. An input that no longer fits the order's status, as a wake that comes after its end, is answered with nothing. A
 * strategy's want that would break an invariant throws InvariantViolation.
 */
export function decide(state: ParentState | null, input: OrderInput, context: DecideContext): OrRejection<Decision> {
  if (input.kind === 'Create') {
    assert(state === null, `order ${input.order.orderId} is created once`);
    return { events: [{ kind: 'ParentCreated', order: input.order }], effects: [] };
  }
  assert(state !== null, `${input.kind} needs an order`);
  if (input.kind === 'Cancel') return decideCancel(state, context);
  if (input.kind === 'Pause') return decidePause(state, context);
  if (input.kind === 'Resume') return decideResume(state, context);
  if (input.kind === 'Amend') return decideAmend(state, input, context);
  if (input.kind === 'Release') return decideRelease(state, context.nowMs);
  const draft = new Draft(state, context.nowMs);
  apply(draft, input, context);
  return draft.decision;
}

/** What happens to an order without its client. */
type Happening = Exclude<OrderInput, { kind: 'Create' | 'Cancel' | 'Pause' | 'Resume' | 'Amend' | 'Release' }>;

function apply(draft: Draft, input: Happening, context: DecideContext): void {
  const { nowMs } = context;
  if (draft.state.quarantine !== null && !isFact(input)) return;
  switch (input.kind) {
    case 'Admit':
      return admit(draft, refusalOf(draft.state.order, context.instrument, input));
    case 'AdmitPair':
      return admit(draft, refusalOfLegs(draft.state.order, input.legs));
    case 'Start':
      return start(draft, input);
    case 'Work':
      return isWorkable(draft.state) ? work(draft, input, context) : undefined;
    case 'Hedge':
      return hedge(draft, input, context);
    case 'Plan':
      return plan(draft, input.memory);
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

/** What a quarantined order still takes in: nothing of this places a child. */
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

function decideCancel(state: ParentState, { nowMs }: DecideContext): OrRejection<Decision> {
  if (isTerminal(state.status)) {
    const message = `order_id ${state.order.orderId} is already ${state.status} and cannot be cancelled`;
    return reject('INVALID_ORDER', message);
  }
  // Asked twice: the answer is PENDING_CANCEL again, and nothing changes.
  if (state.status === 'PENDING_CANCEL' && state.quarantine === null) return NOTHING;
  const draft = new Draft(state, nowMs);
  if (state.status !== 'PENDING_CANCEL') draft.add({ kind: 'ParentCancelRequested' });
  settle(draft, nowMs);
  return draft.decision;
}

function admit(draft: Draft, rejection: Rejection | null): void {
  if (draft.state.status !== 'PENDING_NEW') return;
  draft.add(rejection === null ? { kind: 'ParentAccepted' } : { kind: 'ParentRejected', rejection });
}

function start(draft: Draft, { market, memory }: Extract<OrderInput, { kind: 'Start' }>): void {
  const { status, startedAtMs } = draft.state;
  // Fills of adopted children come before the start.
  if ((status !== 'ACCEPTED' && status !== 'PARTIALLY_FILLED') || startedAtMs !== null) return;
  assert(isTwoSided(market), 'the arrival price needs both sides of the market');
  draft.add({ kind: 'ParentStarted', arrivalTwiceMid: market.bid + market.ask, memory });
}

function breakSilence(draft: Draft, children: readonly ChildNumber[], nowMs: EpochMs): void {
  for (const number of children) {
    const child = findChild(draft.state.children, number);
    if (child !== null) askForSilent(draft, child, nowMs);
  }
}

function loseVenue(draft: Draft, venue: Venue | null): void {
  for (const child of childrenAt(draft.state, venue)) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
  }
}

function askForUnknown(draft: Draft, venue: Venue | null, { nowMs }: DecideContext): void {
  // Its children are asked for when all of them are known.
  if (draft.state.isReconciling) return;
  for (const child of childrenAt(draft.state, venue)) {
    if (child.state === 'UNKNOWN') draft.query(child.order.child, nowMs);
  }
}

/** Of a pair, only those of the leg that trades there. */
function childrenAt({ order, children }: ParentState, venue: Venue | null): readonly LiveChild[] {
  if (order.pair === null || venue === null) return children;
  return children.filter((child) => tradedBy(order, child.order.child).venue === venue);
}
