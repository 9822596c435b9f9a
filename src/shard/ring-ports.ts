import type { NumberedEvent } from '../journal/port.js';
import type { Command } from '../model/command.js';
import { Depth } from '../model/depth.js';
import type { CorrelationId, OrderId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { VENUE_BACKLOG_MESSAGES_MAX } from '../model/limits.js';
import type { Market, MarketObservation } from '../model/market.js';
import type { Rejection } from '../model/rejection.js';
import type { VenueReport, VenueRequest } from '../model/venue-message.js';
import {
  decodeCommand,
  encodePublished,
  encodeShardMessage,
  encodeVenueRequest,
  readVenueReport,
} from '../wire/codec/index.js';
import { DepthSlateReader } from '../wire/depth-slate.js';
import type { BellRinger } from '../wire/doorbell.js';
import { Lane } from '../wire/lane.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import { SlateReader } from '../wire/slate.js';
import type { TapeSource } from './market-tape.js';
import type { Inbox, MainOutbox, MarketView, VenueOutbox } from './port.js';

/** The rings of one shard, as its worker was given them. */
interface ShardRings {
  readonly commands: SharedArrayBuffer;
  readonly events: SharedArrayBuffer;
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
}

/** Room kept in the event ring for a turn's answers. */
const ANSWER_ROOM_SHARE = 1 / 4;

export class RingInbox implements Inbox {
  readonly #commands: RingConsumer;
  readonly #reports: RingConsumer;
  readonly #onUnreadable: (error: unknown) => void;

  /** `onUnreadable` is called for a report that cannot be read, not even whose it is; it is passed over. */
  constructor(rings: ShardRings, onUnreadable: (error: unknown) => void) {
    this.#commands = new RingConsumer(rings.commands);
    this.#reports = new RingConsumer(rings.reports);
    this.#onUnreadable = onUnreadable;
  }

  drainCommands(messagesMax: number, handle: (command: Command) => void): number {
    return this.#commands.drain(messagesMax, (bytes) => handle(decodeCommand(bytes)));
  }

  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number {
    return this.#reports.drain(messagesMax, (bytes) => {
      const report = readVenueReport(bytes, this.#onUnreadable);
      if (report !== null) handle(report);
    });
  }
}

export class RingMainOutbox implements MainOutbox {
  readonly #events: RingProducer;
  readonly #bell: BellRinger;
  readonly #roomBytesMin: number;
  #hasWritten = false;

  constructor(rings: ShardRings, mainBell: BellRinger) {
    this.#events = new RingProducer(rings.events);
    this.#bell = mainBell;
    this.#roomBytesMin = this.#events.capacityBytes * ANSWER_ROOM_SHARE;
  }

  hasRoom(): boolean {
    return this.#events.freeBytes() >= this.#roomBytesMin;
  }

  publish(event: NumberedEvent): boolean {
    return this.#write(encodePublished(event.envelope, event.bytes, event.marks));
  }

  refuse(correlationId: CorrelationId, orderId: OrderId, rejection: Rejection): boolean {
    return this.#write(encodeShardMessage({ kind: 'Refused', correlationId, orderId, rejection }));
  }

  unchanged(correlationId: CorrelationId, orderId: OrderId): boolean {
    return this.#write(encodeShardMessage({ kind: 'Unchanged', correlationId, orderId }));
  }

  missed(): boolean {
    return this.#write(encodeShardMessage({ kind: 'Missed' }));
  }

  flush(): void {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    this.#bell.ring();
  }

  #write(message: Uint8Array): boolean {
    if (this.#events.tryWrite(message) !== 'written') return false;
    this.#hasWritten = true;
    return true;
  }
}

export class RingVenueOutbox implements VenueOutbox {
  readonly #lane: Lane;

  constructor(rings: ShardRings, venueBell: BellRinger) {
    this.#lane = new Lane(new RingProducer(rings.requests), venueBell);
  }

  get isFull(): boolean {
    return this.#lane.waitingCount >= VENUE_BACKLOG_MESSAGES_MAX;
  }

  send(request: VenueRequest): void {
    this.#lane.send(encodeVenueRequest(request));
  }

  flush(): void {
    this.#lane.flush();
  }
}

/** The slates that every thread shares. */
export interface MarketSlates {
  readonly slate: SharedArrayBuffer;
  readonly depth: SharedArrayBuffer;
}

export class SlateMarketView implements MarketView, TapeSource {
  readonly #slate: SlateReader;
  readonly #books: DepthSlateReader;
  readonly #venueBell: BellRinger;
  /** Of the instrument that was looked at last. */
  readonly #depth = new Depth();

  /** What a predecessor with the same number wanted is wanted no more. */
  constructor({ slate, depth }: MarketSlates, reader: number, venueBell: BellRinger) {
    this.#slate = new SlateReader(slate, reader);
    this.#books = new DepthSlateReader(depth, reader);
    this.#venueBell = venueBell;
    this.#slate.forget();
    this.#books.forget();
  }

  read(instrument: InstrumentIndex): Market {
    return this.#slate.read(instrument);
  }

  observe(instrument: InstrumentIndex): MarketObservation {
    return this.#slate.observe(instrument);
  }

  depth(instrument: InstrumentIndex): Depth | null {
    this.#books.read(instrument, this.#depth);
    return this.#depth.atMs === 0 ? null : this.#depth;
  }

  wantDepth(instrument: InstrumentIndex, isWanted: boolean): void {
    this.#books.keepAwake(instrument, isWanted);
    if (isWanted) this.#venueBell.ring();
  }

  keepAwake(instrument: InstrumentIndex, isAwake: boolean): void {
    this.#slate.keepAwake(instrument, isAwake);
    if (isAwake) this.#venueBell.ring();
  }

  watch(instrument: InstrumentIndex, isWatched: boolean): void {
    this.#slate.watch(instrument, isWatched);
    if (isWatched) this.#venueBell.ring();
  }

  takeChanged(handle: (instrument: InstrumentIndex) => void): void {
    this.#slate.takeDirty(handle);
  }
}
