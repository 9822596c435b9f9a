import { LEAD_SYNC_US_MAX, LEAD_SYNCS_JUDGED } from '../domain/limits/process.js';

/*
 * Who leads the journal: numbers, writes and syncs.
 *
 *                       tryTake                        claim: the journal thread wants it
 *          ┌────────┐ ─────────────────▶ ┌──────────┐ ────────────────────────────────────▶ ┌───────────────────┐
 *          │  FREE  │                    │ a thread │                                       │ a thread │ WANTED │
 *          └────────┘ ◀───────────────── └──────────┘                                       └───────────────────┘
 *            │    ▲            free                                                                   │
 *      claim │    │ free                                                   free: ring the journal     │
 *            ▼    │                                                        thread, which leads now    │
 *          ┌────────────────────┐                                                                     │
 *          │ the journal thread │ ◀───────────────────────────────────────────────────────────────────┘
 *          └────────────────────┘
 *
 * The word changes only by compare-exchange, so there is one leader at most. The exchange also orders memory: what a
 * leader wrote before `free` (positions of rings, numbers of feeds, durable seq) is there for the thread that has the
 * word next. A thread that does not get the word rings the journal thread, which waits at its bell and goes on
 * beating. It gets the word next, so no thread that leads often keeps the turns of the others waiting.
 *
 * A leader that dies never frees the word. Its process must end, because its last write is unfinished or unanswered.
 */
const FREE = 0;
const WANTED = 2 ** 30;

/** Threads by their number in the word. A shard has the number `shardLeader`. */
export const JOURNAL_LEADER = 1;
export const MAIN_LEADER = 2;

export function shardLeader(shard: number): number {
  return MAIN_LEADER + 1 + shard;
}

const LEADER_WORD = 0;
const SYNC_COUNT_WORD = 1;
const SYNC_TIMES_FROM = 2;
const TEXT_LENGTH_WORD = SYNC_TIMES_FROM + LEAD_SYNCS_JUDGED;
const WORDS = TEXT_LENGTH_WORD + 1;
const TEXT_FROM = WORDS * Int32Array.BYTES_PER_ELEMENT;
/** Bytes of the reason of a failure. */
const TEXT_BYTES_MAX = 1_000;

export function createLead(): SharedArrayBuffer {
  return new SharedArrayBuffer(TEXT_FROM + TEXT_BYTES_MAX);
}

/** The shared word of the leader, the times of the latest syncs, and the reason when the disk has failed. */
export class Lead {
  readonly #words: Int32Array;
  readonly #text: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#text = new Uint8Array(memory, TEXT_FROM);
  }

  /** Takes the word when no thread has it. */
  tryTake(thread: number): boolean {
    return Atomics.compareExchange(this.#words, LEADER_WORD, FREE, thread) === FREE;
  }

  /**
   * Takes or keeps the word for the journal thread. False: the leader rings the journal thread when it frees the word.
   */
  claim(): boolean {
    for (;;) {
      const seen = Atomics.compareExchange(this.#words, LEADER_WORD, FREE, JOURNAL_LEADER);
      if (seen === FREE || seen === JOURNAL_LEADER) return true;
      // The word may have become free meanwhile. Then the exchange fails, and the journal thread tries again.
      if (Atomics.compareExchange(this.#words, LEADER_WORD, seen, seen | WANTED) === seen) return false;
    }
  }

  /** Only the leader calls it. True: the journal thread wanted the word and leads now, so ring its bell. */
  free(): boolean {
    for (;;) {
      const seen = Atomics.load(this.#words, LEADER_WORD);
      const next = (seen & WANTED) === 0 ? FREE : JOURNAL_LEADER;
      if (Atomics.compareExchange(this.#words, LEADER_WORD, seen, next) === seen) return next !== FREE;
    }
  }

  isHeldBy(thread: number): boolean {
    return (Atomics.load(this.#words, LEADER_WORD) & ~WANTED) === thread;
  }

  /** Notes how long a write and its sync took. Only the leader calls it. */
  noteSync(ms: number): void {
    const count = Atomics.add(this.#words, SYNC_COUNT_WORD, 1) >>> 0;
    Atomics.store(this.#words, SYNC_TIMES_FROM + (count % LEAD_SYNCS_JUDGED), Math.ceil(ms * 1_000));
  }

  /** True when the median of the latest syncs is at most LEAD_SYNC_US_MAX. False before there are enough of them. */
  get isFast(): boolean {
    if (Atomics.load(this.#words, SYNC_COUNT_WORD) >>> 0 < LEAD_SYNCS_JUDGED) return false;
    let fast = 0;
    for (let index = 0; index < LEAD_SYNCS_JUDGED; index += 1) {
      if (Atomics.load(this.#words, SYNC_TIMES_FROM + index) <= LEAD_SYNC_US_MAX) fast += 1;
    }
    return fast > LEAD_SYNCS_JUDGED / 2;
  }

  /** Why the journal has failed. Call `noteFailure` before other threads learn of the failure. */
  get failure(): string {
    return Buffer.from(this.#text.slice(0, Atomics.load(this.#words, TEXT_LENGTH_WORD))).toString('utf8');
  }

  noteFailure(reason: string): void {
    const text = Buffer.from(reason, 'utf8').subarray(0, TEXT_BYTES_MAX);
    this.#text.set(text);
    Atomics.store(this.#words, TEXT_LENGTH_WORD, text.length);
  }
}
