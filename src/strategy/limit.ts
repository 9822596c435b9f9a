import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { REPOST_MS } from '../model/limits.js';
import type { DurationMs } from '../model/time.js';
import { placeAll } from './all-at-once.js';
import { RELAXED_NUMBERS } from './stance.js';

/** Rests the whole order at its limit price, and places again what the venue ended. Memory: its stance. */
export const LIMIT: Strategy = { name: 'LIMIT', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  const price = view.state.order.limitPrice;
  assert(price !== null, 'a LIMIT order has a limit price');
  return placeAll(view, { kind: 'rest', price }, 'REST_AT_LIMIT', REPOST_MS as DurationMs);
}
