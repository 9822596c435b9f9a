import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { SendingRules } from './exchange-line.js';

/**
 * Time from the sending of a request to its execution at an exchange that states no bound. Binance waits 10 s for its
 * matching engine, then answers -1007: the outcome is unknown, and its receive window does not bound what the engine does
 * (binance-spot-api-docs, "General API information"). An answer that is lost may have been that one.
 */
export const EXECUTION_MS_MAX = 60_000 as DurationMs;
/** The same after the expiry of a request, where the matching engine checks the expiry. */
export const AFTER_EXPIRY_MS = 10_000 as DurationMs;
/** Least time between the first look that finds nothing and the last one. */
export const ABSENCE_GAP_MS = 5_000 as DurationMs;

/**
 * Decides when "there is no such order" is final. A request may still be on its way, or wait for the matching engine: a
 * look-up that finds nothing proves nothing until the request can no longer be carried out.
 *
 *     sent ──── latest execution + margin ────▶ fence ──▶ look: absent ── 5 s ──▶ look: absent ──▶ it is absent
 *
 * After a start of the process the time of sending is unknown. Then the request was sent before the start.
 */
export class Fence {
  readonly #rules: SendingRules;
  readonly #startedAtMs: EpochMs;

  constructor(rules: SendingRules, startedAtMs: EpochMs) {
    this.#rules = rules;
    this.#startedAtMs = startedAtMs;
  }

  /** When a request that was sent at `sentAtMs` can no longer be carried out. null: sent before this start. */
  of(sentAtMs: EpochMs | null): EpochMs {
    const { executionMsMax, marginMs } = this.#rules;
    return ((sentAtMs ?? this.#startedAtMs) + executionMsMax + marginMs) as EpochMs;
  }

  /** The exchange knows every order that was placed at or after this time: some count their history from the placement. */
  knownSinceMs(askedAtMs: EpochMs): EpochMs {
    return Math.max(0, askedAtMs - this.#rules.orderHistoryMs) as EpochMs;
  }
}
