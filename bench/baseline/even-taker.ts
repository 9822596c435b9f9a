import { unplaced } from '../../src/strategy/placement.js';
import { inLegs, take } from './legs.js';

/**
 * The taker mode of hummingbot's TWAP (strategy_v2/executors/twap_executor): at each leg a market order for an even part
 * of what is neither done nor open.
 */
export const EVEN_TAKER = inLegs((view, leg, legs) =>
  leg >= legs.count ? [] : take(view, unplaced(view) / (legs.count - leg), null),
);
