import type { StrategyDecision, StrategyView } from '../model/intent.js';
import { BOOK_REFILL_MS, MARKET_REACH_PPM } from '../model/limits.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import { QUIET } from './all-at-once.js';
import {
  cancel,
  circumstances,
  farTouch,
  isAsAggressive,
  place,
  placeable,
  reached,
  restingChildren,
  restOf,
  unplaced,
} from './placement.js';
import { afterPlacing, isHeld, setbackOf, wakeAt, type Stance } from './stance.js';

export interface Sweep {
  /** How much of the order is to be done this way, whatever of it rests in the book now. */
  readonly wanted: Lots;
  /** Worst price, already inside the order's limit. */
  readonly price: Ticks;
  readonly code: string;
}

export interface Decided {
  readonly decision: StrategyDecision;
  /** What is remembered of placing and being refused. */
  readonly stance: Stance;
}

/** null when there is nothing to do. */
export type Swept = Decided | null;

/**
 * Takes what the book has up to a price, or as far beyond the touch as a market order reaches: venues refuse what lies
 * further. What rests is withdrawn first where it is needed for that.
 */
export function sweep(view: StrategyView, { wanted: whole, price: worst, code }: Sweep, stance: Stance): Swept {
  const { side } = view.state.order;
  const wanted = Math.max(0, whole - takingNow(view)) as Lots;
  const reach = reached(side, farTouch(side, view.market), MARKET_REACH_PPM);
  const price = isAsAggressive(side, worst, reach) ? reach : worst;
  const free = unplaced(view);
  const resting = restingChildren(view);
  let freeable: number = free;
  for (const child of resting) freeable += restOf(child);
  if (placeable({ ...view, working: (view.working - (freeable - free)) as Lots }, wanted, price) === 0) return null;
  const setback = setbackOf(view, stance, null);
  if (setback !== null) {
    return { decision: { ...waiting(view, setback.stance), note: setback.note }, stance: setback.stance };
  }
  // What is being withdrawn will be free in a moment.
  const isWithdrawing = view.state.children.some((child) => child.state === 'CANCEL_IN_FLIGHT');
  if (isHeld(view, stance) || isWithdrawing) return { decision: waiting(view, stance), stance };
  const reason = { code, detail: `wanted=${wanted} price=${price} ${circumstances(view, null)}` };
  if (wanted > free && resting.length > 0) {
    return { decision: { ...QUIET, intents: cancel(resting, reason) }, stance };
  }
  const quantity = placeable(view, wanted, price);
  if (quantity === 0) return null;
  const intents = place(view, quantity, null, { kind: 'take', price }, reason);
  return { decision: { ...QUIET, intents }, stance: afterPlacing(view, BOOK_REFILL_MS as DurationMs) };
}

/** What is on its way to be taken: it may be filled in full before the venue is heard of again. */
function takingNow({ state }: StrategyView): number {
  let taking = 0;
  for (const child of state.children) if (child.order.timeInForce === 'IOC') taking += restOf(child);
  return taking;
}

function waiting({ nowMs }: StrategyView, { holdUntilMs }: Stance): StrategyDecision {
  return { ...QUIET, wake: wakeAt(nowMs, [holdUntilMs]) };
}
