import type { StrategyMemory } from '../../model/order.js';
import type { EpochMs } from '../../model/time.js';

/** Why the leading leg is not worked, in the order of their numbers in the memory. */
const CAUSES = [
  'HEDGE_READY',
  'LEAD_BLIND',
  'HEDGE_BLIND',
  'HEDGE_LIMIT_BINDS',
  'HEDGE_REFUSED',
  'UNHEDGED_VALUE',
  'UNHEDGED_TIME',
] as const;
export type Cause = (typeof CAUSES)[number];

/** What a hedge remembers between two looks. */
export interface HedgeMemory {
  /** What one unit of the other leg's quote currency was worth in the leading one's when it was last hedged. */
  readonly quoteRate: number;
  /** Since when the leg has been behind; counts only while `level` is not reached. */
  readonly sinceMs: EpochMs;
  /** Tries in a row that did not fill. */
  readonly tries: number;
  readonly triedAtMs: EpochMs;
  /** Whose last try it was: the other leg's, or the leading one's. */
  readonly ofFollower: boolean;
  /** What that leg would have filled had the last try filled: once it has, what is owed is owed anew. */
  readonly level: number;
  readonly cause: Cause;
}

export const HEDGE_NUMBERS = 6;

export function hedgeMemoryOf(memory: StrategyMemory): HedgeMemory {
  const [quoteRate = 1, sinceMs = 0, tries = 0, triedAtMs = 0, level = 0, cause = 0] = memory;
  return {
    quoteRate,
    sinceMs: sinceMs as EpochMs,
    tries,
    triedAtMs: triedAtMs as EpochMs,
    ofFollower: level >= 0,
    level: Math.abs(level),
    cause: CAUSES[cause] ?? 'HEDGE_READY',
  };
}

/** A level of the leading leg stands below zero. */
export function hedgeNumbers(memory: HedgeMemory): StrategyMemory {
  const { quoteRate, sinceMs, tries, triedAtMs, ofFollower, level, cause } = memory;
  return [quoteRate, sinceMs, tries, triedAtMs, ofFollower ? level : 0 - level, CAUSES.indexOf(cause)];
}
