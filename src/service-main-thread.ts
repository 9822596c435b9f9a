import type { HttpServerDeps } from './http/server.js';
import type { GuardrailDirectory } from './journal/identity/index.js';
import type { StateReader } from './journal/port.js';
import type { ShardMessage } from './model/command.js';
import type { AccountId, CorrelationId, OrderId } from './model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from './model/instrument.js';
import type { ParentOrder, ParentState } from './model/order.js';
import type { Clock } from './model/time.js';
import { BalanceDesk } from './route/balance-desk.js';
import { GatedOrderDesk } from './route/gated-order-desk.js';
import { IdAllocator, type IdBlocks } from './route/id-allocator.js';
import { MarketDesk } from './route/market-desk.js';
import { OrderDesk } from './route/order-desk.js';
import { PositionDesk } from './route/position-desk.js';
import { ShardLink } from './route/shard-link.js';
import { TradingGate } from './route/trading-gate.js';
import { VenueLine } from './route/venue-line.js';
import { VenueNotices } from './route/venue-notices.js';
import { serviceGuardrails, type ServiceGuardrails } from './service-guardrails.js';
import type { ServiceMemory } from './service-memory.js';
import { serviceSight, type ServiceSight } from './service-sight.js';
import type { StreamDeps } from './stream/port.js';
import type { StreamServer } from './stream/server.js';
import { DepthSlateReader } from './wire/depth-slate.js';
import { BellRinger } from './wire/doorbell.js';
import { FeedInterestWriter } from './wire/feed-interest.js';
import { RingConsumer, RingProducer } from './wire/ring.js';
import { SlateReader } from './wire/slate.js';

export interface MainThreadParts {
  readonly memory: ServiceMemory;
  readonly catalogue: InstrumentCatalogue;
  readonly orderIds: IdBlocks;
  readonly guardrailDirectory: Pick<GuardrailDirectory, 'boundsOf' | 'onChange'>;
  readonly reader: StateReader;
  /** Service time. */
  readonly clock: Clock;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** A command is sent and its answer is awaited. */
  readonly onSent: () => void;
  /** A report of the venue worker cannot be read and is passed over. */
  readonly onUnreadable: (error: unknown) => void;
}

/** What the HTTP endpoints need of the main thread. */
export type HttpDesks = Pick<
  HttpServerDeps,
  | 'desk'
  | 'balances'
  | 'positions'
  | 'funding'
  | 'prices'
  | 'reviews'
  | 'sight'
  | 'guardrails'
  | 'isVenueUp'
  | 'tradingHalts'
  | 'haltOf'
>;

/** What the streams need of the main thread. */
export type StreamDesks = Pick<
  StreamDeps,
  'parentOrder' | 'balances' | 'positions' | 'market' | 'watchMarket' | 'followFeed'
>;

/**
 * The main thread without its sockets, threads and files: it sends commands to the shards, answers them, and routes
 * published events to the streams. The service and the simulation run the same one.
 */
export class MainThread {
  readonly links: readonly ShardLink[];
  readonly orders: OrderDesk;
  readonly venueLine: VenueLine;
  /** Whether orders are placed, and why not. */
  readonly trading = new TradingGate();
  readonly #parts: MainThreadParts;
  readonly #balances: BalanceDesk;
  readonly #positions: PositionDesk;
  readonly #market: MarketDesk;
  readonly #sight: ServiceSight;
  readonly #guarded: ServiceGuardrails;
  readonly #gated: GatedOrderDesk;
  readonly #slate: SlateReader;
  readonly #venueNotices: VenueNotices;
  /** Shards whose ring had no room for the last change of trading. */
  readonly #untold = new Set<ShardLink>();
  readonly #isFollowed = (account: AccountId): boolean =>
    (this.stream?.isFollowed(account) ?? false) || this.#guarded.books.isCounted(account);
  /** null before there are any. */
  stream: StreamServer | null = null;

