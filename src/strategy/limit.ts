import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { REPOST_MS } from '../model/limits.js';
import type { DurationMs } from '../model/time.js';
import { placeAll, waitFor } from './all-at-once.js';
import { unplaced, whenTakeable } from './placement.js';
import { RELAXED_NUMBERS } from './stance.js';

/**
 * Rests the whole order at its limit price as soon as the venue takes such a price, and places again what the venue
 * ended. Memory: its stance.
 */
export const LIMIT: Strategy = { name: 'LIMIT', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  const { order } = view.state;
  const price = order.limitPrice;
  assert(price !== null, 'a LIMIT order has a limit price');
  const takeable = whenTakeable(view, price);
  if (takeable !== null && unplaced(view) > 0) {
    return waitFor(view, 'BEYOND_BAND', takeable);
  }
  return placeAll(view, { kind: 'rest', price }, 'REST_AT_LIMIT', REPOST_MS as DurationMs);
}
