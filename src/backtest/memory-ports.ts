import type { Command } from '../domain/command.js';
import type { UnnumberedEvent } from '../domain/event.js';
import type { ChildNumber, CorrelationId, OrderId, Seq, VenueTradeId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { Depth, type Market, NO_MARKET } from '../domain/market.js';
import type { ParentOrder } from '../domain/order.js';
import type { ParentState } from '../domain/order-state.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { VenueReport } from '../domain/venue-report.js';
import type { NumberedEvent, Release, TurnJournal } from '../journal/port.js';
import type { Inbox, MainOutbox, MarketView, VenueOutbox } from '../shard/port.js';
import { creationOf } from '../order/snapshot.js';
import { LatentBooks } from '../sim/latency/latent-venues.js';
import type { DepthOutlet } from './venue/backtest-venue.js';

/** Inbox of a shard that shares its thread with the venue: plain lists instead of rings. */
export class MemoryInbox implements Inbox {
  readonly #commands: Command[] = [];
  readonly #reports: VenueReport[] = [];

  get isEmpty(): boolean {
    return this.#commands.length === 0 && this.#reports.length === 0;
  }

  command(command: Command): void {
    this.#commands.push(command);
  }

  report(report: VenueReport): void {
    this.#reports.push(report);
  }

  drainCommands(messagesMax: number, handle: (command: Command) => void): number {
    const taken = this.#commands.splice(0, messagesMax);
    for (const command of taken) handle(command);
    return taken.length;
  }

  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number {
    const taken = this.#reports.splice(0, messagesMax);
    for (const report of taken) handle(report);
    return taken.length;
  }
}

/** Keeps only refusals: the journal has all other results. */
export class MemoryMainOutbox implements MainOutbox {
  refusal: Rejection | null = null;

  hasRoom(): boolean {
    return true;
  }

  noteDurable(): void {}

  needs(): boolean {
    return false;
  }

  publish(): boolean {
    return true;
  }

  refuse(_correlationId: CorrelationId, _orderId: OrderId, rejection: Rejection): boolean {
    this.refusal = rejection;
    return true;
  }

  unchanged(): boolean {
    return true;
  }

  missed(): boolean {
    return true;
  }

  flush(): void {}
}

/** Holds requests until the venue takes them. */
export class MemoryVenueOutbox implements VenueOutbox {
  readonly isFull = false;
  #requests: VenueRequest[] = [];

  send(request: VenueRequest): void {
    this.#requests.push(request);
  }

  flush(): void {}

  take(): readonly VenueRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }
}

/** Latest markets published by the venue, and the subscribed books. */
export class MemoryMarketView implements MarketView, DepthOutlet {
  readonly #markets = new Map<InstrumentIndex, Market>();
  readonly #watched = new Set<InstrumentIndex>();
  readonly #changed = new Set<InstrumentIndex>();
  /** Books of the subscribed instruments; time 0 until the first arrives. */
  readonly #books = new Map<InstrumentIndex, Depth>();
  readonly #booksInTransit = new LatentBooks((instrument, depth) => this.#books.get(instrument)?.set(depth));

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  write(instrument: InstrumentIndex, market: Market): void {
    this.#markets.set(instrument, market);
    this.#booksInTransit.arrive(instrument, market.atMs);
    if (this.#watched.has(instrument)) this.#changed.add(instrument);
  }

  read(instrument: InstrumentIndex): Market {
    return this.#markets.get(instrument) ?? NO_MARKET;
  }

  isDepthWanted(instrument: InstrumentIndex): boolean {
    return this.#books.has(instrument);
  }

  showDepth(instrument: InstrumentIndex, depth: Depth): void {
    this.#booksInTransit.send(instrument, depth);
  }

  depth(instrument: InstrumentIndex): Depth | null {
    const book = this.#books.get(instrument);
    return book === undefined || book.atMs === 0 ? null : book;
  }

  wantDepth(instrument: InstrumentIndex, isWanted: boolean): void {
    if (isWanted) this.#books.set(instrument, new Depth());
    else this.#books.delete(instrument);
  }

  /** A recorded market never sleeps. */
  keepAwake(): void {}

  watch(instrument: InstrumentIndex, isWatched: boolean): void {
    if (isWatched) this.#watched.add(instrument);
    else this.#watched.delete(instrument);
  }

  takeChanged(handle: (instrument: InstrumentIndex) => void): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    changed.forEach(handle);
  }
}

const NO_BYTES = new Uint8Array(0);

/**
 * Creates an order in the journal, as the main thread of the service does. Returns the command that passes it on to the
 * shard.
 */
export function createIn(
  journal: Pick<TurnJournal, 'commit'>,
  order: ParentOrder,
  nowMs: EpochMs,
  correlationId: CorrelationId,
): Command {
  const { event, state } = creationOf(order, nowMs, correlationId);
  let seq = 0 as Seq;
  journal.commit([event], [state], ([numbered]) => (seq = numbered!.envelope.seq));
  return { kind: 'CreateParent', correlationId, order, seq };
}

/** Numbers the events of one backtest as a journal does, in memory only. It encodes and syncs nothing. */
export class MemoryJournal implements TurnJournal {
  readonly events: NumberedEvent[] = [];
  readonly #states = new Map<OrderId, ParentState>();
  readonly #trades = new Set<string>();
  readonly waitingCount = 0;
  readonly isFull = false;

  get openSeq(): number {
    return this.events.length;
  }

  commit(events: readonly UnnumberedEvent[], touched: readonly ParentState[], release: Release): void {
    const numbered = events.map((event, index): NumberedEvent => {
      const seq = (this.events.length + index + 1) as Seq;
      const causationSeq = event.causationSeq < 0 ? seq + event.causationSeq : event.causationSeq;
      return { envelope: { ...event, seq, causationSeq }, bytes: NO_BYTES, marks: [] };
    });
    this.events.push(...numbered);
    for (const { orderId, event } of events) {
      if (event.kind === 'ChildFilled') this.#trades.add(`${orderId}-${event.child}/${event.fill.tradeId}`);
    }
    for (const state of touched) this.#states.set(state.order.orderId, state);
    release(numbered);
  }

  /** Every turn is released at once. */
  releaseDurable(): void {}

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.has(`${orderId}-${child}/${tradeId}`);
  }

  state(orderId: OrderId): ParentState | null {
    return this.#states.get(orderId) ?? null;
  }

  /** Every backtest starts without orders. */
  openParents(): Iterable<ParentState> {
    return [];
  }
}
