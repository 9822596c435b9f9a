import { WS_MESSAGES_BURST_MAX, WS_MESSAGES_PER_SECOND } from '../model/limits.js';

/** How many messages a client may still send: a bucket of WS_MESSAGES_BURST_MAX that refills steadily. */
export class MessageBudget {
  #left = WS_MESSAGES_BURST_MAX;
  #countedAtMs: number;

  constructor(nowMs: number) {
    this.#countedAtMs = nowMs;
  }

  /** False when the client sends too fast. */
  take(nowMs: number): boolean {
    const refill = ((nowMs - this.#countedAtMs) * WS_MESSAGES_PER_SECOND) / 1000;
    this.#left = Math.min(WS_MESSAGES_BURST_MAX, this.#left + refill);
    this.#countedAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
