import { LIVE_CHILDREN_MAX } from '../domain/limits/trading.js';
import { isAdopted, type LegState, type LiveChild, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { legAt, type LegIndex, type Traded } from '../domain/pair.js';
import { assert } from '../domain/rejection.js';
import { hasNoChild, nextChildNumber, unplacedOf } from './children.js';

/** Checks the invariants of an order after a turn. Throws InvariantViolation; the shard then quarantines the order. */
export function checkInvariants(state: ParentState): void {
  const { order, status, legs } = state;
  const { orderId } = order;
  checkEnd(state);
  assert((legs.length === 1) === (order.pair === null), `order ${orderId} has two legs if and only if it is a pair`);
  // Facts of a quarantined order may contradict each other.
  if (state.quarantine !== null) return;
  checkLeg(state, 0);
  if (legs.length === 2) checkLeg(state, 1);
  assert(
    status !== 'REJECTED' || state.lateFills > 0 || legs.every(({ progress }) => progress.filled === 0),
    `order ${orderId} is REJECTED only without fills`,
  );
}

function checkEnd(state: ParentState): void {
  const { order, status, endedAtMs } = state;
  assert(!isTerminal(status) || hasNoChild(state), `order ${order.orderId} has no live child after its end`);
  assert(
    isTerminal(status) === (endedAtMs !== null),
    `order ${order.orderId} has an end time if and only if it has ended`,
  );
}

function checkLeg(state: ParentState, leg: LegIndex): void {
  const { order, status } = state;
  const [traded, legState] = [legAt(order.legs, leg), legAt(state.legs, leg)];
  const name = `leg ${leg} of order ${order.orderId}`;
  // Only a late fill can exceed the quantity.
  // After a restore, children of the lost continuation may have had other terms.
  const mayExceed = state.lateFills > 0 || state.epoch > 0;
  assert(mayExceed || unplacedOf(state, leg) >= 0, `${name} never exceeds its quantity`);
  const { progress, makerFilled, children } = legState;
  assert(makerFilled <= progress.filled, `${name} counts each fill once`);
  const ownCount = children.reduce((count, child) => count + (isAdopted(child) ? 0 : 1), 0);
  assert(ownCount <= LIVE_CHILDREN_MAX, `${name} has at most ${LIVE_CHILDREN_MAX} live children`);
  assert(
    status !== 'FILLED' || progress.filled >= traded.quantity,
    `order ${order.orderId} is FILLED only with its whole quantity filled`,
  );
  checkChildren(legState, traded, name, nextChildNumber(state));
}

function checkChildren({ children }: LegState, { limitPrice }: Traded, name: string, next: number): void {
  let before = 0;
  for (const child of children) {
    const number = child.order.child;
    assert(number > before, `children of ${name} are sorted by number`);
    assert(child.progress.filled < child.order.quantity, `a live child of ${name} has unfilled quantity`);
    assert(isAdopted(child) || isInsideLimit(child, limitPrice), `children of ${name} are within its limit price`);
    assert(number < next, `children of ${name} have counted numbers`);
    before = number;
  }
}

function isInsideLimit({ order }: LiveChild, limit: number | null): boolean {
  if (limit === null) return true;
  if (order.limitPrice === null) return false;
  return order.side === 'BUY' ? order.limitPrice <= limit : order.limitPrice >= limit;
}
