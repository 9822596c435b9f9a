import type {
  ClientIdEntry,
  FeedFrame,
  NumberedEvent,
  ReadProgress,
  StateReader,
  StateSnapshot,
  LatestObservations,
  TradeIndexEntry,
} from '../../src/journal/port.js';
import { assert } from '../../src/domain/rejection.js';
import {
  type AccountTopic,
  type FeedKey,
  type EventEnvelope,
  type FeedMark,
  isOrderEvent,
  topicsOf,
  type UnnumberedEvent,
} from '../../src/domain/event.js';
import type { Venue } from '../../src/domain/exchange.js';
import {
  slotOf,
  type AccountId,
  type ChildNumber,
  type ClientOrderId,
  type OrderId,
  type Seq,
  type VenueTradeId,
} from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { encodeEvent } from '../../src/wire/codec/envelope.js';
import { decodeState, encodeState } from '../../src/wire/codec/state.js';

type Touched = readonly ParentState[];

interface NamedEntry extends ClientIdEntry {
  readonly seq: Seq;
}

/** A thread that hands turns over: the main thread, or a shard by its number. */
export type SimProducer = 'main' | number;

/** A state or an event as it is stored. */
type Stored = Pick<NumberedEvent, 'bytes'>;

/** Encodes at the first read. Most states are replaced before that. */
function lazilyEncoded(encode: () => Uint8Array): Stored {
  let bytes: Uint8Array | null = null;
  return {
    get bytes(): Uint8Array {
      return (bytes ??= encode());
    },
  };
}

/** A turn on its way to the disk. */
interface HandedTurn {
  readonly producer: SimProducer;
  readonly events: readonly UnnumberedEvent[];
  readonly touched: Touched;
  readonly onDurable: (numbered: readonly NumberedEvent[]) => void;
}

/**
 * The journal and the state that follows it, in memory. A crash keeps all synced turns. Turns that were handed over and
 * not synced may survive, in their order.
 */
export class SimJournal implements LatestObservations {
  readonly entries: NumberedEvent[];
  readonly #states = new Map<OrderId, Stored>();
  readonly #open = new Map<AccountId, Set<OrderId>>();
  readonly #trades = new Set<string>();
  readonly #feeds = new Map<string, Seq[]>();
  readonly #named = new Map<string, NamedEntry[]>();
  readonly #byOrder = new Map<OrderId, Seq[]>();
  readonly #readers = new Set<SimReader>();
  readonly #handed: HandedTurn[] = [];

  /** Makes a journal from the entries of a backup and rebuilds its state. */
  constructor(entries: readonly NumberedEvent[] = []) {
    this.entries = [];
    for (const entry of entries) {
      this.entries.push(entry);
      this.#index(entry);
      for (const { topic, n, venue = entry.envelope.venue } of entry.marks) {
        const feed = this.#feed(entry.envelope.account, topic, venue);
        assert(feed.push(entry.envelope.seq) === n, 'the feeds of a backup have no gap');
      }
    }
    for (const state of this.folded().values()) this.#put(state);
  }

  /** The stored state of every order. */
  get states(): ReadonlyMap<OrderId, Stored> {
    return this.#states;
  }

