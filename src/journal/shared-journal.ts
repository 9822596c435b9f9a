import { JournalFailure } from './port.js';

const APPENDED_SEQ = 0;
const SEGMENT_BYTES = 1;
const RELEASED_SEQ = 2;
const COMMITTED_SEQ = 3;
const WORDS = 4;

/** Seq of the last event that each step has completed. */
export interface JournalProgress {
  readonly appended: number;
  readonly released: number;
  readonly committed: number;
}

/**
 * Shares the journal's progress between the threads of the process. Each turn raises three seqs in order:
 *
 *     appended ─── append, fdatasync ───▶ released ─── puts, commit ───▶ committed
 *
 * `appended` equals the state's last seq when no turn is in progress. Otherwise a turn died between its append and
 * its commit. No thread may append over its entries: the process must start again and recover. `released` may be
 * ahead of `committed`, because answers leave before the commit. A reader then waits for the commit.
 */
export class SharedJournal {
  readonly #words: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new BigInt64Array(memory);
  }

  static create(lastSeq: number, segmentBytes: number): SharedArrayBuffer {
    const words = new BigInt64Array(new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT));
    words[APPENDED_SEQ] = BigInt(lastSeq);
    words[SEGMENT_BYTES] = BigInt(segmentBytes);
    words[RELEASED_SEQ] = BigInt(lastSeq);
    words[COMMITTED_SEQ] = BigInt(lastSeq);
    return words.buffer;
  }

  /** Fixed for the lifetime of a data folder. */
  get segmentBytes(): number {
    return Number(this.#words[SEGMENT_BYTES]);
  }

  /** Progress of the three steps. Reads the last step first, so that no step appears to be ahead of an earlier one. */
  get progress(): JournalProgress {
    const committed = Number(Atomics.load(this.#words, COMMITTED_SEQ));
    const released = Number(Atomics.load(this.#words, RELEASED_SEQ));
    return { appended: Number(Atomics.load(this.#words, APPENDED_SEQ)), released, committed };
  }

  /** Call under the journal's lock, before any write. Throws JournalFailure when an earlier turn is unfinished. */
  beginAppend(lastSeq: number, newLastSeq: number): void {
    this.checkFinished(lastSeq);
    Atomics.store(this.#words, APPENDED_SEQ, BigInt(newLastSeq));
  }

  /** Call under the journal's lock. Throws JournalFailure when the state, at `lastSeq`, lacks an appended turn. */
  checkFinished(lastSeq: number): void {
    const appended = Number(Atomics.load(this.#words, APPENDED_SEQ));
    if (appended !== lastSeq) {
      throw new JournalFailure(
        `a turn up to seq ${appended} was appended but not committed (the state has seq ${lastSeq}): start again`,
      );
    }
  }

  /** Call under the journal's lock, after the sync and before anything of the turn leaves the thread. */
  noteReleased(seq: number): void {
    Atomics.store(this.#words, RELEASED_SEQ, BigInt(seq));
  }

  /** Call after the commit, without the lock. Another thread may already have noted a later turn. */
  noteCommitted(seq: number): void {
    const committed = BigInt(seq);
    let known = Atomics.load(this.#words, COMMITTED_SEQ);
    while (known < committed) {
      const found = Atomics.compareExchange(this.#words, COMMITTED_SEQ, known, committed);
      if (found === known) break;
      known = found;
    }
    Atomics.notify(this.#words, COMMITTED_SEQ);
  }

  /**
   * Waits until everything released before the call is committed. Returns false when that takes longer than
   * `timeoutMs`.
   */
  awaitCommit(timeoutMs: number): boolean {
    const released = Atomics.load(this.#words, RELEASED_SEQ);
    for (;;) {
      const committed = Atomics.load(this.#words, COMMITTED_SEQ);
      if (committed >= released) return true;
      if (Atomics.wait(this.#words, COMMITTED_SEQ, committed, timeoutMs) === 'timed-out') return false;
    }
  }
}
