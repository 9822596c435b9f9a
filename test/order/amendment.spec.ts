import { describe, expect, it } from 'vitest';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import { areSameTerms } from '../../src/order/amendment.js';
import { withTerms } from '../domain/plain-order.js';
import { orderOf } from '../shard/sample-orders.js';

/** The same value with the members of each object in the reverse order. */
function reversed<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed) as Value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.toReversed()) as Value;
}

describe('Terms', () => {
  const order: ParentOrder = orderOf(1);

  it('are the same whatever the order of their members is', () => {
    expect(areSameTerms(order, reversed(order))).toBe(true);
  });

  it('are the same in another revision', () => {
    expect(areSameTerms(order, { ...order, revision: 7 })).toBe(true);
  });

  it('differ when one member of a leg differs', () => {
    expect(areSameTerms(order, withTerms(order, { quantity: (order.legs[0].quantity + 1) as Lots }))).toBe(false);
  });
});
