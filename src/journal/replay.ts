import { type FoldableEvent, isOrderEvent } from '../domain/event.js';
import type { OrderId } from '../domain/ids.js';
import { REPLAY_BATCH_EVENTS, REPLAY_STATES_KEPT } from '../domain/limits/process.js';
import { NumberMap } from '../domain/number-map.js';
import { isTerminal } from '../domain/order.js';
import type { ParentState } from '../domain/order-state.js';
import type { EpochMs } from '../domain/time.js';
import { orderInEvent } from '../wire/codec/encoded-order.js';
import { decodeFoldable } from '../wire/codec/envelope.js';
import { FeedNumbering } from './state/feed-rows.js';
import { encodedOrderIn, latestPlacesIn, LatestPlaces, stateIn } from './state/order-row.js';
import { type FoldedOrder, putEvent, putOrder, putPlaces } from './state/projection.js';
import { type JournalHead, putHead, type StateTables } from './state/state-tables.js';
import type { JournalTurn } from './journal-scan.js';
import { orderKey } from './state/rows.js';

/**
 * Folds one entry of an order into its state, with the same function as the live turn. The state is null before the
 * first.
 */
export type Fold = (state: ParentState | null, envelope: FoldableEvent) => ParentState;

/** Puts journalled turns into the tables, with states folded from the events. */
export class Replay {
  readonly #tables: StateTables;
  readonly #fold: Fold;
  readonly #decode: (payload: Uint8Array) => FoldableEvent;
  readonly #feeds: FeedNumbering;
  #head: JournalHead;
  #replayedCount = 0;
  /** States of the latest orders, so that they are not read and decoded again; and those before them. */
  #recent = new NumberMap<OrderId, FoldedOrder>();
  #earlier = new NumberMap<OrderId, FoldedOrder>();

  /** `decode` reads an entry. The default does not read its snapshots, which have no part in the tables. */
  constructor(tables: StateTables, fold: Fold, head: JournalHead, decode = decodeFoldable) {
    this.#tables = tables;
    this.#fold = fold;
    this.#decode = decode;
    this.#head = head;
    this.#feeds = new FeedNumbering(tables);
  }

  get head(): JournalHead {
    return this.#head;
  }

  /** Number of events put into the tables. */
  get replayedCount(): number {
    return this.#replayedCount;
  }

  /**
   * Replays the turns that the tables lack, up to and including the one that ends with `untilSeq`. `onCommit` gets the
   * last seq after each transaction.
   */
  run(turns: Iterable<JournalTurn>, untilSeq = Infinity, onCommit: (lastSeq: number) => void = () => undefined): void {
    let batch: JournalTurn[] = [];
    let count = 0;
    for (const turn of turns) {
      if (turn.entries.at(-1)!.seq > this.#head.lastSeq) {
        batch.push(turn);
        count += turn.entries.length;
      }
      if (count >= REPLAY_BATCH_EVENTS) {
        this.#put(batch);
        onCommit(this.#head.lastSeq);
        batch = [];
        count = 0;
      }
      if (turn.entries.at(-1)!.seq >= untilSeq) break;
    }
    if (count === 0) return;
    this.#put(batch);
    onCommit(this.#head.lastSeq);
  }

  #put(turns: readonly JournalTurn[]): void {
    this.#tables.root.transactionSync(() => {
      const orders = new Map<OrderId, FoldedOrder>();
      let latestMs = this.#head.recordedAtMs;
      for (const { entries } of turns) {
        for (const { payload, position } of entries) {
          const envelope = this.#decode(payload);
          if (envelope.recordedAtMs > latestMs) latestMs = envelope.recordedAtMs;
          this.#foldInto(orders, envelope, payload, position);
          putEvent(this.#tables, envelope, position);
          this.#feeds.add(envelope, position);
        }
      }
      for (const folded of orders.values()) putOrder(this.#tables, folded);
      this.#remember(orders);
      this.#feeds.putHeads();
      this.#head = headAfter(turns, latestMs);
      putHead(this.#tables, this.#head);
    });
    this.#replayedCount += turns.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  #foldInto(orders: Map<OrderId, FoldedOrder>, envelope: FoldableEvent, payload: Uint8Array, position: number): void {
    const { event, orderId, seq } = envelope;
    if (orderId === null || !isOrderEvent(event)) return;
    let folded = orders.get(orderId);
    if (folded === undefined)
      orders.set(orderId, (folded = event.kind === 'ParentCreated' ? unknownOrder() : this.#known(orderId)));
    const before = folded.state;
    folded.state = this.#fold(before, envelope);
    // A copy, because the payload is a view of a larger read.
    if (event.kind === 'ParentCreated') folded.encodedOrder = orderInEvent(payload).slice();
    else if (before?.order !== folded.state.order) folded.encodedOrder = null;
    folded.places.add(seq, position);
    if (folded.places.isFull) putPlaces(this.#tables, orderId, folded.places);
  }

  #known(orderId: OrderId): FoldedOrder {
    return this.#recent.get(orderId) ?? this.#earlier.get(orderId) ?? this.#stored(orderId) ?? unknownOrder();
  }

  #remember(orders: ReadonlyMap<OrderId, FoldedOrder>): void {
    for (const [orderId, folded] of orders) {
      this.#earlier.delete(orderId);
      if (folded.list === 'ended') this.#recent.delete(orderId);
      else this.#recent.set(orderId, folded);
      if (this.#recent.size < REPLAY_STATES_KEPT) continue;
      this.#earlier.clear();
      [this.#earlier, this.#recent] = [this.#recent, this.#earlier];
    }
  }

  #stored(orderId: OrderId): FoldedOrder | null {
    const row = this.#tables.table.orders.get(orderKey(orderId));
    if (row === undefined) return null;
    const state = stateIn(row);
    const list = isTerminal(state.status) ? 'ended' : 'open';
    return { state, encodedOrder: encodedOrderIn(row).slice(), places: latestPlacesIn(row), list };
  }
}

function unknownOrder(): FoldedOrder {
  return { state: null, encodedOrder: null, places: new LatestPlaces(), list: null };
}

function headAfter(turns: readonly JournalTurn[], recordedAtMs: EpochMs): JournalHead {
  const { entries, end } = turns.at(-1)!;
  return {
    lastSeq: entries.at(-1)!.seq,
    end,
    turnSeq: entries[0]!.seq,
    turnPosition: entries[0]!.position,
    recordedAtMs,
  };
}
