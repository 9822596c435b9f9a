import { assert } from '../model/assert.js';
import { isOrderEvent, type EventEnvelope, type UnnumberedEvent } from '../model/event.js';
import type { ChildNumber, OrderId, Seq, VenueTradeId } from '../model/ids.js';
import { slotOf } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { decodeState, encodeEvent } from '../wire/codec/index.js';
import { Appender } from './appender.js';
import { journalFolder, stateFolder } from './data-folder.js';
import type { JournalDisk } from './disk.js';
import { FeedNumbering } from './feed-numbering.js';
import { emptyHead, type JournalHead } from './journal-head.js';
import { JournalFailure, type NumberedEvent, type Release, type TapePast, type TurnJournal } from './port.js';
import { project } from './projection.js';
import { instrumentKey, integersAfter, lastInteger, orderKey, tradeKey } from './row-key.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import { SharedJournal } from './shared-journal.js';
import { openStateTables, putHead, readHead, type StateTables } from './state-tables.js';
import { ThreadSnapshot } from './thread-snapshot.js';
import { TurnBuffer } from './turn-buffer.js';

export interface TurnJournalOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: SharedArrayBuffer;
  /** The system's own unless told. */
  readonly disk?: JournalDisk;
}

/**
 * A shard's own handle of the journal, opened in its thread. Throws JournalFailure when a predecessor died in the middle of
 * a turn: only the next start of the service can read what became of it.
 */
export function openTurnJournal(options: TurnJournalOptions): ShardJournal {
  const journal = new ShardJournal(options);
  journal.checkFinished();
  return journal;
}

/**
 * One turn, under LMDB's writer lock, which puts the turns of all shards in one order:
 *
 *   number ─▶ encode ─▶ append + fdatasync ─▶ release ─▶ put states and indices ─▶ commit (not synced)
 *
 * The state is thus never ahead of the journal, and a turn that fails anywhere leaves the state as it was. What was
 * released and not committed is in the journal: the next start replays it.
 */
export class ShardJournal implements TurnJournal, TapePast {
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
      // Whatever it was, nobody knows now what the disk holds: only a new start can tell.
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new JournalFailure(`the journal could not take a turn: ${reason}`, { cause });
      throw this.#failure;
    }
  }

  /** Waits for the journal's lock. Throws JournalFailure when a turn was appended and not committed. */
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
    // The ids first: no cursor stays open while the caller commits.
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
    const [latest] = this.#snapshot.keys(this.#tables.table.tape, { start: end, end: start, reverse: true, limit: 1 });
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

/** Member by member: a spread that adds a member behind it takes V8 two microseconds, and every event comes by here. */
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

/** Replay folds every order that has an event: the turn must hand over exactly the states of these. */
function assertSameOrders(events: readonly UnnumberedEvent[], touched: readonly ParentState[]): void {
  const orders = new Set<OrderId>();
  for (const { orderId, event } of events) {
    if (orderId !== null && isOrderEvent(event)) orders.add(orderId);
  }
  assert(orders.size === touched.length, `${touched.length} states for the events of ${orders.size} orders`);
  for (const { order } of touched) assert(orders.has(order.orderId), `order ${order.orderId} has an event in its turn`);
}
