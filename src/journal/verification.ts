import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OrderId } from '../domain/ids.js';
import { FEED_FRAMES_KEPT_MAX } from '../domain/limits/clients.js';
import { PROBLEMS_COUNT_MAX, SEGMENT_BYTES } from '../domain/limits/process.js';
import { checkpointFolder, journalFolder, stateFolder } from '../storage/data-directory.js';
import { refuseOtherFormat } from '../storage/data-format.js';
import { nodeDisk } from '../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT, type StoreName } from '../storage/format/format-steps.js';
import { isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { JournalScan } from './journal-scan.js';
import { type Fold, Replay } from './replay.js';
import { carriedProblems } from './retention/carried-check.js';
import { isRetired } from './retention/old-orders.js';
import { ENDED_ORDER_KEPT_MS } from './retention/retention.js';
import { SegmentReader } from './segment-reader.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import {
  emptyHead,
  EVENT_TABLES,
  type JournalHead,
  openStateTables,
  readHead,
  readRetired,
  type RetiredBounds,
  type Snapshot,
  type StateTables,
  type Table,
  type TableName,
} from './state/state-tables.js';
import { framesInHead, isOldRow } from './state/feed-rows.js';
import { stateIn } from './state/order-row.js';
import { decodeEvent } from '../wire/codec/envelope.js';
import {
  decodeClientIdEntry,
  feedOf,
  firstInteger,
  lastInteger,
  orderKey,
  positionOf,
  type StateRow,
} from './state/rows.js';

interface VerifyReport {
  /** Events replayed. */
  readonly entries: number;
  readonly orders: number;
  readonly feeds: number;
  /** Differences as text; empty when there are none. At most PROBLEMS_COUNT_MAX. */
  readonly problems: readonly string[];
}

/** Copies a store of the data directory into a folder, while a service may write to the store. */
export type StoreCopier = (store: StoreName, target: string) => Promise<void>;

interface VerifyOptions {
  /** Default: the format of this release. */
  readonly format?: DataFormat;
  /** Default: no other process uses the directory, so the state itself is read. */
  readonly copyStore?: StoreCopier;
}

/**
 * Checks that the state equals the journal. Builds the state a second time from the journal's entries and compares
 * every table, byte for byte. Checks the entries that were carried from removed segments. Starts from the first entry,
 * or from the oldest checkpoint when retention has removed older segments. It compares one snapshot of the state with
 * the journal up to that snapshot. Rejects with OtherFormat when this release cannot read the data, and with an error
 * when there is no state.
 */
