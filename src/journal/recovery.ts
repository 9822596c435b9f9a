import type { EpochMs } from '../domain/time.js';
import { BuildAttempts, StateBuild } from './state-build.js';
import { journalFolder, stateFolder, tightenModes, venueFolder } from '../storage/data-directory.js';
import { recordFormats, refuseOtherFormat } from '../storage/data-format.js';
import { type Disk, makeDurableFolder, nodeDisk } from '../storage/disk.js';
import { isEnvironmentFile } from '../storage/kept-commits.js';
import { emptyHead, openStateTables, readHead, stateFile, type StateTables } from './state/state-tables.js';
import type { JournalLog } from './port.js';
import { JournalScan, type ScanEnd } from './journal-scan.js';
import { OpenJournal, type RecoveredJournal } from './open-journal.js';
import { ProcessClaim } from '../storage/process-claim.js';
import { Replay, type Fold } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { currentBootId } from '../storage/clock-record.js';
import { isTrusted, readStamp, trustState, writeStamp } from './trust-stamp.js';

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly fold: Fold;
  readonly log: JournalLog;
  /** Size for a new journal; default SEGMENT_BYTES. An existing journal keeps its size. */
  readonly segmentBytes?: number;
  /** Identifies the machine's boot. Default: the system's boot id. */
  readonly bootId?: string;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
}

/** Source of the state that the journal's tail was replayed into. */
export type StateOrigin = 'state' | 'checkpoint' | 'nothing';

export interface RecoveryReport {
  readonly origin: StateOrigin;
  readonly lastSeq: number;
  /** Position after the last event. */
  readonly end: number;
  /** recordedAtMs of the last event; 0 when there is none. */
  readonly recordedAtMs: EpochMs;
  readonly replayedCount: number;
  /** True when an incomplete last turn was removed from the journal's end. */
  readonly isTornTurnCut: boolean;
}

/** The parts of a start that every step uses. */
interface Start {
  readonly options: RecoveryOptions;
  readonly folder: SegmentFolder;
  readonly bootId: string;
  readonly disk: Disk;
}

/**
 * Makes the state agree with the journal before the first turn. Creates missing folders.
 *
 *   stamp trusted? ── yes ─▶ LMDB as it is ──────────────────────▶ replay the journal's tail ─▶ cut a torn turn
 *        └─ no ─▶ build beside it: newest intact checkpoint, or nothing ─▶ replay ─▶ cut ─▶ swap by rename
 *
 * Throws JournalDamage when synced entries are lost, ClaimedFolder when another process uses the folder, OtherFormat
 * when this release cannot read the data. The present state stays unchanged until its replacement is complete.
 */
export function recoverJournal(options: RecoveryOptions): RecoveredJournal {
  const { dataDir, bootId = currentBootId(), disk = nodeDisk } = options;
  refuseOtherFormat(dataDir);
  makeDurableFolder(disk, dataDir);
  recordFormats(dataDir, disk);
  const claim = ProcessClaim.take(dataDir);
  try {
    makeDurableFolder(disk, venueFolder(dataDir));
    tightenModes(dataDir);
    const folder = SegmentFolder.at(journalFolder(dataDir), options.segmentBytes, disk);
    makeDurableFolder(disk, folder.path);
    folder.removeDrafts();
    const start: Start = { options, folder, bootId, disk };
    const { tables, report } = openTrusted(start) ?? build(start);
    options.log.info(report, 'journal recovered');
    const attempts = new BuildAttempts(dataDir, disk);
    return new OpenJournal({ folder, tables, bootId, claim, report, disk, attempts });
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface Recovered {
  readonly tables: StateTables;
  readonly report: RecoveryReport;
}

/** Opens the state of the last process. Returns null when the state is not trusted. */
function openTrusted(start: Start): Recovered | null {
  const { options, bootId, disk } = start;
  const path = stateFolder(options.dataDir);
  if (!isTrusted(readStamp(path), bootId) || !isEnvironmentFile(stateFile(path))) return null;
  // The state is written from here on, so it is no longer clean.
  writeStamp(path, { bootId, isClean: false, isOpening: true }, disk);
  const tables = openStateTables(path);
  try {
    return { tables, report: replayAndCut({ tables, origin: 'state', syncedSeq: 0 }, start) };
  } catch (error) {
    void tables.root.close();
    // The state is not the cause. It stays trusted, because it proves how far the journal was synced.
    trustState(path, bootId, disk);
    throw error;
  }
}

/** Builds a new state from a checkpoint, or from the journal alone. */
function build(start: Start): Recovered {
  const { options, folder, bootId, disk } = start;
  const building = new StateBuild({ dataDir: options.dataDir, folder, disk });
  const { checkpoint, tables } = building;
  if (checkpoint !== null) options.log.info({ checkpoint: checkpoint.folder }, 'the state is built from a checkpoint');
  try {
    const origin = checkpoint === null ? 'nothing' : 'checkpoint';
    const report = replayAndCut({ tables, origin, syncedSeq: building.syncedSeq }, start);
    return { tables: building.take(bootId), report };
  } catch (error) {
    void tables.root.close();
    throw error;
  }
}

interface Base {
  readonly tables: StateTables;
  readonly origin: StateOrigin;
  /** Something besides the tables proves that the journal was synced up to here. */
  readonly syncedSeq: number;
}

function replayAndCut(base: Base, { options, folder }: Start): RecoveryReport {
  const { replay, end } = replayTail(base, folder, options.fold);
  if (end.isTorn) {
    const { position, lastSeq } = end;
    options.log.warn({ position, lastSeq }, 'an unsynced turn was cut off the end of the journal');
    folder.cutAt(position);
  }
  folder.create(folder.numberOf(replay.head.end));
  const { lastSeq, end: position, recordedAtMs } = replay.head;
  const { origin } = base;
  return {
    origin,
    lastSeq,
    end: position,
    recordedAtMs,
    replayedCount: replay.replayedCount,
    isTornTurnCut: end.isTorn,
  };
}

/** Replays the entries after the state's head. Also reads the state's last turn, to check that it is on the disk. */
function replayTail({ tables, syncedSeq }: Base, folder: SegmentFolder, fold: Fold): { replay: Replay; end: ScanEnd } {
  const [firstSegment = FIRST_SEGMENT] = folder.numbers();
  const head = readHead(tables) ?? emptyHead(folder.startOf(firstSegment));
  const scan = new JournalScan(folder, {
    position: head.turnPosition,
    seq: head.turnSeq,
    syncedSeq: Math.max(head.lastSeq, syncedSeq),
  });
  const replay = new Replay(tables, fold, head);
  replay.run(scan.turns());
  return { replay, end: scan.end };
}
