import type { EpochMs } from '../model/time.js';
import { BuildAttempts } from './build-attempts.js';
import { journalFolder, stateFolder, venueFolder } from './data-folder.js';
import { recordFormats, refuseOtherFormat } from './data-format.js';
import { tightenModes } from './data-modes.js';
import { makeDurableFolder, nodeDisk, type JournalDisk } from './disk.js';
import { isEnvironmentFile } from './environment-file.js';
import { emptyHead } from './journal-head.js';
import type { JournalLog } from './journal-log.js';
import { JournalScan, type ScanEnd } from './journal-scan.js';
import { OpenJournal, type RecoveredJournal } from './open-journal.js';
import { ProcessClaim } from './process-claim.js';
import { Replay, type Fold } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import { StateBuild } from './state-build.js';
import { openStateTables, readHead, stateFile, STATE_SCHEMA, type StateTables } from './state-tables.js';
import { currentBootId, isTrusted, readStamp, trustState, writeStamp } from './trust-stamp.js';

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly fold: Fold;
  readonly log: JournalLog;
  /** Of a journal that is made now, SEGMENT_BYTES unless told; an existing one keeps its own. */
  readonly segmentBytes?: number;
  /** Identifies the machine's boot; the system's own unless told. */
  readonly bootId?: string;
  /** The system's own by default. */
  readonly disk?: JournalDisk;
}

/** Where the state came from that the journal's tail was replayed into. */
export type StateOrigin = 'state' | 'checkpoint' | 'nothing';

export interface RecoveryReport {
  readonly origin: StateOrigin;
  readonly lastSeq: number;
  /** recordedAtMs of the last event; 0 when there is none. */
  readonly recordedAtMs: EpochMs;
  readonly replayedCount: number;
  /** True when a turn that a crash had cut short was taken off the journal's end. */
  readonly isTornTurnCut: boolean;
}

/** The parts of a start that every step needs. */
interface Start {
  readonly options: RecoveryOptions;
  readonly folder: SegmentFolder;
  readonly bootId: string;
  readonly disk: JournalDisk;
}

/**
 * Brings state and journal together before the first turn, making folders that are missing:
 *
 *   stamp trusted? ── yes ─▶ LMDB as it is ──────────────────────▶ replay the journal's tail ─▶ cut a torn turn
 *        └─ no ─▶ build beside it: newest intact checkpoint, or nothing ─▶ replay ─▶ cut ─▶ swap by rename
 *
 * Throws JournalDamage when the journal has lost what was synced, ClaimedFolder when another process serves the folder,
 * OtherFormat when this release cannot read the data.
 * The present state stays as it is until its replacement is complete.
 */
export function recoverJournal(options: RecoveryOptions): RecoveredJournal {
  const { dataDir, bootId = currentBootId(), disk = nodeDisk } = options;
  refuseOtherFormat(dataDir);
  makeDurableFolder(disk, dataDir);
  const claim = ProcessClaim.take(dataDir);
  try {
    makeDurableFolder(disk, venueFolder(dataDir));
    tightenModes(dataDir);
    recordFormats(dataDir, disk);
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

/** The state as the last process left it; null when it cannot be trusted. */
function openTrusted(start: Start): Recovered | null {
  const { options, bootId, disk } = start;
  const path = stateFolder(options.dataDir);
  if (!isTrusted(readStamp(path), STATE_SCHEMA, bootId) || !isEnvironmentFile(stateFile(path))) return null;
  // From here on it is written again, so a clean end counts no longer.
  writeStamp(path, { schema: STATE_SCHEMA, bootId, isClean: false, isOpening: true }, disk);
  const tables = openStateTables(path);
  try {
    return { tables, report: bringTogether({ tables, origin: 'state', syncedSeq: 0 }, start) };
  } catch (error) {
    void tables.root.close();
    // The state is not to blame: it stays trusted, for it knows how far the journal was synced.
    trustState(path, bootId, disk);
    throw error;
  }
}

/** A new state, built from a checkpoint or the journal alone. */
function build(start: Start): Recovered {
  const { options, folder, bootId, disk } = start;
  const building = new StateBuild({ dataDir: options.dataDir, folder, disk });
  const { checkpoint, tables } = building;
  if (checkpoint !== null) options.log.info({ checkpoint: checkpoint.folder }, 'the state is built from a checkpoint');
  try {
    const origin = checkpoint === null ? 'nothing' : 'checkpoint';
    const report = bringTogether({ tables, origin, syncedSeq: building.syncedSeq }, start);
    return { tables: building.take(bootId), report };
  } catch (error) {
    void tables.root.close();
    throw error;
  }
}

interface Base {
  readonly tables: StateTables;
  readonly origin: StateOrigin;
  /** Up to here something besides the tables proves that the journal was synced. */
  readonly syncedSeq: number;
}

function bringTogether(base: Base, { options, folder }: Start): RecoveryReport {
  const { replay, end } = catchUp(base, folder, options.fold);
  if (end.isTorn) {
    const { position, lastSeq } = end;
    options.log.warn({ position, lastSeq }, 'a turn that was never synced is cut off the journal');
    folder.cutAt(position);
  }
  folder.create(folder.numberOf(replay.head.end));
  const { lastSeq, recordedAtMs } = replay.head;
  const { origin } = base;
  return { origin, lastSeq, recordedAtMs, replayedCount: replay.replayedCount, isTornTurnCut: end.isTorn };
}

/** Replays what the journal has beyond the state. The state's last turn is read again, to see that it is there. */
function catchUp({ tables, syncedSeq }: Base, folder: SegmentFolder, fold: Fold): { replay: Replay; end: ScanEnd } {
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
