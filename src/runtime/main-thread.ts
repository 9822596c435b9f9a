import type { RiskLimitDirectory } from '../risk/limit-directory.js';
import type { CreateJournal, StateReader } from '../journal/port.js';
import type { ShardMessage } from '../domain/command.js';
import type { EventEnvelope, FeedMark } from '../domain/event.js';
import type { AccountId, CorrelationId, OrderId } from '../domain/ids.js';
import type { Venue } from '../domain/exchange.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import type { ParentState } from '../domain/order-state.js';
import type { Clock } from '../domain/time.js';
import { AccountQuery } from '../intake/account-query.js';
import { OrderEntry, TradingGate } from '../intake/trading-gate.js';
import { LatestEvents } from '../intake/latest-events.js';
import { OpenOrderCounts } from '../intake/open-order-counts.js';
import { OrderGateway } from '../intake/order-gateway.js';
import { IdAllocator, type IdBlocks } from '../intake/order-ids.js';
import { ShardClient, VenueNotices } from '../intake/shard-client.js';
import { VenueClient } from '../venue/venue-client.js';
import { VenueRouter } from '../venue/venue-router.js';
import type { AccountExposures } from '../risk/account-exposures.js';
import { CompleteReads } from '../journal/complete-reads.js';
import { createRiskGate, type RiskGate } from '../risk/risk-gate.js';
import type { ServiceMemory } from './shared-memory.js';
import { MarketDataQuery } from '../intake/market-query.js';
import type { IntakeParts } from '../intake/intake.js';
import type { StreamDeps } from '../stream/port.js';
import type { StreamServer } from '../stream/server.js';
import { MarketFeedService } from '../marketdata/feed-service.js';
import { DepthCacheReader } from '../marketdata/depth-cache.js';
import { AccountNumbering } from '../wire/account-counts.js';
import { BellRinger, BellRingers, type Ringer } from '../wire/bell.js';
import { FollowedAccounts } from '../wire/followed-accounts.js';
import { FeedSubscriptionsWriter } from '../marketdata/feed-subscriptions.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import { SharedListingReader } from '../wire/shared-listing.js';
import type { VenueRings } from '../wire/worker-data.js';
import { MarketCacheReader } from '../marketdata/market-cache.js';

export interface MainThreadParts {
  readonly memory: ServiceMemory;
  readonly catalogue: InstrumentCatalogue;
  readonly orderIds: IdBlocks;
  readonly riskLimitDirectory: Pick<RiskLimitDirectory, 'boundsOf' | 'onChange'>;
  readonly reader: StateReader;
  readonly journal: CreateJournal;
  /** Service time. */
  readonly clock: Clock;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  /**
   * True for an account that has no key of a real exchange, and so no position there. Absent: no exchange needs a key.
   */
  readonly isKeyless?: (account: AccountId, venue: Venue) => boolean;
  /** Open orders that an account may have without a risk limit of its own; 0 or absent: any number. */
  readonly accountOpenOrdersMax?: number;
  /** Every account with a key. Their stored orders are counted from the start. Absent: none. */
  readonly knownAccounts?: readonly AccountId[];
  /** Called when a report of the venue worker is unreadable. The report is skipped. */
  readonly onUnreadable: (error: unknown) => void;
  /** Gets an error of a count of open orders that has waited for the store. */
  readonly onFault: (error: unknown) => void;
}

/** The parts of the main thread that the intake uses. */
export type IntakeSources = Pick<
  IntakeParts,
  | 'commands'
  | 'takeOrderId'
  | 'pendingOrders'
  | 'afterPending'
  | 'reviews'
  | 'risk'
  | 'accounts'
  | 'market'
  | 'funding'
  | 'isVenueUp'
  | 'haltOf'
  | 'latestEventOf'
>;

/** The parts of the main thread that the streams use. */
export type StreamSources = Pick<
  StreamDeps,
  'followed' | 'latestEventOf' | 'balances' | 'positions' | 'market' | 'watchMarket' | 'followFeed'
