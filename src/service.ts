import type { Logger } from 'pino';
import { clockOrigin, monotonicMs, ServiceClock } from './clock.js';
import type { Config } from './config.js';
import { readConsoleFiles } from './http/console-files.js';
import { addressLimitAt } from './http/limit/address-limit.js';
import { ListenKeyCheck } from './http/listen-key-check.js';
import { JwtListenKeys } from './http/listen-key.js';
import type { ServiceFigures } from './http/metrics/service-figures.js';
import type { Readiness } from './http/port.js';
import { startHttpServer, type HttpServer } from './http/server.js';
import { openIdentity, type CreatedKey, type Identity } from './journal/identity/index.js';
import { recoverJournal, type RecoveredJournal } from './journal/index.js';
import { assert } from './model/assert.js';
import type { ShardMessage } from './model/command.js';
import type { AccountId, OrderId } from './model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from './model/instrument.js';
import { SHUTDOWN_MS_MAX } from './model/limits.js';
import type { ParentOrder, RestingStatus } from './model/order.js';
import { noRefusals } from './model/refusal-counts.js';
import { isRejected } from './model/rejection.js';
import { foldEnvelope } from './order/evolve.js';
import { BalanceDesk } from './route/balance-desk.js';
import { CostDesk } from './route/cost-desk.js';
import { IdAllocator } from './route/id-allocator.js';
import { MarketDesk } from './route/market-desk.js';
import { OrderDesk } from './route/order-desk.js';
import { PositionDesk } from './route/position-desk.js';
import { ShardLink } from './route/shard-link.js';
import { VenueLine } from './route/venue-line.js';
import { serviceFigures } from './service-figures.js';
import { serviceGuardrails, type ServiceGuardrails } from './service-guardrails.js';
import { createMemory, type ServiceMemory } from './service-memory.js';
import { serviceSight, type ServiceSight } from './service-sight.js';
import { entryOf, ServiceThreads } from './service-threads.js';
import { attachStream, SYSTEM_TIMERS, type StreamServer } from './stream/index.js';
import { buildCatalogue } from './venue/index.js';
import { DepthSlateReader } from './wire/depth-slate.js';
import { BellRinger, EventLoopBell } from './wire/doorbell.js';
import { FeedInterestWriter } from './wire/feed-interest.js';
import { RingConsumer, RingProducer } from './wire/ring.js';
import { SlateReader } from './wire/slate.js';

const SWEEP_INTERVAL_MS = 1000;
const DRAIN_POLL_MS = 10;
const CLOSE_FRAMES_MS = 100;
const LOOK_OUT_COMMANDS_MAX = 2;
const LOOK_OUT_MS = 0.6;

export interface ServiceOptions {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly log: Logger;
  /** The process must end with a status other than 0; called once. */
  readonly onFatal: (reason: string) => void;
  /** The same, when a thread cannot be ended any more. */
  readonly onStuck: (reason: string) => void;
}

/**
 * The running service, put together: recovers the journal, starts the threads, binds the port. Everything here is
 * wiring; what the parts do stands in their folders.
 */
