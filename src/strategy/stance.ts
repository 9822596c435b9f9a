import type { StrategyView, Wake } from '../model/intent.js';
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

/** What every strategy remembers between two looks at the market. */
export interface Stance {
  /** Nothing is placed before: a venue that refused, or a book that was emptied, is given time. 0: no hold. */
  readonly holdUntilMs: EpochMs;
  /** Refusals in a row that the hold has taken into account. */
  readonly refusals: number;
  readonly still: Still;
}

/** Numbers that a stance takes in a memory. */
export const STANCE_NUMBERS = 3;
const RELAXED: Stance = { holdUntilMs: 0 as EpochMs, refusals: 0, still: 'MOVING' };

/** Reads the stance that begins at number `from` of the memory. */
export function stanceOf(memory: StrategyMemory, from: number): Stance {
  // Each look reads one: by index, without a copy of its part of the memory.
  const { [from]: holdUntilMs = 0, [from + 1]: refusals = 0, [from + 2]: still = 0 } = memory;
  return { holdUntilMs: holdUntilMs as EpochMs, refusals, still: STILL[still] ?? RELAXED.still };
}

export function numbersOf({ holdUntilMs, refusals, still }: Stance): StrategyMemory {
  return [holdUntilMs, refusals, STILL.indexOf(still)];
}

export const RELAXED_NUMBERS: StrategyMemory = numbersOf(RELAXED);

/** The wait after so many refusals in a row: doubling, bounded. */
function backOffMs(refusals: number): DurationMs {
  return Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** (refusals - 1)) as DurationMs;
}

/** What a new refusal means for a strategy. */
export interface Setback {
  readonly stance: Stance;
  readonly note: Reason;
}

/**
 * The hold after refusals that the stance does not know of yet; null when there are none. A passing failure of the
 * venue is tried again after a back-off, a judgement of the child not before `nextAtMs` (null: the back-off alone);
 * neither before the venue said it would listen.
 */
export function setbackOf(view: StrategyView, stance: Stance, nextAtMs: EpochMs | null): Setback | null {
  const { state, nowMs } = view;
  const { refusals, lastRefusal } = state;
  if (lastRefusal === null || refusals <= stance.refusals) return null;
  const waitMs = Math.max(backOffMs(refusals), lastRefusal.retryAfterMs ?? 0);
  const holdUntilMs = Math.max(nowMs + waitMs, isPassing(lastRefusal) ? 0 : (nextAtMs ?? 0)) as EpochMs;
  const detail = `${lastRefusal.code}, ${refusals} in a row: ${lastRefusal.message}`;
  return { stance: { holdUntilMs, refusals, still: 'REFUSED' }, note: { code: 'REFUSED', detail } };
}

/** True while nothing may be placed. */
export function isHeld({ nowMs }: StrategyView, { holdUntilMs }: Stance): boolean {
  return nowMs < holdUntilMs;
}

/** The stance after placing: nothing more is placed for `holdMs`. */
export function afterPlacing({ state, nowMs }: StrategyView, holdMs: DurationMs): Stance {
  return { holdUntilMs: (nowMs + holdMs) as EpochMs, refusals: state.refusals, still: 'MOVING' };
}

/** What to remember and to note when an order comes to stand still; nothing while it stands for the same cause. */
export function standing(
  view: StrategyView,
  stance: Stance,
  still: Still,
  target: Lots | null,
): { readonly stance: Stance | null; readonly note: Reason | null } {
  if (stance.still === still) return { stance: null, note: null };
  return {
    stance: { ...stance, refusals: view.state.refusals, still },
    note: { code: still, detail: circumstances(view, target) },
  };
}

/** Wakes at the earliest of the times that lie ahead. */
export function wakeAt(
  nowMs: EpochMs,
  times: readonly (EpochMs | null)[],
  when: readonly MarketCondition[] = [],
): Wake {
  let atMs: EpochMs | null = null;
  for (const time of times) {
    if (time !== null && time > nowMs && (atMs === null || time < atMs)) atMs = time;
  }
  return { atMs, when };
}
