import type {
  ChildEvent,
  ChildSnapshot,
  LegSnapshot,
  OrderEvent,
  OrderSnapshot,
  UnnumberedEvent,
} from '../domain/event.js';
import { type CorrelationId, slotOf } from '../domain/ids.js';
import { type ChildOrder, type LiveChild, NO_PROGRESS, type ParentState, quoteRateOf } from '../domain/order-state.js';
import { isTerminal, type ParentOrder, type SettledStatus } from '../domain/order.js';
import { legAt, type LegIndex, type PerLeg } from '../domain/pair.js';
import { eventVenues } from '../domain/order-legs.js';
import type { Lots } from '../domain/quantity.js';
import { assert, type Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { type ChildUpdate, isChildEvent } from './transitions.js';
import { findChild, isBeingCancelled, progressAfter, venueOrderIdOf } from './children.js';
import { evolve } from './evolve.js';

/** An event with the state after it and the snapshots for its envelope. */
export interface RecordedEvent {
  readonly event: OrderEvent;
  readonly state: ParentState;
  readonly parent: OrderSnapshot;
  /** null: the event is about the parent only. */
  readonly child: ChildSnapshot | null;
}

type ChildFilled = Extract<OrderEvent, { readonly kind: 'ChildFilled' }>;

/** Folds the event once and adds the snapshots of parent and child after it. */
export function record(before: ParentState | null, event: OrderEvent, eventAtMs: EpochMs): RecordedEvent {
  const state = evolve(before, event, eventAtMs);
  const child = before !== null && isChildEvent(event) ? childSnapshot(before, event, state, eventAtMs) : null;
  return { event, state, parent: orderSnapshot(state), child };
}

/** Times and causes of a recorded event. */
interface EventHead {
  readonly eventAtMs: EpochMs;
  readonly recordedAtMs: EpochMs;
  readonly correlationId: CorrelationId;
  /** As in UnnumberedEvent. */
  readonly causationSeq: number;
}

/** Returns the event in its envelope for the journal. */
export function unnumberedEvent({ event, state, parent, child }: RecordedEvent, head: EventHead): UnnumberedEvent {
  const { orderId, account } = state.order;
  const { venue, otherVenue } = eventVenues(state.order, child?.order.leg ?? null);
  return {
    slot: slotOf(orderId),
    account,
    venue,
    otherVenue,
    orderId,
    eventAtMs: head.eventAtMs,
    recordedAtMs: head.recordedAtMs,
    correlationId: head.correlationId,
    causationSeq: head.causationSeq,
    event,
    parent,
    child,
  };
}

/** A new order: its state, and its event for the journal. */
export interface Creation {
  readonly state: ParentState;
  readonly event: UnnumberedEvent;
}

/** Creates an order. `correlationId`: the request that asked for it. */
export function creationOf(order: ParentOrder, nowMs: EpochMs, correlationId: CorrelationId): Creation {
  const recorded = record(null, { kind: 'ParentCreated', order }, nowMs);
  const head = { eventAtMs: nowMs, recordedAtMs: nowMs, correlationId, causationSeq: 0 };
  return { state: recorded.state, event: unnumberedEvent(recorded, head) };
}

export function orderSnapshot(state: ParentState): OrderSnapshot {
  const { order, status, outcome, quarantine, cancelCause, legs } = state;
  const snapshots: PerLeg<LegSnapshot> =
    legs.length === 1 ? [legSnapshot(state, 0)] : [legSnapshot(state, 0), legSnapshot(state, 1)];
  return {
    status,
    revision: order.revision,
    legs: snapshots,
    quoteRate: quoteRateOf(state),
    outcome,
    quarantine,
    cancelCause,
  };
}

function legSnapshot({ order, legs }: ParentState, leg: LegIndex): LegSnapshot {
  const { filled, notional } = legAt(legs, leg).progress;
  return { quantity: legAt(order.legs, leg).quantity, filled, notional };
}

/** Snapshot of the event's child after the event, also when the event ended the child. */
function childSnapshot(before: ParentState, event: ChildEvent, after: ParentState, eventAtMs: EpochMs): ChildSnapshot {
  const isNew = event.kind === 'ChildSubmitted' || event.kind === 'ChildAdopted';
  const number = isNew ? event.order.child : event.child;
  const live = findChild(after, number);
  if (live !== null) return { order: live.order, status: liveStatus(live), ...live.progress, outcome: null };
  assert(!isNew, `child ${number} is live after its submission`);
  const ended = findChild(before, number);
  if (ended !== null) return endedSnapshot(ended, event);
  assert(event.kind === 'ChildFilled', `${event.kind} is not possible for ended child ${number}`);
  return lateSnapshot(before, event, eventAtMs);
}

function liveStatus(child: LiveChild): SettledStatus {
  if (isBeingCancelled(child)) return 'PENDING_CANCEL';
  if (child.progress.filled > 0) return 'PARTIALLY_FILLED';
  return venueOrderIdOf(child) === null ? 'PENDING_NEW' : 'ACCEPTED';
}

function endedSnapshot({ order, progress }: LiveChild, event: ChildUpdate): ChildSnapshot {
  if (event.kind === 'ChildFilled') {
    return { order, status: 'FILLED', ...progressAfter(progress, event.fill), outcome: null };
  }
  if (event.kind === 'ChildCancelled') return { order, status: 'CANCELLED', ...progress, outcome: event.cause };
  if (event.kind === 'ChildRejected') return { order, status: 'REJECTED', ...progress, outcome: event.rejection };
  assert(event.kind === 'ChildNeverPlaced', `${event.kind} does not end a child`);
  return { order, status: 'REJECTED', ...progress, outcome: NEVER_PLACED };
}

const NEVER_PLACED: Rejection = { code: 'NETWORK_ERROR', message: 'the venue never received this child order' };

const TERMINATED: Rejection = {
  code: 'PARENT_ORDER_WAS_TERMINATED',
  message: 'the fill came after the end of its parent',
};

/** Snapshot of a child that had ended before the event. It has the data of the late fill only. */
function lateSnapshot(state: ParentState, { child, leg, fill, settled }: ChildFilled, atMs: EpochMs): ChildSnapshot {
  const { reduceOnly } = state.order;
  const { side } = legAt(state.order.legs, leg);
  const quantity = (fill.quantity + (settled ?? 0)) as Lots;
  const order: ChildOrder = {
    child,
    leg,
    side,
    quantity,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: fill.price,
    postOnly: false,
    reduceOnly,
    submittedAtMs: atMs,
    reason: { code: 'LATE_FILL', detail: 'the fill came after the end of this child' },
  };
  const { filled, notional } = progressAfter(NO_PROGRESS, { ...fill, quantity });
  return { order, status: 'CANCELLED', filled, notional, outcome: isTerminal(state.status) ? TERMINATED : null };
}
