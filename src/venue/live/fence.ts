import { CLOCK_ERROR_MS_MAX } from '../../domain/limits/live.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { SendingRules } from './exchange-client.js';

/**
 * Time from the sending of a request to its execution at an exchange that states no bound. Binance waits 10 s for its
 * matching engine, then answers -1007: the outcome is unknown, and its receive window does not bound what the engine
 * does (binance-spot-api-docs, "General API information"). An answer that is lost may have been that one. In service
 * time, which runs 1.25 times as fast while it catches up with the wall clock: then it is 48 s.
 */
export const EXECUTION_MS_MAX = 60_000 as DurationMs;
/** The same after the expiry of a request, where the matching engine checks the expiry. */
export const AFTER_EXPIRY_MS = 10_000 as DurationMs;
/** Least time between the first look that finds nothing and the last one. */
export const ABSENCE_GAP_MS = 5_000 as DurationMs;

/** When a request was sent, and how wrong its timestamp may be. */
export interface Sent {
  readonly atMs: EpochMs;
  readonly clockErrorMs: number;
}

/**
 * Decides when "there is no such order" is final. A request may still be on its way, or wait for the matching engine: a
 * look-up that finds nothing proves nothing until the request can no longer be carried out.
 *
 *     sent ──── latest execution + margin + error of the timestamp ────▶ fence ──▶ look: absent ── 5 s ──▶ look: absent
 *
 * After a start of the process the time of sending is unknown. Then the request was sent before the start, with a clock
 * whose error was at most CLOCK_ERROR_MS_MAX.
 */
export class Fence {
  readonly #rules: SendingRules;
  readonly #startedAtMs: EpochMs;

  constructor(rules: SendingRules, startedAtMs: EpochMs) {
    this.#rules = rules;
    this.#startedAtMs = startedAtMs;
  }

  /** When a request can no longer be carried out. null: sent before this start. */
  of(sent: Sent | null): EpochMs {
    const { executionMsMax, marginMs } = this.#rules;
    const { atMs, clockErrorMs } = sent ?? { atMs: this.#startedAtMs, clockErrorMs: CLOCK_ERROR_MS_MAX };
    return (atMs + executionMsMax + marginMs + clockErrorMs) as EpochMs;
  }

  /**
   * The exchange knows every order that was placed at or after this time: some count their history from the placement.
   */
  knownSinceMs(askedAtMs: EpochMs): EpochMs {
    return Math.max(0, askedAtMs - this.#rules.orderHistoryMs) as EpochMs;
  }
}
