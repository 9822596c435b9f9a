import { SESSION_REQUESTS_PER_TURN_MAX } from '../domain/limits/clients.js';

/** Starts one request. It calls `onAdmitted` once or more often, at once or later. */
type Start = (onAdmitted: () => void) => void;

/**
 * Starts the requests of one session in the order sent: each when the one before it is admitted. Most requests are
 * admitted at once. A batch is admitted in several turns of the event loop, and the requests after it wait. They also
 * start when the session has ended, like requests over REST whose client has left.
 */
export class SessionAdmission {
  readonly #soon: (run: () => void) => void;
  #waiting: Start[] = [];
  /** The request that is not admitted yet; null: none. */
  #current: Start | null = null;
  #isStarting = false;

  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  add(start: Start): void {
    if (this.#current !== null || this.#isStarting || this.#waiting.length > 0) this.#waiting.push(start);
    else this.#start(start);
  }

  #start(start: Start): void {
    this.#current = start;
    start(() => {
      if (this.#current !== start) return;
      this.#current = null;
      if (this.#waiting.length > 0) this.#startWaiting();
    });
  }

  /** A request may be admitted within its start. The loop then continues, so the calls do not nest. */
  #startWaiting(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    let count = 0;
    while (this.#current === null && count < SESSION_REQUESTS_PER_TURN_MAX) {
      const next = this.#waiting[count];
      if (next === undefined) break;
      count += 1;
      this.#start(next);
    }
    this.#waiting = this.#waiting.slice(count);
    this.#isStarting = false;
    if (this.#current === null && this.#waiting.length > 0) this.#soon(() => this.#startWaiting());
  }
}
