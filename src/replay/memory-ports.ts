import type { Command } from '../model/command.js';
import { Depth } from '../model/depth.js';
import type { CorrelationId, OrderId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { NO_MARKET, type Market } from '../model/market.js';
import type { Rejection } from '../model/rejection.js';
import type { VenueReport, VenueRequest } from '../model/venue-message.js';
import type { Inbox, MainOutbox, MarketView, VenueOutbox } from '../shard/port.js';
import { LatentBooks } from '../venue/latency/index.js';
import type { DepthOutlet } from '../venue/replay/index.js';

/** What comes into a shard that shares its thread with everybody: plain lists instead of rings. */
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
    taken.forEach(handle);
    return taken.length;
  }

  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number {
    const taken = this.#reports.splice(0, messagesMax);
    taken.forEach(handle);
    return taken.length;
  }
}

/** Nobody listens but to refusals: what else happened stands in the journal. */
export class MemoryMainOutbox implements MainOutbox {
  refusal: Rejection | null = null;

  hasRoom(): boolean {
    return true;
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

/** Requests wait here until the venue's turn. */
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

/** The markets as the venue last told them, and the books that somebody looks at. */
export class MemoryMarketView implements MarketView, DepthOutlet {
  readonly #markets = new Map<InstrumentIndex, Market>();
  readonly #watched = new Set<InstrumentIndex>();
  readonly #changed = new Set<InstrumentIndex>();
  /** Of the instruments that somebody looks at; at time 0 until one is shown. */
  readonly #books = new Map<InstrumentIndex, Depth>();
  readonly #comingBooks = new LatentBooks((instrument, depth) => this.#books.get(instrument)?.set(depth));

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  write(instrument: InstrumentIndex, market: Market): void {
    this.#markets.set(instrument, market);
    this.#comingBooks.arrive(instrument, market.atMs);
    if (this.#watched.has(instrument)) this.#changed.add(instrument);
  }

  read(instrument: InstrumentIndex): Market {
    return this.#markets.get(instrument) ?? NO_MARKET;
  }

  isDepthWanted(instrument: InstrumentIndex): boolean {
    return this.#books.has(instrument);
  }

  showDepth(instrument: InstrumentIndex, depth: Depth): void {
    this.#comingBooks.send(instrument, depth);
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
