import { endOf, type LiveChild, type ParentOrder, type ParentState, type Reason } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { Draft } from './draft.js';
import { restOf } from './working.js';

const RULED_OUT: Reason = { code: 'AMENDED', detail: 'the new terms of the order rule this child out' };

/** The terms that the client asked for last, whether they hold already or not. */
export function wantedTerms({ order, amendment }: ParentState): ParentOrder {
  return amendment ?? order;
}

/** When trading ends by the terms that the client asked for last; null: when it is filled or cancelled. */
export function endsAtMs(state: ParentState): EpochMs | null {
  return endOf(wantedTerms(state), state.startedAtMs);
}

/** True when both ask for the same, however often either has been amended. Not for pairs. */
export function areSameTerms(one: ParentOrder, other: ParentOrder): boolean {
  return JSON.stringify({ ...one, revision: 0 }) === JSON.stringify({ ...other, revision: 0 });
}

/** Live children that must be gone before the terms hold: they stand where the order would not, or for too much of it. */
export function ruledOutBy(terms: ParentOrder, state: ParentState): LiveChild[] {
  const ruledOut: LiveChild[] = [];
  let excess = state.progress.filled - terms.quantity;
  for (const child of state.children) {
    if (isMisplaced(child, terms, state.order)) ruledOut.push(child);
    else excess += restOf(child);
  }
  // The newest go first, the oldest keep their queue.
  for (const child of state.children.toReversed()) {
    if (excess <= 0) break;
    if (ruledOut.includes(child)) continue;
    ruledOut.push(child);
    excess -= restOf(child);
  }
  return ruledOut;
}

function isMisplaced({ order: child }: LiveChild, terms: ParentOrder, before: ParentOrder): boolean {
  // A ladder is laid out anew as a whole.
  if (terms.ladder !== null && terms.quantity !== before.quantity) return true;
  const { limitPrice, side } = terms;
  if (limitPrice === null || limitPrice === before.limitPrice) return false;
  // One that stands at the old limit is there because of it.
  if (child.limitPrice === null || child.limitPrice === before.limitPrice) return true;
  return side === 'BUY' ? child.limitPrice > limitPrice : child.limitPrice < limitPrice;
}

/**
 * Lets the wanted terms hold as soon as no child is in their way, and withdraws those that are. What they still trade
 * meanwhile may be more than the new quantity: then that is the quantity, for it is what the order has become.
 */
export function carryOutAmendment(draft: Draft): void {
  const { amendment, progress } = draft.state;
  if (amendment === null) return;
  const ruledOut = ruledOutBy(amendment, draft.state);
  for (const child of ruledOut) draft.cancel(child, RULED_OUT);
  if (ruledOut.length > 0) return;
  const quantity = Math.max(amendment.quantity, progress.filled) as Lots;
  draft.add({ kind: 'ParentAmended', order: quantity === amendment.quantity ? amendment : { ...amendment, quantity } });
}
