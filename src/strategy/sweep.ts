import type { StrategyDecision, StrategyView } from '../model/intent.js';
import { BOOK_REFILL_MS, MARKET_REACH_PPM } from '../model/limits.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { QUIET } from './all-at-once.js';
import {
  cancel,
  circumstances,
  farTouch,
  isAsAggressive,
  isWithdrawing,
  place,
  placeable,
  placeableOf,
  reached,
  restingChildren,
  restOf,
  unplaced,
  unplacedBeside,
} from './placement.js';
import { afterPlacing, heldUntilMs, isHeld, setbackOf, wakeAt, type Setback } from './stance.js';

export interface Sweep {
  /** How much of the order is to be done this way, whatever of it rests in the book now. */
  readonly wanted: Lots;
  /** Worst price, already inside the order's limit. */
  readonly price: Ticks;
  readonly code: string;
}

/**
 * Takes what the book has up to a price, or as far beyond the touch as a market order reaches: venues refuse what lies
 * further. What rests is withdrawn first where it is needed for that. null when there is nothing to do. `stanceAt`: where
 * in the memory it is remembered what was placed and refused.
 */
export function sweep(
  view: StrategyView,
  { wanted: whole, price: worst, code }: Sweep,
  stanceAt: number,
): StrategyDecision | null {
  const { side } = view.state.order;
  const wanted = Math.max(0, whole - takingNow(view)) as Lots;
  const reach = reached(side, farTouch(side, view.market), MARKET_REACH_PPM);
  const price = isAsAggressive(side, worst, reach) ? reach : worst;
  const free = unplaced(view);
  const resting = restingChildren(view);
  let freeable = free;
  for (const child of resting) freeable = (freeable + restOf(child)) as Lots;
  if (placeableOf(unplacedBeside(view, view.working - (freeable - free)), wanted, view.instrument, price) === 0)
    return null;
  const setback = setbackOf(view, stanceAt, null);
  if (setback !== null) return waiting(view, setback.holdUntilMs, setback);
  // What is being withdrawn will be free in a moment.
  if (isHeld(view, stanceAt) || isWithdrawing(view)) return waiting(view, heldUntilMs(view, stanceAt));
  const reason = { code, detail: `wanted=${wanted} price=${price} ${circumstances(view, null)}` };
  if (wanted > free && resting.length > 0) return { ...QUIET, intents: cancel(resting, reason) };
  const quantity = placeable(view, wanted, price);
  if (quantity === 0) return null;
  const intents = place(view, quantity, null, { kind: 'take', price }, reason);
  return { ...QUIET, intents, memory: afterPlacing(view, stanceAt, BOOK_REFILL_MS as DurationMs) };
}

/** What is on its way to be taken: it may be filled in full before the venue is heard of again. */
function takingNow({ state }: StrategyView): number {
  let taking = 0;
  for (const child of state.children) if (child.order.timeInForce === 'IOC') taking += restOf(child);
  return taking;
}

function waiting({ nowMs }: StrategyView, untilMs: EpochMs, setback: Setback | null = null): StrategyDecision {
  const wake = wakeAt(nowMs, untilMs);
  return { ...QUIET, memory: setback?.memory ?? null, note: setback?.note ?? null, wake };
}
