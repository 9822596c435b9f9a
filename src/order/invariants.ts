import { assert } from '../model/assert.js';
import { LIVE_CHILDREN_MAX } from '../model/limits.js';
import { isAdopted, isTerminal, type LiveChild, type ParentState } from '../model/order.js';
import { isFollowers, nextChildNumber, tradedBy, type FollowerState } from '../model/pair.js';
import { unplacedOf } from './working.js';

/** What holds for every parent after every event. Throws InvariantViolation, for which the order is quarantined. */
export function checkInvariants(state: ParentState): void {
  const { order, status, progress, children } = state;
  const { orderId } = order;
  checkEnd(state);
  // The facts of a quarantined order may contradict each other.
  if (state.quarantine !== null) return;
  // Only a late fill, which is a fact of the venue's, can bring in more than was asked for.
  // After a restore, terms and children of a lost future may differ.
  if (state.lateFills === 0 && state.epoch === 0) {
    assert(unplacedOf(state) >= 0, `order ${orderId} never exceeds its quantity`);
    assert(order.pair === null || unplacedOf(state, true) >= 0, `order ${orderId} never exceeds its other leg`);
  }
  assert(state.makerFilled <= progress.filled, `order ${orderId} counts each fill once`);
  assert((state.follower === null) === (order.pair === null), `order ${orderId} has another leg when it is a pair`);
  const childrenMax = order.pair === null ? LIVE_CHILDREN_MAX : 2 * LIVE_CHILDREN_MAX;
  const ownCount = children.reduce((count, child) => count + (isAdopted(child) ? 0 : 1), 0);
  assert(ownCount <= childrenMax, `order ${orderId} has at most ${childrenMax} live children`);
  assert(status !== 'FILLED' || progress.filled >= order.quantity, `order ${orderId} is FILLED when all of it is`);
  assert(
    status !== 'REJECTED' || progress.filled + filledOf(state.follower) === 0 || state.lateFills > 0,
    `order ${orderId} has no fills`,
  );
  checkChildren(state);
}

function checkEnd({ order: { orderId }, status, children, endedAtMs }: ParentState): void {
  assert(!isTerminal(status) || children.length === 0, `order ${orderId} has ended: none of its children lives`);
  assert(isTerminal(status) === (endedAtMs !== null), `order ${orderId} has an end time when it has ended`);
}

function filledOf(follower: FollowerState | null): number {
  return follower === null ? 0 : follower.progress.filled;
}

/** Of a pair the children of each leg are in the order of their numbers, which are two apart. */
function checkChildren(state: ParentState): void {
  const { order, children } = state;
  const before = [0, 0];
  for (const child of children) {
    const number = child.order.child;
    const leg = isFollowers(order, number) ? 1 : 0;
    assert(number > before[leg]!, `children of order ${order.orderId} are in the order of their numbers`);
    const { filled } = child.progress;
    const isOverfilled = filled > child.order.quantity && state.quarantine !== null;
    assert(filled < child.order.quantity || isOverfilled, `a live child of order ${order.orderId} has a rest`);
    const { limitPrice } = tradedBy(order, number);
    assert(
      isAdopted(child) || isInsideLimit(child, limitPrice),
      `children of order ${order.orderId} lie inside its limit`,
    );
    assert(number < nextChildNumber(state, leg === 1), `children of order ${order.orderId} are counted`);
    before[leg] = number;
  }
}

function isInsideLimit({ order }: LiveChild, limit: number | null): boolean {
  if (limit === null) return true;
  if (order.limitPrice === null) return false;
  return order.side === 'BUY' ? order.limitPrice <= limit : order.limitPrice >= limit;
}
