import { formatAmount, parseAmount, type Amount } from './amount.js';
import type { ParentOrder } from './order.js';
import type { OrderLeg } from './pair.js';
import { formatLots, type Lots } from './quantity.js';

/** The order for another quantity, above 0; both legs of a pair are for as much more or less of theirs, in whole lots. */
export function withQuantity(order: ParentOrder, quantity: Lots): ParentOrder {
  if (quantity === order.quantity) return order;
  if (order.pair === null) return { ...order, quantity };
  const resized = (leg: OrderLeg, index: number): OrderLeg =>
    legFor(leg, index === order.pair?.leadingIndex ? quantity : partOf(leg.quantity, quantity, order.quantity));
  const [first, second] = order.pair.legs;
  return { ...order, quantity, pair: { ...order.pair, legs: [resized(first, 0), resized(second, 1)] } };
}

/** What it is to fill changes with it: exactly in the base, in money by the same ratio. */
function legFor(leg: OrderLeg, quantity: Lots): OrderLeg {
  if (leg.isBaseTarget) return { ...leg, quantity, targetValue: formatLots(quantity, leg) };
  const money = (parseAmount(leg.targetValue) * BigInt(quantity)) / BigInt(leg.quantity);
  return { ...leg, quantity, targetValue: formatAmount(money as Amount) };
}

function partOf(lots: Lots, part: Lots, ofWhole: Lots): Lots {
  return Number((BigInt(lots) * BigInt(part)) / BigInt(ofWhole)) as Lots;
}
