import type { Command } from '../domain/command.js';
import type { Venue } from '../domain/exchange.js';
import type { UnnumberedEvent } from '../domain/event.js';
import type { AccountId, CorrelationId, OrderId, Seq } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { REPORTS_LOST_LOGGED_MAX, VENUE_BACKLOG_MESSAGES_MAX } from '../domain/limits/trading.js';
import { Depth, type Market, type MarketObservation } from '../domain/market.js';
import type { Rejection } from '../domain/rejection.js';
import type { VenueRequest } from '../domain/venue-message.js';
import { reportText, type VenueReport } from '../domain/venue-report.js';
import type { NumberedEvent } from '../journal/port.js';
import { DepthCacheReader } from '../marketdata/depth-cache.js';
import { MarketCacheReader } from '../marketdata/market-cache.js';
import { decodeCommand, encodePublished, encodeShardMessage } from '../wire/codec/command.js';
import { orderInCreate } from '../wire/codec/encoded-order.js';
import { readVenueReport } from '../wire/codec/venue-report.js';
import { encodeVenueRequest } from '../wire/codec/venue-request.js';
import { AccountCounts, AccountEvents, AccountNumbers } from '../wire/account-counts.js';
import { BellRinger, type Ringer } from '../wire/bell.js';
import { FollowedAccountsReader } from '../wire/followed-accounts.js';
import { OutboundQueue } from '../wire/outbound-queue.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import { FaultFigures, type RealVenueMemory, type ShardMemory, type VenueRings } from '../wire/worker-data.js';
import type { QuoteSource } from './quote-history.js';
import { NOT_A_COMMAND } from './turn-batch.js';
import type { AccountOrders, Inbox, MainOutbox, MarketView, ShardWatch, VenueOutbox } from './port.js';

/** The rings of one shard. */
interface ShardRings {
  readonly commands: SharedArrayBuffer;
  readonly events: SharedArrayBuffer;
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
  readonly followed: SharedArrayBuffer;
}

/** Share of the event ring that is reserved for a turn's answers. */
const ANSWER_ROOM_SHARE = 1 / 4;

export class RingInbox implements Inbox {
  readonly #commands: RingConsumer;
  /** From the simulated exchanges, then from each real one. */
  readonly #reports: readonly RingConsumer[];
  readonly #onUnreadable: (error: unknown) => void;

  /** `onUnreadable` is called for a report whose order is unreadable. The report is skipped. */
  constructor(rings: ShardRings, onUnreadable: (error: unknown) => void, real: readonly VenueRings[] = []) {
    this.#commands = new RingConsumer(rings.commands);
    this.#reports = [rings, ...real].map(({ reports }) => new RingConsumer(reports));
    this.#onUnreadable = onUnreadable;
  }

  drainCommands(messagesMax: number, handle: (command: Command, encodedOrder?: Uint8Array) => void): number {
    return this.#commands.drain(messagesMax, (bytes) => {
      const command = decodeCommand(bytes);
      if (command.kind === 'CreateParent') handle(command, orderInCreate(bytes));
      else handle(command);
    });
  }

  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number {
    let most = 0;
    for (const ring of this.#reports) {
      const taken = ring.drain(messagesMax, (bytes) => {
        const report = readVenueReport(bytes, this.#onUnreadable);
        if (report !== null) handle(report);
      });
      most = Math.max(most, taken);
    }
    return most;
  }
}

export class RingMainOutbox implements MainOutbox {
  readonly #events: RingProducer;
  readonly #followed: FollowedAccountsReader;
  readonly #bell: BellRinger;
  readonly #roomBytesMin: number;
  readonly #numbers: AccountNumbers;
  readonly #latestEvents: AccountEvents;
  #hasWritten = false;

  constructor(rings: ShardRings & Pick<ShardMemory, 'accounts' | 'latestEvents'>, mainBell: BellRinger) {
    this.#events = new RingProducer(rings.events);
    this.#followed = new FollowedAccountsReader(rings.followed);
    this.#bell = mainBell;
    this.#roomBytesMin = this.#events.capacityBytes * ANSWER_ROOM_SHARE;
    this.#numbers = new AccountNumbers(rings.accounts);
    this.#latestEvents = new AccountEvents(rings.latestEvents);
  }

  hasRoom(): boolean {
    return this.#events.freeBytes() >= this.#roomBytesMin;
  }

  noteDurable(account: AccountId, seq: Seq): void {
    this.#latestEvents.note(this.#numbers.of(account), seq);
  }

  needs({ correlationId, account }: Pick<UnnumberedEvent, 'correlationId' | 'account'>): boolean {
    return correlationId !== NOT_A_COMMAND || this.#followed.mayHave(account);
  }

