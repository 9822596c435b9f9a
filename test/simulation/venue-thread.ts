import { accountSlot } from '../../src/domain/ids.js';
import { VENUES, type Venue } from '../../src/domain/exchange.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { EpochMs, ThreadClock } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { createThrottleMemory } from '../../src/venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../../src/venue/throttle/throttled-venues.js';
import { FaultyVenues } from '../../src/sim/faults/faulty-venues.js';
import type { FaultRule } from '../../src/sim/faults/fault-rule.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { latencyOf, type VenueLatency } from '../../src/sim/latency/latency-model.js';
import { LatentBooks, LatentVenues } from '../../src/sim/latency/latent-venues.js';
import type { ServiceMemory } from '../../src/runtime/shared-memory.js';
import type { RequestRate } from '../../src/venue/listing/exchange-listing.js';
import { VENUE_LISTINGS } from '../../src/venue/listing/exchanges.js';
import type { VenueGateway, VenueSink, VenueStore } from '../../src/venue/port.js';
import { VenueLoop } from '../../src/venue/venue-loop.js';
import { FakeHistory } from '../shard/fake-history.js';
import { DepthCacheWriter } from '../../src/marketdata/depth-cache.js';
import { BellRinger } from '../../src/wire/bell.js';
import { FeedSubscriptionsReader, RingFeedOutlet } from '../../src/marketdata/feed-subscriptions.js';
import { RingProducer } from '../../src/wire/ring.js';
import { MarketCacheWriter } from '../../src/marketdata/market-cache.js';
import type { Faults } from './faults.js';
import { CATALOGUE } from './listed.js';
import type { Post } from './post.js';
import type { VenueTruth } from './venue-truth.js';

/** Requester for the audit. Its answers go into no ring. */
const AUDITOR = -2;

export interface VenueThreadParts {
  readonly memory: ServiceMemory;
  readonly store: VenueStore;
  readonly clock: ThreadClock;
  readonly seed: number;
  readonly faults: Faults;
  readonly post: Post;
  readonly truth: VenueTruth;
  readonly isDistant: boolean;
  readonly tellsPast: boolean;
  readonly requestRate: RequestRate | null;
}

/**
 * Replaces workers/venue.ts, without a thread. The world calls the turns of its loop. Its venues may fail and may have
 * a long delay. Its reports go through the post, which may repeat or delay them.
 */
