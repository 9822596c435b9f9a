import { childPlace, isFollowers } from '../model/pair.js';
import type { DecideContext, OrderInput } from './decision.js';
import type { Draft } from './draft.js';
import { settle } from './settlement.js';

/**
 * Takes over children that an exchange knows, then, with the last of them, asks for every child of the order and lets
 * it go on. An order that was not admitted in the backup has been: its exchange has taken children of it.
 */
export function reconcile(
  draft: Draft,
  { children, childRoom }: Extract<OrderInput, { kind: 'Reconcile' }>,
  { nowMs }: DecideContext,
): void {
  if (!draft.state.isReconciling) return;
  for (const { order, venueOrderId } of children) {
    const { state } = draft;
    const known = isFollowers(state.order, order.child) ? state.follower?.childCount : state.childCount;
    if (childPlace(state.order, order.child) <= (known ?? 0)) continue;
    if (state.status === 'PENDING_NEW') draft.add({ kind: 'ParentAccepted' });
    draft.add({ kind: 'ChildAdopted', order, venueOrderId });
  }
  if (childRoom === null) return;
  draft.add({ kind: 'ParentReconciled', childRoom });
  for (const child of draft.state.children) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
  }
  for (const { order } of draft.state.children) draft.query(order.child, nowMs);
  settle(draft, nowMs);
}
