import * as lmdb from 'lmdb';
import type { RangeOptions, RootDatabase, Transaction } from 'lmdb';
import { assert } from '../domain/rejection.js';
import { type EventEnvelope, isOrderEvent, type UnnumberedEvent } from '../domain/event.js';
import { type ChildNumber, type OrderId, type Seq, slotOf, type VenueTradeId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import type { ParentState } from '../domain/order-state.js';
import type { EpochMs } from '../domain/time.js';
import { journalFolder, stateFolder } from '../storage/data-directory.js';
import type { Disk } from '../storage/disk.js';
import { encodeEvent } from '../wire/codec/envelope.js';
import { decodeState } from '../wire/codec/state.js';
import { Appender, TurnBuffer } from './appender.js';
import { JournalFailure, type NumberedEvent, type Release, type LatestObservations, type TurnJournal } from './port.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { SharedJournal } from './shared-journal.js';
import { FeedNumbering, project } from './state/projection.js';
import { instrumentKey, integersAfter, lastInteger, orderKey, tradeKey } from './state/rows.js';
import {
  emptyHead,
  type JournalHead,
  openStateTables,
  putHead,
  readHead,
  type StateTables,
  type Table,
} from './state/state-tables.js';

interface TurnJournalOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: SharedArrayBuffer;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
}

/**
 * Opens a shard's own handle of the journal in its thread. Throws JournalFailure when an earlier thread died in the
 * middle of a turn. Only the next start of the service can recover that turn.
 */
export function openTurnJournal(options: TurnJournalOptions): ShardJournal {
  const journal = new ShardJournal(options);
  journal.checkFinished();
  return journal;
}

/**
 * Runs one turn under LMDB's writer lock, which puts the turns of all shards in one order:
 *
 *   number ─▶ encode ─▶ append + fdatasync ─▶ release ─▶ put states and indices ─▶ commit (not synced)
 *
 * So the state is never ahead of the journal, and a failed turn leaves the state unchanged. A released but
 * uncommitted turn is in the journal: the next start replays it.
 */
export class ShardJournal implements TurnJournal, LatestObservations {
  readonly #tables: StateTables;
  readonly #snapshot: ThreadSnapshot;
  readonly #shared: SharedJournal;
  readonly #appender: Appender;
  readonly #buffer = new TurnBuffer();
  readonly #emptyHead: JournalHead;
  #failure: JournalFailure | null = null;

