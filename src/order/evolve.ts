import type { Amount } from '../model/amount.js';
import { assert } from '../model/assert.js';
import { isOrderEvent, type EventEnvelope, type Fill, type OrderEvent } from '../model/event.js';
import { ENDED_AGAIN_MS } from '../model/limits.js';
import {
  isGated,
  isTerminal,
  type ChildOrder,
  type FeeTotal,
  type LiveChild,
  type ParentOrder,
  type ParentState,
  type Progress,
  type StrategyMemory,
} from '../model/order.js';
import { ZERO_LOTS, ZERO_NOTIONAL, type Lots, type Ticks } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { isChildEvent, type ChildNews } from './child-transitions.js';
import { childAfter, findChild, NO_CHILDREN, progressAfter, replaceChild } from './children.js';
import { isGivenUp, judgementOf } from './refusals.js';
import { nextStatus, type ParentInput } from './transitions.js';

// Shared by every state, for most of 100,000 sleeping orders have none of these.
export const NO_PROGRESS: Progress = { filled: ZERO_LOTS, notional: ZERO_NOTIONAL };
const NO_FEES: readonly FeeTotal[] = [];
const NO_MEMORY: StrategyMemory = [];

/**
 * The state after the event: pure, and the only arithmetic on filled, leaves, average and fees. `eventAtMs` is the
 * envelope's time of the same name, so that a replay gives the very same state. An illegal event violates an invariant.
 */
export function evolve(state: ParentState | null, event: OrderEvent, eventAtMs: EpochMs): ParentState {
  if (event.kind === 'ParentCreated') {
    assert(state === null, `order ${event.order.orderId} is created once`);
    return created(event.order);
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

function created(order: ParentOrder): ParentState {
  return {
    order,
    status: 'PENDING_NEW',
    progress: NO_PROGRESS,
    makerFilled: ZERO_LOTS,
    lastQuantity: ZERO_LOTS,
    lastPrice: 0 as Ticks,
    fees: NO_FEES,
    arrivalTwiceMid: null,
    startedAtMs: null,
    plannedAtMs: null,
    plannedFilled: ZERO_LOTS,
    amendment: null,
    endedAtMs: null,
    childCount: 0,
    children: NO_CHILDREN,
    refusals: 0,
    lastRefusal: null,
    memory: NO_MEMORY,
    outcome: null,
    lateFills: 0,
  };
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
    case 'ParentAmended':
      return amended(state, event.order);
    case 'ParentRejected':
      return { ...state, outcome: event.rejection };
    case 'ParentCancelled':
    case 'ParentExpired':
      return { ...state, outcome: event.cause };
    case 'StrategyNoted':
      return { ...state, memory: event.memory };
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
  assert(order.child === state.childCount + 1, 'children are numbered from 1 without a gap');
  const child: LiveChild = { order, progress: NO_PROGRESS, state: 'IN_FLIGHT' };
  // concat allocates what it needs; a spread would leave room for sixteen more in each of 100,000 states.
  const children = state.children.concat(child);
  return { ...state, childCount: order.child, children, memory: memory ?? state.memory };
}

function changeOfChild(state: ParentState, event: ChildNews): ParentState {
  const child = findChild(state.children, event.child);
  if (event.kind === 'ChildFilled') {
    assert(event.isLate === (child === null), `a fill of child ${event.child} is late when the child has ended`);
  }
  if (child === null) {
    assert(event.kind === 'ChildFilled', `no ${event.kind} of ended child ${event.child}`);
    return filled({ ...state, lateFills: state.lateFills + 1 }, event.fill);
  }
  const children = replaceChild(state.children, event.child, childAfter(child, event));
  if (event.kind === 'ChildFilled') return filled({ ...state, children, refusals: calmed(state) }, event.fill);
  if (event.kind === 'ChildRejected') return refused({ ...state, children }, judgementOf(state, event.rejection));
  if (event.kind !== 'ChildCancelled') return { ...state, children };
  if (event.cause === null) return { ...state, children, refusals: calmed(state) };
  return refused({ ...state, children }, { retryAfterMs: ENDED_AGAIN_MS as DurationMs, ...event.cause });
}

/**
 * A child that traded, or that ended as we or the book would have it, ends the row of refusals, unless the row was long
 * enough to end the order. That the venue took it is not enough: it may end it at once, as self-trade prevention does.
 */
function calmed(state: ParentState): number {
  return isGivenUp(state) ? state.refusals : 0;
}

/** A child that the venue ended by itself counts too: what it had taken once it may take again, after a while. */
function refused(state: ParentState, rejection: Rejection): ParentState {
  return isGivenUp(state) ? state : { ...state, refusals: state.refusals + 1, lastRefusal: rejection };
}

function filled(state: ParentState, fill: Fill): ParentState {
  const { quantity, price, liquidity, fee, feeCurrency } = fill;
  return {
    ...state,
    progress: progressAfter(state.progress, fill),
    makerFilled: (state.makerFilled + (liquidity === 'MAKER' ? quantity : 0)) as Lots,
    lastQuantity: quantity,
    lastPrice: price,
    fees: addFee(state.fees, feeCurrency, fee),
  };
}

function addFee(fees: readonly FeeTotal[], currency: string, amount: Amount): readonly FeeTotal[] {
  if (!fees.some((fee) => fee.currency === currency)) return fees.concat({ currency, amount });
  return fees.map((fee) => (fee.currency === currency ? { currency, amount: (fee.amount + amount) as Amount } : fee));
}

function inputOf(event: OrderEvent, after: ParentState): ParentInput {
  if (event.kind === 'ParentResumed' && after.progress.filled > 0) return 'ResumedWithFills';
  const mayComplete = isChildEvent(event) || event.kind === 'ParentAmended';
  return mayComplete && isComplete(after) ? 'OrderCompleted' : event.kind;
}

/** Also after late fills: an order is over only when none of its children can trade any more. */
function isComplete({ order, amendment, progress, children }: ParentState): boolean {
  const wanted = Math.max(order.quantity, amendment?.quantity ?? 0);
  return progress.filled >= wanted && children.length === 0;
}
