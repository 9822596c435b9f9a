import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { BOOK_REFILL_MS, MARKET_COLLAR_PPM, MARKET_REACH_PPM } from '../model/limits.js';
import { formatTicks, type Ticks } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import { placeAll, QUIET, waitFor } from './all-at-once.js';
import {
  farTouch,
  isAsAggressive,
  isWithinLimit,
  reached,
  unplaced,
  whenCrossable,
  whenPresent,
  withinLimit,
} from './placement.js';
import { RELAXED_NUMBERS } from './stance.js';

/**
 * Takes what the book has near its touch, inside the limit price when there is one, again and again until all is filled.
 * A collar around the arrival price ends an order that would trade far from it. Memory: its stance.
 */
export const MARKET: Strategy = { name: 'MARKET', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  const { order } = view.state;
  const touch = farTouch(order.side, view.market);
  if (unplaced(view) === 0) return QUIET;
  if (touch === 0) return waitFor(view, 'MARKET_ONE_SIDED', whenPresent(order.side === 'BUY' ? 'ask' : 'bid'));
  if (!isWithinLimit(order, touch)) {
    return waitFor(view, 'LIMIT_BINDS', whenCrossable(order.side, order.limitPrice as Ticks));
  }
  const collar = collarOf(view);
  if (!isAsAggressive(order.side, collar, touch)) return beyondCollar(view, collar, touch);
  const reach = reached(order.side, touch, MARKET_REACH_PPM);
  const price = withinLimit(order, isAsAggressive(order.side, collar, reach) ? reach : collar);
  return placeAll(view, { kind: 'take', price }, 'TAKE', BOOK_REFILL_MS as DurationMs);
}

/** The worst price that the order trades at; its own limit is the client's business. */
function collarOf({ state }: StrategyView): Ticks {
  const { order, arrivalTwiceMid } = state;
  return order.limitPrice ?? reached(order.side, Math.floor((arrivalTwiceMid ?? 0) / 2) as Ticks, MARKET_COLLAR_PPM);
}

function beyondCollar(view: StrategyView, collar: Ticks, touch: Ticks): StrategyDecision {
  if (view.state.children.length > 0) return QUIET;
  const { instrument } = view;
  const message =
    `the market at ${formatTicks(touch, instrument)} is beyond ${formatTicks(collar, instrument)}, ` +
    `${MARKET_COLLAR_PPM / 10_000} % from the arrival price`;
  return { ...QUIET, end: { code: 'SLIPPAGE_EXCEEDED', message } };
}
