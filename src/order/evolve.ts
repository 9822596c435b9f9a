import { assert } from '../model/assert.js';
import type { VenueOrderId } from '../model/ids.js';
import { isOrderEvent, type EventEnvelope, type OrderEvent } from '../model/event.js';
import { ENDED_AGAIN_MS } from '../model/limits.js';
import {
  isGated,
  isTerminal,
  type ChildOrder,
  type LiveChild,
  type ParentOrder,
  type ParentState,
  type RestingStatus,
  type StrategyMemory,
} from '../model/order.js';
import { childPlace, followingLeg, isFollowers, nextChildNumber, type FollowerState } from '../model/pair.js';
import { newState, NO_MEMORY, NO_PROGRESS } from '../model/untraded.js';
import { quarantineRejection } from '../model/quarantine.js';
import type { Rejection } from '../model/rejection.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { isChildEvent, type ChildNews } from './child-transitions.js';
import { childAfter, findChild, replaceChild } from './children.js';
import { filled } from './filling.js';
import { isGivenUp, judgementOf } from './refusals.js';
import { nextStatus, type ParentInput } from './transitions.js';

/**
 * The state after the event: pure, and the only arithmetic on filled, leaves, average and fees. `eventAtMs` is the
 * envelope's time of the same name, so that a replay gives the very same state. An illegal event violates an invariant.
 */
export function evolve(state: ParentState | null, event: OrderEvent, eventAtMs: EpochMs): ParentState {
  if (event.kind === 'ParentCreated') {
    assert(state === null, `order ${event.order.orderId} is created once`);
    return newState(event.order);
  }
  assert(state !== null, `${event.kind} follows ParentCreated`);
  const changed = change(state, event, eventAtMs);
  const status = nextStatus(state.status, inputOf(event, changed));
  if (status === state.status) return changed;
  if (!isTerminal(status)) return { ...changed, status };
  return { ...changed, status, endedAtMs: eventAtMs, amendment: null };
}

/** The same for a journal entry, which must hold an event of an order. */
export function foldEnvelope(state: ParentState | null, envelope: EventEnvelope): ParentState {
  const { event, eventAtMs } = envelope;
  assert(isOrderEvent(event), `entry ${envelope.seq} is about an order`);
  return evolve(state, event, eventAtMs);
}

/** Everything but the status. */
function change(
  state: ParentState,
  event: Exclude<OrderEvent, { kind: 'ParentCreated' }>,
  eventAtMs: EpochMs,
): ParentState {
  switch (event.kind) {
    case 'ParentStarted':
      return {
        ...planned(state, event.memory, eventAtMs),
        arrivalTwiceMid: event.arrivalTwiceMid,
        startedAtMs: eventAtMs,
      };
    case 'ParentPlanned':
      return planned(state, event.memory, eventAtMs);
    case 'ParentAmendRequested':
      return { ...state, amendment: event.order };
    case 'ParentRestored':
      return { ...state, epoch: event.epoch, isReconciling: true };
    case 'ParentReconciled':
      return reconciled(state, event.childRoom);
    case 'ParentAmended':
      return amended(state, event.order);
    case 'ParentRejected':
      return { ...state, outcome: event.rejection };
    case 'ParentCancelled':
    case 'ParentExpired':
      return { ...state, outcome: event.cause };
    case 'StrategyNoted':
      return event.ofFollower ? remembering(state, event.memory) : { ...state, memory: event.memory };
    case 'ParentQuarantined': {
      const { code: reason, detail } = event;
      const quarantine = { sinceMs: eventAtMs, reason, detail, isReleased: false };
      return { ...state, quarantine, outcome: quarantineRejection(quarantine) };
    }
    case 'ParentReleased':
      assert(state.quarantine !== null, 'an order is quarantined before it is released');
      return { ...state, quarantine: { ...state.quarantine, isReleased: true } };
    case 'ReportContradicted':
      return { ...state, contradictions: state.contradictions + 1 };
    case 'ParentAccepted':
    case 'ParentCancelRequested':
    case 'ParentPauseRequested':
    case 'ParentPaused':
    case 'ParentResumeRequested':
      return state;
    case 'ParentResumed':
      return { ...state, plannedAtMs: null };
    case 'ChildSubmitted':
      return submitted(state, event.order, event.memory);
    case 'ChildAdopted':
      return adopted(state, event.order, event.venueOrderId);
    case 'ChildAccepted':
    case 'ChildRejected':
    case 'ChildFilled':
    case 'ChildCancelRequested':
    case 'ChildCancelRefused':
    case 'ChildCancelled':
    case 'ChildUnknown':
    case 'ChildNeverPlaced':
      return changeOfChild(state, event);
    default:
      return event satisfies never;
  }
}

function planned(state: ParentState, memory: StrategyMemory, atMs: EpochMs): ParentState {
  return { ...state, memory, plannedAtMs: atMs, plannedFilled: state.progress.filled };
}

/** What the gates remember holds for the new terms too, unless it is laid out otherwise. */
function amended(state: ParentState, order: ParentOrder): ParentState {
  const memory = isGated(order) === isGated(state.order) ? state.memory : NO_MEMORY;
  return { ...state, order, memory, amendment: null, plannedAtMs: null };
}

function submitted(state: ParentState, order: ChildOrder, memory: StrategyMemory | null): ParentState {
  const ofFollower = isFollowers(state.order, order.child);
  assert(order.child === nextChildNumber(state, ofFollower), 'children are numbered without a gap');
  const child: LiveChild = { order, progress: NO_PROGRESS, state: 'IN_FLIGHT' };
  // concat allocates what it needs; a spread would leave room for sixteen more in each of 100,000 states.
  const children = state.children.concat(child);
  if (!ofFollower) return { ...state, childCount: state.childCount + 1, children, memory: memory ?? state.memory };
  const follower = followerOf(state);
  const childCount = follower.childCount + 1;
  return { ...state, children, follower: { ...follower, childCount, memory: memory ?? follower.memory } };
}

