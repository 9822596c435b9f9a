import type { StrategyView } from '../../domain/intent.js';
import { BACK_OFF_MS_MAX, BACK_OFF_MS_MIN } from '../../domain/limits/trading.js';
import type { MarketCondition } from '../../domain/market.js';
import type { GivenReason } from '../../domain/order.js';
import type { Lots } from '../../domain/quantity.js';
import { isPassing } from '../../domain/rejection.js';
import type { NotedIdleReason, Pacing } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { circumstances } from './child.js';

export const NO_CONDITIONS: readonly MarketCondition[] = [];

/** True while the pacing allows no placement. */
export function isHeld({ nowMs }: StrategyView, { heldUntilMs }: Pacing): boolean {
  return nowMs < heldUntilMs;
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
  return { pacing: { heldUntilMs, refusals, idle: 'REFUSED' }, note };
}

/** Returns the pacing after a placement: no further placement for `holdMs`. */
export function afterPlacing({ state, nowMs }: StrategyView, holdMs: DurationMs): Pacing {
  return { heldUntilMs: (nowMs + holdMs) as EpochMs, refusals: state.legs[0].refusals, idle: 'MOVING' };
}

/** Returns the pacing of an order that becomes idle for a reason; null when the pacing has this reason already. */
export function idleFor(
  view: StrategyView,
  { heldUntilMs, idle }: Pacing,
  reason: NotedIdleReason,
  target: Lots | null,
): PacingChange | null {
  if (idle === reason) return null;
  return {
    pacing: { heldUntilMs, refusals: view.state.legs[0].refusals, idle: reason },
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
