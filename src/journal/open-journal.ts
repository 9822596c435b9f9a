import type { EpochMs } from '../domain/time.js';
import { journalFolder, stateFolder } from '../storage/data-directory.js';
import { type Disk, nodeDisk } from '../storage/disk.js';
import type { DataFormat } from '../storage/format/format-steps.js';
import { FeedHeads } from './feed-heads.js';
import { decodeNumber, feedOfKey } from './state/rows.js';
import { feedIndexOf } from './turn/turn-record.js';
import { type HeldVersion, HeldVersions } from './state/held-versions.js';
import type { ProcessClaim } from '../storage/process-claim.js';
import type { BuildAttempts } from './state-build.js';
import type { StateReader, StateSnapshot, QuoteHistoryReader } from './port.js';
import { SegmentReader } from './segment-reader.js';
import { SegmentFolder } from './segments.js';
import { type JournalProgress, SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { TableStateReader } from './state/state-reader.js';
import { openStateTables, stateFile, type StateTables } from './state/state-tables.js';
import { trustState, writeStamp } from './trust-stamp.js';

/** Source of the state that the journal's tail was replayed into. */
export type StateOrigin = 'state' | 'sync point' | 'checkpoint' | 'nothing';

export interface RecoveryReport {
  readonly origin: StateOrigin;
  readonly lastSeq: number;
  /** Position after the last event, or the start of the next segment when that event has an earlier format. */
  readonly end: number;
  /** recordedAtMs of the last event; 0 when there is none. */
  readonly recordedAtMs: EpochMs;
  readonly replayedCount: number;
  /** True when an incomplete last turn was removed from the journal's end. */
  readonly isTornTurnCut: boolean;
}

/** The main thread's handle of the recovered journal. */
export interface RecoveredJournal {
  readonly reader: StateReader;
  /** Memory of the journal's threads. */
  readonly shared: JournalWords;
  /** Progress of the latest events. */
  readonly progress: JournalProgress;
  /** Latest service time in the journal; 0 when it is empty. Service time must not start before it. */
  readonly lastServiceMs: EpochMs;
  readonly report: RecoveryReport;
  /** Call it when every thread has read the state it needs. A start that ends earlier leaves the state untrusted. */
  trustState(): void;
  /** Call it about once a second. Releases old versions of the state, so that LMDB can use their pages again. */
  releaseVersions(): void;
  /** Syncs the state and marks it clean. Call it after all threads have closed their handles. */
  close(): Promise<void>;
}

interface OpenParts {
  readonly folder: SegmentFolder;
  readonly tables: StateTables;
  readonly bootId: string;
  readonly claim: ProcessClaim;
  readonly report: RecoveryReport;
  readonly disk: Disk;
  readonly attempts: BuildAttempts;
  /** Holds the version of the sync point. */
  readonly held: HeldVersion;
}

export class OpenJournal implements RecoveredJournal {
  readonly reader: StateReader;
  readonly shared: JournalWords;
  readonly report: RecoveryReport;
  readonly #parts: OpenParts;
  readonly #entries: SegmentReader;
  readonly #versions: HeldVersions;
  #isTrusted = false;

  constructor(parts: OpenParts) {
    const { folder, tables, report } = parts;
    this.#parts = parts;
    this.#entries = new SegmentReader(folder);
    const { lastSeq, end } = report;
    this.shared = SharedJournal.create({ lastSeq, end, segmentBytes: folder.segmentBytes });
    readFeedHeads(tables, new FeedHeads(this.shared.feedHeads));
    const shared = new SharedJournal(this.shared);
    this.reader = new TableStateReader(tables, this.#entries, shared);
    this.#versions = new HeldVersions(tables.root, shared, parts.held);
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
    if (!new SharedJournal(this.shared).isStateUnsynced) trustState(tables.path, bootId, disk);
    attempts.clear();
  }

  releaseVersions(): void {
    this.#versions.renew();
  }

  async close(): Promise<void> {
    const { tables, bootId, claim, disk } = this.#parts;
    this.#entries.close();
    this.#versions.close();
    await tables.root.close();
    if (!new SharedJournal(this.shared).isStateUnsynced) {
      // The stamp must follow the sync of the state: it makes the state trusted after a power loss.
      disk.sync(stateFile(tables.path));
      writeStamp(tables.path, { bootId, isClean: true, isOpening: false }, disk);
    }
    claim.release();
  }
}

/** LMDB contains every event at the start. */
function readFeedHeads({ table }: StateTables, heads: FeedHeads): void {
  for (const { key, value } of table.feed_heads.getRange({})) {
    const { account, topic, venue } = feedOfKey(key);
    heads.set(Buffer.from(account), feedIndexOf(topic, venue), decodeNumber(value));
  }
}

interface JournalReaderOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
}

/** The journal for a thread that reads it from time to time. */
interface JournalReader {
  readonly reader: StateReader<StateSnapshot & QuoteHistoryReader>;
  /** Releases the latest snapshot. A snapshot that stays open keeps LMDB from reusing freed pages. */
  release(): void;
  close(): Promise<void>;
}

export function openJournalReader({ dataDir, shared, format }: JournalReaderOptions): JournalReader {
  const progress = new SharedJournal(shared);
  const tables = openStateTables(stateFolder(dataDir));
  const folder = new SegmentFolder(journalFolder(dataDir), progress.segmentBytes, nodeDisk, format);
  const entries = new SegmentReader(folder);
  return {
    reader: new TableStateReader(tables, entries, progress),
    release: () => tables.root.resetReadTxn(),
    close: async () => {
      entries.close();
      await tables.root.close();
    },
  };
}
