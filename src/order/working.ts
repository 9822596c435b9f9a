import type { LiveChild, ParentState } from '../model/order.js';
import type { Lots } from '../model/quantity.js';

/** What the venue may still fill of a child. */
export function restOf(child: LiveChild): Lots {
  return (child.order.quantity - child.progress.filled) as Lots;
}

/** Unfilled rest of all live children, unknown ones included: what may still trade without a further word of ours. */
export function workingOf(state: ParentState): Lots {
  let working = 0;
  for (const child of state.children) working += restOf(child);
  return working as Lots;
}

/** Quantity not filled yet; 0 also when late fills have brought in more than was asked for. */
export function leavesOf(state: ParentState): Lots {
  return Math.max(0, state.order.quantity - state.progress.filled) as Lots;
}

/** Quantity neither filled nor working; negative while late fills leave more working than is still wanted. */
export function unplacedOf(state: ParentState): number {
  return state.order.quantity - state.progress.filled - workingOf(state);
}