>;

/**
 * The main thread without sockets, threads and files. It sends commands to the shards, answers clients, and routes
 * published events to the streams. The service and the simulation use the same code.
 */
export class MainThread {
  readonly shardClients: readonly ShardClient[];
  readonly orders: OrderGateway;
  readonly openOrders: OpenOrderCounts;
  readonly venues: VenueRouter;
  /** The reasons for which trading is halted. */
  readonly trading = new TradingGate();
  readonly #parts: MainThreadParts;
  /** For counts of open orders. Requests and streams have their own. */
  readonly #completeReads: CompleteReads;
  readonly #latestEvents: LatestEvents;
  readonly #latestEventOf = (account: AccountId): number => this.#latestEvents.of(account);
  readonly #accounts: AccountQuery;
  readonly #market: MarketFeedService;
  readonly #markets: MarketDataQuery;
  readonly #risk: RiskGate;
  readonly #exposures: AccountExposures;
  readonly #entry: OrderEntry;
  readonly #marketCache: MarketCacheReader;
  /** By the exchange of the worker; null: the simulated ones. */
  readonly #venueNotices: ReadonlyMap<Venue | null, VenueNotices>;
  readonly #listing: SharedListingReader | null;
  /** Wakes all venue workers. */
  readonly #venueBells: Ringer;
  /** Shards whose ring lacked room for the last change of the trading mode. */
  readonly #tradingPending = new Set<ShardClient>();
  readonly #followed: FollowedAccounts;
  readonly #isFollowed = (account: AccountId): boolean => this.#followed.has(account);
  /** null until the server is attached. */
  stream: StreamServer | null = null;

