import type { AccountId } from '../model/ids.js';
import { CANCEL_SWITCH_RETRY_MS } from '../model/limits.js';
import type { DurationMs } from '../model/time.js';
import { isUnavailability } from './errors.js';
import type { OrderCancellation } from './order-cancellation.js';
import type { CancelSwitchStore, HttpLog } from './port.js';

export interface CancelSwitchesParts {
  readonly store: CancelSwitchStore;
  readonly cancellation: Pick<OrderCancellation, 'cancelAll'>;
  /** Real time of day in milliseconds: what a client is told. */
  readonly realNowMs: () => number;
  /** Real time that follows the wall clock without its steps: what is stored, so that a step moves no switch. */
  readonly steadyRealMs: () => number;
  readonly log: HttpLog;
}

/**
 * Dead man's switches: every open order of an account is cancelled when its switch is not renewed in time. A switch
 * stays stored until all of them have their cancel, so that no crash and no shard that is down lets one pass.
 */
export class CancelSwitches {
  readonly #parts: CancelSwitchesParts;
  readonly #triggerAtMs: Map<AccountId, number>;
  readonly #timers = new Map<AccountId, NodeJS.Timeout>();

  /** Takes up what was stored; what has passed meanwhile takes effect with the next turn of the loop. */
  constructor(parts: CancelSwitchesParts) {
    this.#parts = parts;
    this.#triggerAtMs = new Map(parts.store.load());
    for (const account of this.#triggerAtMs.keys()) this.#arm(account);
  }

  /** `timeoutMs` of real time from now; 0: off. Answers when that is on disk: when it takes effect, null when off. */
  set(account: AccountId, timeoutMs: DurationMs, answer: (triggerAtMs: number | null) => void): void {
    const { realNowMs, steadyRealMs, store } = this.#parts;
    const triggerAtMs = timeoutMs === 0 ? null : steadyRealMs() + timeoutMs;
    const shownAtMs = timeoutMs === 0 ? null : realNowMs() + timeoutMs;
    if (triggerAtMs === null) this.#triggerAtMs.delete(account);
    else this.#triggerAtMs.set(account, triggerAtMs);
    this.#arm(account);
    store.put(account, triggerAtMs, () => answer(shownAtMs));
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(account: AccountId, notBeforeMs = 0): void {
    clearTimeout(this.#timers.get(account));
    this.#timers.delete(account);
    const triggerAtMs = this.#triggerAtMs.get(account);
    if (triggerAtMs === undefined) return;
    const waitMs = Math.max(0, triggerAtMs - this.#parts.steadyRealMs(), notBeforeMs);
    this.#timers.set(
      account,
      setTimeout(() => this.#trigger(account, triggerAtMs), waitMs),
    );
  }

  #trigger(account: AccountId, triggerAtMs: number): void {
    this.#parts.cancellation.cancelAll(account, ({ orderIds, refusals }) => {
      // It was renewed while the orders were being cancelled.
      if (this.#triggerAtMs.get(account) !== triggerAtMs) return;
      const isUndone = [...refusals.values()].some(({ code }) => isUnavailability(code));
      if (isUndone) return this.#arm(account, CANCEL_SWITCH_RETRY_MS);
      this.#parts.log.info({ account, orders: orderIds.length }, 'not renewed in time: every open order is cancelled');
      this.#triggerAtMs.delete(account);
      this.#timers.delete(account);
      this.#parts.store.put(account, null, () => undefined);
    });
  }
}
