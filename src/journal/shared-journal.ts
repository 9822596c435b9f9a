import { JournalFailure } from './port.js';

const APPENDED_SEQ = 0;
const SEGMENT_BYTES = 1;
const RELEASED_SEQ = 2;
const COMMITTED_SEQ = 3;
const WORDS = 4;

/** Numbers of the last event that each step has done with. */
export interface JournalProgress {
  readonly appended: number;
  readonly released: number;
  readonly committed: number;
}

/**
 * What the threads of the process share about the journal besides LMDB, three seqs that a turn takes with it in turn:
 *
 *     appended ─── append, fdatasync ───▶ released ─── puts, commit ───▶ committed
 *
 * Appended equals the state's last seq whenever no turn is under way. If it does not, a turn has died between its append
 * and its commit, and nobody may append over what it left: the process has to start again and recover. A reader that
 * finds more released than committed waits for the rest: answers leave before LMDB has what they speak of.
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

  /** Fixed for the life of a data folder. */
  get segmentBytes(): number {
    return Number(this.#words[SEGMENT_BYTES]);
  }

  /** How far the three steps are. Read last to first: no step seems to be ahead of the one before it. */
  get progress(): JournalProgress {
    const committed = Number(Atomics.load(this.#words, COMMITTED_SEQ));
    const released = Number(Atomics.load(this.#words, RELEASED_SEQ));
    return { appended: Number(Atomics.load(this.#words, APPENDED_SEQ)), released, committed };
  }

  /** Under the journal's lock, before anything is written. Throws JournalFailure when an earlier turn was left unfinished. */
  beginAppend(lastSeq: number, newLastSeq: number): void {
    this.checkFinished(lastSeq);
    Atomics.store(this.#words, APPENDED_SEQ, BigInt(newLastSeq));
  }

  /** Under the journal's lock. Throws JournalFailure when a turn was appended that the state, at `lastSeq`, does not have. */
  checkFinished(lastSeq: number): void {
    const appended = Number(Atomics.load(this.#words, APPENDED_SEQ));
    if (appended !== lastSeq) {
      throw new JournalFailure(
        `a turn up to seq ${appended} was appended but not committed (the state has seq ${lastSeq}): start again`,
      );
    }
  }

  /** Under the journal's lock, once the turn is synced and before anything of it leaves the thread. */
  noteReleased(seq: number): void {
    Atomics.store(this.#words, RELEASED_SEQ, BigInt(seq));
  }

  /** After the commit, and so without the lock: a later turn may have been noted already. */
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

  /** Waits until all that is released now is committed; false when that takes longer than `timeoutMs`. */
  awaitCommit(timeoutMs: number): boolean {
    const released = Atomics.load(this.#words, RELEASED_SEQ);
    for (;;) {
      const committed = Atomics.load(this.#words, COMMITTED_SEQ);
      if (committed >= released) return true;
      if (Atomics.wait(this.#words, COMMITTED_SEQ, committed, timeoutMs) === 'timed-out') return false;
    }
  }
}
