import { WS_MESSAGES_BURST_SECONDS } from '../model/limits.js';

/** How many messages a client may still send: a bucket of WS_MESSAGES_BURST_SECONDS that refills steadily. */
export class MessageBudget {
  readonly #rate: number;
  #left: number;
  #countedAtMs: number;

  /** `rate`: messages a second; 0 = no limit. */
  constructor(rate: number, nowMs: number) {
    this.#rate = rate;
    this.#left = rate * WS_MESSAGES_BURST_SECONDS;
    this.#countedAtMs = nowMs;
  }

  /** False when the client sends too fast. */
  take(nowMs: number): boolean {
    if (this.#rate === 0) return true;
    const refill = ((nowMs - this.#countedAtMs) * this.#rate) / 1000;
    this.#left = Math.min(this.#rate * WS_MESSAGES_BURST_SECONDS, this.#left + refill);
    this.#countedAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
