import type { NumberedEvent, Release, TapePast, TurnJournal } from '../../src/journal/port.js';
import type { EventEnvelope, UnnumberedEvent } from '../../src/model/event.js';
import type { Venue } from '../../src/model/exchange.js';
import { topicsOf, type AccountTopic, type FeedMark } from '../../src/model/feed.js';
import { slotOf, type ChildNumber, type OrderId, type Seq, type VenueTradeId } from '../../src/model/ids.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { isTerminal, type ParentState } from '../../src/model/order.js';
import type { EpochMs } from '../../src/model/time.js';
import { decodeState, encodeEvent, encodeState } from '../../src/wire/codec/index.js';

/** A journal that lasts as long as its object: the shards that open it after a crash find what was committed. */
export class MemoryJournal implements TurnJournal, TapePast {
  /** Every event, in the order of its seq. */
  readonly entries: NumberedEvent[] = [];
  /** Number of the first entry of each turn, for there is one sync a turn. */
  readonly turns: Seq[] = [];
  readonly #states = new Map<OrderId, Uint8Array>();
  readonly #open = new Set<OrderId>();
  readonly #trades = new Set<string>();
  readonly #feedHeads = new Map<string, number>();

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release?: Release,
  ): readonly NumberedEvent[] {
    const numbered = events.map((event, index) => this.#number(event, index));
    this.turns.push((this.entries.length + 1) as Seq);
    this.entries.push(...numbered);
    for (const { envelope } of numbered) {
      const { event, orderId } = envelope;
      if (event.kind === 'ChildFilled') this.#trades.add(`${orderId}-${event.child}/${event.fill.tradeId}`);
    }
    for (const state of touched) this.#put(state);
    release?.(numbered);
    return numbered;
  }

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

  /** Stores a state that no event has led to. */
  overwrite(state: ParentState): void {
    this.#put(state);
  }

  /** The stored bytes of the order can no longer be read. */
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

  /** The stored bytes of every order. */
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
