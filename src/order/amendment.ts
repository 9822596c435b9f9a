import { type LegState, type LiveChild, type ParentState, restOf } from '../domain/order-state.js';
import type { Leg, ParentOrder, GivenReason } from '../domain/order.js';
import { inLeadLots } from '../domain/pair-balance.js';
import { legAt, mapLegs, type PerLeg } from '../domain/pair.js';
import { leadingIndexOf, withQuantity } from '../domain/order-legs.js';
import type { Lots } from '../domain/quantity.js';
import type { Draft } from './decision.js';

const RULED_OUT: GivenReason = { code: 'AMENDED', detail: 'the new terms of the order exclude this child' };

/** True for equal terms. Revisions may differ. */
export function areSameTerms(one: ParentOrder, other: ParentOrder): boolean {
  return textOf(one) === textOf(other);
}

function textOf(order: ParentOrder): string {
  return JSON.stringify({ ...order, revision: 0 }, plain);
}

/**
 * JSON replacer: writes a bigint as text, and the members of an object in the order of their names. Terms from a
 * request and the same terms from the journal have their members in different orders.
 */
function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Live children that must end before the terms take effect: their price or their quantity conflicts with the terms. */
export function ruledOutBy(terms: ParentOrder, state: ParentState): LiveChild[] {
  const { order, legs } = state;
  return mapLegs(legs, (own, leg) => ruledOutOf(own, legAt(terms.legs, leg), legAt(order.legs, leg))).flat();
}

function ruledOutOf({ children, progress }: LegState, terms: Leg, before: Leg): LiveChild[] {
  const ruledOut: LiveChild[] = [];
  let excess = progress.filled - terms.quantity;
  for (const child of children) {
    if (isMisplaced(child, terms, before)) ruledOut.push(child);
    else excess += restOf(child);
  }
  // The newest children end first, so that the oldest keep their place in the queue.
  for (const child of children.toReversed()) {
    if (excess <= 0) break;
    if (ruledOut.includes(child)) continue;
    ruledOut.push(child);
    excess -= restOf(child);
  }
  return ruledOut;
}

function isMisplaced({ order: child }: LiveChild, terms: Leg, before: Leg): boolean {
  // A new quantity changes all rungs of a ladder.
  if (terms.ladder !== null && terms.quantity !== before.quantity) return true;
  const { limitPrice, side } = terms;
  if (limitPrice === null || limitPrice === before.limitPrice) return false;
  // A child at the old limit follows the new limit.
  if (child.limitPrice === null || child.limitPrice === before.limitPrice) return true;
  return side === 'BUY' ? child.limitPrice > limitPrice : child.limitPrice < limitPrice;
}

/**
 * Puts the requested terms into effect when no child conflicts with them. Cancels conflicting children first. When
 * those fill more than the new quantity, the quantity is raised to cover the filled quantities.
 */
export function carryOutAmendment(draft: Draft): void {
  const { amendment, legs } = draft.state;
  if (amendment === null) return;
  const ruledOut = ruledOutBy(amendment, draft.state);
  for (const child of ruledOut) draft.cancel(child, RULED_OUT);
  if (ruledOut.length === 0) draft.add({ kind: 'ParentAmended', order: covering(legs, amendment) });
}

/** Raises the quantity of an order until each leg covers its filled quantity. */
function covering(legs: PerLeg<LegState>, order: ParentOrder): ParentOrder {
  const leading = leadingIndexOf(order);
  const needed = mapLegs(order.legs, ({ quantity }, leg) => {
    const { filled } = legAt(legs, leg).progress;
    if (leg === leading) return Math.max(quantity, filled);
    return quantity >= filled ? 0 : inLeadLots(order, filled) + 1;
  });
  return withQuantity(order, Math.max(...needed) as Lots);
}
