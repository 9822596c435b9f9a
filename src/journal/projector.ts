import type { FoldableEvent } from '../domain/event.js';
import type { AccountId } from '../domain/ids.js';
import { PROJECTION_ATTEMPTS_MAX, PROJECTION_DELAY_MS } from '../domain/limits/process.js';
import { nodeDisk } from '../storage/disk.js';
import type { DataFormat } from '../storage/format/format-steps.js';
import { journalFolder, stateFolder } from '../storage/data-directory.js';
import { JournalTail } from './journal-tail.js';
import { type Fold, Replay } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { SharedJournal } from './shared-journal.js';
import { decodeFoldable } from '../wire/codec/envelope.js';
import type { JournalWords } from '../wire/worker-data.js';
import { emptyHead, openStateTables, readHead, type StateTables } from './state/state-tables.js';

export interface ProjectorOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly fold: Fold;
  /** Counts the bytes that each account has written. Default: they are not counted. */
  readonly countBytes?: (account: AccountId, bytes: number) => void;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
  /** Called when LMDB has refused a transaction that is now repeated. */
  readonly onRepeat?: (error: Error) => void;
}

/** Error codes of LMDB itself; those of the disk are other numbers. */
const LMDB_CODE_MIN = -30_799;
const LMDB_CODE_MAX = -30_768;

/**
 * Follows the journal: puts durable events into LMDB, as a replay does at a start. It is the only writer of the event
 * tables. So LMDB is never ahead of the journal, and live operation and recovery write the same bytes.
 */
export class Projector {
  readonly #tables: StateTables;
  readonly #shared: SharedJournal;
  readonly #folder: SegmentFolder;
  readonly #fold: Fold;
  readonly #decode: (payload: Uint8Array) => FoldableEvent;
  readonly #onRepeat: (error: Error) => void;
  #tail: JournalTail;
  #replay: Replay;
  /** Number of transactions in a row that LMDB has refused. */
  #refusedCount = 0;

  constructor({ dataDir, shared, fold, format, countBytes, onRepeat = () => undefined }: ProjectorOptions) {
    this.#shared = new SharedJournal(shared);
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, nodeDisk, format);
    this.#fold = fold;
    this.#decode = (payload) => {
      const envelope = decodeFoldable(payload);
      countBytes?.(envelope.account, payload.length);
      return envelope;
    };
    this.#onRepeat = onRepeat;
    [this.#replay, this.#tail] = this.#afterLastCommit();
  }

  /** Continues with the first entry that LMDB lacks. */
  #afterLastCommit(): [Replay, JournalTail] {
    const [firstSegment = FIRST_SEGMENT] = this.#folder.numbers();
    this.#tables.root.resetReadTxn();
    const head = readHead(this.#tables) ?? emptyHead(this.#folder.startOf(firstSegment));
    this.#tables.root.resetReadTxn();
    const tail = new JournalTail(this.#folder, { seq: head.lastSeq + 1, position: head.end });
    return [new Replay(this.#tables, this.#fold, head, this.#decode), tail];
  }

  /** True when LMDB contains every durable event. */
  get isCurrent(): boolean {
    return this.#shared.durableSeq === this.#replay.head.lastSeq;
  }

  /** Lets more events come, so that one transaction takes more of them. A waiting reader ends the wait. */
  collect(): void {
    this.#shared.awaitReader(this.#replay.head.lastSeq, PROJECTION_DELAY_MS);
  }

  /** Puts what is durable now. */
  round(): void {
    // The end is read after the seq, so it is not before the end of that event.
    const { durableSeq } = this.#shared;
    if (this.isCurrent) return;
    const turns = this.#tail.turns(durableSeq, this.#shared.durableEnd);
    try {
      this.#replay.run(turns, Infinity, (lastSeq) => this.#shared.noteProjected(lastSeq));
    } catch (error) {
      this.#beginAgain(error);
      return;
    }
    this.#refusedCount = 0;
  }

  /**
   * Begins again after the last commit when LMDB has refused a transaction. On rare occasions its search for free pages
   * fails (MDB_BAD_VALSIZE, MDB_NOTFOUND). The abort clears what that search remembers, so the same transaction
   * succeeds then. Throws any other error, and after PROJECTION_ATTEMPTS_MAX refusals in a row.
   */
  #beginAgain(error: unknown): void {
    this.#refusedCount += 1;
    if (!isOfLmdb(error) || this.#refusedCount >= PROJECTION_ATTEMPTS_MAX) throw error;
    this.#onRepeat(error);
    this.#tail.close();
    [this.#replay, this.#tail] = this.#afterLastCommit();
  }

  close(): void {
    this.#tail.close();
    void this.#tables.root.close();
  }
}

function isOfLmdb(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = Number(error.code);
  return code >= LMDB_CODE_MIN && code <= LMDB_CODE_MAX;
}
