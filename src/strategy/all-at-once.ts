import type { StrategyDecision, StrategyView } from '../model/intent.js';
import type { MarketCondition } from '../model/market.js';
import { formatLots, type Ticks } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import { circumstances, minimumAt, place, placeable, unplaced, type ChildShape } from './placement.js';
import {
  afterPlacing,
  isHeld,
  numbersOf,
  setbackOf,
  standing,
  stanceOf,
  wakeAt,
  type Stance,
  type Still,
} from './stance.js';

/** A decision that changes nothing and waits for reports alone. */
export const QUIET: StrategyDecision = {
  intents: [],
  memory: null,
  note: null,
  end: null,
  wake: { atMs: null, when: [] },
};

/**
 * Places everything that is neither filled nor working, or `most` of it, then keeps still for `holdMs`. A rest below the
 * venue's minimum, which can never be placed, ends the order. The memory begins with a stance.
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
  const stance = stanceOf(view.state.memory, 0);
  const setback = waitAfterSetback(view, stance);
  if (setback !== null) return setback;
  if (isHeld(view, stance)) return { ...QUIET, wake: wakeAt(view.nowMs, [stance.holdUntilMs]) };
  const quantity = placeable(view, Math.min(free, most), shape.price);
  if (quantity === 0) return view.state.children.length > 0 ? QUIET : endOfRest(view, shape.price);
  const intents = place(view, quantity, null, shape, { code, detail: circumstances(view, null) });
  return { ...QUIET, intents, memory: numbersOf(afterPlacing(view, holdMs)) };
}

/** Places nothing until the market is as described, and notes why. */
export function waitFor(view: StrategyView, still: Still, until: MarketCondition): StrategyDecision {
  const { stance, note } = standing(view, stanceOf(view.state.memory, 0), still, null);
  const memory = stance === null ? null : numbersOf(stance);
  return { ...QUIET, memory, note, wake: { atMs: null, when: [until] } };
}

/** Keeps still after a refusal that the stance does not know of yet; null when there was none. The memory is a stance. */
export function waitAfterSetback(view: StrategyView, stance: Stance): StrategyDecision | null {
  const setback = setbackOf(view, stance, null);
  if (setback === null) return null;
  const { holdUntilMs } = setback.stance;
  return { ...QUIET, memory: numbersOf(setback.stance), note: setback.note, wake: wakeAt(view.nowMs, [holdUntilMs]) };
}

/** Ends an order whose rest no venue would take at this price. */
export function endOfRest(view: StrategyView, price: Ticks): StrategyDecision {
  const { instrument } = view;
  const rest = formatLots(unplaced(view), instrument);
  const least = formatLots(minimumAt(instrument, price), instrument);
  const message = `the rest of ${rest} ${instrument.base} is below the exchange's minimum of ${least}`;
  return { ...QUIET, end: { code: 'INVALID_QUANTITY', message } };
}
