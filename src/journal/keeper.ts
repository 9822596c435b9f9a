import { CHECKPOINT_EVENTS_MIN, CHECKPOINT_INTERVAL_MS, CHECKPOINTS_KEPT_COUNT } from '../domain/limits/process.js';
import { listCheckpoints, removeOldCheckpoints, writeCheckpoint, type Checkpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, stateFolder } from '../storage/data-directory.js';
import type { Disk } from '../storage/disk.js';
import type { JournalLog } from './port.js';
import { retain } from './retention.js';
import { SegmentFolder } from './segments.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { checkCommits, openStateTables, readHead, type StateTables } from './state/state-tables.js';

export interface KeeperOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly log: JournalLog;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
}

/**
 * Maintains the journal in its own thread, so that no other thread waits for it. Prepares the next segment, writes
 * checkpoints, and removes old data after each checkpoint.
 */
export class Keeper {
  readonly #tables: StateTables;
  readonly #shared: SharedJournal;
  readonly #folder: SegmentFolder;
  readonly #entries: SegmentReader;
  readonly #checkpoints: string;
  readonly #log: JournalLog;
  readonly #disk: Disk | undefined;
  #checkpointAtMs = -Infinity;

  constructor({ dataDir, shared, log, disk }: KeeperOptions) {
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#shared = new SharedJournal(shared);
    this.#folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, disk);
    this.#entries = new SegmentReader(this.#folder);
    this.#checkpoints = checkpointFolder(dataDir);
    this.#log = log;
    this.#disk = disk;
  }

  /**
   * Runs one round. `nowRealMs` is any clock that only moves forward. A disk error loses no acknowledged data: it is
   * logged, and the next round tries again.
   */
  async runRound(nowRealMs: number): Promise<void> {
    try {
      await this.#round(nowRealMs);
    } catch (error) {
      this.#log.warn({ err: error }, 'a maintenance round of the journal failed');
    }
  }

  /** Creates the segment after the current one, unless it exists or there is no event yet. */
  prepareSegment(): void {
    if (this.#shared.durableSeq === 0) return;
    this.#folder.create(this.#folder.numberOf(this.#shared.durableEnd) + 1);
  }

  /** Returns null when there is no event yet. */
  async checkpoint(): Promise<Checkpoint | null> {
    const checkpoint = await writeCheckpoint(this.#tables, this.#checkpoints, this.#disk);
    removeOldCheckpoints(this.#checkpoints, CHECKPOINTS_KEPT_COUNT, this.#disk);
    if (checkpoint === null) return null;
    this.#log.info({ seq: checkpoint.head.lastSeq, bytes: checkpoint.bytes }, 'checkpoint made');
    return checkpoint;
  }

  /** Removes data that is too old by the journal's latest service time, as far as all kept checkpoints cover it. */
  async retain(): Promise<void> {
    this.#tables.root.resetReadTxn();
    const checkpoints = listCheckpoints(this.#checkpoints);
    const head = readHead(this.#tables);
    if (head === null || checkpoints.length < CHECKPOINTS_KEPT_COUNT) return;
    const checkpointPosition = checkpoints.at(-1)!.head.turnPosition;
    const parts = { tables: this.#tables, folder: this.#folder, entries: this.#entries, checkpointPosition };
    const report = await retain(parts, head.recordedAtMs);
    const isAnyGone = report.orders + report.frames + report.observations + report.segments > 0;
    if (isAnyGone) this.#log.info(report, 'old orders, frames and segments were removed');
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