  constructor(parts: MainThreadParts) {
    this.#parts = parts;
    const { memory, reader, clock, monotonicMs: nowRealMs, onFault } = parts;
    const shardCount = memory.shards.length;
    const { real } = memory;
    const venueBell = new BellRingers([memory.venueBell, ...real.map(({ bell }) => bell)]);
    this.#venueBells = venueBell;
    this.#listing = memory.listing === null ? null : new SharedListingReader(memory.listing);
    this.takeListed();
    this.#followed = new FollowedAccounts(memory.followed);
    this.shardClients = memory.shards.map((shardMemory, shard) => new ShardClient(shard, shardMemory));
    const numbers = new AccountNumbering(memory.accounts);
    for (const account of parts.knownAccounts ?? []) numbers.give(account);
    this.openOrders = new OpenOrderCounts(numbers, this.shardClients);
    this.#latestEvents = new LatestEvents({ numbers, links: this.shardClients, reader });
    this.#completeReads = new CompleteReads({
      reader,
      latestEventOf: this.#latestEventOf,
      monotonicMs: nowRealMs,
      onFault,
    });
    this.#marketCache = new MarketCacheReader(memory.marketCache, shardCount);
    const workers: readonly (Venue | null)[] = [null, ...real.map(({ venue }) => venue)];
    this.#venueNotices = new Map(workers.map((venue) => [venue, new VenueNotices(this.shardClients, venue)]));
    this.orders = this.#newGateway(parts);
    this.venues = venueRouterOf(parts);
    this.#accounts = new AccountQuery(this.venues);
    this.#market = new MarketFeedService({
      updates: [memory, ...real].map(({ marketUpdates }) => new RingConsumer(marketUpdates)),
      subscriptions: new FeedSubscriptionsWriter(memory.feedSubscriptions),
      venueBell,
      venueClient: this.venues,
      clock,
    });
    this.#markets = new MarketDataQuery({
      marketCache: this.#marketCache,
      books: new DepthCacheReader(memory.depth, shardCount),
      market: this.#market,
      venueBell,
      isVenueUp: (venue) => this.venues.isUp(venue),
      clock,
      nowRealMs,
    });
    const { gate, exposures } = this.#newRiskGate(parts);
    this.#risk = gate;
    this.#exposures = exposures;
    this.#entry = new OrderEntry({
      risk: gate,
      gate: this.trading,
      storedState: (orderId) => this.#storedState(orderId),
    });
    this.trading.onChange(() => {
      for (const link of this.shardClients) this.#tradingPending.add(link);
      this.#postTrading();
    });
  }

  #newGateway({ orderIds, realNowMs, monotonicMs, clock, journal }: MainThreadParts): OrderGateway {
    return new OrderGateway({
      links: this.shardClients,
      ids: new IdAllocator(orderIds, realNowMs),
      nowRealMs: monotonicMs,
      clock,
      journal,
      openOrders: {
        add: (account, link) => {
          this.#latestEvents.begin(account);
          this.openOrders.add(account, link);
        },
      },
      whenComplete: this.#completeReads.when,
      onDurable: ({ envelope: { account, seq } }) => this.#latestEvents.note(account, seq),
      onCreated: ({ envelope, marks }) => this.#onCreated(envelope, marks),
      onLateNoEffect: () => this.#exposures.forget(),
    });
  }

  #newRiskGate(parts: MainThreadParts): ReturnType<typeof createRiskGate> {
    return createRiskGate({
      directory: parts.riskLimitDirectory,
      commands: this.orders,
      twiceMid: (instrument, answer) => this.#markets.twiceMid(instrument, answer),
      positions: (account, venue, answer) => {
        if (parts.isKeyless?.(account, venue) === true) return answer({ positions: [] });
        this.#accounts.positions(account, venue, answer);
      },
      storedState: (orderId) => this.#storedState(orderId),
      whenComplete: this.#completeReads.when,
      catalogue: parts.catalogue,
      nowRealMs: parts.monotonicMs,
      followed: this.#followed,
      openOrders: this.openOrders,
      openOrdersMax: parts.accountOpenOrdersMax ?? 0,
    });
  }

  intakeSources(): IntakeSources {
    return {
      commands: this.#entry,
      takeOrderId: () => this.orders.takeOrderId(),
      pendingOrders: (account) => this.orders.pendingOrders(account),
      afterPending: (account, run) => this.orders.afterPending(account, run),
      reviews: this.#entry,
      risk: this.#risk,
      accounts: this.#accounts,
      market: this.#markets,
      funding: this.#market,
      isVenueUp: (venue) => this.venues.isUp(venue),
      haltOf: (account) => this.trading.refusalOf(account),
      latestEventOf: this.#latestEventOf,
    };
  }

  streamSources(): StreamSources {
    return {
      followed: this.#followed,
      latestEventOf: this.#latestEventOf,
      balances: (account, venue, answer) => this.#accounts.balances(account, venue, answer),
      positions: (account, venue, answer) => this.#accounts.positions(account, venue, answer),
      market: (instrument) => this.#marketCache.read(instrument),
      watchMarket: (instrument, isWatched) => this.#watchMarket(instrument, isWatched),
      followFeed: (feed, follower) => this.#market.follow(feed, follower),
    };
  }

  /** Takes a bounded number of messages of every thread. Returns true when more are waiting. */
  drain(): boolean {
    let hasMore = false;
    this.orders.releaseDurable();
    for (const link of this.shardClients) {
      hasMore = link.drain(this.#isFollowed, (message) => this.#onShardMessage(link.shard, message)) || hasMore;
    }
    this.takeListed();
    this.venues.drain();
    for (const notices of this.#venueNotices.values()) notices.post();
    hasMore = this.#market.drain() || hasMore;
    this.#marketCache.takeDirty((instrument) => this.stream?.onMarket(instrument));
    return hasMore;
  }

  /** Ends the waits for the store, which is closed next. */
  close(): void {
    this.#completeReads.close();
  }

  /** Ends overdue waits. Called about once a second. */
  sweep(): void {
    this.orders.sweep();
    this.venues.sweep();
    this.#postTrading();
  }

  /**
   * Marks a shard as up after it has recovered its orders. It gets commands from now on. Every turn that its
   * predecessor synced is stored now. So a command without effect in the store was not executed.
   */
  onShardUp(link: ShardClient): void {
    this.orders.settleAll(link.shard, this.#parts.reader.renewed());
    link.setUp(true);
    this.#exposures.forget();
    this.stream?.onMissed();
  }

  /**
   * Marks a shard as down after it died. Takes its published messages, then settles the commands that the store
   * shows. The other commands wait: the shard may have died in the middle of a turn, which the next start finds in
   * the journal.
   */
  onShardDown(link: ShardClient): void {
    this.drain();
    link.setUp(false);
    link.renewMemory();
    this.orders.recount(link);
    this.orders.settleShown(link.shard);
    // Unpublished events of the shard are only in the journal.
    this.#exposures.forget();
  }

  /**
   * Handles the requested end of a shard: takes all its messages, and settles the commands that it did not take. Their
   * outcome stays unknown when the store is too far behind.
   */
  onShardEnded(link: ShardClient): void {
    while (link.drain(this.#isFollowed, (message) => this.#onShardMessage(link.shard, message)));
    link.setUp(false);
    const stored = this.#parts.reader.complete();
    if (stored !== null) this.orders.settleAll(link.shard, stored);
  }

  /** Called when the worker of a real exchange, or that of the simulated ones (null), is up or has died. */
  setVenueUp(isUp: boolean, venue: Venue | null = null): void {
    this.venues.setWorkerUp(venue, isUp);
    this.#venueNotices.get(venue)?.setUp(isUp);
  }

  /** Takes instruments that real exchanges have listed or changed. */
  takeListed(): void {
    this.#listing?.take((instrument) => this.#parts.catalogue.put(instrument));
  }

  #onCreated(envelope: EventEnvelope, marks: readonly FeedMark[]): void {
    if (!this.#isFollowed(envelope.account)) return;
    this.#exposures.onEvent(envelope);
    this.stream?.onPublished(envelope, marks);
  }

  #onShardMessage(shard: number, message: ShardMessage): void {
    this.orders.onShardMessage(message);
    if (message.kind === 'Published' && message.envelope !== null) {
      this.#exposures.onEvent(message.envelope);
      this.stream?.onPublished(message.envelope, message.marks);
    }
    if (message.kind === 'Missed') {
      this.orders.settleShown(shard);
      this.#exposures.forget();
      this.stream?.onMissed();
    }
  }

  /** Posts the trading mode to the shards. Shards with a full ring get it later. */
  #postTrading(): void {
    for (const link of this.#tradingPending) {
      const command = { kind: 'SetTrading', correlationId: 0 as CorrelationId, ...this.trading.mode } as const;
      if (link.post(command)) this.#tradingPending.delete(link);
    }
  }

  #watchMarket(instrument: InstrumentIndex, isWatched: boolean): void {
    this.#marketCache.watch(instrument, isWatched);
    if (isWatched) this.#venueBells.ring();
  }

  #storedState(orderId: OrderId): ParentState | null {
    return this.#parts.reader.recent().order(orderId);
  }
}

/** Makes the clients of all venue workers: of the simulated exchanges, and of each real one. */
function venueRouterOf({ memory, monotonicMs, onUnreadable }: MainThreadParts): VenueRouter {
  const clientOf = (rings: VenueRings, bell: SharedArrayBuffer): VenueClient =>
    new VenueClient({
      requests: new RingProducer(rings.requests),
      reports: new RingConsumer(rings.reports),
      venueBell: new BellRinger(bell),
      nowRealMs: monotonicMs,
      onUnreadable,
    });
  return new VenueRouter(
    clientOf(memory, memory.venueBell),
    new Map(memory.real.map((rings) => [rings.venue, clientOf(rings, rings.bell)])),
  );
}
