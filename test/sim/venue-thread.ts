import { accountSlot } from '../../src/model/account-slot.js';
import { VENUES, type Venue } from '../../src/model/exchange.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { Market } from '../../src/model/market.js';
import type { Clock, EpochMs } from '../../src/model/time.js';
import type { VenueReport, VenueRequest } from '../../src/model/venue-message.js';
import { BudgetedVenues, createBudgetMemory } from '../../src/venue/budget/index.js';
import { FaultyVenues, type FaultRule } from '../../src/venue/faults/index.js';
import { SimulatedVenues } from '../../src/venue/index.js';
import { LatentBooks, LatentVenues, latencyOf, type VenueLatency } from '../../src/venue/latency/index.js';
import type { ServiceMemory } from '../../src/service-memory.js';
import { VENUE_LISTINGS, type RequestRate } from '../../src/venue/listing/index.js';
import type { VenueGateway, VenueSink, VenueStore } from '../../src/venue/port.js';
import { FakeHistory } from '../shard/fake-history.js';
import { decodeVenueRequest, encodeVenueReport } from '../../src/wire/codec/index.js';
import { DepthSlateWriter } from '../../src/wire/depth-slate.js';
import { BellRinger } from '../../src/wire/doorbell.js';
import { FeedInterestReader } from '../../src/wire/feed-interest.js';
import { Lane } from '../../src/wire/lane.js';
import { RingFeedOutlet } from '../../src/wire/ring-feed-outlet.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import { SlateWriter } from '../../src/wire/slate.js';
import type { Faults } from './faults.js';
import { CATALOGUE } from './listed.js';
import type { Post } from './post.js';
import type { VenueTruth } from './venue-truth.js';

const REQUESTS_PER_TURN_MAX = 64;
/** As workers/venue.ts numbers it. */
const MAIN_THREAD = -1;
/** Asks for the audit: what it is answered goes into no ring. */
const AUDITOR = -2;

export interface VenueThreadParts {
  readonly memory: ServiceMemory;
  readonly store: VenueStore;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults: Faults;
  readonly post: Post;
  readonly truth: VenueTruth;
  readonly isDistant: boolean;
  readonly tellsPast: boolean;
  readonly requestRate: RequestRate | null;
}

/**
 * What workers/venue.ts is, without the thread; its venues may fail and lie far away, and its reports take the post, where
 * they may double or come late.
 */
export class VenueThread {
  readonly #gateway: VenueGateway;
  readonly #trouble: FaultyVenues;
  /** The venues themselves, behind all that goes wrong; others after a restart. */
  #venues: VenueGateway | null = null;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #post: Post;
  readonly #truth: VenueTruth;
  /** Stands in for the venues' own, which would have to be made up minute by minute. */
  readonly #history: FakeHistory | null;
  readonly #slate: SlateWriter;
  readonly #books: DepthSlateWriter;
  readonly #comingBooks = new LatentBooks((instrument, depth) => this.#books.write(instrument, depth, 0));
  readonly #outlet: RingFeedOutlet;
  readonly #lanes = new Map<number, Lane>();
  readonly #origins: readonly { readonly origin: number; readonly ring: RingConsumer }[];
  #answers: VenueReport[] = [];

