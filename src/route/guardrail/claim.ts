import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { ParentOrder } from '../../model/order.js';
import { ZERO_LOTS, type Lots } from '../../model/quantity.js';
import { partsOf, worthOfLot, worthOfLots, type Mids } from './order-worth.js';

/** Terms of an open order, with what a lot of each of its parts was worth when they were taken. */
export interface Claim {
  readonly order: ParentOrder;
  readonly lotWorths: readonly Amount[];
}

export function claimOf(order: ParentOrder, mids: Mids, catalogue: InstrumentCatalogue): Claim {
  return { order, lotWorths: partsOf(order).map((part) => worthOfLot(part, mids, catalogue)) };
}

/** What the order may still come to, in USD. What can only reduce a position adds nothing. */
export function worthOfClaim({ order, lotWorths }: Claim, filled: Lots): Amount {
  return order.reduceOnly ? ZERO_AMOUNT : worthOfLeaves(order, lotWorths, filled);
}

/** In USD, whatever it may do to a position; without `filled` the whole order. */
export function worthOfOrder(
  order: ParentOrder,
  mids: Mids,
  catalogue: InstrumentCatalogue,
  filled: Lots = ZERO_LOTS,
): Amount {
  return worthOfLeaves(order, claimOf(order, mids, catalogue).lotWorths, filled);
}

/** `filled` is of the only or leading part: the follower of a pair counts whole until the pair has ended. */
function worthOfLeaves(order: ParentOrder, lotWorths: readonly Amount[], filled: Lots): Amount {
  const leadingIndex = order.pair?.leadingIndex ?? 0;
  let sum = 0n;
  for (const [index, part] of partsOf(order).entries()) {
    const leaves = index === leadingIndex ? Math.max(0, part.quantity - filled) : part.quantity;
    sum += worthOfLots(leaves as Lots, lotWorths[index] as Amount);
  }
  return sum as Amount;
}
