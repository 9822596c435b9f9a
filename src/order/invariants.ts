import { LIVE_CHILDREN_MAX } from '../domain/limits/trading.js';
import { isAdopted, type LiveChild, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { legAt, type LegIndex } from '../domain/pair.js';
import type { Traded } from '../domain/order-legs.js';
import { InvariantViolation } from '../domain/rejection.js';
import { hasNoChild, nextChildNumber, unplacedOf } from './children.js';

/*
 * Every turn checks each of its orders, so a text is made only for a violation. A comparison that must hold is negated
 * as a whole: NaN is then a violation too.
 */

/** Checks the invariants of an order after a turn. Throws InvariantViolation; the shard then quarantines the order. */
export function checkInvariants(state: ParentState): void {
  const { order, status, legs } = state;
  checkEnd(state);
  if ((legs.length === 1) !== (order.pair === null)) {
    throw new InvariantViolation(`order ${order.orderId} has two legs if and only if it is a pair`);
  }
  // Facts of a quarantined order may contradict each other.
  if (state.quarantine !== null) return;
  checkLeg(state, 0);
  if (legs.length === 2) checkLeg(state, 1);
  if (status === 'REJECTED' && !(state.lateFills > 0) && legs.some(({ progress }) => progress.filled !== 0)) {
    throw new InvariantViolation(`order ${order.orderId} is REJECTED only without fills`);
  }
}

function checkEnd(state: ParentState): void {
  const { order, status, endedAtMs } = state;
  if (isTerminal(status) && !hasNoChild(state)) {
    throw new InvariantViolation(`order ${order.orderId} has no live child after its end`);
  }
  if (isTerminal(status) !== (endedAtMs !== null)) {
    throw new InvariantViolation(`order ${order.orderId} has an end time if and only if it has ended`);
  }
}

function checkLeg(state: ParentState, leg: LegIndex): void {
  const { order, status } = state;
  const [traded, legState] = [legAt(order.legs, leg), legAt(state.legs, leg)];
  // Only a late fill can exceed the quantity.
  // After a restore, children of the lost continuation may have had other terms.
  const mayExceed = state.lateFills > 0 || state.epoch > 0;
  if (!mayExceed && !(unplacedOf(state, leg) >= 0)) {
    throw new InvariantViolation(`${nameOf(state, leg)} never exceeds its quantity`);
  }
  const { progress, makerFilled, children } = legState;
  if (!(makerFilled <= progress.filled)) {
    throw new InvariantViolation(`${nameOf(state, leg)} counts each fill once`);
  }
  const ownCount = children.reduce((count, child) => count + (isAdopted(child) ? 0 : 1), 0);
  if (ownCount > LIVE_CHILDREN_MAX) {
    throw new InvariantViolation(`${nameOf(state, leg)} has at most ${LIVE_CHILDREN_MAX} live children`);
  }
  if (status === 'FILLED' && !(progress.filled >= traded.quantity)) {
    throw new InvariantViolation(`order ${order.orderId} is FILLED only with its whole quantity filled`);
  }
  checkChildren(state, leg, traded);
}

function checkChildren(state: ParentState, leg: LegIndex, { limitPrice }: Traded): void {
  const next = nextChildNumber(state);
  let before = 0;
  for (const child of legAt(state.legs, leg).children) {
    const number = child.order.child;
    if (!(number > before)) {
      throw new InvariantViolation(`children of ${nameOf(state, leg)} are sorted by number`);
    }
    if (!(child.progress.filled < child.order.quantity)) {
      throw new InvariantViolation(`a live child of ${nameOf(state, leg)} has unfilled quantity`);
    }
    if (!isAdopted(child) && !isInsideLimit(child, limitPrice)) {
      throw new InvariantViolation(`children of ${nameOf(state, leg)} are within its limit price`);
    }
    if (!(number < next)) {
      throw new InvariantViolation(`children of ${nameOf(state, leg)} have counted numbers`);
    }
    before = number;
  }
}

function nameOf({ order }: ParentState, leg: LegIndex): string {
  return `leg ${leg} of order ${order.orderId}`;
}

function isInsideLimit({ order }: LiveChild, limit: number | null): boolean {
  if (limit === null) return true;
  if (order.limitPrice === null) return false;
  return order.side === 'BUY' ? order.limitPrice <= limit : order.limitPrice >= limit;
}