/** Numbers of lost futures are left out for ever. */
function reconciled(state: ParentState, childRoom: number): ParentState {
  const { follower } = state;
  return {
    ...state,
    isReconciling: false,
    childCount: state.childCount + childRoom,
    follower: follower === null ? null : { ...follower, childCount: follower.childCount + childRoom },
  };
}

/** The exchange is asked for its fills and its end; what rests of it is withdrawn. */
function adopted(state: ParentState, order: ChildOrder, venueOrderId: VenueOrderId): ParentState {
  const ofFollower = isFollowers(state.order, order.child);
  assert(order.child >= nextChildNumber(state, ofFollower), `child ${order.child} is adopted once`);
  const child: LiveChild = { order, progress: NO_PROGRESS, state: 'UNKNOWN', venueOrderId, cancelWanted: true };
  const children = state.children.concat(child);
  const childCount = childPlace(state.order, order.child);
  return ofFollower
    ? { ...state, children, follower: { ...followerOf(state), childCount } }
    : { ...state, children, childCount };
}

function remembering(state: ParentState, memory: StrategyMemory): ParentState {
  return { ...state, follower: { ...followerOf(state), memory } };
}

function followerOf({ order, follower }: ParentState): FollowerState {
  assert(follower !== null, `order ${order.orderId} is a pair`);
  return follower;
}

/** A child's end or fill counts for its own leg. */
function changeOfChild(state: ParentState, event: ChildNews): ParentState {
  const child = findChild(state.children, event.child);
  if (event.kind === 'ChildFilled') {
    assert(event.isLate === (child === null), `a fill of child ${event.child} is late when the child has ended`);
  }
  assert(child !== null || event.kind === 'ChildFilled', `no ${event.kind} of ended child ${event.child}`);
  const changed =
    child === null
      ? { ...state, lateFills: state.lateFills + 1 }
      : { ...state, children: replaceChild(state.children, event.child, childAfter(child, event)) };
  if (!isFollowers(state.order, event.child)) return legAfter(changed, state, event);
  return { ...changed, follower: legAfter(followerOf(state), state, event) };
}

/** What the fold knows of a leg, or of an order that has but one. */
type LegStanding = Omit<FollowerState, 'childCount' | 'memory'>;

function legAfter<Leg extends LegStanding>(leg: Leg, state: ParentState, event: ChildNews): Leg {
  if (event.kind === 'ChildFilled') {
    const traded = filled(leg, event.fill);
    return event.isLate ? traded : calmed(traded, state);
  }
  if (event.kind === 'ChildRejected') return refused(leg, state, judgementOf(state, event.rejection));
  if (event.kind !== 'ChildCancelled') return leg;
  if (event.cause === null) return calmed(leg, state);
  return refused(leg, state, { retryAfterMs: ENDED_AGAIN_MS as DurationMs, ...event.cause });
}

/**
 * A child that traded, or that ended as we or the book would have it, ends the row of refusals, unless the row was long
 * enough to end the order. That the venue took it is not enough: it may end it at once, as self-trade prevention does.
 */
function calmed<Leg extends LegStanding>(leg: Leg, state: ParentState): Leg {
  return leg.refusals === 0 || isGivenUp(state) ? leg : { ...leg, refusals: 0 };
}

/** A child that the venue ended by itself counts too: what it had taken once it may take again, after a while. */
function refused<Leg extends LegStanding>(leg: Leg, state: ParentState, rejection: Rejection): Leg {
  return isGivenUp(state) ? leg : { ...leg, refusals: leg.refusals + 1, lastRefusal: rejection };
}

function inputOf(event: OrderEvent, after: ParentState): ParentInput {
  if (after.quarantine !== null && after.status === 'PENDING_NEW' && isChildEvent(event)) return 'FactNoted';
  if (event.kind === 'ParentResumed' && after.progress.filled > 0) return 'ResumedWithFills';
  const mayComplete = isChildEvent(event) || event.kind === 'ParentAmended' || event.kind === 'ParentReconciled';
  if (mayComplete && isComplete(after)) return 'OrderCompleted';
  if (after.order.pair === null) return event.kind;
  return hedgeInputOf(event, after) ?? event.kind;
}

/** null: not of the hedge of a pair, which may take of either leg: at the end the leading one may be topped up. */
function hedgeInputOf(event: OrderEvent, { status }: ParentState): ParentInput | null {
  if (event.kind === 'ChildSubmitted') return event.order.timeInForce === 'IOC' ? 'HedgeSubmitted' : null;
  if (event.kind === 'StrategyNoted') return event.ofFollower ? 'HedgeNoted' : null;
  return event.kind === 'ParentCancelled' && isPausing(status) ? 'HedgeGivenUp' : null;
}

function isPausing(status: RestingStatus): boolean {
  return status === 'PENDING_PAUSE' || status === 'PAUSED' || status === 'PENDING_UNPAUSE';
}

/** Also after late fills: an order is over only when none of its children can trade any more. A quarantined one waits. */
function isComplete({
  order,
  amendment,
  progress,
  children,
  follower,
  quarantine,
  isReconciling,
}: ParentState): boolean {
  if (quarantine !== null || isReconciling) return false;
  const wanted = Math.max(order.quantity, amendment?.quantity ?? 0);
  if (progress.filled < wanted || children.length > 0) return false;
  return order.pair === null || (follower?.progress.filled ?? 0) >= followingLeg(order.pair).quantity;
}
