import { Depth, type Market, type TradePrint } from '../../../src/domain/market.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { type MarketFeed, type MarketUpdate, openOf } from '../../../src/domain/market-feed.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { VenueStore } from '../../../src/venue/port.js';
import { SimulatedVenues } from '../../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../memory-store.js';
import { CATALOGUE, START_MS } from '../simulated-exchange.js';

/** The simulated venues with a subscriber of feeds. */
export class FollowedExchange {
  readonly updates: MarketUpdate[] = [];
  readonly prints: TradePrint[] = [];
  readonly reports: VenueReport[] = [];
  readonly markets = new Map<InstrumentIndex, Market>();
  readonly depth = new Depth();
  readonly depthWanted = new Set<InstrumentIndex>();
  readonly followed: MarketFeed[] = [];
  version = 0;
  isFull = false;
  nowMs: number = START_MS;
  readonly #venues: SimulatedVenues;
  readonly #awake = new Set<InstrumentIndex>();

  constructor({ seed = 1, store = new MemoryVenueStore() }: { seed?: number; store?: VenueStore } = {}) {
    const { followed } = this;
    const versionOf = (): number => this.version;
    this.#venues = new SimulatedVenues({
      catalogue: CATALOGUE,
      seed,
      store,
      startMs: START_MS,
      isWatched: (instrument) => this.#awake.has(instrument),
      balanceHome: () => 0,
      onRepeated: () => undefined,
      outlet: {
        subscriptions: {
          get version() {
            return versionOf();
          },
          followed: () => [...followed],
          nextClosedMs: (_, interval) => openOf(this.nowMs, interval),
        },
        offer: (update) => {
          if (!this.isFull) this.updates.push(update);
          return !this.isFull;
        },
        isDepthWanted: (instrument) => this.depthWanted.has(instrument),
        showDepth: (_, depth) => Object.assign(this.depth, structuredClone(depth)),
        speed: 1,
      },
    });
    this.#advance();
  }

  follow(...feeds: MarketFeed[]): void {
    for (const feed of feeds) {
      this.followed.push(feed);
      this.#awake.add(feed.instrument);
    }
    this.version += 1;
  }

  unfollowAll(): void {
    this.followed.length = 0;
    this.#awake.clear();
    this.version += 1;
  }

  pass(ms: number, stepMs = 100): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs;) {
      this.nowMs += stepMs;
      this.#advance();
    }
  }

  /** Sends a query and advances until its answer. */
  ask(request: VenueRequest): VenueReport {
    const before = this.reports.length;
    this.#venues.handle(request, 3, this.nowMs as EpochMs);
    while (this.reports.length === before) this.#advance();
    return this.reports.at(-1)!;
  }

  /** True when the next turn is due at once, because a query waits. */
  get isBusy(): boolean {
    return this.#venues.nextWakeMs() < this.nowMs;
  }

  #advance(): void {
    this.#venues.advance(this.nowMs as EpochMs, {
      report: (report) => this.reports.push(report),
      market: (instrument, market) => this.markets.set(instrument, market),
      trade: (print) => this.prints.push(print),
    });
  }
}
