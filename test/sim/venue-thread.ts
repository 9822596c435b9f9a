import { accountSlot } from '../../src/model/account-slot.js';
import { VENUES, type Venue } from '../../src/model/exchange.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { Market } from '../../src/model/market.js';
import type { Clock, EpochMs } from '../../src/model/time.js';
import type { VenueReport, VenueRequest } from '../../src/model/venue-message.js';
import { BudgetedVenues, createBudgetMemory } from '../../src/venue/budget/index.js';
import { FaultyVenues, type FaultRule } from '../../src/venue/faults/index.js';
import type { FeedOutlet } from '../../src/venue/feed/index.js';
import { SimulatedVenues } from '../../src/venue/index.js';
import { LatentBooks, LatentVenues, latencyOf, type VenueLatency } from '../../src/venue/latency/index.js';
import { VENUE_LISTINGS, type RequestRate } from '../../src/venue/listing/index.js';
import type { VenueGateway, VenueSink, VenueStore } from '../../src/venue/port.js';
import { FakeHistory } from '../shard/fake-history.js';
import { decodeVenueRequest, encodeVenueReport } from '../../src/wire/codec/index.js';
import { DepthSlateWriter } from '../../src/wire/depth-slate.js';
import { BellRinger } from '../../src/wire/doorbell.js';
import { Lane } from '../../src/wire/lane.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import { SlateWriter } from '../../src/wire/slate.js';
import type { Faults } from './faults.js';
import { CATALOGUE } from './listed.js';
import type { SharedMemory } from './shared-memory.js';
import type { Post } from './post.js';

const REQUESTS_PER_TURN_MAX = 64;
/** Who asks for the audit: what it is answered goes into no ring. */
const AUDITOR = -1;

export interface VenueThreadParts {
  readonly memory: SharedMemory;
  readonly store: VenueStore;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults: Faults;
  readonly post: Post;
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
  #venues: SimulatedVenues | null = null;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #post: Post;
  /** Stands in for the venues' own, which would have to be made up minute by minute. */
  readonly #history: FakeHistory | null;
  readonly #slate: SlateWriter;
  readonly #books: DepthSlateWriter;
  readonly #comingBooks = new LatentBooks((instrument, depth) => this.#books.write(instrument, depth, 0));
  readonly #lanes: readonly Lane[];
  readonly #requests: readonly RingConsumer[];
  #answers: VenueReport[] = [];
  /** Nobody follows a feed here; books are shown to the shards that want them. */
  readonly #outlet: FeedOutlet = {
    interest: { version: 0, followed: () => [], nextClosedMs: () => 0 as EpochMs },
    offer: () => true,
    isDepthWanted: (instrument) => this.#books.isWanted(instrument),
    showDepth: (instrument, depth) => this.#comingBooks.send(instrument, depth),
    speed: 1,
  };

  constructor({ memory, store, clock, seed, faults, post, ...ways }: VenueThreadParts) {
    const bell = new BellRinger(memory.bell);
    const shardCount = memory.shards.length;
    this.#clock = clock;
    this.#faults = faults;
    this.#post = post;
    this.#history = ways.tellsPast ? new FakeHistory(0) : null;
    const bells = [...memory.shards.map(() => bell), bell];
    this.#slate = new SlateWriter(memory.slate, bells);
    this.#books = new DepthSlateWriter(memory.depth, bells);
    this.#lanes = memory.shards.map(({ reports }) => new Lane(new RingProducer(reports), bell));
    this.#requests = memory.shards.map(({ requests }) => new RingConsumer(requests));
    const open = (startMs: EpochMs): SimulatedVenues => {
      this.#venues = new SimulatedVenues({
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
    this.#requests.forEach((ring, shard) => {
      if ((this.#lanes[shard] as Lane).waitingCount > 0) return;
      ring.drain(REQUESTS_PER_TURN_MAX, (bytes) => this.#handle(decodeVenueRequest(bytes), shard, nowMs));
    });
    this.#advance(this.#gateway);
    for (const { report, shard } of this.#post.deliveries()) this.#lanes[shard]?.send(encodeVenueReport(report));
    for (const lane of this.#lanes) lane.flush();
  }

  /** True while a shard wants this market alive or its book shown. */
  isWatched(instrument: InstrumentIndex): boolean {
    return this.#slate.isWanted(instrument) || this.#books.isWanted(instrument);
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
