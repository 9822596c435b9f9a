import { restBelow } from '../../domain/exchange-rules.js';
import { restOf } from '../../domain/order-state.js';
import type { StrategyView } from '../../domain/intent.js';
import { BOOK_REFILL_MS, MARKET_REACH_PPM } from '../../domain/limits/trading.js';
import type { MarketCondition } from '../../domain/market.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { ReasonCode } from '../../domain/reason.js';
import type { NotedIdleReason, Pacing } from '../../domain/strategy-memory.js';
import type { DurationMs } from '../../domain/time.js';
import {
  cancel,
  circumstances,
  farTouch,
  isAsAggressive,
  isWithdrawing,
  minimumAt,
  place,
  placeable,
  placeableOf,
  reached,
  restingChildren,
  takingNow,
  unplaced,
  unplacedBeside,
  whenAnything,
  type CodedShape,
} from './child.js';
import { afterPlacing, afterTaking, heldUntilMs, idleFor, isHeld, NO_CONDITIONS, setbackOf, wakeAt } from './pacing.js';
import type { Placement } from './placement.js';

/** A decision that changes nothing and waits only for reports. It is shared: a caller copies it before a change. */
export const QUIET: Placement = {
  intents: [],
  memory: null,
  pacing: null,
  note: null,
  end: null,
  wake: { atMs: null, when: NO_CONDITIONS },
};

/** The children of an order that places all its lots at once. */
interface WholeShape extends CodedShape {
  /** Wait after the placement. */
  readonly holdMs: DurationMs;
  /** Most lots to place, not below the exchange's minimum; Infinity: all. */
  readonly most: number;
}

/**
 * Places all lots that are neither filled nor working, but at most `most`, then waits for `holdMs`. Ends an order that
 * rests at its own price when its rest is below the minimum there.
 */
export function placeAll(view: StrategyView, pacing: Pacing, shape: WholeShape): Placement {
  const free = unplaced(view);
  if (free === 0) return QUIET;
  const pause = waitWhileHeld(view, pacing);
  if (pause !== null) return pause;
  const quantity = placeable(view, Math.min(free, shape.most), shape.price);
  if (quantity === 0) {
    if (view.state.legs[0].children.length > 0) return QUIET;
    // A child that takes follows the market, which may move to a price at which the rest reaches the minimum.
    return shape.kind === 'rest' ? endOfRest(view, shape.price) : waitFor(view, pacing, 'BELOW_MINIMUM', whenAnything);
  }
  const reason = { code: shape.code, detail: '', figures: circumstances(view, null) };
  const { kind, holdMs } = shape;
  const after = kind === 'take' ? afterTaking(view, pacing, holdMs) : afterPlacing(view, holdMs);
  return { ...QUIET, intents: place(view, quantity, shape, reason), pacing: after };
}

/** Places nothing until the market meets the condition. Notes the reason once. */
export function waitFor(
  view: StrategyView,
  pacing: Pacing,
  reason: NotedIdleReason,
  until: MarketCondition,
): Placement {
  const change = idleFor(view, pacing, reason, null);
  return {
    ...QUIET,
    pacing: change?.pacing ?? null,
    note: change?.note ?? null,
    wake: { atMs: null, when: [until] },
  };
}

/** Waits for the back-off after a refusal, or for the end of the hold; null when the order may place. */
export function waitWhileHeld(view: StrategyView, pacing: Pacing): Placement | null {
  const setback = setbackOf(view, pacing, null);
  if (setback !== null) return { ...QUIET, ...setback, wake: wakeAt(view.nowMs, setback.pacing.heldUntilMs) };
  return isHeld(view, pacing) ? { ...QUIET, wake: wakeAt(view.nowMs, heldUntilMs(view, pacing)) } : null;
}

/** Ends an order whose rest is below the exchange's minimum at this price. */
export function endOfRest(view: StrategyView, price: Ticks): Placement {
  const { instrument } = view;
  return { ...QUIET, end: restBelow(unplaced(view), minimumAt(instrument, price), instrument) };
}

interface Sweep {
  /** Lots to take, including those that rest in the book now. */
  readonly wanted: Lots;
  /** Worst price, within the order's limit price. */
  readonly price: Ticks;
  readonly code: ReasonCode;
}

/**
 * Takes the book up to a price, or up to MARKET_REACH_PPM beyond the touch, because exchanges reject prices further
 * away. Withdraws resting children first when their quantity is needed. null when there is nothing to do.
 */
export function sweep(
  view: StrategyView,
  pacing: Pacing,
  { wanted: whole, price: worst, code }: Sweep,
): Placement | null {
  const { side } = view.state.order.legs[0];
  const wanted = Math.max(0, whole - takingNow(view)) as Lots;
  const reach = reached(side, farTouch(side, view.market), MARKET_REACH_PPM);
  const price = isAsAggressive(side, worst, reach) ? reach : worst;
  const free = unplaced(view);
  const resting = restingChildren(view);
  let freeable = free;
  for (const child of resting) freeable = (freeable + restOf(child)) as Lots;
  if (placeableOf(unplacedBeside(view, view.working - (freeable - free)), wanted, view.instrument, price) === 0)
    return null;
  const pause = waitWhileHeld(view, pacing);
  if (pause !== null) return pause;
  // Waits for the withdrawals: they free the quantity.
  if (isWithdrawing(view)) return { ...QUIET, wake: wakeAt(view.nowMs, heldUntilMs(view, pacing)) };
  const reason = { code, detail: '', figures: [...circumstances(view, null), wanted, price] };
  if (wanted > free && resting.length > 0) return { ...QUIET, intents: cancel(resting, reason) };
  const quantity = placeable(view, wanted, price);
  if (quantity === 0) return null;
  const intents = place(view, quantity, { kind: 'take', price }, reason);
  return { ...QUIET, intents, pacing: afterTaking(view, pacing, BOOK_REFILL_MS as DurationMs) };
}
