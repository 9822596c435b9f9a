import type { LiveChild, ParentState } from '../model/order.js';
import { followingLeg, isFollowers } from '../model/pair.js';
import type { Lots } from '../model/quantity.js';

/** What the venue may still fill of a child; 0 also when its fills add up to more than its quantity. */
export function restOf({ order, progress }: LiveChild): Lots {
  return Math.max(0, order.quantity - progress.filled) as Lots;
}

/** Unfilled rest of the live children, unknown ones included: what may still trade without a further word of ours. Of a pair, of one leg. */
export function workingOf({ order, children }: ParentState, ofFollower = false): Lots {
  let working = 0;
  for (const child of children) {
    if (order.pair === null || isFollowers(order, child.order.child) === ofFollower) working += restOf(child);
  }
  return working as Lots;
}

/** Quantity not filled yet; 0 also when late fills have brought in more than was asked for. */
export function leavesOf(state: ParentState): Lots {
  return Math.max(0, state.order.quantity - state.progress.filled) as Lots;
}

/** Quantity neither filled nor working; negative while late fills leave more working than is still wanted. Of a pair, of one leg. */
export function unplacedOf(state: ParentState, ofFollower = false): number {
  const { order, progress, follower } = state;
  if (!ofFollower) return order.quantity - progress.filled - workingOf(state);
  return order.pair === null
    ? 0
    : followingLeg(order.pair).quantity - (follower?.progress.filled ?? 0) - workingOf(state, true);
}

/** Children of one leg of a pair, or of the order. */
export function childrenOf({ order, children }: ParentState, ofFollower: boolean): readonly LiveChild[] {
  if (order.pair === null) return children;
  return children.filter((child) => isFollowers(order, child.order.child) === ofFollower);
}