export async function verifyJournal(
  dataDir: string,
  fold: Fold,
  { format = PRESENT_FORMAT, copyStore }: VerifyOptions = {},
): Promise<VerifyReport> {
  refuseOtherFormat(dataDir, format);
  const state = stateFolder(dataDir);
  // Read before the state: retention removes a segment after the state has its entries.
  const journalFrom = startOfJournal(dataDir);
  const scratch = mkdtempSync(join(dataDir, 'verify-'));
  try {
    const copy = join(scratch, 'state');
    await copyStore?.('state', copy);
    const live = openStateTables(copyStore === undefined ? state : copy, { readOnly: true, copyOf: state });
    return await compareWith(live, { dataDir, fold, format, journalFrom, rebuilding: join(scratch, 'rebuilt') });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

interface Comparison {
  readonly dataDir: string;
  readonly fold: Fold;
  readonly format: DataFormat;
  /** Position at which the journal begins. */
  readonly journalFrom: number;
  /** Folder for the state that the journal gives. */
  readonly rebuilding: string;
}

/** Compares an open state with the journal, and closes it. */
async function compareWith(live: StateTables, comparison: Comparison): Promise<VerifyReport> {
  const { dataDir, fold, format, journalFrom, rebuilding } = comparison;
  const transaction = live.root.useReadTransaction();
  try {
    const head = readHead(live, { transaction });
    if (head === null) return { entries: 0, orders: 0, feeds: 0, problems: [] };
    const problems = new ProblemList();
    const folder = SegmentFolder.at(journalFolder(dataDir), SEGMENT_BYTES, nodeDisk, format);
    const rebuilt = openBase(dataDir, folder, rebuilding, problems);
    const entries = rebuild(folder, rebuilt, { fold, head, problems });
    compare(rebuilt, live, { transaction }, problems);
    checkCarried(folder, { tables: live, snapshot: { transaction }, journalFrom, head, problems });
    await rebuilt.root.close();
    const orders = live.table.orders.getKeysCount({ transaction });
    const feeds = live.table.feed_heads.getKeysCount({ transaction });
    return { entries, orders, feeds, problems: problems.list };
  } finally {
    transaction.done();
    await live.root.close();
  }
}

/** Opens the state that the journal's oldest segment continues. */
function openBase(dataDir: string, folder: SegmentFolder, scratch: string, problems: ProblemList): StateTables {
  const [first = FIRST_SEGMENT] = folder.numbers();
  if (folder.header(first)?.firstSeq !== 1) {
    const checkpoint = listCheckpoints(checkpointFolder(dataDir)).findLast(isIntact);
    if (checkpoint !== undefined) placeCheckpoint(checkpoint, scratch, nodeDisk, folder.format);
    else problems.add('older segments are gone, and no intact checkpoint covers them');
  }
  return openStateTables(scratch);
}

interface Expectation {
  readonly fold: Fold;
  readonly head: JournalHead;
  readonly problems: ProblemList;
}

/** Replays up to the head of the live state. Returns the number of events. */
function rebuild(folder: SegmentFolder, rebuilt: StateTables, { fold, head, problems }: Expectation): number {
  const [first = FIRST_SEGMENT] = folder.numbers();
  const base = readHead(rebuilt) ?? emptyHead(folder.startOf(first));
  // A check reads the snapshots too: readers of the journal get them.
  const replay = new Replay(rebuilt, fold, base, decodeEvent);
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
    for (const difference of differences(rebuilt.table[name], live.table[name], snapshot)) {
      if (difference.kind === 'missing' && retired.includes(name, difference.expected)) continue;
      problems.add(describe(name, difference));
      if (problems.isFull) return;
    }
  }
}

function startOfJournal(dataDir: string): number {
  const folder = SegmentFolder.at(journalFolder(dataDir));
  return folder.startOf(folder.numbers()[0] ?? FIRST_SEGMENT);
}

interface LiveState {
  readonly tables: StateTables;
  readonly snapshot: Snapshot;
  readonly journalFrom: number;
  readonly head: JournalHead;
  readonly problems: ProblemList;
}

function checkCarried(folder: SegmentFolder, { problems, head, ...live }: LiveState): void {
  const entries = new SegmentReader(folder);
  try {
    for (const problem of carriedProblems({
      ...live,
      entries,
      endedBeforeMs: head.recordedAtMs - ENDED_ORDER_KEPT_MS,
    })) {
      problems.add(problem);
      if (problems.isFull) return;
    }
  } finally {
    entries.close();
  }
}

/** A bounded list of problems as text. */
class ProblemList {
  readonly list: string[] = [];

  get isFull(): boolean {
    return this.list.length >= PROBLEMS_COUNT_MAX;
  }

  add(problem: string): void {
    if (!this.isFull) this.list.push(problem);
  }
}

/** How one row differs between two tables that should be equal. */
type Difference =
  | { readonly kind: 'missing'; readonly expected: StateRow }
  | { readonly kind: 'surplus'; readonly found: StateRow }
  | { readonly kind: 'different'; readonly expected: StateRow; readonly found: StateRow };

/** Walks both tables in key order and yields every row that differs. Reads `found` in a fixed snapshot. */
function* differences(expected: Table, found: Table, snapshot: Snapshot): Generator<Difference> {
  const expectedRows = expected.getRange({})[Symbol.iterator]();
  const foundRows = found.getRange({ ...snapshot })[Symbol.iterator]();
  let ours = next(expectedRows);
  let theirs = next(foundRows);
  while (ours !== null || theirs !== null) {
    const order = compareKeys(ours, theirs);
    if (order < 0) yield { kind: 'missing', expected: ours! };
    else if (order > 0) yield { kind: 'surplus', found: theirs! };
    else if (!ours!.value.equals(theirs!.value)) yield { kind: 'different', expected: ours!, found: theirs! };
    if (order <= 0) ours = next(expectedRows);
    if (order >= 0) theirs = next(foundRows);
  }
}

function describe(table: TableName, difference: Difference): string {
  const { key } = difference.kind === 'missing' ? difference.expected : difference.found;
  const row = `row ${key.toString('hex')} of table ${table}`;
  switch (difference.kind) {
    case 'missing':
      return `${row} is in the journal but not in the state`;
    case 'surplus':
      return `${row} is in the state but not in the journal`;
    case 'different':
      return `${row} differs from the journal`;
  }
}

function next(rows: Iterator<StateRow>): StateRow | null {
  const step = rows.next();
  return step.done === true ? null : step.value;
}

/** A table without more rows sorts after every row. */
function compareKeys(left: StateRow | null, right: StateRow | null): number {
  if (left === null) return 1;
  if (right === null) return -1;
  return Buffer.compare(left.key, right.key);
}

/** Decides which rows of the journal may be missing in the state, because retention has removed them. */
class RetiredRows {
  readonly #rebuilt: StateTables;
  readonly #bounds: RetiredBounds;

  constructor(rebuilt: StateTables, live: StateTables, snapshot: Snapshot) {
    this.#rebuilt = rebuilt;
    this.#bounds = readRetired(live, snapshot);
  }

  includes(table: TableName, row: StateRow): boolean {
    const { key, value } = row;
    switch (table) {
      case 'orders':
      case 'by_order':
      case 'trades':
        return this.#isOrderRetired(firstInteger(key) as OrderId);
      case 'ended':
        return this.#isOrderRetired(lastInteger(key) as OrderId);
      case 'by_client_id':
        return this.#isOrderRetired(decodeClientIdEntry(value).orderId);
      case 'feed':
        return isOldRow(row, { position: this.#bounds.position, excessTo: this.#excessFrames(key) });
      case 'quotes':
        return positionOf(row) < this.#bounds.position;
      case 'open':
      case 'feed_heads':
      case 'carried':
      case 'meta':
        return false;
    }
  }

  #isOrderRetired(orderId: OrderId): boolean {
    const bytes = this.#rebuilt.table.orders.get(orderKey(orderId));
    return bytes !== undefined && isRetired(stateIn(bytes), this.#bounds.endedBeforeMs);
  }

  #excessFrames(frameKey: Buffer): number {
    const head = this.#rebuilt.table.feed_heads.get(feedOf(frameKey));
    return head === undefined ? 0 : framesInHead(head).n - FEED_FRAMES_KEPT_MAX;
  }
}
