import { minimumAt, unplaced } from '../../src/strategy/placement.js';
import { inLegs, take } from './legs.js';

/**
 * The TWAP of nautilus_trader (examples/algorithms/twap.py): equal market orders rounded down to the lot, and at the end
 * one more with what the rounding has left over; everything at once when a slice would be below the minimum.
 */
export const FLOORED_SLICES = inLegs((view, leg, legs) => {
  const slice = Math.floor(view.state.order.quantity / legs.count);
  const isTooSmall = slice < minimumAt(view.instrument, view.market.bid);
  return take(view, isTooSmall || leg >= legs.count ? unplaced(view) : slice, null);
});
