import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { checkpointFolder, journalFolder, stateFolder } from './data-folder.js';
import { emptyHead, type JournalHead } from './journal-head.js';
import { JournalScan } from './journal-scan.js';
import { ProblemList } from './problem-list.js';
import { Replay, type Fold } from './replay.js';
import { RetiredRows } from './retired-rows.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import {
  EVENT_TABLES,
  openStateTables,
  readHead,
  type Snapshot,
  type StateTables,
  type Table,
} from './state-tables.js';
import { describe, differences } from './table-difference.js';

export interface VerifyReport {
  /** Events replayed. */
  readonly entries: number;
  readonly orders: number;
  readonly feeds: number;
  /** What does not agree, in words; empty when all does. At most PROBLEMS_COUNT_MAX. */
  readonly problems: readonly string[];
}

/**
 * Proves that the state is what the journal says: builds it a second time from the journal's entries and compares every
 * table, byte for byte. From the first entry, or from the oldest checkpoint when retention has removed older segments.
 * Works beside a running service: it compares one snapshot of the state with the journal up to that snapshot.
 * Rejects when there is no state to compare.
 */
export async function verifyJournal(dataDir: string, fold: Fold): Promise<VerifyReport> {
  const live = openStateTables(stateFolder(dataDir), { readOnly: true });
  const transaction = live.root.useReadTransaction();
  const scratch = mkdtempSync(join(dataDir, 'verify-'));
  try {
    const head = readHead(live, { transaction });
    if (head === null) return { entries: 0, orders: 0, feeds: 0, problems: [] };
    const problems = new ProblemList();
    const rebuilt = openBase(dataDir, scratch, problems);
    const entries = rebuild(dataDir, rebuilt, { fold, head, problems });
    compare(rebuilt, live, { transaction }, problems);
    await rebuilt.root.close();
    const orders = live.table.orders.getKeysCount({ transaction });
    const feeds = live.table.feed_heads.getKeysCount({ transaction });
    return { entries, orders, feeds, problems: problems.list };
  } finally {
    transaction.done();
    await live.root.close();
    rmSync(scratch, { recursive: true });
  }
}

/** What the journal's oldest segment goes on from. */
function openBase(dataDir: string, scratch: string, problems: ProblemList): StateTables {
  const folder = SegmentFolder.at(journalFolder(dataDir));
  const [first = FIRST_SEGMENT] = folder.numbers();
  if (folder.header(first)?.firstSeq !== 1) {
    const checkpoint = listCheckpoints(checkpointFolder(dataDir)).findLast(isIntact);
    if (checkpoint !== undefined) placeCheckpoint(checkpoint, scratch);
    else problems.add('older segments are gone, and no intact checkpoint covers them');
  }
  return openStateTables(scratch);
}

interface Expectation {
  readonly fold: Fold;
  readonly head: JournalHead;
  readonly problems: ProblemList;
}

/** Replays up to the head of the live state; returns the number of events. */
function rebuild(dataDir: string, rebuilt: StateTables, { fold, head, problems }: Expectation): number {
  const folder = SegmentFolder.at(journalFolder(dataDir));
  const [first = FIRST_SEGMENT] = folder.numbers();
  const base = readHead(rebuilt) ?? emptyHead(folder.startOf(first));
  const replay = new Replay(rebuilt, fold, base);
  try {
    const scan = new JournalScan(folder, { position: base.turnPosition, seq: base.turnSeq, syncedSeq: head.lastSeq });
    replay.run(scan.turns(), head.lastSeq);
  } catch (error) {
    problems.add(
      `replay stops after seq ${replay.head.lastSeq}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const { lastSeq, end } = replay.head;
  if (lastSeq !== head.lastSeq || end !== head.end) {
    problems.add(`the state ends with seq ${head.lastSeq} at ${head.end}, the journal with seq ${lastSeq} at ${end}`);
  }
  return replay.replayedCount;
}

function compare(rebuilt: StateTables, live: StateTables, snapshot: Snapshot, problems: ProblemList): void {
  const retired = new RetiredRows(rebuilt, live, snapshot);
  for (const name of EVENT_TABLES) {
    const found: Table | undefined = live.table[name];
    // A state that an older version wrote lacks the tables that came later: its journal has no entry for them either.
    if (found === undefined) continue;
    for (const difference of differences(rebuilt.table[name], found, snapshot)) {
      if (difference.kind === 'missing' && retired.includes(name, difference.expected)) continue;
      problems.add(describe(name, difference));
      if (problems.isFull) return;
    }
  }
}
