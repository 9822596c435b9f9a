import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { ParentOrder, ParentState } from '../../model/order.js';
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

/** Counted, whatever it is worth. */
export function unvalued(order: ParentOrder): Claim {
  return { order, lotWorths: partsOf(order).map(() => ZERO_AMOUNT) };
}

/** How much is filled of an order's only or leading part, and of a pair's other leg. */
export interface Filled {
  readonly leading: Lots;
  readonly follower: Lots;
}

export const NOTHING_FILLED: Filled = { leading: ZERO_LOTS, follower: ZERO_LOTS };

export function filledOf({ progress, follower }: Pick<ParentState, 'progress' | 'follower'>): Filled {
  return { leading: progress.filled, follower: follower?.progress.filled ?? ZERO_LOTS };
}

/** Of one of its parts. */
export function partFilled({ pair }: ParentOrder, index: number, { leading, follower }: Filled): Lots {
  return pair === null || index === pair.leadingIndex ? leading : follower;
}

/** What the order may still come to, in USD. What can only reduce a position adds nothing. */
export function worthOfClaim({ order, lotWorths }: Claim, filled: Filled): Amount {
  return order.reduceOnly ? ZERO_AMOUNT : worthOfLeaves(order, lotWorths, filled);
}

/** In USD, whatever it may do to a position; without `filled` the whole order. */
export function worthOfOrder(
  order: ParentOrder,
  mids: Mids,
  catalogue: InstrumentCatalogue,
  filled = NOTHING_FILLED,
): Amount {
  return worthOfLeaves(order, claimOf(order, mids, catalogue).lotWorths, filled);
}

function worthOfLeaves(order: ParentOrder, lotWorths: readonly Amount[], filled: Filled): Amount {
  let sum = 0n;
  for (const [index, part] of partsOf(order).entries()) {
    const leaves = Math.max(0, part.quantity - partFilled(order, index, filled));
    sum += worthOfLots(leaves as Lots, lotWorths[index] as Amount);
  }
  return sum as Amount;
}
