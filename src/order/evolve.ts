import type { CancelCause } from '../domain/cancel-cause.js';
import { type Fill, type FoldableEvent, isOrderEvent, type LegStart, type OrderEvent } from '../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../domain/ids.js';
import { ENDED_AGAIN_MS } from '../domain/limits/trading.js';
import {
  type ChildOrder,
  type FeeTotal,
  leadingOf,
  type LegState,
  type LiveChild,
  newState,
  NO_PROGRESS,
  type ParentState,
  type SettledChild,
} from '../domain/order-state.js';
import { isGated, isTerminal, type ParentOrder, type SettledStatus } from '../domain/order.js';
import { legAt, type LegIndex, mapLegs, type PerLeg, withLeg } from '../domain/pair.js';
import { leadingIndexOf } from '../domain/order-legs.js';
import type { Amount, Lots } from '../domain/quantity.js';
import { quarantineRejection } from '../domain/quarantine.js';
import { assert, InvariantViolation, type Rejection } from '../domain/rejection.js';
import type { LegMemory, StrategyMemory } from '../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../domain/time.js';
import { type ChildUpdate, isChildEvent, nextStatus, type ParentInput } from './transitions.js';
import { childAfter, findChild, nextChildNumber, progressAfter, replaceChild } from './children.js';
import { isGivenUp, judgementOf } from './child-refusals.js';

/**
 * Returns the state after the event. Pure. All arithmetic on filled quantity, notional and fees is here. `eventAtMs` is
 * the time in the envelope, so a replay gives the same state. Throws InvariantViolation for an illegal event.
 */
export function evolve(state: ParentState | null, event: OrderEvent, eventAtMs: EpochMs): ParentState {
  if (event.kind === 'ParentCreated') {
    if (state !== null) throw new InvariantViolation(`order ${event.order.orderId} is created once`);
    return newState(event.order);
  }
  if (state === null) throw new InvariantViolation(`${event.kind} follows ParentCreated`);
  const changed = change(state, event, eventAtMs);
  const status = nextStatus(state.status, inputOf(event, changed));
  if (status === state.status) return changed;
  if (!isTerminal(status)) return { ...changed, status };
  const cancelCause = status === 'CANCELLED' ? changed.cancelCause : null;
  return { ...changed, status, endedAtMs: eventAtMs, amendment: null, cancelCause };
}

/** Folds a journal entry. Throws InvariantViolation unless it holds an event of an order. */
export function foldEnvelope(state: ParentState | null, envelope: FoldableEvent): ParentState {
  const { event, eventAtMs } = envelope;
  if (!isOrderEvent(event)) throw new InvariantViolation(`entry ${envelope.seq} is an order event`);
  return evolve(state, event, eventAtMs);
}

/** Returns the state after the event, still with the old status. */
function change(
  state: ParentState,
  event: Exclude<OrderEvent, { kind: 'ParentCreated' }>,
  eventAtMs: EpochMs,
): ParentState {
  switch (event.kind) {
    case 'ParentStarted':
      return started(state, event.legs, eventAtMs);
    case 'ParentPlanned':
      return planned(state, event.memories, eventAtMs);
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
    case 'ParentCancelRequested':
      return { ...state, cancelCause: firstCause(state, event) };
    case 'ParentCancelled':
      return { ...state, outcome: event.cause, cancelCause: firstCause(state, event) };
    case 'ParentExpired':
      return { ...state, outcome: event.cause };
    case 'StrategyNoted':
      return remembering(state, event.leg, event.memory);
    case 'ParentQuarantined': {
      const { code: reason, detail } = event;
      const quarantine = { sinceMs: eventAtMs, reason, detail, isReleased: false };
      return { ...state, quarantine, outcome: quarantineRejection(quarantine) };
    }
    case 'ParentReleased':
      assert(state.quarantine !== null, 'an order is quarantined before it is released');
      return {
        ...state,
        quarantine: { ...state.quarantine, isReleased: true },
        cancelCause: firstCause(state, event),
      };
    case 'ReportContradicted':
      return { ...state, contradictions: state.contradictions + 1 };
    case 'ParentAccepted':
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
    case 'ChildSettled':
      return changeOfChild(state, event);
    default:
      return event satisfies never;
  }
}

/** A later cause does not replace an earlier one. */
function firstCause(
  { cancelCause: earlier }: ParentState,
  { cancelCause }: { readonly cancelCause: CancelCause | null },
): CancelCause | null {
  return earlier ?? cancelCause;
}

function started(state: ParentState, starts: PerLeg<LegStart>, atMs: EpochMs): ParentState {
  const legs = mapLegs(state.legs, (before, leg) => {
    const { arrivalTwiceMid, memory } = legAt(starts, leg);
    return { ...before, arrivalTwiceMid, memory, plannedFilled: before.progress.filled };
  });
  return { ...state, legs, startedAtMs: atMs, plannedAtMs: atMs };
}

