import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { BOOK_REFILL_MS } from '../model/limits.js';
import type { DurationMs } from '../model/time.js';
import { placeAll, QUIET, waitFor } from './all-at-once.js';
import { farTouch, isWithinLimit, unplaced, whenCrossable, whenPresent } from './placement.js';
import { RELAXED_NUMBERS } from './stance.js';

/**
 * Takes what the book has, inside the limit price when there is one, again and again until all is filled.
 * Memory: its stance.
 */
export const MARKET: Strategy = { name: 'MARKET', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  const { order } = view.state;
  const touch = farTouch(order.side, view.market);
  if (unplaced(view) === 0) return QUIET;
  if (touch === 0) return waitFor(view, 'MARKET_ONE_SIDED', whenPresent(order.side === 'BUY' ? 'ask' : 'bid'));
  if (order.limitPrice === null) {
    return placeAll(view, { kind: 'market', price: touch }, 'TAKE', BOOK_REFILL_MS as DurationMs);
  }
  if (!isWithinLimit(order, touch)) return waitFor(view, 'LIMIT_BINDS', whenCrossable(order.side, order.limitPrice));
  return placeAll(view, { kind: 'take', price: order.limitPrice }, 'TAKE_TO_LIMIT', BOOK_REFILL_MS as DurationMs);
}
