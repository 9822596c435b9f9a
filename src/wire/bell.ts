/// <reference lib="es2024.sharedmemory" />

/**
 * A bell wakes one thread. Any thread that wrote something for it rings the bell. The number and the sender of the
 * rings do not matter: the woken thread checks all its rings. One shared word is the state:
 *
 *                       wait: nothing was rung
 *         ┌─────────┐ ──────────────────────────▶ ┌─────────┐
 *         │  AWAKE  │                             │ ASLEEP  │
 *         └─────────┘ ◀────────────────────────── └─────────┘
 *           │     ▲            timed out               │
 *      ring │     │ wait returns: check the rings      │ ring and notify: the only
 *           ▼     │                                    │ case with a system call
 *         ┌─────────┐                                  │
 *         │  RUNG   │ ◀────────────────────────────────┘
 *         └─────────┘
 *
 * No wake-up is lost. The producer publishes its message before it rings, and the consumer clears RUNG before it
 * checks. So the consumer sees the message, or the next wait returns at once.
 */
const AWAKE = 0;
const RUNG = 1;
const ASLEEP = 2;

const STATE_WORD = 0;
/** A cache line of its own, so that a ring does not slow down neighbouring data. */
const BELL_BYTES = 64;

/** A timer that never fires in practice. It keeps the event loop alive, with the longest delay of Node. */
const KEEP_ALIVE_MS = 2 ** 31 - 1;

/** Creates the memory of one consumer thread's bell. It is shared with every thread that rings it. */
export function createBell(): SharedArrayBuffer {
  return new SharedArrayBuffer(BELL_BYTES);
}

/** Rings a bell. Any number of threads may ring one bell. */
export class BellRinger {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#word = new Int32Array(memory);
  }

  /** Wakes the consumer, or keeps it awake. Call it after the write that it announces. */
  ring(): void {
    // The consumer has not taken an earlier ring yet. It checks its rings after this moment and needs no second ring.
    if (Atomics.load(this.#word, STATE_WORD) === RUNG) return;
    if (Atomics.exchange(this.#word, STATE_WORD, RUNG) === ASLEEP) Atomics.notify(this.#word, STATE_WORD);
  }
}

/** What rings a bell. */
export type Ringer = Pick<BellRinger, 'ring'>;

/** Rings several bells. */
export class BellRingers implements Ringer {
  readonly #ringers: readonly Ringer[];

  constructor(memories: readonly SharedArrayBuffer[]) {
    this.#ringers = memories.map((memory) => new BellRinger(memory));
  }

  ring(): void {
    for (const ringer of this.#ringers) ringer.ring();
  }
}

/** The bell of a thread that blocks, for example a shard. */
export class BlockingBell {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#word = new Int32Array(memory);
    clearStaleSleep(this.#word);
  }

  /**
   * Blocks until a ring since the last wait, or until `timeoutMs` is over (0 polls, Infinity waits without limit).
   * Returns at once for an earlier ring. One ring may end two waits, when its thread is delayed between the ring and
   * the notify.
   */
  wait(timeoutMs: number): 'rung' | 'timed out' {
    let isNotified = false;
    if (timeoutMs > 0 && Atomics.compareExchange(this.#word, STATE_WORD, AWAKE, ASLEEP) === AWAKE) {
      isNotified = Atomics.wait(this.#word, STATE_WORD, ASLEEP, timeoutMs) === 'ok';
    }
    const isRung = Atomics.exchange(this.#word, STATE_WORD, AWAKE) === RUNG;
    return isRung || isNotified ? 'rung' : 'timed out';
  }
}

/**
 * The bell of a thread with an event loop. It calls `onRing` once after one or many rings, never inside ring() or the
 * constructor. An error of onRing is uncaught, and the bell continues.
 *
 * Rings during onRing cause one more call in a later turn of the loop, so that sockets get their share under any
 * load. The bell keeps the thread alive until close(). A pending Atomics.waitAsync alone does not.
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

  /** Ends the calls of onRing. The bell no longer keeps the thread alive. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    // Settles the pending wait. V8 would otherwise keep it.
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

/** A thread that died asleep left ASLEEP in the word. Its successor is awake. */
function clearStaleSleep(word: Int32Array): void {
  Atomics.compareExchange(word, STATE_WORD, ASLEEP, AWAKE);
}