  publish(event: NumberedEvent): boolean {
    if (!this.needs(event.envelope)) return true;
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

/** Requests go to the worker of their exchange: that of a real one, else that of the simulated ones. */
export class RingVenueOutbox implements VenueOutbox {
  readonly #simulated: OutboundQueue;
  readonly #real = new Map<Venue, OutboundQueue>();

  constructor(rings: ShardRings, venueBell: BellRinger, real: readonly ShardVenue[] = []) {
    this.#simulated = new OutboundQueue(new RingProducer(rings.requests), venueBell);
    for (const { venue, bell, requests } of real) {
      this.#real.set(venue, new OutboundQueue(new RingProducer(requests), new BellRinger(bell)));
    }
  }

  /** A real exchange whose worker does not take its requests holds back new orders of all exchanges. */
  get isFull(): boolean {
    if (this.#simulated.waitingCount >= VENUE_BACKLOG_MESSAGES_MAX) return true;
    for (const queue of this.#real.values()) if (queue.waitingCount >= VENUE_BACKLOG_MESSAGES_MAX) return true;
    return false;
  }

  send(request: VenueRequest): void {
    (this.#real.get(request.venue) ?? this.#simulated).send(encodeVenueRequest(request));
  }

  flush(): void {
    this.#simulated.flush();
    for (const queue of this.#real.values()) queue.flush();
  }
}

/** The worker of a real exchange as one shard sees it. */
export type ShardVenue = VenueRings & Pick<RealVenueMemory, 'venue' | 'bell'>;

export function shardVenues(real: readonly RealVenueMemory[], shard: number): ShardVenue[] {
  return real.map(({ venue, bell, shards }) => ({ venue, bell, ...(shards[shard] as VenueRings) }));
}

/** The last-value caches that all threads share. */
interface MarketCaches {
  readonly marketCache: SharedArrayBuffer;
  readonly depth: SharedArrayBuffer;
}

export class CachedMarketView implements MarketView, QuoteSource {
  readonly #marketCache: MarketCacheReader;
  readonly #books: DepthCacheReader;
  readonly #venueBell: Ringer;
  /** The latest book that was read. */
  readonly #depth = new Depth();

  /** Also ends the subscriptions of an earlier thread with the same number. */
  constructor({ marketCache, depth }: MarketCaches, reader: number, venueBell: Ringer) {
    this.#marketCache = new MarketCacheReader(marketCache, reader);
    this.#books = new DepthCacheReader(depth, reader);
    this.#venueBell = venueBell;
    this.#marketCache.forget();
    this.#books.forget();
  }

  read(instrument: InstrumentIndex): Market {
    return this.#marketCache.read(instrument);
  }

  observe(instrument: InstrumentIndex): MarketObservation {
    return this.#marketCache.observe(instrument);
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
    this.#marketCache.keepAwake(instrument, isAwake);
    if (isAwake) this.#venueBell.ring();
  }

  watch(instrument: InstrumentIndex, isWatched: boolean): void {
    this.#marketCache.watch(instrument, isWatched);
    if (isWatched) this.#venueBell.ring();
  }

  takeChanged(handle: (instrument: InstrumentIndex) => void): void {
    this.#marketCache.takeDirty(handle);
  }
}

/** Counts the open orders of this shard in memory that the main thread reads. */
export function accountOrdersOf(memory: Pick<ShardMemory, 'accounts' | 'openOrders'>): AccountOrders {
  const numbers = new AccountNumbers(memory.accounts);
  const counts = new AccountCounts(memory.openOrders);
  return {
    loaded: (account) => counts.add(numbers.of(account), 1),
    left: (account) => counts.add(numbers.of(account), -1),
  };
}

/** The logger functions that the watch uses. */
interface WatchLog {
  error(facts: object, message: string): void;
}

/** Logs faults of single orders, and counts them in memory that the main thread reads. */
export function faultWatchOf(
  { memory }: { readonly memory: { readonly faults: SharedArrayBuffer } },
  log: WatchLog,
): ShardWatch {
  const figures = new FaultFigures(memory.faults);
  figures.setAtWork(null);
  let lostCount = 0;
  return {
    atWork: (orderId) => figures.setAtWork(orderId),
    onQuarantined: (orderId, account, { code, detail }) => {
      log.error({ orderId, account, reason: code, detail }, 'an order is quarantined');
    },
    onContradiction: (contradiction) => figures.count(contradiction),
    onSetAside: (orderId, error) => {
      log.error({ orderId, err: error }, 'an order is set aside: it is not worked until a restart');
    },
    onReportLost: (report) => {
      lostCount += 1;
      if (lostCount > REPORTS_LOST_LOGGED_MAX) return;
      log.error({ report: reportText(report), lostCount }, 'a report on an order that is set aside is lost');
    },
    onFault: (error) => log.error({ err: error }, 'a message failed and is skipped'),
    setQuarantinedCount: (count) => figures.setQuarantinedCount(count),
  };
}
