import { rmSync } from 'node:fs';
import type { EpochMs } from '../model/time.js';
import { isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, makeFolder, stateFolder } from './data-folder.js';
import { isEnvironmentFile } from './environment-file.js';
import { emptyHead } from './journal-head.js';
import type { JournalLog } from './journal-log.js';
import { JournalScan, type ScanEnd } from './journal-scan.js';
import { OpenJournal, type RecoveredJournal } from './open-journal.js';
import { ProcessClaim } from './process-claim.js';
import { Replay, type Fold } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import { openStateTables, readHead, stateFile, STATE_SCHEMA, type StateTables } from './state-tables.js';
import { currentBootId, isTrusted, readStamp, removeStamp, trustState, writeStamp } from './trust-stamp.js';

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly fold: Fold;
  readonly log: JournalLog;
  /** Of a journal that is made now, SEGMENT_BYTES unless told; an existing one keeps its own. */
  readonly segmentBytes?: number;
  /** Identifies the machine's boot; the system's own unless told. */
  readonly bootId?: string;
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

/**
 * Brings state and journal together before the first turn, making folders that are missing:
 *
 *   stamp trusted? ── yes ─▶ LMDB as it is ─────────────┐
 *        └─ no ─▶ newest intact checkpoint, or nothing ─┴▶ replay the journal's tail ─▶ cut a torn turn
 *
 * Throws JournalDamage when the journal has lost what was synced, ClaimedFolder when another process serves the folder.
 */
export function recoverJournal(options: RecoveryOptions): RecoveredJournal {
  const { dataDir, bootId = currentBootId() } = options;
  makeFolder(dataDir);
  const claim = ProcessClaim.take(dataDir);
  try {
    const folder = SegmentFolder.at(journalFolder(dataDir), options.segmentBytes);
    makeFolder(folder.path);
    folder.removeDrafts();
    const state = openState(dataDir, bootId, options.log);
    const report = bringTogether(state, folder, options, bootId);
    return new OpenJournal({ folder, tables: state.tables, bootId, claim, report });
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface OpenState {
  readonly tables: StateTables;
  readonly origin: StateOrigin;
}

function openState(dataDir: string, bootId: string, log: JournalLog): OpenState {
  const path = stateFolder(dataDir);
  if (isTrusted(readStamp(path), STATE_SCHEMA, bootId) && isEnvironmentFile(stateFile(path))) {
    // From here on it is written again, so a clean end counts no longer.
    writeStamp(path, { schema: STATE_SCHEMA, bootId, isClean: false, isOpening: true });
    return { tables: openStateTables(path), origin: 'state' };
  }
  removeStamp(path);
  rmSync(path, { recursive: true, force: true });
  const checkpoint = listCheckpoints(checkpointFolder(dataDir)).find(isIntact);
  if (checkpoint === undefined) return { tables: openStateTables(path), origin: 'nothing' };
  log.info({ checkpoint: checkpoint.folder }, 'the state is built from a checkpoint');
  placeCheckpoint(checkpoint, path);
  return { tables: openStateTables(path), origin: 'checkpoint' };
}

function bringTogether(
  { tables, origin }: OpenState,
  folder: SegmentFolder,
  { fold, log }: RecoveryOptions,
  bootId: string,
): RecoveryReport {
  try {
    const { replay, end } = catchUp(tables, folder, fold);
    if (end.isTorn) {
      log.warn({ position: end.position, lastSeq: end.lastSeq }, 'a turn that was never synced is cut off the journal');
      folder.cutAt(end.position);
    }
    folder.create(folder.numberOf(replay.head.end));
    const { lastSeq, recordedAtMs } = replay.head;
    const report = { origin, lastSeq, recordedAtMs, replayedCount: replay.replayedCount, isTornTurnCut: end.isTorn };
    log.info(report, 'journal recovered');
    return report;
  } catch (error) {
    void tables.root.close();
    // The state is not to blame: it stays trusted, for it knows how far the journal was synced.
    if (origin === 'state') trustState(tables.path, bootId);
    throw error;
  }
}

/** Replays what the journal has beyond the state. The state's last turn is read again, to see that it is there. */
function catchUp(tables: StateTables, folder: SegmentFolder, fold: Fold): { replay: Replay; end: ScanEnd } {
  const [firstSegment = FIRST_SEGMENT] = folder.numbers();
  const head = readHead(tables) ?? emptyHead(folder.startOf(firstSegment));
  const scan = new JournalScan(folder, { position: head.turnPosition, seq: head.turnSeq, syncedSeq: head.lastSeq });
  const replay = new Replay(tables, fold, head);
  replay.run(scan.turns());
  return { replay, end: scan.end };
}
