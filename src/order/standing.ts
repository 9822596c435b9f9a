import { assert } from '../model/assert.js';
import type { ChildStanding, Fill, FollowerStanding, OrderEvent, ParentStanding } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import { isTerminal, type ChildOrder, type LiveChild, type ParentState, type RestingStatus } from '../model/order.js';
import { quoteRateOf, tradedBy, type FollowerState } from '../model/pair.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { NO_PROGRESS } from '../model/untraded.js';
import { isChildEvent, type ChildEvent, type ChildNews } from './child-transitions.js';
import { findChild, isBeingCancelled, progressAfter, venueOrderIdOf } from './children.js';
import { evolve } from './evolve.js';

export interface Recorded {
  readonly state: ParentState;
  readonly parent: ParentStanding;
  /** null when the event is about the parent alone. */
  readonly child: ChildStanding | null;
}

/** Folds the event and tells where parent and child stand after it: all that an envelope holds besides the event. */
export function record(before: ParentState | null, event: OrderEvent, eventAtMs: EpochMs): Recorded {
  const state = evolve(before, event, eventAtMs);
  const child = before !== null && isChildEvent(event) ? childStanding(before, event, state, eventAtMs) : null;
  return { state, parent: parentStanding(state), child };
}

export function parentStanding({
  order,
  status,
  progress,
  outcome,
  follower,
  quarantine,
}: ParentState): ParentStanding {
  const { revision, quantity } = order;
  const { filled, notional } = progress;
  return { status, revision, quantity, filled, notional, outcome, follower: followerStanding(follower), quarantine };
}

function followerStanding(follower: FollowerState | null): FollowerStanding | null {
  return follower === null ? null : { ...follower.progress, quoteRate: quoteRateOf(follower) };
}

/** Where the child of the event stands after it, also when this very event ended it. */
function childStanding(before: ParentState, event: ChildEvent, after: ParentState, eventAtMs: EpochMs): ChildStanding {
  const isNew = event.kind === 'ChildSubmitted' || event.kind === 'ChildAdopted';
  const number = isNew ? event.order.child : event.child;
  const live = findChild(after.children, number);
  if (live !== null) return { order: live.order, status: liveStatus(live), ...live.progress, outcome: null };
  assert(!isNew, `child ${number} lives after its submission`);
  const ended = findChild(before.children, number);
  if (ended !== null) return endedStanding(ended, event);
  assert(event.kind === 'ChildFilled', `only a fill can tell of ended child ${number}`);
  return lateStanding(before, number, event.fill, eventAtMs);
}

function liveStatus(child: LiveChild): RestingStatus {
  if (isBeingCancelled(child)) return 'PENDING_CANCEL';
  if (child.progress.filled > 0) return 'PARTIALLY_FILLED';
  return venueOrderIdOf(child) === null ? 'PENDING_NEW' : 'ACCEPTED';
}

function endedStanding({ order, progress }: LiveChild, event: ChildNews): ChildStanding {
  if (event.kind === 'ChildFilled') {
    return { order, status: 'FILLED', ...progressAfter(progress, event.fill), outcome: null };
  }
  if (event.kind === 'ChildCancelled') return { order, status: 'CANCELLED', ...progress, outcome: event.cause };
  if (event.kind === 'ChildRejected') return { order, status: 'REJECTED', ...progress, outcome: event.rejection };
  assert(event.kind === 'ChildNeverPlaced', `no child ends by ${event.kind}`);
  return { order, status: 'REJECTED', ...progress, outcome: NEVER_PLACED };
}

const NEVER_PLACED: Rejection = { code: 'NETWORK_ERROR', message: 'the venue never received this child order' };

const TERMINATED: Rejection = {
  code: 'PARENT_ORDER_WAS_TERMINATED',
  message: 'the fill came after the end of its parent',
};

/** An ended child has left the state, so what is known of it here is its late fill alone. */
function lateStanding(state: ParentState, child: ChildNumber, fill: Fill, atMs: EpochMs): ChildStanding {
  const { reduceOnly } = state.order;
  const { side } = tradedBy(state.order, child);
  const order: ChildOrder = {
    child,
    side,
    quantity: fill.quantity,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: fill.price,
    postOnly: false,
    reduceOnly,
    submittedAtMs: atMs,
    reason: { code: 'LATE_FILL', detail: 'the fill came after the end of this child' },
  };
  const { filled, notional } = progressAfter(NO_PROGRESS, fill);
  return { order, status: 'CANCELLED', filled, notional, outcome: isTerminal(state.status) ? TERMINATED : null };
}
