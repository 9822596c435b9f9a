import { WS_FLUSH_TURN_MS_MAX } from '../domain/limits/clients.js';
import { FairQueue } from '../domain/queues.js';
import type { Timers } from './port.js';

/** Sends the frames that wait for one socket. It is the same function for all frames of the socket. */
type Flush = () => void;

/**
 * Spreads the frames of many sockets over turns of the event loop, so that a frame for all streams of an account does
 * not delay the requests of others. The first ones leave at the end of the present callback:
 *
 *     add ─▶ queue ─▶ microtask: account after account, for WS_FLUSH_TURN_MS_MAX ─▶ the rest: the next turn
 */
export class FlushTurns {
  readonly #timers: Pick<Timers, 'nowMs' | 'soon'>;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new FairQueue<string, Flush>();
  #isScheduled = false;

  constructor(timers: Pick<Timers, 'nowMs' | 'soon'>, onFault: (error: unknown) => void) {
    this.#timers = timers;
    this.#onFault = onFault;
  }

  /** Runs `flush` once, soon. One that already waits is not added twice. `owner`: its account. */
  add(owner: string, flush: Flush): void {
    this.#waiting.add(owner, flush);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#turn);
  }

  readonly #turn = (): void => {
    const endMs = this.#timers.nowMs() + WS_FLUSH_TURN_MS_MAX;
    do {
      const flush = this.#waiting.take();
      if (flush === undefined) break;
      this.#run(flush);
    } while (this.#timers.nowMs() < endMs);
    this.#isScheduled = !this.#waiting.isEmpty;
    if (this.#isScheduled) this.#timers.soon(this.#turn);
  };

  #run(flush: Flush): void {
    try {
      flush();
    } catch (error) {
      this.#onFault(error);
    }
  }
}
