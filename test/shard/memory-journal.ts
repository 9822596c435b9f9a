import type { NumberedEvent, Release, LatestObservations, TurnJournal } from '../../src/journal/port.js';
import {
  type AccountTopic,
  type EventEnvelope,
  type FeedMark,
  topicsOf,
  type UnnumberedEvent,
} from '../../src/domain/event.js';
import type { Venue } from '../../src/domain/exchange.js';
import { slotOf, type ChildNumber, type OrderId, type Seq, type VenueTradeId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { encodeEvent } from '../../src/wire/codec/envelope.js';
import { decodeState, encodeState } from '../../src/wire/codec/state.js';

/** A journal in memory. Shards that open it after a crash find the committed turns. */
export class MemoryJournal implements TurnJournal, LatestObservations {
  /** All events, in order of seq. */
  readonly entries: NumberedEvent[] = [];
  /** Seq of the first event of each turn. */
  readonly turns: Seq[] = [];
  readonly #states = new Map<OrderId, Uint8Array>();
  readonly #open = new Set<OrderId>();
  readonly #trades = new Set<string>();
  readonly #feedHeads = new Map<string, number>();
  readonly waitingCount = 0;
  readonly isFull = false;

  get openSeq(): number {
    return this.entries.length;
  }

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release?: Release,
  ): readonly NumberedEvent[] {
    const numbered = events.map((event, index) => this.#number(event, index));
    if (events.length > 0) this.turns.push((this.entries.length + 1) as Seq);
    this.entries.push(...numbered);
    for (const { envelope } of numbered) {
      const { event, orderId } = envelope;
      if (event.kind === 'ChildFilled') this.#trades.add(`${orderId}-${event.child}/${event.fill.tradeId}`);
    }
    for (const state of touched) this.#put(state);
    release?.(numbered);
    return numbered;
  }

  /** Every turn is released at once. */
  releaseDurable(): void {}

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.has(`${orderId}-${child}/${tradeId}`);
  }

  state(orderId: OrderId): ParentState | null {
    const bytes = this.#states.get(orderId);
    return bytes === undefined ? null : decodeState(bytes);
  }

  *openParents(
    ownsSlot: (slot: number) => boolean,
    onUnreadable?: (orderId: OrderId, error: unknown) => void,
  ): Iterable<ParentState> {
    for (const orderId of this.#open) {
      const state = ownsSlot(slotOf(orderId)) ? this.#readable(orderId, onUnreadable) : null;
      if (state !== null) yield state;
    }
  }

  /** Stores a state without an event. */
  overwrite(state: ParentState): void {
    this.#put(state);
  }

  /** Makes the stored bytes of the order unreadable. */
  damage(orderId: OrderId): void {
    this.#states.set(orderId, new Uint8Array([255]));
  }

  #readable(orderId: OrderId, onUnreadable?: (orderId: OrderId, error: unknown) => void): ParentState | null {
    try {
      return this.state(orderId);
    } catch (error) {
      if (onUnreadable === undefined) throw error;
      onUnreadable(orderId, error);
      return null;
    }
  }

  lastObservedMs(instrument: InstrumentIndex): EpochMs | null {
    const latest = this.entries.findLast(
      ({ envelope: { event } }) => event.kind === 'MarketObserved' && event.instrument === instrument,
    );
    return latest?.envelope.eventAtMs ?? null;
  }

  /** Stored bytes of every order. */
  get states(): ReadonlyMap<OrderId, Uint8Array> {
    return this.#states;
  }

  get openCount(): number {
    return this.#open.size;
  }

  #number(event: UnnumberedEvent, index: number): NumberedEvent {
    const seq = (this.entries.length + 1 + index) as Seq;
    const { causationSeq } = event;
    const envelope: EventEnvelope = {
      ...event,
      seq,
      causationSeq: causationSeq < 0 ? seq + causationSeq : causationSeq,
    };
    return { envelope, bytes: encodeEvent(envelope), marks: this.#marksOf(envelope) };
  }

  #marksOf({ event, account, venue, otherVenue }: EventEnvelope): FeedMark[] {
    const next = (topic: AccountTopic, at: Venue): number => {
      const feed = `${account} ${topic} ${at}`;
      const n = (this.#feedHeads.get(feed) ?? 0) + 1;
      this.#feedHeads.set(feed, n);
      return n;
    };
    return topicsOf(event).flatMap((topic): FeedMark[] => {
      const own = { topic, n: next(topic, venue) };
      if (topic !== 'order' || otherVenue === null) return [own];
      return [own, { topic, n: next(topic, otherVenue), venue: otherVenue }];
    });
  }

  #put(state: ParentState): void {
    const { orderId } = state.order;
    this.#states.set(orderId, encodeState(state));
    if (isTerminal(state.status)) this.#open.delete(orderId);
    else this.#open.add(orderId);
  }
}
