import { JournalFailure } from './port.js';

const APPENDED_SEQ = 0;
const SEGMENT_BYTES = 1;
const WORDS = 2;

/**
 * What the threads of the process share about the journal besides LMDB: the last seq that anybody began to append.
 * It equals the state's last seq whenever no turn is under way. If it does not, a turn has died between its append and
 * its commit, and nobody may append over what it left: the process has to start again and recover.
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
    return words.buffer;
  }

  /** Fixed for the life of a data folder. */
  get segmentBytes(): number {
    return Number(this.#words[SEGMENT_BYTES]);
  }

  /** Under the journal's lock, before anything is written. Throws JournalFailure when an earlier turn was left unfinished. */
  beginAppend(lastSeq: number, newLastSeq: number): void {
    const appended = Number(Atomics.load(this.#words, APPENDED_SEQ));
    if (appended !== lastSeq) {
      throw new JournalFailure(
        `a turn up to seq ${appended} was appended but not committed (the state has seq ${lastSeq}): start again`,
      );
    }
    Atomics.store(this.#words, APPENDED_SEQ, BigInt(newLastSeq));
  }
}
