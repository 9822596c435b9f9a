import {
  CHECKPOINT_EVENTS_MIN,
  CHECKPOINT_INTERVAL_MS,
  CHECKPOINTS_KEPT_COUNT,
  RETENTION_INTERVAL_MS,
  SYNC_POINT_EVENTS_MAX,
  SYNC_POINT_EVENTS_MIN,
  SYNC_POINT_INTERVAL_MS,
} from '../domain/limits/process.js';
import { listCheckpoints, removeOldCheckpoints, writeCheckpoint, type Checkpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, stateFolder } from '../storage/data-directory.js';
import type { Disk } from '../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../storage/format/format-steps.js';
import type { JournalLog } from './port.js';
import { Retention } from './retention/retention.js';
import { SegmentFolder } from './segments.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { type JournalHead, openStateTables, readHead, type StateTables } from './state/state-tables.js';
import {
  readSyncPoint,
  removeSyncPoint,
  StateSyncFailure,
  type SyncPoint,
  writeSyncPoint,
} from './state/sync-point.js';
import { distrustState } from './trust-stamp.js';

export interface KeeperOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly log: JournalLog;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
}

/**
 * Maintains the journal in its own thread, so that no other thread waits for it. Prepares the next segment, syncs the
 * state, copies it once a day, and removes old data.
 */
export class Keeper {
  readonly #tables: StateTables;
  readonly #shared: SharedJournal;
  readonly #folder: SegmentFolder;
  readonly #entries: SegmentReader;
  readonly #retention: Retention;
  readonly #checkpoints: string;
  readonly #log: JournalLog;
  readonly #disk: Disk | undefined;
  #syncedAtMs = -Infinity;
  #retainedAtMs = -Infinity;
  #syncPoint: SyncPoint | null;

  constructor({ dataDir, shared, log, disk, format = PRESENT_FORMAT }: KeeperOptions) {
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#shared = new SharedJournal(shared);
    const { root } = this.#tables;
    const transactionSync = root.transactionSync.bind(root);
    root.transactionSync = (work, flags) => this.#shared.keeperWrite(() => transactionSync(work, flags));
    this.#folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, disk, format);
    this.#entries = new SegmentReader(this.#folder);
    this.#retention = new Retention({ tables: this.#tables, folder: this.#folder, entries: this.#entries });
    this.#checkpoints = checkpointFolder(dataDir);
    this.#log = log;
    this.#disk = disk;
    this.#syncPoint = readSyncPoint(this.#tables.path);
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

  /**
   * Makes the state survive a power loss. Returns null when there is no event yet, and after a failed sync: the next
   * start then builds the state from a checkpoint.
   */
  sync(): SyncPoint | null {
    if (this.#shared.isStateUnsynced) return null;
    const number = this.#shared.beginSyncPoint();
    try {
      this.#syncPoint = writeSyncPoint(this.#tables, this.#disk);
    } catch (error) {
      if (error instanceof StateSyncFailure) this.#distrust();
      throw error;
    }
    if (this.#syncPoint !== null) this.#shared.completeSyncPoint(number);
    return this.#syncPoint;
  }

  /** Copies the state. Returns null when there is no event yet. */
  async checkpoint(): Promise<Checkpoint | null> {
    // Retention removes only segments that lie before the sync point too.
    this.sync();
    const checkpoint = await writeCheckpoint(this.#tables, this.#checkpoints, this.#disk, this.#folder.format);
    removeOldCheckpoints(this.#checkpoints, CHECKPOINTS_KEPT_COUNT, this.#disk);
    if (checkpoint === null) return null;
    this.#log.info({ seq: checkpoint.head.lastSeq, bytes: checkpoint.bytes }, 'checkpoint made');
    return checkpoint;
  }

  /**
   * Removes data that is too old by the journal's latest service time, as far as the sync point and all kept
   * checkpoints cover it.
   */
  async retain(): Promise<void> {
    this.#tables.root.resetReadTxn();
    const checkpoints = listCheckpoints(this.#checkpoints);
    const head = readHead(this.#tables);
    if (head === null || checkpoints.length < CHECKPOINTS_KEPT_COUNT) return;
    const sources = [...checkpoints, ...(this.#syncPoint === null ? [] : [this.#syncPoint])];
    const coverage = {
      replayFrom: Math.min(...sources.map((source) => source.head.turnPosition)),
      carriedTo: Math.min(...sources.map((source) => source.carriedTo)),
    };
    const report = await this.#retention.retain(coverage, head.recordedAtMs);
    const isAnyGone = report.orders + report.frames + report.observations + report.segments > 0;
    if (isAnyGone) this.#log.info(report, 'old orders, frames and segments were removed');
  }

  async close(): Promise<void> {
    this.#entries.close();
    await this.#tables.root.close();
  }

  async #round(nowRealMs: number): Promise<void> {
    this.#tables.root.resetReadTxn();
    this.prepareSegment();
    const head = readHead(this.#tables);
    if (head === null) return;
    if (this.#isSyncDue(nowRealMs, head)) {
      this.#syncedAtMs = nowRealMs;
      this.sync();
    }
    if (this.#isCheckpointDue(head)) await this.checkpoint();
    if (nowRealMs - this.#retainedAtMs < RETENTION_INTERVAL_MS) return;
    this.#retainedAtMs = nowRealMs;
    await this.retain();
  }

  #isSyncDue(nowRealMs: number, head: JournalHead): boolean {
    const count = head.lastSeq - (this.#syncPoint?.head.lastSeq ?? 0);
    if (count >= SYNC_POINT_EVENTS_MAX) return true;
    return count >= SYNC_POINT_EVENTS_MIN && nowRealMs - this.#syncedAtMs >= SYNC_POINT_INTERVAL_MS;
  }

  #isCheckpointDue(head: JournalHead): boolean {
    const latest = listCheckpoints(this.#checkpoints)[0]?.head;
    if (head.lastSeq - (latest?.lastSeq ?? 0) < CHECKPOINT_EVENTS_MIN) return false;
    return head.recordedAtMs - (latest?.recordedAtMs ?? -Infinity) >= CHECKPOINT_INTERVAL_MS;
  }

  /** A second sync would not report the pages again that the first one lost. */
  #distrust(): void {
    this.#shared.noteStateUnsynced();
    removeSyncPoint(this.#tables.path, this.#disk);
    distrustState(this.#tables.path, '', this.#disk);
    this.#log.warn(
      { path: this.#tables.path },
      'the state cannot be synced: the next start builds it from a checkpoint',
    );
  }
}
