/** Slots of the threads that exist once. A shard beats in its own memory. */
export const BEAT_SLOTS = { main: 0, watchdog: 1, venue: 2, keeper: 3 } as const;

const SLOT_COUNT = Object.keys(BEAT_SLOTS).length;

/** A word for each thread, which grows while the thread moves. A thread that waits wakes at least every BEAT_MS_MAX. */
export class ThreadBeats {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  static create(): SharedArrayBuffer {
    return new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT);
  }

  beat(slot: number): void {
    Atomics.add(this.#words, slot, 1);
  }

  read(slot: number): number {
    return Atomics.load(this.#words, slot);
  }
}