  constructor({ dataDir, shared, disk }: TurnJournalOptions) {
    this.#shared = new SharedJournal(shared);
    const folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, disk);
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#snapshot = new ThreadSnapshot(this.#tables.root);
    this.#appender = new Appender(folder, disk);
    this.#emptyHead = emptyHead(folder.startOf(FIRST_SEGMENT));
  }

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release: Release = releaseNothing,
  ): readonly NumberedEvent[] {
    if (this.#failure !== null) throw this.#failure;
    assertSameOrders(events, touched);
    if (events.length === 0) return [];
    try {
      const numbered = this.#tables.root.transactionSync(() => this.#turn(events, touched, release));
      this.#shared.noteCommitted(numbered.at(-1)!.envelope.seq);
      return numbered;
    } catch (cause) {
      // The content of the disk is unknown after any error. Only a new start can read it.
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new JournalFailure(`the journal could not take a turn: ${reason}`, { cause });
      throw this.#failure;
    }
  }

  /** Waits for the journal's lock. Throws JournalFailure when a turn was appended but not committed. */
  checkFinished(): void {
    this.#tables.root.transactionSync(() => {
      const { lastSeq } = readHead(this.#tables) ?? this.#emptyHead;
      this.#shared.checkFinished(lastSeq);
    });
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#snapshot.get(this.#tables.table.trades, tradeKey(orderId, child, tradeId)) !== undefined;
  }

  state(orderId: OrderId): ParentState | null {
    const bytes = this.#snapshot.get(this.#tables.table.orders, orderKey(orderId));
    return bytes === undefined ? null : decodeState(bytes);
  }

  *openParents(
    ownsSlot: (slot: number) => boolean,
    onUnreadable: (orderId: OrderId, error: unknown) => void = rethrow,
  ): Iterable<ParentState> {
    // Reads all ids first: no cursor may stay open while the caller commits.
    const ids = this.#snapshot.keys(this.#tables.table.open).map((key) => lastInteger(key) as OrderId);
    for (const orderId of ids) {
      if (!ownsSlot(slotOf(orderId))) continue;
      const state = this.#readable(orderId, onUnreadable);
      if (state !== null) yield state;
    }
  }

  #readable(orderId: OrderId, onUnreadable: (orderId: OrderId, error: unknown) => void): ParentState | null {
    try {
      const state = this.state(orderId);
      assert(state !== null, `open order ${orderId} has a state`);
      return state;
    } catch (error) {
      onUnreadable(orderId, error);
      return null;
    }
  }

  lastObservedMs(instrument: InstrumentIndex): EpochMs | null {
    const { start, end } = integersAfter(instrumentKey(instrument), 0, Number.MAX_SAFE_INTEGER - 1);
    const [latest] = this.#snapshot.keys(this.#tables.table.quotes, {
      start: end,
      end: start,
      reverse: true,
      limit: 1,
    });
    return latest === undefined ? null : (lastInteger(latest) as EpochMs);
  }

  close(): void {
    this.#appender.close();
    this.#snapshot.close();
    void this.#tables.root.close();
  }

  #turn(events: readonly UnnumberedEvent[], touched: readonly ParentState[], release: Release): NumberedEvent[] {
    const head = readHead(this.#tables) ?? this.#emptyHead;
    const lastSeq = (head.lastSeq + events.length) as Seq;
    this.#shared.beginAppend(head.lastSeq, lastSeq);

    const feeds = new FeedNumbering(this.#tables.table.feed_heads);
    this.#buffer.begin(head.lastSeq);
    const offsets: number[] = [];
    const numbered = events.map((event, index): NumberedEvent => {
      const envelope = number(event, (head.lastSeq + 1 + index) as Seq, index);
      const bytes = encodeEvent(envelope);
      offsets.push(this.#buffer.add(envelope.seq, bytes, envelope.seq === lastSeq));
      return { envelope, bytes, marks: feeds.marks(envelope) };
    });

    const position = this.#appender.append(head.end, this.#buffer);
    this.#shared.noteReleased(lastSeq);
    release(numbered);
    const placed = numbered.map(({ envelope, marks }, index) => ({
      envelope,
      marks,
      position: position + offsets[index]!,
    }));
    project(this.#tables, placed, touched);
    feeds.putHeads();
    putHead(this.#tables, {
      lastSeq,
      end: position + this.#buffer.entriesBytes,
      turnSeq: head.lastSeq + 1,
      turnPosition: position,
      // Turns of different shards may be recorded in another order than they began.
      recordedAtMs: Math.max(head.recordedAtMs, numbered.at(-1)!.envelope.recordedAtMs) as EpochMs,
    });
    return numbered;
  }
}

function releaseNothing(): void {}

function rethrow(_orderId: OrderId, error: unknown): never {
  throw error;
}

/** Copies field by field: a spread with an added field costs V8 two microseconds for every event. */
function number(event: UnnumberedEvent, seq: Seq, index: number): EventEnvelope {
  const { causationSeq } = event;
  assert(-causationSeq <= index, 'an event is caused by an earlier one of its turn');
  return {
    seq,
    slot: event.slot,
    account: event.account,
    venue: event.venue,
    otherVenue: event.otherVenue,
    orderId: event.orderId,
    eventAtMs: event.eventAtMs,
    recordedAtMs: event.recordedAtMs,
    correlationId: event.correlationId,
    causationSeq: causationSeq < 0 ? seq + causationSeq : causationSeq,
    event: event.event,
    parent: event.parent,
    child: event.child,
  };
}

/** Replay folds every order that has an event, so the turn must contain the states of exactly these orders. */
function assertSameOrders(events: readonly UnnumberedEvent[], touched: readonly ParentState[]): void {
  const orders = new Set<OrderId>();
  for (const { orderId, event } of events) {
    if (orderId !== null && isOrderEvent(event)) orders.add(orderId);
  }
  assert(orders.size === touched.length, `${touched.length} states for the events of ${orders.size} orders`);
  for (const { order } of touched) assert(orders.has(order.orderId), `order ${order.orderId} has an event in its turn`);
}

interface NativeTransaction extends Transaction {
  readonly address: number;
}

const { nativeAddon } = lmdb as unknown as { nativeAddon: { resetTxn(address: number): void } };

/**
 * Reads for a thread whose event loop never runs. lmdb-js releases each snapshot in a timer. In a shard these timers
 * would never fire, and the pages of the first read would stay pinned. So the shard reads with its own transaction.
 * After a reset its next read takes the newest snapshot.
 */
class ThreadSnapshot {
  readonly #transaction: NativeTransaction;

  constructor(root: RootDatabase<Buffer, Buffer>) {
    this.#transaction = root.useReadTransaction() as NativeTransaction;
    // Detaches the transaction from the environment: this object owns it until `close`.
    root.resetReadTxn();
    this.#release();
  }

  get(table: Table, key: Buffer): Buffer | undefined {
    const value = table.get(key, { transaction: this.#transaction });
    this.#release();
    return value;
  }

  /** Keys of the table, or of one range. */
  keys(table: Table, range: RangeOptions = {}): Buffer[] {
    const keys = [...table.getKeys({ ...range, transaction: this.#transaction })];
    this.#release();
    return keys;
  }

  close(): void {
    this.#transaction.done();
  }

  #release(): void {
    nativeAddon.resetTxn(this.#transaction.address);
  }
}
