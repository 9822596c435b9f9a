import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { SendingRules } from './exchange-line.js';

/** Time after which a request without an expiry counts as arrived or lost. */
export const UNBOUNDED_FENCE_MS = 60_000 as DurationMs;
/** Looks that must find nothing before an order of an exchange without an expiry counts as absent. */
const ABSENCES_WITHOUT_EXPIRY = 2;

/**
 * Decides when "there is no such order" is final. A request may still be on its way: a look-up that finds nothing proves
 * nothing until the request can no longer be carried out.
 *
 *     sent ──── expiry of the request + margin ────▶ fence ──▶ a look-up from here on counts
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
    const { expiryMs, marginMs } = this.#rules;
    const lastMs = sentAtMs ?? this.#startedAtMs;
    return (lastMs + (expiryMs ?? UNBOUNDED_FENCE_MS) + marginMs) as EpochMs;
  }

  /** Looks after the fence that must find nothing, one after the other. */
  get absencesNeeded(): number {
    return this.#rules.expiryMs === null ? ABSENCES_WITHOUT_EXPIRY : 1;
  }

  /** The exchange knows every order that was placed at or after this time: some count their history from the placement. */
  knownSinceMs(askedAtMs: EpochMs): EpochMs {
    return Math.max(0, askedAtMs - this.#rules.orderHistoryMs) as EpochMs;
  }
}
