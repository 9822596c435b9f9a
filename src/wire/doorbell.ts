/// <reference lib="es2024.sharedmemory" />

/**
 * A bell wakes one thread. Whoever wrote something for that thread rings; it does not matter who or how often, for the
 * woken thread looks at all its rings. One shared word says how things stand:
 *
 *                      wait: nothing was rung
 *        ┌─────────┐ ──────────────────────────▶ ┌─────────┐
 *        │  AWAKE  │                             │ ASLEEP  │
 *        └─────────┘ ◀────────────────────────── └─────────┘
 *          │     ▲            timed out               │
 *     ring │     │ wait returns: look at the rings    │ ring and notify: the only
 *          ▼     │                                    │ case with a system call
 *        ┌─────────┐                                  │
 *        │  RUNG   │ ◀────────────────────────────────┘
 *        └─────────┘
 *
 * No ring is lost: the producer publishes its message before it rings, and the consumer takes RUNG away before it looks.
 * So either the consumer sees the message, or the ring came after the taking and the next wait returns at once.
 */
const AWAKE = 0;
const RUNG = 1;
const ASLEEP = 2;

const STATE_WORD = 0;
/** A cache line of its own, so that ringing does not slow down a neighbour. */
const BELL_BYTES = 64;

/** A timer that never fires in practice: it only keeps the event loop alive (the longest delay Node takes). */
const KEEP_ALIVE_MS = 2 ** 31 - 1;

/** Memory for the bell of one consumer thread, shared with every thread that rings it. */
export function createBell(): SharedArrayBuffer {
  return new SharedArrayBuffer(BELL_BYTES);
}

/** Any number of threads may ring one bell. */
export class BellRinger {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#word = new Int32Array(memory);
  }

  /** Wakes the consumer, or keeps it from falling asleep. Call it after the write it announces. */
  ring(): void {
    // The consumer has yet to take an earlier ring: it will look at the rings after this, so it needs no second one.
    if (Atomics.load(this.#word, STATE_WORD) === RUNG) return;
    if (Atomics.exchange(this.#word, STATE_WORD, RUNG) === ASLEEP) Atomics.notify(this.#word, STATE_WORD);
  }
}

/** The bell of a thread that blocks: a shard. */
export class BlockingBell {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#word = new Int32Array(memory);
    clearStaleSleep(this.#word);
  }

  /**
   * Blocks until rung since the last return of wait, or until `timeoutMs` is over (0 polls, Infinity waits for ever).
   * Returns at once if a ring came in between. A ring may count twice: its ringer can be held up between the ringing and
   * the notifying, which then ends the next wait. Before it blocks it looks for a ring for `spinUs`: when one is likely to
   * come at once, that is sooner there than a thread that the system must wake.
   */
  wait(timeoutMs: number, spinUs = 0): 'rung' | 'timed out' {
    if (spinUs > 0) this.#spin(Math.min(spinUs, timeoutMs * 1000));
    let isNotified = false;
    if (timeoutMs > 0 && Atomics.compareExchange(this.#word, STATE_WORD, AWAKE, ASLEEP) === AWAKE) {
      isNotified = Atomics.wait(this.#word, STATE_WORD, ASLEEP, timeoutMs) === 'ok';
    }
    const isRung = Atomics.exchange(this.#word, STATE_WORD, AWAKE) === RUNG;
    return isRung || isNotified ? 'rung' : 'timed out';
  }

  #spin(spinUs: number): void {
    const endMs = performance.now() + spinUs / 1000;
    while (Atomics.load(this.#word, STATE_WORD) !== RUNG && performance.now() < endMs);
  }
}

/**
 * The bell of a thread with an event loop: calls `onRing` once after one or many rings, never inside ring() or the
 * constructor. What onRing throws is uncaught, and the bell goes on.
 *
 * Rings during onRing lead to one more call, in a later turn of the loop, so that sockets get their share under any load.
 * Like a listening socket it keeps the thread alive until close(), which a pending Atomics.waitAsync alone does not.
 */
export class EventLoopBell {
  readonly #word: Int32Array;
  readonly #onRing: () => void;
  readonly #keepAlive = setInterval(() => undefined, KEEP_ALIVE_MS);
  #isClosed = false;

  constructor(memory: SharedArrayBuffer, onRing: () => void) {
    this.#word = new Int32Array(memory);
    this.#onRing = onRing;
    clearStaleSleep(this.#word);
    this.#arm();
  }

  /** After this onRing is not called again, and the bell no longer keeps the thread alive. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    // Settles the pending wait, which V8 would else hold on to.
    Atomics.store(this.#word, STATE_WORD, RUNG);
    Atomics.notify(this.#word, STATE_WORD);
  }

  #arm(): void {
    if (Atomics.compareExchange(this.#word, STATE_WORD, AWAKE, ASLEEP) === AWAKE) {
      const waiting = Atomics.waitAsync(this.#word, STATE_WORD, ASLEEP);
      if (waiting.async) {
        void waiting.value.then(this.#answer);
        return;
      }
    }
    setImmediate(this.#answer);
  }

  readonly #answer = (): void => {
    if (this.#isClosed) return;
    Atomics.store(this.#word, STATE_WORD, AWAKE);
    try {
      this.#onRing();
    } finally {
      if (!this.#isClosed) this.#arm();
    }
  };
}

/** A thread that died asleep left its state behind; its successor is awake. */
function clearStaleSleep(word: Int32Array): void {
  Atomics.compareExchange(word, STATE_WORD, ASLEEP, AWAKE);
}
