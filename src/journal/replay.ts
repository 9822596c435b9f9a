import { isOrderEvent, type EventEnvelope } from '../domain/event.js';
import type { OrderId } from '../domain/ids.js';
import { REPLAY_BATCH_EVENTS, REPLAY_STATES_KEPT } from '../domain/limits/process.js';
import { isTerminal } from '../domain/order.js';
import type { ParentState } from '../domain/order-state.js';
import { orderInEvent, orderInState } from '../wire/codec/encoded-order.js';
import { decodeEvent } from '../wire/codec/envelope.js';
import { decodeState } from '../wire/codec/state.js';
import { type FoldedState, FeedNumbering, type PlacedEvent, project } from './state/projection.js';
import { type JournalHead, putHead, type StateTables } from './state/state-tables.js';
import type { JournalTurn } from './journal-scan.js';
import { orderKey } from './state/rows.js';

/**
 * Folds one entry of an order into its state, with the same function as the live turn. The state is null before the
 * first.
 */
export type Fold = (state: ParentState | null, envelope: EventEnvelope) => ParentState;

/** Puts journalled turns into the tables, with states folded from the events. */
export class Replay {
  readonly #tables: StateTables;
  readonly #fold: Fold;
  #head: JournalHead;
  #replayedCount = 0;
  /** States of the latest orders, so that they are not read and decoded again; and those before them. */
  #recent = new Map<OrderId, FoldedState>();
  #earlier = new Map<OrderId, FoldedState>();

  constructor(tables: StateTables, fold: Fold, head: JournalHead) {
    this.#tables = tables;
    this.#fold = fold;
    this.#head = head;
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
      const feeds = new FeedNumbering(this.#tables.table.feed_heads);
      const states = new Map<OrderId, FoldedState>();
      const events = turns.flatMap(({ entries }) =>
        entries.map(({ payload, position }): PlacedEvent => {
          const envelope = decodeEvent(payload);
          this.#foldInto(states, envelope, payload);
          return { envelope, marks: feeds.marks(envelope), position };
        }),
      );
      project(this.#tables, events, states.values());
      this.#remember(states);
      feeds.putHeads();
      this.#head = headAfter(this.#head, turns, events);
      putHead(this.#tables, this.#head);
    });
    this.#replayedCount += turns.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  #foldInto(states: Map<OrderId, FoldedState>, envelope: EventEnvelope, payload: Uint8Array): void {
    const { event, orderId } = envelope;
    if (orderId === null || !isOrderEvent(event)) return;
    const before =
      states.get(orderId) ?? this.#recent.get(orderId) ?? this.#earlier.get(orderId) ?? this.#stored(orderId);
    const state = this.#fold(before?.state ?? null, envelope);
    // A copy, because the payload is a view of a larger read.
    const created = event.kind === 'ParentCreated' ? orderInEvent(payload).slice() : null;
    const kept = before !== null && before.state.order === state.order ? before.encodedOrder : null;
    states.set(orderId, { state, encodedOrder: created ?? kept });
  }

  #remember(states: ReadonlyMap<OrderId, FoldedState>): void {
    for (const [orderId, folded] of states) {
      this.#earlier.delete(orderId);
      if (isTerminal(folded.state.status)) this.#recent.delete(orderId);
      else this.#recent.set(orderId, folded);
      if (this.#recent.size < REPLAY_STATES_KEPT) continue;
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
  }

  #stored(orderId: OrderId): FoldedState | null {
    const bytes = this.#tables.table.orders.get(orderKey(orderId));
    return bytes === undefined ? null : { state: decodeState(bytes), encodedOrder: orderInState(bytes).slice() };
  }
}

function headAfter(head: JournalHead, turns: readonly JournalTurn[], events: readonly PlacedEvent[]): JournalHead {
  const { entries, end } = turns.at(-1)!;
  let latestMs = head.recordedAtMs;
  for (const { envelope } of events) if (envelope.recordedAtMs > latestMs) latestMs = envelope.recordedAtMs;
  return {
    lastSeq: entries.at(-1)!.seq,
    end,
    turnSeq: entries[0]!.seq,
    turnPosition: entries[0]!.position,
    recordedAtMs: latestMs,
  };
}
