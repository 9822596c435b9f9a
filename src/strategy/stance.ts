import type { StrategyView } from '../model/intent.js';
import { BACK_OFF_MS_MAX, BACK_OFF_MS_MIN } from '../model/limits.js';
import type { MarketCondition } from '../model/market.js';
import type { Reason, StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import { isPassing } from '../model/rejection.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { circumstances } from './placement.js';

/** Why an order stands still, in the order of their numbers in a strategy's memory. */
const STILL = [
  'MOVING',
  'MARKET_ONE_SIDED',
  'LIMIT_BINDS',
  'BELOW_MINIMUM',
  'REFUSED',
  'BEYOND_BAND',
  'BOOK_UNKNOWN',
] as const;
export type Still = (typeof STILL)[number];

/*
 * What every strategy, and every gate, remembers between two looks at the market is three numbers in its memory, from one
 * that it names:
 *
 *     at      until when nothing is placed: a venue that refused, or a book that was emptied, is given time; 0: no hold
 *     at + 1  refusals in a row that the hold has taken into account
 *     at + 2  why the order stands still
 *
 * They are read where they stand, and a memory that changes is copied once.
 */
export const STANCE_NUMBERS = 3;
export const RELAXED_NUMBERS: StrategyMemory = [0, 0, STILL.indexOf('MOVING')];

export const NO_CONDITIONS: readonly MarketCondition[] = [];

/** Until when nothing may be placed. */
export function heldUntilMs({ state }: StrategyView, at: number): EpochMs {
  return (state.memory[at] ?? 0) as EpochMs;
}

/** True while nothing may be placed. */
export function isHeld(view: StrategyView, at: number): boolean {
  return view.nowMs < heldUntilMs(view, at);
}

/** The wait after so many refusals in a row: doubling, bounded. */
function backOffMs(refusals: number): DurationMs {
  return Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** (refusals - 1)) as DurationMs;
}

/** What a new refusal means for a strategy. */
export interface Setback {
  readonly holdUntilMs: EpochMs;
  readonly memory: number[];
  readonly note: Reason;
}

/**
 * The hold after refusals that the stance does not know of yet; null when there are none. A passing failure of the
 * venue is tried again after a back-off, a judgement of the child not before `nextAtMs` (null: the back-off alone);
 * neither before the venue said it would listen.
 */
export function setbackOf(view: StrategyView, at: number, nextAtMs: EpochMs | null): Setback | null {
  const { refusals, lastRefusal, memory } = view.state;
  if (lastRefusal === null || refusals <= (memory[at + 1] ?? 0)) return null;
  const waitMs = Math.max(backOffMs(refusals), lastRefusal.retryAfterMs ?? 0);
  const holdUntilMs = Math.max(view.nowMs + waitMs, isPassing(lastRefusal) ? 0 : (nextAtMs ?? 0)) as EpochMs;
  const detail = `${lastRefusal.code}, ${refusals} in a row: ${lastRefusal.message}`;
  return {
    holdUntilMs,
    memory: memory.toSpliced(at, STANCE_NUMBERS, holdUntilMs, refusals, STILL.indexOf('REFUSED')),
    note: { code: 'REFUSED', detail },
  };
}

/** The memory after placing: nothing more is placed for `holdMs`. */
export function afterPlacing({ state, nowMs }: StrategyView, at: number, holdMs: DurationMs): number[] {
  return state.memory.toSpliced(at, STANCE_NUMBERS, nowMs + holdMs, state.refusals, STILL.indexOf('MOVING'));
}

/** The memory when nothing is to be placed before then, and the rest is as it was. */
export function afterHolding({ state }: StrategyView, at: number, untilMs: EpochMs): number[] {
  return state.memory.toSpliced(at, 1, untilMs);
}

/** What to remember and to note when an order comes to stand still. */
export interface Standing {
  readonly memory: number[];
  readonly note: Reason;
}

/** null while it stands for the same cause. */
export function standing(view: StrategyView, at: number, still: Still, target: Lots | null): Standing | null {
  const { memory, refusals } = view.state;
  const cause = STILL.indexOf(still);
  if (memory[at + 2] === cause) return null;
  return {
    memory: memory.toSpliced(at + 1, 2, refusals, cause),
    note: { code: still, detail: circumstances(view, target) },
  };
}

/** Wakes at the earlier of two times that lies ahead; null is never. */
export function wakeAt(
  nowMs: EpochMs,
  one: EpochMs | null,
  other: EpochMs | null = null,
  when: readonly MarketCondition[] = NO_CONDITIONS,
): { atMs: EpochMs | null; when: readonly MarketCondition[] } {
  return { atMs: sooner(nowMs, one, other), when };
}

/** The earlier of two times that lies ahead; null when neither does. */
export function sooner(nowMs: EpochMs, one: EpochMs | null, other: EpochMs | null): EpochMs | null {
  const first = one !== null && one > nowMs ? one : null;
  const second = other !== null && other > nowMs ? other : null;
  if (first === null || second === null) return first ?? second;
  return first < second ? first : second;
}