  get openCount(): number {
    let count = 0;
    for (const orders of this.#open.values()) count += orders.size;
    return count;
  }

  /** The states that a recovery builds from the entries alone. */
  folded(): Map<OrderId, ParentState> {
    const states = new Map<OrderId, ParentState>();
    for (const { envelope } of this.entries) {
      if (!isOrderEvent(envelope.event)) continue;
      const orderId = envelope.orderId as OrderId;
      states.set(orderId, foldEnvelope(states.get(orderId) ?? null, envelope));
    }
    return states;
  }

  /** Takes a turn that is not on the disk yet. `onDurable` gets its events once they are. */
  handOver(turn: HandedTurn): void {
    this.#handed.push(turn);
  }

  /** Writes and syncs the turns that were handed over, also those of threads that have died. */
  sync(): void {
    for (const { events, touched, onDurable } of this.#handed.splice(0)) onDurable(this.#append(events, touched));
  }

  /** The producer leads: it writes its own turns, before earlier ones of other producers. They are not synced yet. */
  writeOf(producer: SimProducer): void {
    const isOwn = (turn: HandedTurn): boolean => turn.producer === producer;
    const all = this.#handed.splice(0);
    this.#handed.push(...all.filter(isOwn), ...all.filter((turn) => !isOwn(turn)));
  }

  /** The producer leads, and has written: it syncs its own turns. */
  syncOf(producer: SimProducer): void {
    const other = this.#handed.findIndex((turn) => turn.producer !== producer);
    const own = this.#handed.splice(0, other === -1 ? this.#handed.length : other);
    for (const { events, touched, onDurable } of own) onDurable(this.#append(events, touched));
  }

  /** Ends the process. The disk keeps some of the turns that were not synced, in their order, and loses the others. */
  loseUnsynced(isKept: () => boolean): readonly NumberedEvent[] {
    const handed = this.#handed.splice(0);
    const lost = handed.findIndex(() => !isKept());
    const kept = lost === -1 ? handed : handed.slice(0, lost);
    return kept.flatMap(({ events, touched }) => this.#append(events, touched));
  }

  #append(events: readonly UnnumberedEvent[], touched: Touched): readonly NumberedEvent[] {
    const numbered = events.map((event, index) => this.#number(event, index));
    for (const entry of numbered) {
      this.entries.push(entry);
      this.#index(entry);
    }
    for (const state of touched) this.#put(state);
    return numbered;
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.has(`${orderId}-${child}/${tradeId}`);
  }

  state(orderId: OrderId): ParentState | null {
    const stored = this.#states.get(orderId);
    return stored === undefined ? null : decodeState(stored.bytes);
  }

  /** `onUnreadable` gets an order whose bytes are damaged. Default: the error is thrown. */
  *openParents(
    ownsSlot: (slot: number) => boolean,
    onUnreadable: (orderId: OrderId, error: unknown) => void = throwIt,
  ): Iterable<ParentState> {
    for (const orders of this.#open.values()) {
      for (const orderId of orders) {
        const state = ownsSlot(slotOf(orderId)) ? this.#readable(orderId, onUnreadable) : null;
        if (state !== null) yield state;
      }
    }
  }

  #readable(orderId: OrderId, onUnreadable: (orderId: OrderId, error: unknown) => void): ParentState | null {
    try {
      return this.state(orderId);
    } catch (error) {
      onUnreadable(orderId, error);
      return null;
    }
  }

  /** Replaces the stored bytes of an order, without an event. */
  overwrite(orderId: OrderId, bytes: Uint8Array): void {
    this.#states.set(orderId, { bytes });
  }

  lastObservedMs(instrument: InstrumentIndex): EpochMs | null {
    const latest = this.entries.findLast(
      ({ envelope: { event } }) => event.kind === 'MarketObserved' && event.instrument === instrument,
    );
    return latest?.envelope.eventAtMs ?? null;
  }

  openOf(account: AccountId): Iterable<OrderId> {
    return this.#open.get(account) ?? [];
  }

  accounts(): Iterable<AccountId> {
    return this.#open.keys();
  }

  seqsOf({ account, topic, venue }: FeedKey): readonly Seq[] {
    return this.#feed(account, topic, venue);
  }

  eventsOf(orderId: OrderId): readonly Seq[] {
    return this.#byOrder.get(orderId) ?? [];
  }

  namedBy(account: AccountId, clientOrderId: ClientOrderId): readonly NamedEntry[] {
    return this.#named.get(`${account}\n${clientOrderId}`) ?? [];
  }

  attach(reader: SimReader): void {
    this.#readers.add(reader);
  }

  detach(reader: SimReader): void {
    this.#readers.delete(reader);
  }

  #number(event: UnnumberedEvent, index: number): NumberedEvent {
    const seq = (this.entries.length + 1 + index) as Seq;
    const { causationSeq } = event;
    const envelope: EventEnvelope = {
      ...event,
      seq,
      causationSeq: causationSeq < 0 ? seq + causationSeq : causationSeq,
    };
    return Object.assign(
      lazilyEncoded(() => encodeEvent(envelope)),
      { envelope, marks: this.#marksOf(envelope) },
    );
  }

  #marksOf({ event, account, venue, otherVenue, seq }: EventEnvelope): FeedMark[] {
    return topicsOf(event).flatMap((topic): FeedMark[] => {
      const own = { topic, n: this.#feed(account, topic, venue).push(seq) };
      if (topic !== 'order' || otherVenue === null) return [own];
      return [own, { topic, n: this.#feed(account, topic, otherVenue).push(seq), venue: otherVenue }];
    });
  }

  #feed(account: AccountId, topic: AccountTopic, venue: Venue): Seq[] {
    const key = `${account} ${topic} ${venue}`;
    let seqs = this.#feeds.get(key);
    if (seqs === undefined) this.#feeds.set(key, (seqs = []));
    return seqs;
  }

  #index({ envelope: { event, orderId, account, seq } }: NumberedEvent): void {
    if (!isOrderEvent(event) || orderId === null) return;
    const events = this.#byOrder.get(orderId) ?? [];
    this.#byOrder.set(orderId, events);
    events.push(seq);
    if (event.kind === 'ChildFilled') this.#trades.add(`${orderId}-${event.child}/${event.fill.tradeId}`);
    if (event.kind !== 'ParentCreated' || event.order.clientOrderId === null) return;
    const key = `${account}\n${event.order.clientOrderId}`;
    const named = this.#named.get(key) ?? [];
    this.#named.set(key, named);
    named.push({ orderId, requestDigest: event.order.requestDigest, seq });
  }

  #put(state: ParentState): void {
    const { orderId, account } = state.order;
    for (const reader of this.#readers)
      reader.onPut({ seq: this.entries.length, orderId, before: this.#states.get(orderId) ?? null });
    this.#states.set(
      orderId,
      lazilyEncoded(() => encodeState(state)),
    );
    const open = this.#open.get(account) ?? new Set();
    this.#open.set(account, open);
    if (isTerminal(state.status)) open.delete(orderId);
    else open.add(orderId);
  }
}

function throwIt(_: OrderId, error: unknown): never {
  throw error;
}

/** A state that replaces an earlier one; null: there was none. */
interface Put {
  /** Latest event of its turn. */
  readonly seq: number;
  readonly orderId: OrderId;
  readonly before: Stored | null;
}

/** Reads the journal for one process: a snapshot as of the last look. */
export class SimReader implements StateReader, StateSnapshot {
  readonly #journal: SimJournal;
  /** The states that are later than the snapshot, oldest first, and for each of their orders the state in it. */
  #later: Put[] = [];
  readonly #former = new Map<OrderId, Stored | null>();
  #lastSeq: number;
  readonly #shownShare: () => number;

  /** `shownShare`: how much a look that does not wait long shows of the turns since the last look; 1: all of them. */
  constructor(journal: SimJournal, shownShare: () => number) {
    this.#journal = journal;
    this.#shownShare = shownShare;
    this.#lastSeq = journal.entries.length;
    journal.attach(this);
  }

  onPut(put: Put): void {
    this.#later.push(put);
    if (!this.#former.has(put.orderId)) this.#former.set(put.orderId, put.before);
  }

  complete(waitMs = Infinity, throughSeq = this.#journal.entries.length): this | null {
    if (waitMs === Infinity) this.latest();
    else this.#look();
    return this.#lastSeq >= throughSeq ? this : null;
  }

  latest(): this {
    this.#later = [];
    this.#former.clear();
    this.#lastSeq = this.#journal.entries.length;
    return this;
  }

  /** Shows some of the later turns. Returns true when it shows all of them. */
  #look(): boolean {
    const share = this.#shownShare();
    if (share >= 1) {
      this.latest();
      return true;
    }
    const count = Math.round(share * this.#later.length);
    if (count === 0) return false;
    this.#lastSeq = this.#later[count - 1]!.seq;
    const later = this.#later.filter(({ seq }) => seq > this.#lastSeq);
    this.#later = [];
    this.#former.clear();
    for (const put of later) this.onPut(put);
    return false;
  }

  recent(): this {
    return this;
  }

  get durableSeq(): number {
    return this.#journal.entries.length;
  }

  renewed(): this {
    this.#look();
    return this;
  }

  progress(): ReadProgress {
    this.renewed();
    return { shownSeq: this.#lastSeq, durableSeq: this.#journal.entries.length };
  }

  order(orderId: OrderId): ParentState | null {
    const former = this.#former.get(orderId);
    if (former === undefined) return this.#journal.state(orderId);
    return former === null ? null : decodeState(former.bytes);
  }

  openOrders(account: AccountId): ParentState[] {
    const ids = new Set([...this.#journal.openOf(account), ...this.#former.keys()]);
    return [...ids]
      .sort((one, other) => one - other)
      .flatMap((orderId) => {
        const state = this.order(orderId);
        return state === null || state.order.account !== account || isTerminal(state.status) ? [] : [state];
      });
  }

  *openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]> {
    const ids = this.openOrders(account).map(({ order }) => order.orderId);
    for (let from = 0; from < ids.length; from += partKeys) yield ids.slice(from, from + partKeys);
  }

  accountsWithOpenOrders(): AccountId[] {
    return [...this.#journal.accounts()].filter((account) => this.openOrders(account).length > 0);
  }

  byClientOrderId(account: AccountId, clientOrderId: ClientOrderId): ClientIdEntry | null {
    const entry = this.#journal.namedBy(account, clientOrderId).findLast(({ seq }) => seq <= this.#lastSeq);
    return entry === undefined ? null : { orderId: entry.orderId, requestDigest: entry.requestDigest };
  }

  find(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): ParentState[] {
    return [...this.#journal.states.keys()]
      .flatMap((orderId) => this.order(orderId) ?? [])
      .filter(({ order }) => order.account === account && order.createdAtMs >= fromMs && order.createdAtMs <= toMs)
      .sort((one, other) => other.order.createdAtMs - one.order.createdAtMs || other.order.orderId - one.order.orderId)
      .slice(0, limit);
  }

  findIds(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): OrderId[] {
    return this.find(account, fromMs, toMs, limit).map(({ order }) => order.orderId);
  }

  /** The position of an entry is its seq. */
  tradeIndex(orderId: OrderId, after: TradeIndexEntry | null, limit: number): TradeIndexEntry[] {
    const entries = this.trades(orderId).flatMap(({ event, seq }) =>
      event.kind === 'ChildFilled' ? [{ child: event.child, tradeId: event.fill.tradeId, position: seq }] : [],
    );
    entries.sort((one, other) => one.child - other.child || one.tradeId - other.tradeId);
    const isAfter = ({ child, tradeId }: TradeIndexEntry): boolean =>
      after === null || child > after.child || (child === after.child && tradeId > after.tradeId);
    return entries.filter(isAfter).slice(0, limit);
  }

  event(position: number): EventEnvelope | null {
    return this.#journal.entries[position - 1]?.envelope ?? null;
  }

  eventCount(orderId: OrderId, after: Seq | 0, limit: number): number {
    return this.events(orderId, after, limit).length;
  }

  trades(orderId: OrderId): EventEnvelope[] {
    return this.events(orderId).filter(({ event }) => event.kind === 'ChildFilled');
  }

  events(orderId: OrderId, after: Seq | 0 = 0, limit = Infinity): EventEnvelope[] {
    const seqs = this.#journal.eventsOf(orderId).filter((seq) => seq > after && seq <= this.#lastSeq);
    return seqs.slice(0, limit).map((seq) => this.#envelope(seq));
  }

  lastEvent(orderId: OrderId, through: Seq | 0): EventEnvelope | null {
    const seq = this.#journal.eventsOf(orderId).findLast((one) => one <= through && one <= this.#lastSeq);
    return seq === undefined ? null : this.#envelope(seq);
  }

  formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    for (const { event } of this.events(orderId)) {
      const order = event.kind === 'ParentCreated' || event.kind === 'ParentAmended' ? event.order : null;
      if (order?.revision === revision) return order;
    }
    return null;
  }

  feedHead(feed: FeedKey): number {
    const seqs = this.#journal.seqsOf(feed);
    let head = seqs.length;
    while (head > 0 && (seqs[head - 1] as Seq) > this.#lastSeq) head -= 1;
    return head;
  }

  feedTail(): number {
    return 1;
  }

  feed(feed: FeedKey, after: number, limit: number): FeedFrame[] {
    const to = Math.min(this.feedHead(feed), after + limit);
    const seqs = this.#journal.seqsOf(feed).slice(after, to);
    return seqs.map((seq, index) => ({ n: after + index + 1, envelope: this.#envelope(seq) }));
  }

  lastSeq(): Seq | 0 {
    return this.#lastSeq as Seq | 0;
  }

  /** Ends the process. */
  close(): void {
    this.#journal.detach(this);
  }

  #envelope(seq: Seq): EventEnvelope {
    return (this.#journal.entries[seq - 1] as NumberedEvent).envelope;
  }
}
