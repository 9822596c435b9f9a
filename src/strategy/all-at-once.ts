import type { StrategyDecision, StrategyView } from '../model/intent.js';
import type { MarketCondition } from '../model/market.js';
import { formatLots, type Ticks } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import { circumstances, minimumAt, place, placeable, unplaced, type ChildShape } from './placement.js';
import { afterPlacing, heldUntilMs, isHeld, NO_CONDITIONS, setbackOf, standing, wakeAt, type Still } from './stance.js';

/** A decision that changes nothing and waits for reports alone. */
export const QUIET: StrategyDecision = {
  intents: [],
  memory: null,
  note: null,
  end: null,
  wake: { atMs: null, when: NO_CONDITIONS },
};

/**
 * Places everything that is neither filled nor working, or `most` of it, then keeps still for `holdMs`. A rest below the
 * venue's minimum, which can never be placed, ends the order. The strategy's memory begins with a stance.
 */
export function placeAll(
  view: StrategyView,
  shape: ChildShape,
  code: string,
  holdMs: DurationMs,
  most = Infinity,
): StrategyDecision {
  const free = unplaced(view);
  if (free === 0) return QUIET;
  const pause = waitWhileHeld(view);
  if (pause !== null) return pause;
  const quantity = placeable(view, Math.min(free, most), shape.price);
  if (quantity === 0) return view.state.children.length > 0 ? QUIET : endOfRest(view, shape.price);
  const intents = place(view, quantity, null, shape, { code, detail: circumstances(view, null) });
  return { ...QUIET, intents, memory: afterPlacing(view, stanceAt(view), holdMs) };
}

/** Where the stance of a strategy is that remembers it first. */
function stanceAt({ memoryFrom }: StrategyView): number {
  return memoryFrom ?? 0;
}

/** Places nothing until the market is as described, and notes why. */
export function waitFor(view: StrategyView, still: Still, until: MarketCondition): StrategyDecision {
  const news = standing(view, stanceAt(view), still, null);
  return { ...QUIET, memory: news?.memory ?? null, note: news?.note ?? null, wake: { atMs: null, when: [until] } };
}

/** Keeps still after a refusal, or as long as nothing may be placed; null when it may. The memory begins with a stance. */
export function waitWhileHeld(view: StrategyView): StrategyDecision | null {
  const at = stanceAt(view);
  const setback = setbackOf(view, at, null);
  if (setback !== null) {
    const { memory, note, holdUntilMs } = setback;
    return { ...QUIET, memory, note, wake: wakeAt(view.nowMs, holdUntilMs) };
  }
  return isHeld(view, at) ? { ...QUIET, wake: wakeAt(view.nowMs, heldUntilMs(view, at)) } : null;
}

/** Ends an order whose rest no venue would take at this price. */
export function endOfRest(view: StrategyView, price: Ticks): StrategyDecision {
  const { instrument } = view;
  const rest = formatLots(unplaced(view), instrument);
  const least = formatLots(minimumAt(instrument, price), instrument);
  const message = `the rest of ${rest} ${instrument.base} is below the exchange's minimum of ${least}`;
  return { ...QUIET, end: { code: 'INVALID_QUANTITY', message } };
}
