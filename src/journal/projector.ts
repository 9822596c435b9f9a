import { PROJECTION_DELAY_MS } from '../domain/limits/process.js';
import { nodeDisk } from '../storage/disk.js';
import type { DataFormat } from '../storage/format/format-steps.js';
import { journalFolder, stateFolder } from '../storage/data-directory.js';
import { JournalTail } from './journal-tail.js';
import { type Fold, Replay } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { emptyHead, openStateTables, readHead, type StateTables } from './state/state-tables.js';

export interface ProjectorOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly fold: Fold;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
}

/**
 * Follows the journal: puts durable events into LMDB, as a replay does at a start. It is the only writer of the event
 * tables. So LMDB is never ahead of the journal, and live operation and recovery write the same bytes.
 */
export class Projector {
  readonly #tables: StateTables;
  readonly #shared: SharedJournal;
  readonly #tail: JournalTail;
  readonly #replay: Replay;

  constructor({ dataDir, shared, fold, format }: ProjectorOptions) {
    this.#shared = new SharedJournal(shared);
    this.#tables = openStateTables(stateFolder(dataDir));
    const folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, nodeDisk, format);
    const [firstSegment = FIRST_SEGMENT] = folder.numbers();
    const head = readHead(this.#tables) ?? emptyHead(folder.startOf(firstSegment));
    this.#tables.root.resetReadTxn();
    this.#replay = new Replay(this.#tables, fold, head);
    this.#tail = new JournalTail(folder, { seq: head.lastSeq + 1, position: head.end });
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
    this.#replay.run(turns, Infinity, (lastSeq) => this.#shared.noteProjected(lastSeq));
  }

  close(): void {
    this.#tail.close();
    void this.#tables.root.close();
  }
}