  constructor({ memory, store, clock, seed, faults, post, truth, ...ways }: VenueThreadParts) {
    const bell = new BellRinger(memory.mainBell);
    const shardCount = memory.shards.length;
    this.#clock = clock;
    this.#faults = faults;
    this.#post = post;
    this.#truth = truth;
    this.#history = ways.tellsPast ? new FakeHistory(0) : null;
    const bells = [...memory.shards.map(() => bell), bell];
    this.#slate = new SlateWriter(memory.slate, bells);
    this.#books = new DepthSlateWriter(memory.depth, bells);
    this.#outlet = new RingFeedOutlet({
      updates: new RingProducer(memory.marketUpdates),
      mainBell: bell,
      interest: new FeedInterestReader(memory.feedInterest),
      depth: this.#books,
      sendDepth: (instrument, book) => this.#comingBooks.send(instrument, book),
      speed: 1,
    });
    memory.shards.forEach(({ reports }, shard) => this.#lanes.set(shard, new Lane(new RingProducer(reports), bell)));
    this.#lanes.set(MAIN_THREAD, new Lane(new RingProducer(memory.reports), bell));
    this.#origins = [
      ...memory.shards.map(({ requests }, shard) => ({ origin: shard, ring: new RingConsumer(requests) })),
      { origin: MAIN_THREAD, ring: new RingConsumer(memory.requests) },
    ];
    const open = (startMs: EpochMs): VenueGateway => {
      const venues = new SimulatedVenues({
        catalogue: CATALOGUE,
        seed,
        store: fragileStore(store, faults),
        startMs,
        isWatched: (instrument) => this.isWatched(instrument),
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
    this.#trouble = new FaultyVenues({ ...parts, open, rules: [] });
    const gateway = ways.isDistant
      ? new LatentVenues({ ...parts, gateway: this.#trouble, latencyOf: listedLatency })
      : this.#trouble;
    this.#gateway = ways.requestRate === null ? gateway : budgeted(gateway, ways.requestRate);
  }

  /** Something goes wrong at the venues from now on. */
  trouble(rule: FaultRule): void {
    this.#trouble.inject(rule, this.#clock.nowMs());
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#trouble.calm(this.#clock.nowMs());
  }

  turn(): void {
    const nowMs = this.#clock.nowMs();
    for (const { origin, ring } of this.#origins) {
      if ((this.#lanes.get(origin)?.waitingCount ?? 0) > 0) continue;
      ring.drain(REQUESTS_PER_TURN_MAX, (bytes) => this.#handle(decodeVenueRequest(bytes), origin, nowMs));
    }
    this.#advance(this.#gateway);
    for (const { report, shard } of this.#post.deliveries()) this.#lanes.get(shard)?.send(encodeVenueReport(report));
    this.#outlet.flush();
    for (const lane of this.#lanes.values()) lane.flush();
  }

  /** True while a thread wants this market alive or its book shown. */
  isWatched(instrument: InstrumentIndex): boolean {
    return this.#slate.isWanted(instrument) || this.#outlet.isLively(instrument);
  }

  /** Service time of its next turn that is due even if nothing comes in. */
  nextWakeMs(): number {
    return this.#gateway.nextWakeMs();
  }

  /** All that the venue answers to a question, told to nobody else. */
  ask(request: VenueRequest): readonly VenueReport[] {
    if (this.#venues === null) throw new Error('the venues are closed');
    this.#answers = [];
    this.#venues.handle(request, AUDITOR, this.#clock.nowMs());
    this.#advance(this.#venues);
    return this.#answers;
  }

  #handle(request: VenueRequest, shard: number, nowMs: EpochMs): void {
    if (request.kind !== 'QueryCandles') this.#gateway.handle(request, shard, nowMs);
    else if (this.#history !== null) this.#post.send(this.#history.answer(request), shard);
  }

  #advance(gateway: VenueGateway): void {
    const sink: VenueSink = {
      report: (report, destination) => {
        if (destination === AUDITOR) return void this.#answers.push(report);
        this.#faults.pass('venue release');
        this.#truth.onTold(report);
        this.#post.send(report, destination);
      },
      market: (instrument: InstrumentIndex, market: Market) => {
        this.#slate.write(instrument, market, 0);
        this.#comingBooks.arrive(instrument, market.atMs);
      },
      trade: () => undefined,
    };
    gateway.advance(this.#clock.nowMs(), sink);
  }
}

function listedLatency(venue: Venue): VenueLatency {
  return latencyOf(VENUE_LISTINGS[venue].latency);
}

/** The venues as they are, with every report that they make noted. */
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
  return new BudgetedVenues({ gateway, rates, figures: createBudgetMemory() });
}

/** The venue's memory: its thread may die with nothing of a turn stored, or with all of it. */
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
