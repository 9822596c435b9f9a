import { endOf, type LiveChild, type ParentOrder, type ParentState, type Reason } from '../model/order.js';
import { followingLeg } from '../model/pair.js';
import { inLeadLots } from '../model/pair-balance.js';
import { withQuantity } from '../model/pair-quantity.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { Draft } from './draft.js';
import { childrenOf, restOf } from './working.js';

const RULED_OUT: Reason = { code: 'AMENDED', detail: 'the new terms of the order rule this child out' };

/** The terms that hold and those that are wanted; null: none. */
export type OrderTerms = Pick<ParentState, 'order' | 'amendment'>;

/** The terms that the client asked for last, whether they hold already or not. */
export function wantedTerms({ order, amendment }: OrderTerms): ParentOrder {
  return amendment ?? order;
}

/** When trading ends by the terms that the client asked for last; null: when it is filled or cancelled. */
export function endsAtMs(state: ParentState): EpochMs | null {
  return endOf(wantedTerms(state), state.startedAtMs);
}

/** True when both ask for the same, however often either has been amended. */
export function areSameTerms(one: ParentOrder, other: ParentOrder): boolean {
  return textOf(one) === textOf(other);
}

function textOf(order: ParentOrder): string {
  return JSON.stringify({ ...order, revision: 0 }, plain);
}

/** Money has no JSON of its own. */
function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Live children that must be gone before the terms hold: they stand where the order would not, or for too much of it. */
export function ruledOutBy(terms: ParentOrder, state: ParentState): LiveChild[] {
  const { order, progress, follower } = state;
  const ruledOut = ruledOutOf(childrenOf(state, false), progress.filled, terms, order);
  if (terms.pair === null || order.pair === null || follower === null) return ruledOut;
  const [wanted, before] = [terms.pair, order.pair].map((pair) => ({ ...followingLeg(pair), ladder: null }));
  return ruledOut.concat(ruledOutOf(childrenOf(state, true), follower.progress.filled, wanted!, before!));
}

type LegTerms = Pick<ParentOrder, 'side' | 'quantity' | 'limitPrice' | 'ladder'>;

function ruledOutOf(children: readonly LiveChild[], filled: Lots, terms: LegTerms, before: LegTerms): LiveChild[] {
  const ruledOut: LiveChild[] = [];
  let excess = filled - terms.quantity;
  for (const child of children) {
    if (isMisplaced(child, terms, before)) ruledOut.push(child);
    else excess += restOf(child);
  }
  // The newest go first, the oldest keep their queue.
  for (const child of children.toReversed()) {
    if (excess <= 0) break;
    if (ruledOut.includes(child)) continue;
    ruledOut.push(child);
    excess -= restOf(child);
  }
  return ruledOut;
}

function isMisplaced({ order: child }: LiveChild, terms: LegTerms, before: LegTerms): boolean {
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
  const { amendment, progress, follower } = draft.state;
  if (amendment === null) return;
  const ruledOut = ruledOutBy(amendment, draft.state);
  for (const child of ruledOut) draft.cancel(child, RULED_OUT);
  if (ruledOut.length > 0) return;
  const order = follower === null ? amendment : notUnder(follower.progress.filled, amendment);
  draft.add({ kind: 'ParentAmended', order: withQuantity(order, Math.max(order.quantity, progress.filled) as Lots) });
}

/** A pair whose other leg is for no less than has filled of it. */
function notUnder(filled: Lots, order: ParentOrder): ParentOrder {
  if (order.pair === null || followingLeg(order.pair).quantity >= filled) return order;
  return withQuantity(order, (inLeadLots(order, filled) + 1) as Lots);
}
