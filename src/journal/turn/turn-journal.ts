import * as lmdb from 'lmdb';
import type { RangeOptions, RootDatabase, Transaction } from 'lmdb';
import { assert, InvariantViolation } from '../../domain/rejection.js';
import { isOrderEvent, type UnnumberedEvent } from '../../domain/event.js';
import { type ChildNumber, type OrderId, slotOf, type VenueTradeId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { TURNS_WAITING_MAX } from '../../domain/limits/process.js';
import type { ParentState } from '../../domain/order-state.js';
import type { EpochMs } from '../../domain/time.js';
import { stateFolder } from '../../storage/data-directory.js';
import type { Release, LatestObservations, TurnJournal } from '../port.js';
import { RecentTurns } from './recent-turns.js';
import { TurnProducer, type TurnProducerOptions } from './turn-producer.js';
import { stateIn } from '../state/order-row.js';
import { instrumentKey, integersAfter, lastInteger, orderKey, tradeKey } from '../state/rows.js';
import { openStateTables, type StateTables, type Table } from '../state/state-tables.js';

interface TurnJournalOptions extends TurnProducerOptions {
  readonly dataDir: string;
}

/**
 * Opens a shard's own handle of the journal in its thread. Waits until LMDB contains every turn of an earlier thread
 * of the shard. Throws JournalFailure when the journal has failed.
 */
export function openTurnJournal({ dataDir, ...options }: TurnJournalOptions): ShardJournal {
  const producer = new TurnProducer(options);
  const openSeq = producer.takePlace();
  return new ShardJournal(dataDir, producer, openSeq);
}

/**
 * The journal for one shard. The shard decides its next turns while the journal thread writes the earlier ones. It
 * reads ended orders and recorded fills here: from its own recent turns, else from LMDB, which follows the journal.
 */
export class ShardJournal implements TurnJournal, LatestObservations {
  readonly openSeq: number;
  readonly #tables: StateTables;
  readonly #snapshot: ThreadSnapshot;
  readonly #producer: TurnProducer;
  readonly #recent = new RecentTurns();

  constructor(dataDir: string, producer: TurnProducer, openSeq: number) {
    this.openSeq = openSeq;
    this.#producer = producer;
    this.#tables = openStateTables(stateFolder(dataDir));
    this.#snapshot = new ThreadSnapshot(this.#tables.root);
  }

  get waitingCount(): number {
    return this.#producer.waitingCount;
  }

  get isFull(): boolean {
    return this.#producer.waitingCount >= TURNS_WAITING_MAX || this.#producer.isBehind;
  }

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release: Release,
    isAwaited = true,
  ): void {
    assertSameOrders(events, touched);
    if (events.length === 0) return this.#producer.append(events, release, isAwaited);
    const noteSeq = this.#recent.add(events, touched);
    const onDurable: Release = (numbered) => {
      noteSeq(numbered.at(-1)!.envelope.seq);
      release(numbered);
    };
    this.#producer.append(events, onDurable, isAwaited);
    return undefined;
  }

  /**
   * Wakes the journal thread, or writes in this thread (`mayLead`), when an awaited turn was committed or a quiet one
   * has waited QUIET_TURN_MS. Call it at the end of each round. Returns the milliseconds until the next call; 0: turns
   * are durable now.
   */
  wakeLater(mayLead = true): number {
    return this.#producer.wakeLater(mayLead);
  }

  /** Wakes the journal thread for all turns. */
  wake(): void {
    this.#producer.wake();
  }

  releaseDurable(): void {
    this.#producer.releaseDurable();
    this.#recent.forget(this.#producer.projectedSeq);
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    if (this.#recent.hasTrade(orderId, child, tradeId)) return true;
    return this.#snapshot.get(this.#tables.table.trades, tradeKey(orderId, child, tradeId)) !== undefined;
  }

  state(orderId: OrderId): ParentState | null {
    const recent = this.#recent.endedState(orderId);
    if (recent !== null) return recent;
    const bytes = this.#snapshot.get(this.#tables.table.orders, orderKey(orderId));
    return bytes === undefined ? null : stateIn(bytes);
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
}

function rethrow(_orderId: OrderId, error: unknown): never {
  throw error;
}

/** Replay folds every order that has an event, so the turn must contain the states of exactly these orders. */
function assertSameOrders(events: readonly UnnumberedEvent[], touched: readonly ParentState[]): void {
  const orders = new Set<OrderId>();
  for (const { orderId, event } of events) {
    if (orderId !== null && isOrderEvent(event)) orders.add(orderId);
  }
  if (orders.size !== touched.length) {
    throw new InvariantViolation(`${touched.length} states for the events of ${orders.size} orders`);
  }
  for (const { order } of touched) {
    if (!orders.has(order.orderId)) throw new InvariantViolation(`order ${order.orderId} has an event in its turn`);
  }
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