export class VenueThread {
  readonly #loop: VenueLoop;
  readonly #faulty: FaultyVenues;
  /** The venues without faults. A restart replaces them. */
  #venues: VenueGateway | null = null;
  readonly #clock: ThreadClock;
  readonly #faults: Faults;
  readonly #post: Post;
  readonly #truth: VenueTruth;
  /** Replaces the traded volumes of the venues, which would be computed minute by minute. */
  readonly #history: FakeHistory | null;
  readonly #marketCache: MarketCacheWriter;
  readonly #books: DepthCacheWriter;
  readonly #comingBooks = new LatentBooks((instrument, depth) => this.#books.write(instrument, depth, 0));
  readonly #outlet: RingFeedOutlet;
  #answers: VenueReport[] = [];
  /** Takes what the venues publish: markets at once, reports by the post. */
  readonly #sink: VenueSink = {
    report: (report, destination) => {
      if (destination === AUDITOR) return void this.#answers.push(report);
      this.#faults.pass('venue release');
      this.#truth.onTold(report);
      this.#post.send(report, destination);
    },
    market: (instrument, market) => {
      this.#marketCache.write(instrument, market, 0);
      this.#comingBooks.arrive(instrument, market.atMs);
    },
    trade: () => undefined,
  };

  constructor({ memory, store, clock, seed, faults, post, truth, ...ways }: VenueThreadParts) {
    const bell = new BellRinger(memory.mainBell);
    const shardCount = memory.shards.length;
    this.#clock = clock;
    this.#faults = faults;
    this.#post = post;
    this.#truth = truth;
    this.#history = ways.tellsPast ? new FakeHistory(0) : null;
    const bells = [...memory.shards.map(() => bell), bell];
    this.#marketCache = new MarketCacheWriter(memory.marketCache, bells);
    this.#books = new DepthCacheWriter(memory.depth, bells);
    this.#outlet = new RingFeedOutlet({
      updates: new RingProducer(memory.marketUpdates),
      mainBell: bell,
      subscriptions: new FeedSubscriptionsReader(memory.feedSubscriptions, 'simulated'),
      depth: this.#books,
      sendDepth: (instrument, book) => this.#comingBooks.send(instrument, book),
      speed: 1,
    });
    const open = (startMs: EpochMs): VenueGateway => {
      const venues = new SimulatedVenues({
        catalogue: CATALOGUE,
        seed,
        store: fragileStore(store, faults),
        startMs,
        isWatched: (instrument) => this.isWatched(instrument),
        takeNewlyWatched: (wake) => this.#marketCache.takeNewlyWanted(CATALOGUE.instruments.length, wake),
        outlet: this.#outlet,
        balanceHome: (account, venue) => accountSlot(account, venue) % shardCount,
        onRepeated: ({ orderId, child }) => {
          throw new Error(`child ${orderId}-${child} was sent twice`);
        },
      });
      this.#venues = observed(venues, truth);
      return this.#venues;
    };
    const listeners = [...memory.shards.keys()];
    const parts = { catalogue: CATALOGUE, seed, startMs: clock.nowMs(), listeners };
    this.#faulty = new FaultyVenues({ ...parts, open, rules: [] });
    const gateway = ways.isDistant
      ? new LatentVenues({ ...parts, gateway: this.#faulty, latencyOf: listedLatency })
      : this.#faulty;
    const limited = ways.requestRate === null ? gateway : budgeted(gateway, ways.requestRate);
    this.#loop = new VenueLoop({
      gateway: this.#posted(limited),
      clock,
      shards: memory.shards.map((rings) => ({ rings, bell })),
      main: { rings: memory, bell },
      onMarket: (instrument, market) => this.#sink.market(instrument, market),
      feeds: this.#outlet,
    });
  }

  /** Starts a fault at the venues. */
  inject(rule: FaultRule): void {
    this.#faulty.inject(rule, this.#clock.nowMs());
  }

  /** Ends all faults. */
  endFaults(): void {
    this.#faulty.endFaults(this.#clock.nowMs());
  }

  turn(): void {
    this.#loop.turn();
  }

  /** True while a thread subscribes to this market or to its book. */
  isWatched(instrument: InstrumentIndex): boolean {
    return this.#marketCache.isWanted(instrument) || this.#outlet.needsActiveMarket(instrument);
  }

  /** Real milliseconds until its next turn is due without input. */
  waitMs(): number {
    return this.#loop.waitMs();
  }

  /** Returns all answers of the venue to a request, and sends them to no other destination. */
  ask(request: VenueRequest): readonly VenueReport[] {
    if (this.#venues === null) throw new Error('the venues are closed');
    const nowMs = this.#clock.nowMs();
    this.#answers = [];
    this.#venues.handle(request, AUDITOR, nowMs);
    this.#venues.advance(nowMs, this.#sink);
    return this.#answers;
  }

  /** The gateway with the post between its reports and the rings. */
  #posted(gateway: VenueGateway): VenueGateway {
    return {
      handle: (request, origin, nowMs) => {
        if (request.kind !== 'QueryCandles') gateway.handle(request, origin, nowMs);
        else if (this.#history !== null) this.#post.send(this.#history.answer(request), origin);
      },
      advance: (nowMs, { report: deliver }) => {
        gateway.advance(nowMs, this.#sink);
        for (const { report, shard } of this.#post.deliveries()) deliver(report, shard);
      },
      nextWakeMs: () => gateway.nextWakeMs(),
      close: () => gateway.close(),
    };
  }
}

function listedLatency(venue: Venue): VenueLatency {
  return latencyOf(VENUE_LISTINGS[venue].latency);
}

/** The venues without changes, except that every report is recorded. */
function observed(venues: VenueGateway, truth: VenueTruth): VenueGateway {
  return {
    handle: (request, origin, nowMs) => venues.handle(request, origin, nowMs),
    advance: (nowMs, sink) =>
      venues.advance(nowMs, {
        report: (report, destination) => {
          truth.onMade(report);
          sink.report(report, destination);
        },
        market: (instrument, market) => sink.market(instrument, market),
        trade: (print) => sink.trade(print),
      }),
    nextWakeMs: () => venues.nextWakeMs(),
    close: () => venues.close(),
  };
}

function budgeted(gateway: VenueGateway, rate: RequestRate): VenueGateway {
  const rates = Object.fromEntries(VENUES.map((venue) => [venue, rate])) as Record<Venue, RequestRate>;
  return new ThrottledVenues({ gateway, rates, figures: createThrottleMemory() });
}

/** The store of the venues. The thread may die before or after it stores a turn. */
function fragileStore(store: VenueStore, faults: Faults): VenueStore {
  return {
    get: (key) => store.get(key),
    range: (prefix) => store.range(prefix),
    commit: (rows) => {
      faults.pass('venue commit');
      store.commit(rows);
      faults.pass('venue committed');
    },
    close: () => store.close(),
  };
}
