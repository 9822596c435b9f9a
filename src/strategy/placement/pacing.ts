import type { StrategyView } from '../../domain/intent.js';
import { BACK_OFF_MS_MAX, BACK_OFF_MS_MIN, BOOK_REFILL_MS, MISSED_TAKE_MS_MAX } from '../../domain/limits/trading.js';
import type { MarketCondition } from '../../domain/market.js';
import type { GivenReason } from '../../domain/order.js';
import type { Lots } from '../../domain/quantity.js';
import { endOf } from '../../domain/order-state.js';
import { isPassing } from '../../domain/rejection.js';
import { INITIAL_PACING, type NotedIdleReason, type Pacing } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { circumstances, takingNow } from './child.js';

/** Largest part of the time until its end that an order waits longer. */
const MISSED_TAKE_PART = 0.25;

export const NO_CONDITIONS: readonly MarketCondition[] = [];

/** True while the pacing allows no placement. */
export function isHeld(view: StrategyView, pacing: Pacing): boolean {
  return view.nowMs < heldUntilMs(view, pacing);
}

/**
 * End of the hold. It is later after takes in a row that took nothing. An exchange that does not trade at the price
 * that it shows would otherwise get as many orders as fit into the account's request rate, and the account's other
 * orders would wait. A fill ends the longer hold, and the end of the order shortens it.
 */
export function heldUntilMs(view: StrategyView, pacing: Pacing): EpochMs {
  const { takes, filledAtTake, heldUntilMs: untilMs } = pacing;
  const { order, startedAtMs, legs } = view.state;
  if (takes < 2 || legs[0].progress.filled > filledAtTake) return untilMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? Infinity;
  const leftMs = Math.max(0, Math.floor((endMs - untilMs) * MISSED_TAKE_PART));
  return (untilMs + Math.min(leftMs, missedMs(takes))) as EpochMs;
}

/**
 * Wait in ms beyond the hold after `takes` takes that took nothing. With a hold of BOOK_REFILL_MS each whole wait is
 * twice the one before, from the third on, up to MISSED_TAKE_MS_MAX.
 */
function missedMs(takes: number): number {
  return Math.min(MISSED_TAKE_MS_MAX, BOOK_REFILL_MS * 2 ** (takes - 2)) - BOOK_REFILL_MS;
}

/** Wait in ms after a number of consecutive refusals: doubles each time, up to BACK_OFF_MS_MAX. */
function backOffMs(refusals: number): DurationMs {
  return Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** (refusals - 1)) as DurationMs;
}

/** A change of pacing and the note about it for the journal. */
export interface PacingChange {
  readonly pacing: Pacing;
  readonly note: GivenReason;
}

/**
 * Returns the hold after new refusals; null when the pacing already covers them. After a temporary failure of the
 * exchange, the order waits for the back-off. After a rejection of the child itself, it also waits until `nextAtMs`
 * (null: only the back-off). In both cases it waits at least for the exchange's retry time.
 */
export function setbackOf(view: StrategyView, pacing: Pacing, nextAtMs: EpochMs | null): PacingChange | null {
  const { refusals, lastRefusal } = view.state.legs[0];
  if (lastRefusal === null || refusals <= pacing.refusals) return null;
  const waitMs = Math.max(backOffMs(refusals), lastRefusal.retryAfterMs ?? 0);
  const heldUntilMs = Math.max(view.nowMs + waitMs, isPassing(lastRefusal) ? 0 : (nextAtMs ?? 0)) as EpochMs;
  const detail = `${lastRefusal.code}: ${lastRefusal.message}`;
  const note = { code: 'REFUSED', detail, figures: [refusals, heldUntilMs] } as const;
  return { pacing: { ...INITIAL_PACING.pacing, heldUntilMs, refusals, idle: 'REFUSED' }, note };
}

/** Returns the pacing after a placement that rests: no further placement for `holdMs`. */
export function afterPlacing({ state, nowMs }: StrategyView, holdMs: DurationMs): Pacing {
  const { refusals } = state.legs[0];
  return { heldUntilMs: (nowMs + holdMs) as EpochMs, refusals, idle: 'MOVING', takes: 0, filledAtTake: 0 as Lots };
}

/**
 * Returns the pacing after a placement that takes: no further placement for `holdMs`. While an earlier take may still
 * fill, it does not count as one that took nothing.
 */
export function afterTaking(view: StrategyView, before: Pacing, holdMs: DurationMs): Pacing {
  const { filled } = view.state.legs[0].progress;
  const counted = takingNow(view) > 0 ? before.takes - 1 : before.takes;
  const takes = filled > before.filledAtTake ? 1 : Math.max(0, counted) + 1;
  return { ...afterPlacing(view, holdMs), takes, filledAtTake: filled };
}

/** Returns the pacing of an order that becomes idle for a reason; null when the pacing has this reason already. */
export function idleFor(
  view: StrategyView,
  pacing: Pacing,
  reason: NotedIdleReason,
  target: Lots | null,
): PacingChange | null {
  if (pacing.idle === reason) return null;
  return {
    pacing: { ...pacing, refusals: view.state.legs[0].refusals, idle: reason },
    note: { code: reason, detail: '', figures: circumstances(view, target) },
  };
}

/** Wakes at the earlier future time of two; null: never. */
export function wakeAt(
  nowMs: EpochMs,
  one: EpochMs | null,
  other: EpochMs | null = null,
  when: readonly MarketCondition[] = NO_CONDITIONS,
): { atMs: EpochMs | null; when: readonly MarketCondition[] } {
  return { atMs: sooner(nowMs, one, other), when };
}

/** Returns the earlier future time of two; null when neither is in the future. */
export function sooner(nowMs: EpochMs, one: EpochMs | null, other: EpochMs | null): EpochMs | null {
  const first = one !== null && one > nowMs ? one : null;
  const second = other !== null && other > nowMs ? other : null;
  if (first === null || second === null) return first ?? second;
  return first < second ? first : second;
}
