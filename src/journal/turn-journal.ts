import * as lmdb from 'lmdb';
import type { RangeOptions, RootDatabase, Transaction } from 'lmdb';
import { assert } from '../domain/rejection.js';
import { type EventEnvelope, isOrderEvent, type UnnumberedEvent } from '../domain/event.js';
import { type ChildNumber, type OrderId, type Seq, slotOf, type VenueTradeId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import {
  ENTRY_BYTES_MAX,
  JOURNAL_WAIT_MS_MAX,
  PROJECTION_LAG_EVENTS_MAX,
  TURNS_WAITING_MAX,
} from '../domain/limits/process.js';
import type { ParentState } from '../domain/order-state.js';
import type { EpochMs } from '../domain/time.js';
import { stateFolder } from '../storage/data-directory.js';
import { BellRinger } from '../wire/bell.js';
import { encodeUnnumberedEvent, numberEncodedEvent } from '../wire/codec/envelope.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import { decodeState } from '../wire/codec/state.js';
import { entryBytes } from './entry.js';
import { JournalFailure, type NumberedEvent, type Release, type LatestObservations, type TurnJournal } from './port.js';
import { RecentTurns } from './recent-turns.js';
import { SEGMENT_HEADER_BYTES } from './segments.js';
import { type ProducerMemory, SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { instrumentKey, integersAfter, lastInteger, orderKey, tradeKey } from './state/rows.js';
import { openStateTables, type StateTables, type Table } from './state/state-tables.js';
import { numbersIn, openedSeqOf, openRecord, TurnWriter, type UnnumberedMark, unnumberedMarks } from './turn-record.js';

interface TurnJournalOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly memory: Pick<ProducerMemory, 'appends' | 'places'>;
  /** Waits up to a number of milliseconds while the journal thread has work. Default: blocks the thread. */
  readonly pause?: (ms: number) => void;
}

const PAUSE_MS = 1;

/**
 * Opens a shard's own handle of the journal in its thread. Waits until LMDB contains every turn of an earlier thread
 * of the shard. Throws JournalFailure when the journal has failed.
 */
export function openTurnJournal(options: TurnJournalOptions): ShardJournal {
  const journal = new ShardJournal(options);
  journal.takePlace();
  return journal;
}

/** A turn that is not released yet. */
interface WaitingTurn {
  readonly events: readonly UnnumberedEvent[];
  readonly encoded: readonly Uint8Array[];
  readonly marks: readonly (readonly UnnumberedMark[])[];
  /** Numbers that the journal thread gives it: the seq of its first event, and the number of each frame. */
  readonly numberCount: number;
  readonly noteSeq: (lastSeq: number) => void;
  readonly release: Release;
}

/**
 * Hands the turns of one shard to the journal thread and releases them when they are durable:
 *
 *   commit: encode ─▶ ring ─▶ journal thread: number, write, sync ─▶ ring ─▶ releaseDurable: release
 *
 * The shard decides its next turns meanwhile. It reads the state of its orders here: from its own recent turns, else
 * from LMDB, which follows the journal.
 */
export class ShardJournal implements TurnJournal, LatestObservations {
  readonly #tables: StateTables;
  readonly #snapshot: ThreadSnapshot;
  readonly #shared: SharedJournal;
  readonly #bell: BellRinger;
  readonly #appends: RingProducer;
  readonly #places: RingConsumer;
  readonly #writer: TurnWriter;
  readonly #recent = new RecentTurns();
  readonly #pause: (ms: number) => void;
  readonly #waiting: WaitingTurn[] = [];
  /** Numbers of the oldest waiting turn that have arrived. */
  #numbers: number[] = [];
  #openedSeq: number | null = null;

  constructor({ dataDir, shared, memory, pause = blockThread }: TurnJournalOptions) {
    this.#shared = new SharedJournal(shared);
    this.#bell = new BellRinger(shared.bell);
    this.#appends = new RingProducer(memory.appends);
    this.#places = new RingConsumer(memory.places);
    this.#writer = new TurnWriter(this.#appends.capacityBytes, (record) => this.#send(record));
    this.#pause = pause;
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#snapshot = new ThreadSnapshot(this.#tables.root);
  }

  /** Takes the place of an earlier thread: its answers are dropped, and LMDB contains its turns afterwards. */
  takePlace(): void {
    this.#send(openRecord());
    this.#bell.ring();
    this.#waitFor('an answer', () => {
      this.#places.drain(Infinity, (record) => (this.#openedSeq = openedSeqOf(numbersIn(record)) ?? this.#openedSeq));
      return this.#openedSeq !== null;
    });
    const { projectedSeq } = this.#shared;
    if (projectedSeq >= this.#openedSeq!) return;
    this.#waitFor('the state', () => this.#shared.awaitProjected(this.#openedSeq!, 0));
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    const { durable, projected } = this.#shared.progress;
    return this.#waiting.length >= TURNS_WAITING_MAX || durable - projected > PROJECTION_LAG_EVENTS_MAX;
  }

  commit(events: readonly UnnumberedEvent[], touched: readonly ParentState[], release: Release): void {
    this.#refuseFailed();
    assertSameOrders(events, touched);
    if (events.length === 0) {
      if (this.#waiting.length === 0) return release([]);
      this.#waiting.push({ events, encoded: [], marks: [], numberCount: 0, noteSeq: () => undefined, release });
      return undefined;
    }
    const encoded = events.map((event) => encodeUnnumberedEvent(event));
    this.#assertFits(encoded);
    const marks = events.map((event) => unnumberedMarks(event));
    const numberCount = marks.reduce((sum, { length }) => sum + length, 1);
    const noteSeq = this.#recent.add(events, touched);
    this.#waiting.push({ events, encoded, marks, numberCount, noteSeq, release });
    for (const [index, event] of events.entries()) this.#writer.add(encoded[index]!, event.account, marks[index]!);
    this.#writer.end();
    this.#bell.ring();
    return undefined;
  }

  releaseDurable(): void {
    this.#refuseFailed();
    this.#places.drain(Infinity, (record) => this.#takeNumbers(numbersIn(record)));
    this.#recent.forget(this.#shared.projectedSeq);
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    if (this.#recent.hasTrade(orderId, child, tradeId)) return true;
    return this.#snapshot.get(this.#tables.table.trades, tradeKey(orderId, child, tradeId)) !== undefined;
  }

  state(orderId: OrderId): ParentState | null {
    const recent = this.#recent.state(orderId);
    if (recent !== null) return recent;
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
    this.#snapshot.close();
    void this.#tables.root.close();
  }

  #takeNumbers(numbers: Float64Array): void {
    this.#numbers.push(...numbers);
    const turn = this.#waiting[0];
    if (turn === undefined || this.#numbers.length < turn.numberCount) return;
    this.#waiting.shift();
    const released = numberedEvents(turn, this.#numbers);
    this.#numbers = [];
    turn.noteSeq(released.at(-1)!.envelope.seq);
    turn.release(released);
    // Turns without events waited for this one.
    while (this.#waiting[0]?.numberCount === 0) this.#waiting.shift()!.release([]);
  }

  /** Waits for room in the ring when the journal thread is behind. */
  #send(record: Uint8Array): void {
    const isWritten = (): boolean => {
      const result = this.#appends.tryWrite(record);
      assert(result !== 'oversize', `a record of ${record.length} bytes fits into its ring`);
      return result === 'written';
    };
    if (!isWritten()) this.#waitFor('room', isWritten);
  }

  #waitFor(what: string, isThere: () => boolean): void {
    for (let waitedMs = 0; !isThere(); waitedMs += PAUSE_MS) {
      this.#refuseFailed();
      if (waitedMs > JOURNAL_WAIT_MS_MAX) throw new JournalFailure(`the journal thread gives no ${what}`);
      this.#bell.ring();
      this.#pause(PAUSE_MS);
    }
  }

  #refuseFailed(): void {
    if (this.#shared.isFailed) throw new JournalFailure('the journal has failed: start again');
  }

  #assertFits(encoded: readonly Uint8Array[]): void {
    let bytes = SEGMENT_HEADER_BYTES;
    for (const { length } of encoded) {
      if (length > ENTRY_BYTES_MAX) throw new JournalFailure(`an event of ${length} bytes exceeds a journal entry`);
      bytes += entryBytes(length);
    }
    if (bytes > this.#shared.segmentBytes) {
      throw new JournalFailure(`a turn of ${bytes} bytes exceeds a journal segment`);
    }
  }
}

/** `numbers`: seq of the first event, then the number of each frame. */
function numberedEvents({ events, encoded, marks }: WaitingTurn, numbers: readonly number[]): NumberedEvent[] {
  let [seq = 0] = numbers;
  let used = 1;
  return events.map((event, index) => {
    const bytes = encoded[index]!;
    numberEncodedEvent(bytes, 0, seq);
    const envelope = number(event, seq as Seq, index);
    seq += 1;
    return {
      envelope,
      bytes,
      marks: marks[index]!.map(({ topic, venue, isElsewhere }) => {
        const n = numbers[used++]!;
        return isElsewhere ? { topic, n, venue } : { topic, n };
      }),
    };
  });
}

/** A shard's thread has no event loop that turns. */
function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

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
