import type { Ticks } from '../../src/model/quantity.js';
import { unplaced } from '../../src/strategy/placement.js';
import { inLegs, take } from './legs.js';

/** A slice that was missed is made up by at most so many planned ones at a time. */
const SLICES_MAX = 3;
/** How far from the mid a slice may trade, in units of 10^-6. */
const TOLERANCE_PPM = 25_000;

/**
 * The TWAP of dYdX v4 (x/clob/keeper/twap_order_state.go), whose bound Pacifica documents too: an even part of what is
 * left at each leg, at most three planned slices, IOC with a tolerance around the reference price. What is left at the
 * end stays undone.
 */
export const BOUNDED_CATCH_UP = inLegs((view, leg, legs) => {
  const { quantity, side } = view.state.order;
  if (leg >= legs.count) return [];
  const slice = boundedSlice({ quantity, legs: legs.count, left: unplaced(view), legsLeft: legs.count - leg });
  const ppm = side === 'BUY' ? 1_000_000 + TOLERANCE_PPM : 1_000_000 - TOLERANCE_PPM;
  const limit = (((view.market.bid + view.market.ask) / 2) * ppm) / 1_000_000;
  return take(view, slice, (side === 'BUY' ? Math.ceil(limit) : Math.floor(limit)) as Ticks);
});

export interface Slicing {
  readonly quantity: number;
  readonly legs: number;
  readonly left: number;
  readonly legsLeft: number;
}

/** In lots, or in whatever whole steps the quantities are given in. */
export function boundedSlice({ quantity, legs, left, legsLeft }: Slicing): number {
  return Math.min(Math.ceil(left / legsLeft), SLICES_MAX * Math.ceil(quantity / legs));
}
