import { CHECKPOINT_EVENTS_MIN, CHECKPOINT_INTERVAL_MS, CHECKPOINTS_KEPT_COUNT } from '../model/limits.js';
import { listCheckpoints, removeOldCheckpoints, writeCheckpoint, type Checkpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, stateFolder } from './data-folder.js';
import type { JournalDisk } from './disk.js';
import type { JournalLog } from './journal-log.js';
import { retain } from './retention.js';
import { SegmentFolder } from './segment-folder.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal } from './shared-journal.js';
import { checkCommits, openStateTables, readHead, type StateTables } from './state-tables.js';

export interface KeeperOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: SharedArrayBuffer;
  readonly log: JournalLog;
  /** The system's own by default. */
  readonly disk?: JournalDisk;
}

/**
 * What the journal needs besides turns, done in a thread of its own so that no shard waits for it: the next segment
 * ready before it is needed, checkpoints, and retention after each of these.
 */
export class Keeper {
  readonly #tables: StateTables;
  readonly #folder: SegmentFolder;
  readonly #entries: SegmentReader;
  readonly #checkpoints: string;
  readonly #log: JournalLog;
  readonly #disk: JournalDisk | undefined;
  #checkpointAtMs = -Infinity;

  constructor({ dataDir, shared, log, disk }: KeeperOptions) {
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#folder = new SegmentFolder(journalFolder(dataDir), new SharedJournal(shared).segmentBytes, disk);
    this.#entries = new SegmentReader(this.#folder);
    this.#checkpoints = checkpointFolder(dataDir);
    this.#log = log;
    this.#disk = disk;
  }

  /**
   * One round; `nowRealMs` is any clock that only moves forward. A disk that fails here loses nothing that was
   * acknowledged: it is told, and tried again.
   */
  async tend(nowRealMs: number): Promise<void> {
    try {
      await this.#round(nowRealMs);
    } catch (error) {
      this.#log.warn({ err: error }, 'a round of the journal’s keeper failed');
    }
  }

  /** Makes the segment after the current one, unless it is there. */
  prepareSegment(): void {
    this.#tables.root.resetReadTxn();
    const head = readHead(this.#tables);
    if (head !== null) this.#folder.create(this.#folder.numberOf(head.end) + 1);
  }

  /** null when there is no event yet. */
  async checkpoint(): Promise<Checkpoint | null> {
    const checkpoint = await writeCheckpoint(this.#tables, this.#checkpoints, this.#disk);
    removeOldCheckpoints(this.#checkpoints, CHECKPOINTS_KEPT_COUNT, this.#disk);
    if (checkpoint === null) return null;
    this.#log.info({ seq: checkpoint.head.lastSeq, bytes: checkpoint.bytes }, 'checkpoint made');
    return checkpoint;
  }

  /** Takes out what is too old by the journal's own latest service time, as far as all kept checkpoints cover it. */
  async retain(): Promise<void> {
    this.#tables.root.resetReadTxn();
    const checkpoints = listCheckpoints(this.#checkpoints);
    const head = readHead(this.#tables);
    if (head === null || checkpoints.length < CHECKPOINTS_KEPT_COUNT) return;
    const checkpointPosition = checkpoints.at(-1)!.head.turnPosition;
    const parts = { tables: this.#tables, folder: this.#folder, entries: this.#entries, checkpointPosition };
    const report = await retain(parts, head.recordedAtMs);
    const isAnyGone = report.orders + report.frames + report.observations + report.segments > 0;
    if (isAnyGone) this.#log.info(report, 'old orders, frames and segments left');
  }

  async close(): Promise<void> {
    this.#entries.close();
    await this.#tables.root.close();
  }

  async #round(nowRealMs: number): Promise<void> {
    checkCommits(this.#tables);
    this.prepareSegment();
    if (nowRealMs - this.#checkpointAtMs < CHECKPOINT_INTERVAL_MS) return;
    this.#checkpointAtMs = nowRealMs;
    const since = listCheckpoints(this.#checkpoints)[0]?.head.lastSeq ?? 0;
    if (this.#lastSeq() - since < CHECKPOINT_EVENTS_MIN) return;
    await this.checkpoint();
    await this.retain();
  }

  #lastSeq(): number {
    return readHead(this.#tables)?.lastSeq ?? 0;
  }
}
