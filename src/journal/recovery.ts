import { BuildAttempts, openHeld, StateBuild } from './state-build.js';
import { journalFolder, stateFolder, tightenModes, venueFolder } from '../storage/data-directory.js';
import { recordFormat, refuseOtherFormat } from '../storage/data-format.js';
import { type Disk, makeDurableFolder, nodeDisk } from '../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../storage/format/format-steps.js';
import { isEnvironmentFile } from '../storage/environment-file.js';
import { emptyHead, readHead, stateFile, type StateTables } from './state/state-tables.js';
import type { JournalLog } from './port.js';
import { JournalScan, type ScanEnd } from './journal-scan.js';
import type { HeldVersion } from './state/held-versions.js';
import { OpenJournal, type RecoveredJournal, type StateOrigin, type RecoveryReport } from './open-journal.js';
import { ProcessClaim } from '../storage/process-claim.js';
import { Replay, type Fold } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { currentBootId } from '../storage/clock-record.js';
import { StateSyncFailure, writeSyncPoint } from './state/sync-point.js';
import { distrustState, isTrusted, readStamp, trustState } from './trust-stamp.js';

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly fold: Fold;
  readonly log: JournalLog;
  /** The caller's claim of the data directory. Default: it is taken. The journal releases it at its close. */
  readonly claim?: ProcessClaim;
  /** Size for a new journal; default SEGMENT_BYTES. An existing journal keeps its size. */
  readonly segmentBytes?: number;
  /** Identifies the machine's boot. Default: the system's boot id. */
  readonly bootId?: string;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
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
 *   stamp trusted? ── yes ─▶ LMDB as it is ─▶ new sync point ───▶ replay the journal's tail ─▶ cut a torn turn
 *        ├─ no ─▶ return LMDB to its sync point ────────────────▶ replay ─▶ cut
 *        └─ no sync point ─▶ build beside it: newest intact checkpoint, or nothing ─▶ replay ─▶ cut ─▶ swap by rename
 *
 * Throws JournalDamage when synced entries are lost, ClaimedFolder when another process uses the folder, OtherFormat
 * when this release cannot read the data. A state without a sync point stays unchanged until its replacement is
 * complete.
 */
export function recoverJournal(options: RecoveryOptions): RecoveredJournal {
  const { dataDir, bootId = currentBootId(), disk = nodeDisk, format = PRESENT_FORMAT } = options;
  refuseOtherFormat(dataDir, format);
  makeDurableFolder(disk, dataDir);
  recordFormat(dataDir, disk, format.number);
  const claim = options.claim ?? ProcessClaim.take(dataDir);
  try {
    makeDurableFolder(disk, venueFolder(dataDir));
    tightenModes(dataDir);
    const folder = SegmentFolder.at(journalFolder(dataDir), options.segmentBytes, disk, format);
    makeDurableFolder(disk, folder.path);
    folder.removeDrafts();
    const start: Start = { options, folder, bootId, disk };
    const { tables, report, held } = openTrusted(start) ?? build(start);
    options.log.info(report, 'journal recovered');
    const attempts = new BuildAttempts(dataDir, disk);
    return new OpenJournal({ folder, tables, bootId, claim, report, disk, attempts, held });
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface Recovered {
  readonly tables: StateTables;
  /** Holds the version of the state's sync point. */
  readonly held: HeldVersion;
  readonly report: RecoveryReport;
}

/** Opens the state of the last process. Returns null when the state is not trusted. */
function openTrusted(start: Start): Recovered | null {
  const { options, bootId, disk } = start;
  const path = stateFolder(options.dataDir);
  if (!isTrusted(readStamp(path), bootId) || !isEnvironmentFile(stateFile(path))) return null;
  // The state is written from here on, so it is no longer clean.
  distrustState(path, bootId, disk);
  const { tables, held } = openHeld(path);
  try {
    // The process that held the version of the last sync point has ended. The first write may destroy that version.
    writeSyncPoint(tables, disk);
    return { tables, held, report: replayAndCut({ tables, origin: 'state', syncedSeq: 0 }, start) };
  } catch (error) {
    held.release();
    void tables.root.close();
    // The state is not the cause. It stays trusted, because it proves how far the journal was synced.
    if (!(error instanceof StateSyncFailure)) trustState(path, bootId, disk);
    throw error;
  }
}

/** Returns to the last sync point, or builds a new state from a checkpoint, or from the journal alone. */
function build(start: Start): Recovered {
  const { options, folder, bootId, disk } = start;
  const building = StateBuild.begin({ dataDir: options.dataDir, folder, disk });
  const { tables, origin, syncedSeq } = building;
  if (origin !== 'nothing') options.log.info({ origin: building.name }, 'the state is built from an older one');
  try {
    const report = replayAndCut({ tables, origin, syncedSeq }, start);
    return { ...building.take(bootId), report };
  } catch (error) {
    building.abandon();
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
  const { lastSeq, recordedAtMs } = replay.head;
  const position = folder.writePositionAfter(replay.head.end);
  folder.create(folder.numberOf(position));
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
