import type { EpochMs } from '../model/time.js';
import type { BuildAttempts } from './build-attempts.js';
import type { JournalDisk } from './disk.js';
import type { StateReader } from './port.js';
import type { ProcessClaim } from './process-claim.js';
import type { RecoveryReport } from './recovery.js';
import type { SegmentFolder } from './segment-folder.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal, type JournalProgress } from './shared-journal.js';
import { TableStateReader } from './state-reader.js';
import { stateFile, STATE_SCHEMA, type StateTables } from './state-tables.js';
import { trustState, writeStamp } from './trust-stamp.js';

/** The main thread's handle of the recovered journal. */
export interface RecoveredJournal {
  readonly reader: StateReader;
  /** For openTurnJournal in the shards' threads. */
  readonly shared: SharedArrayBuffer;
  /** How far the turns under way are. */
  readonly progress: JournalProgress;
  /** Latest service time in the journal; 0 when it is empty. Service time must not begin before it. */
  readonly lastServiceMs: EpochMs;
  readonly report: RecoveryReport;
  /** To be called when every thread has read what it needs of the state: until then a start that ends does not trust it. */
  trustState(): void;
  /** Syncs the state and marks it clean; after the shards and the keeper have closed theirs. */
  close(): Promise<void>;
}

interface OpenParts {
  readonly folder: SegmentFolder;
  readonly tables: StateTables;
  readonly bootId: string;
  readonly claim: ProcessClaim;
  readonly report: RecoveryReport;
  readonly disk: JournalDisk;
  readonly attempts: BuildAttempts;
}

export class OpenJournal implements RecoveredJournal {
  readonly reader: StateReader;
  readonly shared: SharedArrayBuffer;
  readonly report: RecoveryReport;
  readonly #parts: OpenParts;
  readonly #entries: SegmentReader;
  #isTrusted = false;

  constructor(parts: OpenParts) {
    const { folder, tables, report } = parts;
    this.#parts = parts;
    this.#entries = new SegmentReader(folder);
    this.shared = SharedJournal.create(report.lastSeq, folder.segmentBytes);
    this.reader = new TableStateReader(tables, this.#entries, new SharedJournal(this.shared));
    this.report = report;
  }

  get progress(): JournalProgress {
    return new SharedJournal(this.shared).progress;
  }

  get lastServiceMs(): EpochMs {
    return this.report.recordedAtMs;
  }

  trustState(): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    const { tables, bootId, disk, attempts } = this.#parts;
    trustState(tables.path, bootId, disk);
    attempts.clear();
  }

  async close(): Promise<void> {
    const { tables, bootId, claim, disk } = this.#parts;
    this.#entries.close();
    await tables.root.close();
    // The stamp only after the state is on the disk: it is what makes the state trusted after a power loss.
    disk.sync(stateFile(tables.path));
    writeStamp(tables.path, { schema: STATE_SCHEMA, bootId, isClean: true, isOpening: false }, disk);
    claim.release();
  }
}