export class Service {
  /** What the limits of the public interface have refused so far. */
  readonly refusals = noRefusals();
  readonly #config: Config;
  readonly #log: Logger;
  readonly #catalogue: InstrumentCatalogue = buildCatalogue();
  readonly #identity: Identity;
  readonly #journal: RecoveredJournal;
  readonly #clock: ServiceClock;
  readonly #memory: ServiceMemory;
  readonly #links: readonly ShardLink[];
  readonly #orders: OrderDesk;
  readonly #venueLine: VenueLine;
  readonly #balances: BalanceDesk;
  readonly #positions: PositionDesk;
  readonly #market: MarketDesk;
  readonly #sight: ServiceSight;
  readonly #guarded: ServiceGuardrails;
  readonly #costs: CostDesk;
  readonly #slate: SlateReader;
  readonly #threads: ServiceThreads;
  readonly #bell: EventLoopBell;
  readonly #sweeper: NodeJS.Timeout;
  readonly #isFollowed = (account: AccountId): boolean =>
    (this.#stream?.isFollowed(account) ?? false) || this.#guarded.books.isCounted(account);
  readonly #look = (): void => {
    this.#drain();
    this.#isLookingOut = this.#orders.pendingCount > 0 && monotonicMs() < this.#lookOutUntilMs;
    if (this.#isLookingOut) setImmediate(this.#look);
  };
  #isLookingOut = false;
  #lookOutUntilMs = 0;
  #stream: StreamServer | null = null;
  #http: HttpServer | null = null;
  #isStopping = false;

  constructor({ config, masterKey, log, onFatal, onStuck }: ServiceOptions) {
    this.#config = config;
    this.#log = log;
    this.#identity = openIdentity(config.dataDir, { masterKey });
    this.#journal = recoverJournal({
      dataDir: config.dataDir,
      fold: foldEnvelope,
      log,
    });
    const origin = clockOrigin(Date.now(), this.#journal.lastServiceMs, config.simSpeed);
    this.#clock = new ServiceClock(origin);
    this.#memory = createMemory(config.shardCount, this.#catalogue);
    const { mainBell, venueBell, slate, depth, shards, requests, reports } = this.#memory;
    const { dataDir, logLevel, shardCount } = config;
    this.#links = shards.map((memory, shard) => new ShardLink(shard, memory));
    this.#slate = new SlateReader(slate, shardCount);
    this.#orders = new OrderDesk({
      links: this.#links,
      ids: new IdAllocator(this.#identity.ids, Date.now),
      nowRealMs: monotonicMs,
      storedStatus: (orderId) => this.#storedStatus(orderId),
      onSent: () => this.#lookOut(),
    });
    this.#venueLine = new VenueLine({
      requests: new RingProducer(requests),
      reports: new RingConsumer(reports),
      venueBell: new BellRinger(venueBell),
      nowRealMs: monotonicMs,
    });
    this.#balances = new BalanceDesk(this.#venueLine);
    this.#positions = new PositionDesk(this.#venueLine);
    this.#market = new MarketDesk({
      updates: new RingConsumer(this.#memory.marketUpdates),
      interest: new FeedInterestWriter(this.#memory.feedInterest),
      venueBell: new BellRinger(venueBell),
      line: this.#venueLine,
      clock: this.#clock,
    });
    this.#sight = serviceSight({
      slate: this.#slate,
      books: new DepthSlateReader(depth, shardCount),
      market: this.#market,
      venueBell: new BellRinger(venueBell),
      isVenueUp: () => this.#venueLine.isVenueUp,
      clock: this.#clock,
      nowRealMs: monotonicMs,
    });
    this.#guarded = serviceGuardrails({
      directory: this.#identity.guardrailDirectory,
      orders: this.#orders,
      prices: this.#sight.prices,
      positions: this.#positions,
      reader: this.#journal.reader,
      catalogue: this.#catalogue,
      nowRealMs: monotonicMs,
    });
    this.#costs = new CostDesk({
      entry: entryOf('analyst'),
      data: { dataDir, journal: this.#journal.shared },
      log,
    });
    this.#threads = new ServiceThreads({
      config,
      log,
      memory: this.#memory,
      common: { dataDir, logLevel, clock: origin, shardCount, slate, depth, mainBell, venueBell },
      journal: this.#journal.shared,
      links: this.#links,
      venueLine: this.#venueLine,
      drain: () => this.#drain(),
      onShardBack: () => this.#onShardBack(),
      onShardLost: (shard) => this.#onShardLost(shard),
      onFatal,
      onStuck,
    });
    this.#bell = new EventLoopBell(mainBell, () => this.#drain());
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
  }

  /** Binds the port, then starts the threads; /status/ready turns 200 when all of them have recovered. */
  async start(): Promise<number> {
    const config = this.#config;
    const listenKeys = new JwtListenKeys({
      secret: this.#identity.settings.listenKeySecret(),
      ttlS: config.listenKeyTtlS,
      realNowMs: Date.now,
    });
    const keys = this.#identity.directory;
    const listenKeyCheck = new ListenKeyCheck({
      verify: (token) => listenKeys.verify(token),
      keys,
      realNowMs: Date.now,
    });
    const addressLimit = addressLimitAt(config.host, config.addressRate, this.refusals);
    this.#http = await startHttpServer({
      consoleFiles: readConsoleFiles(new URL('.', import.meta.url)),
      host: config.host,
      port: config.port,
      desk: this.#guarded.desk,
      balances: this.#balances,
      positions: this.#positions,
      funding: this.#market,
      prices: this.#sight.prices,
      costs: this.#costs,
      reviews: this.#guarded.desk,
      sight: this.#sight.sight,
      keys,
      listenKeys,
      cancelSwitches: this.#identity.switches,
      guardrails: this.#guarded.guardrails,
      halts: this.#identity.guardrailDirectory,
      killSwitchStore: this.#identity.guardrails,
      reader: this.#journal.reader,
      catalogue: this.#catalogue,
      clock: this.#clock,
      realNowMs: Date.now,
      monotonicMs,
      isVenueUp: () => this.#venueLine.isVenueUp,
      orderRate: config.orderRate,
      readRate: config.readRate,
      addressLimit,
      bodyBytesMax: config.bodyBytesMax,
      refusals: this.refusals,
      readiness: () => this.#readiness(),
      figures: this.#figures(),
      metricsToken: config.metricsToken,
      log: this.#log,
      attach: (app, nextRequestId) => {
        this.#stream = attachStream(app, {
          settings: config,
          catalogue: this.#catalogue,
          reader: this.#journal.reader,
          clock: this.#clock,
          timers: SYSTEM_TIMERS,
          refusals: this.refusals,
          waitOf: (address) => addressLimit?.take(address, monotonicMs())?.retryAfterS ?? 0,
          verifyListenKey: (token, address) => listenKeyCheck.holderOf(token, address),
          parentOrder: (orderId) => this.#parentOrder(orderId),
          balances: (account, venue, answer) => this.#balances.balances(account, venue, answer),
          positions: (account, venue, answer) => this.#positions.positions(account, venue, answer),
          market: (instrument) => this.#slate.read(instrument),
          watchMarket: (instrument, isWatched) => this.#watchMarket(instrument, isWatched),
          followFeed: (feed, follower) => this.#market.follow(feed, follower),
          nextRequestId,
          onFault: (error) => this.#log.error({ err: error }, 'a stream failed'),
        });
      },
    });
    this.#threads.start();
    return this.#http.port;
  }

  /** On an empty data directory: a key of account `demo`, told once; null when there are keys already. */
  createDemoKey(): CreatedKey | null {
    const { keys } = this.#identity;
    if (keys.list().length > 0) return null;
    const key = keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, Date.now());
    assert(!isRejected(key), 'the demo key is a right one');
    return key;
  }

  /** Stops taking orders, lets what is under way end, closes sockets with 1001 and the journal cleanly. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const endMs = Date.now() + SHUTDOWN_MS_MAX;
    this.#http?.stopAccepting();
    while (this.#orders.pendingCount > 0 && Date.now() < endMs) await pause(DRAIN_POLL_MS);
    await this.#threads.end(endMs);
    this.#drain();
    this.#stream?.drain();
    // Close frames leave with the next turns of the loop.
    await pause(CLOSE_FRAMES_MS);
    await this.#http?.close();
    await this.#costs.close();
    clearInterval(this.#sweeper);
    this.#bell.close();
    await this.#journal.close();
    await this.#identity.close();
  }

  /**
   * While a command or two wait, the loop looks for their answer itself: that is some 60 µs sooner than being woken.
   * With more under way it is busy anyway, and the shards need the processor.
   */
  #lookOut(): void {
    if (this.#orders.pendingCount > LOOK_OUT_COMMANDS_MAX) return;
    this.#lookOutUntilMs = monotonicMs() + LOOK_OUT_MS;
    if (this.#isLookingOut) return;
    this.#isLookingOut = true;
    setImmediate(this.#look);
  }

  #drain(): void {
    let hasMore = false;
    for (const link of this.#links) {
      hasMore = link.drain(this.#isFollowed, (message) => this.#onShardMessage(link.shard, message)) || hasMore;
    }
    this.#venueLine.drain();
    hasMore = this.#market.drain() || hasMore;
    this.#slate.takeDirty((instrument) => this.#stream?.onMarket(instrument));
    // The sockets get their turn before the rest is taken.
    if (hasMore) setImmediate(() => this.#drain());
  }

  #onShardMessage(shard: number, message: ShardMessage): void {
    this.#orders.onShardMessage(message);
    if (message.kind === 'Published' && message.envelope !== null) {
      this.#guarded.books.onEvent(message.envelope);
      this.#stream?.onPublished(message.envelope, message.marks);
    }
    if (message.kind === 'Missed') {
      this.#journal.reader.refresh();
      this.#orders.settleFromStore(shard, false);
      this.#guarded.books.forget();
      this.#stream?.onMissed();
    }
  }

  #watchMarket(instrument: InstrumentIndex, isWatched: boolean): void {
    this.#slate.watch(instrument, isWatched);
    if (isWatched) new BellRinger(this.#memory.venueBell).ring();
  }

  #storedStatus(orderId: OrderId): RestingStatus | null {
    this.#journal.reader.refresh();
    return this.#journal.reader.order(orderId)?.status ?? null;
  }

  #parentOrder(orderId: OrderId): ParentOrder | null {
    return this.#journal.reader.order(orderId)?.order ?? null;
  }

  #readiness(): Readiness {
    if (this.#isStopping) return { isReady: false, detail: 'shutting down' };
    const waiting = this.#threads.awaited;
    return waiting.length === 0
      ? { isReady: true, detail: `${this.#links.length} shards and the venues are up` }
      : { isReady: false, detail: `waiting for ${waiting.join(', ')}` };
  }

  #figures(): ServiceFigures {
    return serviceFigures({
      readiness: () => this.#readiness(),
      memory: this.#memory,
      venueRates: this.#config.venueRates,
      links: this.#links,
      orders: this.#orders,
      venueLine: this.#venueLine,
      threads: this.#threads,
      journal: this.#journal,
      stream: () => this.#stream,
    });
  }

  #onShardLost(shard: number): void {
    this.#orders.settleFromStore(shard, true);
    // What the shard had not told yet is in the journal alone.
    this.#guarded.books.forget();
  }

  #onShardBack(): void {
    this.#guarded.books.forget();
    this.#stream?.onMissed();
    if (this.#links.every(({ isUp }) => isUp)) this.#journal.trustState();
  }

  #sweep(): void {
    this.#orders.sweep();
    this.#venueLine.sweep();
    if (!this.#isStopping) this.#threads.watchOver();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
