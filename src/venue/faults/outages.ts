import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { DurationMs, EpochMs } from '../../model/time.js';
import { arm, fits, type Armed, type Subject } from './armed-rule.js';
import type { Outage, OutageRule } from './fault-rule.js';

/** What whole venues or their prices suffer now, and when that changes. */
export class Outages {
  readonly #catalogue: InstrumentCatalogue;
  #rules: Armed<OutageRule>[] = [];

  constructor(catalogue: InstrumentCatalogue) {
    this.#catalogue = catalogue;
  }

  add(rule: OutageRule, startMs: EpochMs): void {
    this.#rules.push(arm(rule, startMs));
  }

  clear(): void {
    this.#rules = [];
  }

  isOn(outages: readonly Outage[], subject: Subject, nowMs: EpochMs): boolean {
    return this.remainingMs(outages, subject, nowMs) !== null;
  }

  /** How long an outage of these still lasts for the subject; null when none is on. */
  remainingMs(outages: readonly Outage[], subject: Subject, nowMs: EpochMs): DurationMs | null {
    let remaining: number | null = null;
    for (const { rule, fromAtMs, untilAtMs } of this.#rules) {
      if (nowMs < fromAtMs || nowMs >= untilAtMs || !outages.includes(rule.fault)) continue;
      if (fits(rule, subject, this.#catalogue)) remaining = Math.max(remaining ?? 0, untilAtMs - nowMs);
    }
    return remaining as DurationMs | null;
  }

  /** The next time at which an outage begins or ends; Infinity when nothing changes any more. Forgets those that are over. */
  nextChangeMs(nowMs: EpochMs): number {
    let next = Infinity;
    this.#rules = this.#rules.filter(({ untilAtMs }) => untilAtMs > nowMs);
    for (const { fromAtMs, untilAtMs } of this.#rules) {
      next = Math.min(next, fromAtMs > nowMs ? fromAtMs : untilAtMs);
    }
    return next;
  }
}
