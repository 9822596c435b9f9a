import { assert } from '../model/assert.js';
import { LIVE_CHILDREN_MAX } from '../model/limits.js';
import { isTerminal, type LiveChild, type ParentState } from '../model/order.js';
import { workingOf } from './working.js';

/** What holds for every parent after every event. Throws InvariantViolation, which stops the shard. */
export function checkInvariants(state: ParentState): void {
  const { order, status, progress, children } = state;
  const { orderId } = order;
  // Only a late fill, which is a fact of the venue's, can bring in more than was asked for.
  if (state.lateFills === 0) {
    assert(progress.filled + workingOf(state) <= order.quantity, `order ${orderId} never exceeds its quantity`);
  }
  assert(state.makerFilled <= progress.filled, `order ${orderId} counts each fill once`);
  assert(children.length <= LIVE_CHILDREN_MAX, `order ${orderId} has at most ${LIVE_CHILDREN_MAX} live children`);
  assert(!isTerminal(status) || children.length === 0, `order ${orderId} has ended: none of its children lives`);
  assert(isTerminal(status) === (state.endedAtMs !== null), `order ${orderId} has an end time when it has ended`);
  assert(status !== 'FILLED' || progress.filled >= order.quantity, `order ${orderId} is FILLED when all of it is`);
  assert(status !== 'REJECTED' || progress.filled === 0 || state.lateFills > 0, `order ${orderId} has no fills`);
  checkChildren(state);
}

function checkChildren({ order, children, childCount }: ParentState): void {
  let before = 0;
  for (const child of children) {
    assert(child.order.child > before, `children of order ${order.orderId} are in the order of their numbers`);
    assert(child.progress.filled < child.order.quantity, `a live child of order ${order.orderId} has a rest`);
    assert(isInsideLimit(child, order.limitPrice), `children of order ${order.orderId} lie inside its limit`);
    before = child.order.child;
  }
  assert(before <= childCount, `children of order ${order.orderId} are counted`);
}

function isInsideLimit({ order }: LiveChild, limit: number | null): boolean {
  if (limit === null) return true;
  if (order.limitPrice === null) return false;
  return order.side === 'BUY' ? order.limitPrice <= limit : order.limitPrice >= limit;
}
