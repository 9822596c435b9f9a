import { rmSync, statSync } from 'node:fs';
import type { EpochMs } from '../model/time.js';
import { isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, makeFolder, stateFolder, syncPath } from './data-folder.js';
import { emptyHead } from './journal-head.js';
import type { JournalLog } from './journal-log.js';
import { JournalScan, type ScanEnd } from './journal-scan.js';
import type { StateReader } from './port.js';
import { ProcessClaim } from './process-claim.js';
import { Replay, type Fold } from './replay.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal } from './shared-journal.js';
import { TableStateReader } from './state-reader.js';
import { openStateTables, readHead, stateFile, STATE_SCHEMA, type StateTables } from './state-tables.js';
import { currentBootId, isTrusted, readStamp, removeStamp, writeStamp } from './trust-stamp.js';

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
  readonly replayedCount: number;
  /** True when a turn that a crash had cut short was taken off the journal's end. */
  readonly isTornTurnCut: boolean;
}

/** The main thread's handle of the recovered journal. */
export interface RecoveredJournal {
  readonly reader: StateReader;
  /** For openTurnJournal in the shards' threads. */
  readonly shared: SharedArrayBuffer;
  /** Latest service time in the journal; 0 when it is empty. Service time must not begin before it. */
  readonly lastServiceMs: EpochMs;
  readonly report: RecoveryReport;
  /** Syncs the state and marks it clean; after the shards have closed theirs. */
  close(): Promise<void>;
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
  const { dataDir, fold, log, segmentBytes, bootId = currentBootId() } = options;
  makeFolder(dataDir);
  const claim = ProcessClaim.take(dataDir);
  try {
    const folder = SegmentFolder.at(journalFolder(dataDir), segmentBytes);
    makeFolder(folder.path);
    folder.removeDrafts();
    const { tables, origin } = openState(dataDir, bootId, log);
    const { replay, end } = catchUp(tables, folder, fold);
    if (end.isTorn) {
      log.warn({ position: end.position, lastSeq: end.lastSeq }, 'a turn that was never synced is cut off the journal');
      folder.cutAt(end.position);
    }
    const { lastSeq, recordedAtMs } = replay.head;
    const report = { origin, lastSeq, replayedCount: replay.replayedCount, isTornTurnCut: end.isTorn };
    log.info(report, 'journal recovered');
    folder.create(folder.numberOf(replay.head.end));
    writeStamp(tables.path, { schema: STATE_SCHEMA, bootId, isClean: false });
    const entries = new SegmentReader(folder);
    return {
      reader: new TableStateReader(tables, entries),
      shared: SharedJournal.create(lastSeq, folder.segmentBytes),
      lastServiceMs: recordedAtMs,
      report,
      close: async () => {
        entries.close();
        await tables.root.close();
        syncPath(stateFile(tables.path));
        writeStamp(tables.path, { schema: STATE_SCHEMA, bootId, isClean: true });
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

function openState(dataDir: string, bootId: string, log: JournalLog): { tables: StateTables; origin: StateOrigin } {
  const path = stateFolder(dataDir);
  if (isTrusted(readStamp(path), STATE_SCHEMA, bootId) && hasFile(stateFile(path))) {
    try {
      const tables = openStateTables(path);
      // From here on it is written again, so a clean end counts no longer.
      writeStamp(path, { schema: STATE_SCHEMA, bootId, isClean: false });
      return { tables, origin: 'state' };
    } catch (error) {
      log.warn({ err: error }, 'the state cannot be opened: it is built anew');
    }
  }
  removeStamp(path);
  rmSync(path, { recursive: true, force: true });
  const checkpoint = listCheckpoints(checkpointFolder(dataDir)).find(isIntact);
  if (checkpoint === undefined) return { tables: openStateTables(path), origin: 'nothing' };
  log.info({ checkpoint: checkpoint.folder }, 'the state is built from a checkpoint');
  placeCheckpoint(checkpoint, path);
  return { tables: openStateTables(path), origin: 'checkpoint' };
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

function hasFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
