import { RUNNING_CANDLE_MS } from '../model/limits.js';
import type { MarketSubscription } from './market-subscription.js';
import type { Timers } from './port.js';

/**
 * One market feed to all who subscribed to it, each frame rendered once. What changes all the time is shown at most
 * once in RUNNING_CANDLE_MS, to the newcomer as well:
 *
 *   show ─▶ latest ─▶ every RUNNING_CANDLE_MS ─▶ those who have not seen it
 *   keep ──────────▶ at once ─────────────────▶ all
 */
export class MarketChannel {
  readonly #timers: Timers;
  readonly #subscriptions = new Set<MarketSubscription>();
  #latest: Uint8Array | null = null;
  #shownAtMs = -Infinity;
  #isWaiting = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get isDeserted(): boolean {
    return this.#subscriptions.size === 0;
  }

  join(subscription: MarketSubscription): void {
    this.#subscriptions.add(subscription);
    this.#showSoon();
  }

  leave(subscription: MarketSubscription): void {
    this.#subscriptions.delete(subscription);
  }

  show(frame: Uint8Array): void {
    this.#latest = frame;
    this.#showSoon();
  }

  /** What was to be shown is older than this, and of no use to a newcomer. */
  keep(frame: Uint8Array): void {
    this.#latest = null;
    for (const subscription of this.#subscriptions) subscription.keep(frame);
  }

  #showSoon(): void {
    if (this.#isWaiting || this.#latest === null) return;
    const waitMs = this.#shownAtMs + RUNNING_CANDLE_MS - this.#timers.nowMs();
    if (waitMs <= 0) return this.#showNow();
    this.#isWaiting = true;
    this.#timers.after(waitMs, () => {
      this.#isWaiting = false;
      this.#showNow();
    });
  }

  #showNow(): void {
    if (this.#latest === null) return;
    this.#shownAtMs = this.#timers.nowMs();
    for (const subscription of this.#subscriptions) subscription.show(this.#latest);
  }
}