function planned(state: ParentState, memories: PerLeg<LegMemory | null>, atMs: EpochMs): ParentState {
  const legs = mapLegs(state.legs, (before, leg) => {
    return { ...before, memory: legAt(memories, leg), plannedFilled: before.progress.filled };
  });
  return { ...state, legs, plannedAtMs: atMs };
}

/** Keeps the memory of a leg's gates when its new terms have gates as well. */
function amended(state: ParentState, order: ParentOrder): ParentState {
  const legs = mapLegs(state.legs, (own, leg) => {
    const wasGated = isGated(state.order, legAt(state.order.legs, leg));
    return isGated(order, legAt(order.legs, leg)) === wasGated ? own : { ...own, memory: null };
  });
  return { ...state, order, legs, amendment: null, plannedAtMs: null };
}

function submitted(state: ParentState, order: ChildOrder, memory: StrategyMemory | null): ParentState {
  assert(order.child === nextChildNumber(state), 'children are numbered without a gap');
  const child: LiveChild = { order, progress: NO_PROGRESS, state: 'IN_FLIGHT' };
  const before = legAt(state.legs, order.leg);
  const leg = {
    ...before,
    childCount: before.childCount + 1,
    // concat allocates the exact length. A spread reserves sixteen more slots, in each of 100,000 states.
    children: before.children.concat(child),
    memory: memory === null || memory.kind === 'HEDGE' ? before.memory : memory,
  };
  const legs = withLeg(state.legs, order.leg, leg);
  return memory?.kind === 'HEDGE' ? { ...state, legs, hedge: memory } : { ...state, legs };
}

/** Skips the child numbers that a lost continuation may have used. */
function reconciled(state: ParentState, childRoom: number): ParentState {
  const legs = mapLegs(state.legs, (leg) => ({ ...leg, childCount: leg.childCount + childRoom }));
  return { ...state, isReconciling: false, legs };
}

/** Adds a child that the exchange lists. Its status is requested and its rest is cancelled. */
function adopted(state: ParentState, order: ChildOrder, venueOrderId: VenueOrderId): ParentState {
  const next = nextChildNumber(state);
  assert(order.child >= next, `child ${order.child} is adopted once`);
  const child: LiveChild = { order, progress: NO_PROGRESS, state: 'UNKNOWN', venueOrderId, cancelWanted: true };
  const leg = legAt(state.legs, order.leg);
  const childCount = leg.childCount + order.child - next + 1;
  return {
    ...state,
    legs: withLeg(state.legs, order.leg, { ...leg, childCount, children: leg.children.concat(child) }),
  };
}

function remembering(state: ParentState, leg: LegIndex, memory: StrategyMemory | null): ParentState {
  if (memory === null) return state;
  if (memory.kind === 'HEDGE') return { ...state, hedge: memory };
  return { ...state, legs: withLeg(state.legs, leg, { ...legAt(state.legs, leg), memory }) };
}

function isHedging({ order }: ParentState, leg: LegIndex): boolean {
  return leg !== leadingIndexOf(order);
}

/** Applies an event of a child to the child and to its leg. */
function changeOfChild(state: ParentState, event: ChildUpdate): ParentState {
  const child = findChild(state, event.child);
  if (event.kind === 'ChildFilled') {
    if (event.isLate !== (child === null)) {
      throw new InvariantViolation(`a fill of child ${event.child} is late when the child has ended`);
    }
    const traded = legAfter(legAt(state.legs, event.leg), child, state, event);
    const legs = withLeg(state.legs, event.leg, traded);
    if (child !== null) return { ...state, legs };
    const late = { ...state, legs, lateFills: state.lateFills + 1 };
    return event.settled === undefined
      ? late
      : { ...late, settled: shownOf(state.settled, event.child, event.settled) };
  }
  if (child === null) {
    throw new InvariantViolation(`${event.kind} is not possible for ended child ${event.child}`);
  }
  const { leg } = child.order;
  const legs = withLeg(state.legs, leg, legAfter(legAt(state.legs, leg), child, state, event));
  if (event.kind !== 'ChildSettled') return { ...state, legs };
  const unseen = event.filled - child.progress.filled;
  assert(unseen >= 0, `child ${event.child} is settled with its known fills at least`);
  if (unseen === 0) return { ...state, legs };
  return { ...state, legs, settled: state.settled.concat({ child: event.child, unseen: unseen as Lots }) };
}

/** The settled quantities after the exchange has shown a part of one. */
function shownOf(settled: readonly SettledChild[], child: ChildNumber, shown: Lots): readonly SettledChild[] {
  const left = settled.map((one) => (one.child === child ? { child, unseen: (one.unseen - shown) as Lots } : one));
  return left.filter(({ unseen }) => unseen > 0);
}