  constructor(parts: MainThreadParts) {
    const { memory, catalogue, reader, clock, monotonicMs: nowRealMs } = parts;
    const shardCount = memory.shards.length;
    const venueBell = new BellRinger(memory.venueBell);
    this.#parts = parts;
    this.links = memory.shards.map((shardMemory, shard) => new ShardLink(shard, shardMemory));
    this.#slate = new SlateReader(memory.slate, shardCount);
    this.#venueNotices = new VenueNotices(this.links);
    this.orders = new OrderDesk({
      links: this.links,
      ids: new IdAllocator(parts.orderIds, parts.realNowMs),
      nowRealMs,
      stored: (orderId) => this.#stored(orderId),
      onSent: parts.onSent,
      onLateRefusal: () => this.#guarded.books.forget(),
    });
    this.venueLine = new VenueLine({
      requests: new RingProducer(memory.requests),
      reports: new RingConsumer(memory.reports),
      venueBell,
      nowRealMs,
      onUnreadable: parts.onUnreadable,
    });
    this.#balances = new BalanceDesk(this.venueLine);
    this.#positions = new PositionDesk(this.venueLine);
    this.#market = new MarketDesk({
      updates: new RingConsumer(memory.marketUpdates),
      interest: new FeedInterestWriter(memory.feedInterest),
      venueBell,
      line: this.venueLine,
      clock,
    });
    this.#sight = serviceSight({
      slate: this.#slate,
      books: new DepthSlateReader(memory.depth, shardCount),
      market: this.#market,
      venueBell,
      isVenueUp: () => this.venueLine.isVenueUp,
      clock,
      nowRealMs,
    });
    this.#guarded = serviceGuardrails({
      directory: parts.guardrailDirectory,
      orders: this.orders,
      prices: this.#sight.prices,
      positions: this.#positions,
      reader,
      catalogue,
      nowRealMs,
    });
    this.#gated = new GatedOrderDesk({
      desk: this.#guarded.desk,
      gate: this.trading,
      storedState: (orderId) => reader.order(orderId),
    });
    this.trading.onChange(() => {
      for (const link of this.links) this.#untold.add(link);
      this.#tellTrading();
    });
  }

  httpDesks(): HttpDesks {
    return {
      desk: this.#gated,
      balances: this.#balances,
      positions: this.#positions,
      funding: this.#market,
      prices: this.#sight.prices,
      reviews: this.#gated,
      sight: this.#sight.sight,
      guardrails: this.#guarded.guardrails,
      isVenueUp: () => this.venueLine.isVenueUp,
      tradingHalts: () => this.trading.halts,
      haltOf: (account) => this.trading.refusalOf(account),
    };
  }

  streamDesks(): StreamDesks {
    return {
      parentOrder: (orderId) => this.#parentOrder(orderId),
      balances: (account, venue, answer) => this.#balances.balances(account, venue, answer),
      positions: (account, venue, answer) => this.#positions.positions(account, venue, answer),
      market: (instrument) => this.#slate.read(instrument),
      watchMarket: (instrument, isWatched) => this.#watchMarket(instrument, isWatched),
      followFeed: (feed, follower) => this.#market.follow(feed, follower),
    };
  }

  /** Takes in a bounded number of messages of every thread; true when more are waiting. */
  drain(): boolean {
    let hasMore = false;
    for (const link of this.links) {
      hasMore = link.drain(this.#isFollowed, (message) => this.#onShardMessage(link.shard, message)) || hasMore;
    }
    this.venueLine.drain();
    this.#venueNotices.post();
    hasMore = this.#market.drain() || hasMore;
    this.#slate.takeDirty((instrument) => this.stream?.onMarket(instrument));
    return hasMore;
  }

  /** Ends the waits that are over; called about once a second. */
  sweep(): void {
    this.orders.sweep();
    this.venueLine.sweep();
    this.#tellTrading();
  }

  /**
   * The shard has recovered its orders: commands are sent to it from here on. Each turn that its predecessor synced is
   * stored by now, so a command that the store does not show was not carried out.
   */
  onShardUp(link: ShardLink): void {
    this.orders.settleFromStore(link.shard, true);
    link.setUp(true);
    this.#guarded.books.forget();
    this.stream?.onMissed();
  }

  /**
   * The shard has died: takes in what it published before, then settles the commands that the store shows. It may have
   * died in the middle of a turn, which the next start of the service finds in the journal: the other commands wait.
   */
  onShardDown(link: ShardLink): void {
    this.drain();
    link.setUp(false);
    link.renewMemory();
    this.orders.settleFromStore(link.shard, false);
    // What the shard had not published yet is in the journal alone.
    this.#guarded.books.forget();
  }

  /** The shard has ended as it was asked to: takes in all that it published, and settles what it did not take. */
  onShardEnded(link: ShardLink): void {
    while (link.drain(this.#isFollowed, (message) => this.#onShardMessage(link.shard, message)));
    link.setUp(false);
    this.orders.settleFromStore(link.shard, true);
  }

  /** The venue worker came up or died. */
  setVenueUp(isUp: boolean): void {
    this.venueLine.setVenueUp(isUp);
    this.#venueNotices.setUp(isUp);
  }

  #onShardMessage(shard: number, message: ShardMessage): void {
    this.orders.onShardMessage(message);
    if (message.kind === 'Published' && message.envelope !== null) {
      this.#guarded.books.onEvent(message.envelope);
      this.stream?.onPublished(message.envelope, message.marks);
    }
    if (message.kind === 'Missed') {
      this.#parts.reader.refresh();
      this.orders.settleFromStore(shard, false);
      this.#guarded.books.forget();
      this.stream?.onMissed();
    }
  }

  /** Brings a change of trading to the shards; repeated for those whose ring was full. */
  #tellTrading(): void {
    for (const link of this.#untold) {
      const command = { kind: 'SetTrading', correlationId: 0 as CorrelationId, ...this.trading.mode } as const;
      if (link.post(command)) this.#untold.delete(link);
    }
  }

  #watchMarket(instrument: InstrumentIndex, isWatched: boolean): void {
    this.#slate.watch(instrument, isWatched);
    if (isWatched) new BellRinger(this.#parts.memory.venueBell).ring();
  }

  #stored(orderId: OrderId): ParentState | null {
    this.#parts.reader.refresh();
    return this.#parts.reader.order(orderId);
  }

  #parentOrder(orderId: OrderId): ParentOrder | null {
    return this.#parts.reader.order(orderId)?.order ?? null;
  }
}