/** `child`: null for a late fill. */
function legAfter(leg: LegState, child: LiveChild | null, state: ParentState, event: ChildUpdate): LegState {
  const children = child === null ? leg.children : replaceChild(leg.children, event.child, childAfter(child, event));
  if (event.kind === 'ChildFilled') {
    return filled(leg, children, event.isLate ? leg.refusals : calmed(leg, state), event.fill);
  }
  if (event.kind === 'ChildRejected') {
    assert(child !== null, `the rejected child ${event.child} is live`);
    return refused(leg, children, state, judgementOf(state, child.order.leg, event.rejection));
  }
  if (event.kind !== 'ChildCancelled') return { ...leg, children };
  if (event.cause === null) return { ...leg, children, refusals: calmed(leg, state) };
  return refused(leg, children, state, { retryAfterMs: ENDED_AGAIN_MS as DurationMs, ...event.cause });
}

/**
 * Refusals in a row after a trade or an expected end of a child: none, unless the refusals already end the order. An
 * acknowledgement does not reset them: the venue may still end the child at once, for example by self-trade prevention.
 */
function calmed({ refusals }: LegState, state: ParentState): number {
  return refusals === 0 || !isGivenUp(state) ? 0 : refusals;
}

/** Counts one more refusal. A child that the venue ended on its own counts as well; it may be tried again later. */
function refused(leg: LegState, children: readonly LiveChild[], state: ParentState, rejection: Rejection): LegState {
  if (isGivenUp(state)) return { ...leg, children };
  return { ...leg, children, refusals: leg.refusals + 1, lastRefusal: rejection };
}

function inputOf(event: OrderEvent, after: ParentState): ParentInput {
  if (after.quarantine !== null && after.status === 'PENDING_NEW' && isChildEvent(event)) return 'FactNoted';
  if (event.kind === 'ParentResumed' && leadingOf(after).progress.filled > 0) return 'ResumedWithFills';
  const mayComplete = isChildEvent(event) || event.kind === 'ParentAmended' || event.kind === 'ParentReconciled';
  if (mayComplete && isComplete(after)) return 'OrderCompleted';
  if (after.order.pair === null) return event.kind;
  return hedgeInputOf(event, after) ?? event.kind;
}

/** Input of a hedge; null for any other event. A residual hedge may trade the leading leg. */
function hedgeInputOf(event: OrderEvent, state: ParentState): ParentInput | null {
  if (event.kind === 'ChildSubmitted') return event.order.timeInForce === 'IOC' ? 'HedgeSubmitted' : null;
  if (event.kind === 'StrategyNoted') return isHedging(state, event.leg) ? 'HedgeNoted' : null;
  return event.kind === 'ParentCancelled' && isPausing(state.status) ? 'HedgeGivenUp' : null;
}

function isPausing(status: SettledStatus): boolean {
  return status === 'PENDING_PAUSE' || status === 'PAUSED' || status === 'PENDING_UNPAUSE';
}

/** True when all quantity is filled and no child is live. A quarantined or unreconciled order is not complete. */
function isComplete(state: ParentState): boolean {
  if (state.quarantine !== null || state.isReconciling) return false;
  return isLegComplete(state, 0) && (state.legs.length === 1 || isLegComplete(state, 1));
}

function isLegComplete({ order, amendment, legs }: ParentState, leg: LegIndex): boolean {
  const { progress, children } = legAt(legs, leg);
  const wanted = Math.max(
    legAt(order.legs, leg).quantity,
    amendment === null ? 0 : legAt(amendment.legs, leg).quantity,
  );
  return progress.filled >= wanted && children.length === 0;
}

function filled(leg: LegState, children: readonly LiveChild[], refusals: number, fill: Fill): LegState {
  const { quantity, price, liquidity, fee, feeCurrency } = fill;
  return {
    ...leg,
    children,
    refusals,
    progress: progressAfter(leg.progress, fill),
    makerFilled: (leg.makerFilled + (liquidity === 'MAKER' ? quantity : 0)) as Lots,
    // A fill that a settlement has counted before brings its fee only.
    lastQuantity: quantity > 0 ? quantity : leg.lastQuantity,
    lastPrice: quantity > 0 ? price : leg.lastPrice,
    fees: addFee(leg.fees, feeCurrency, fee),
  };
}

function addFee(fees: readonly FeeTotal[], currency: string, amount: Amount): readonly FeeTotal[] {
  if (!fees.some((fee) => fee.currency === currency)) return fees.concat({ currency, amount });
  return fees.map((fee) => (fee.currency === currency ? { currency, amount: (fee.amount + amount) as Amount } : fee));
}
