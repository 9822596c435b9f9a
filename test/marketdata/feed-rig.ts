import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { MarketUpdate } from '../../src/domain/market-feed.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { MarketFeedService } from '../../src/marketdata/feed-service.js';
import { VenueRouter } from '../../src/venue/venue-router.js';
import { VenueClient } from '../../src/venue/venue-client.js';
import { encodeVenueReport } from '../../src/wire/codec/venue-report.js';
import { decodeVenueRequest } from '../../src/wire/codec/venue-request.js';
import { BellRinger, createBell } from '../../src/wire/bell.js';
import { createDepthCache, DepthCacheWriter } from '../../src/marketdata/depth-cache.js';
import {
  createFeedSubscriptions,
  FeedSubscriptionsReader,
  FeedSubscriptionsWriter,
  RingFeedOutlet,
} from '../../src/marketdata/feed-subscriptions.js';
import { createRing, RingConsumer, RingProducer } from '../../src/wire/ring.js';

export const MINUTE = 60_000;
export const START = 20_000 * 24 * 60 * MINUTE;
const ROWS = 4;

/** Both ends of the connection between main thread and venue worker, in one thread. */
export class FeedRig {
  nowMs = START + 10_000;
  nowRealMs = 0;
  readonly unreadable: unknown[] = [];
  readonly #rings = { updates: createRing(16 * 1024), requests: createRing(64 * 1024), reports: createRing(64 * 1024) };
  readonly #subscriptions = createFeedSubscriptions(ROWS);
  readonly #bell = new BellRinger(createBell());
  readonly venueClient: VenueClient;
  readonly service: MarketFeedService;
  outlet = this.startVenue();
  readonly #requests = new RingConsumer(this.#rings.requests);
  readonly #reports = new RingProducer(this.#rings.reports);

  constructor() {
    this.venueClient = new VenueClient({
      requests: new RingProducer(this.#rings.requests),
      reports: new RingConsumer(this.#rings.reports),
      venueBell: this.#bell,
      nowRealMs: () => this.nowRealMs,
      onUnreadable: (error) => this.unreadable.push(error),
    });
    this.service = new MarketFeedService({
      updates: [new RingConsumer(this.#rings.updates)],
      subscriptions: new FeedSubscriptionsWriter(this.#subscriptions),
      venueBell: this.#bell,
      venueClient: new VenueRouter(this.venueClient),
      clock: { nowMs: () => this.nowMs as EpochMs },
    });
  }

  /** Starts a venue worker, also as the successor of a dead one. */
  startVenue(): RingFeedOutlet {
    return new RingFeedOutlet({
      updates: new RingProducer(this.#rings.updates),
      mainBell: this.#bell,
      subscriptions: new FeedSubscriptionsReader(this.#subscriptions, 'simulated'),
      depth: new DepthCacheWriter(createDepthCache(ROWS, 0), []),
      sendDepth: () => undefined,
      speed: 1,
    });
  }

  /** Requests that the venue received since the last call. */
  received(): VenueRequest[] {
    const requests: VenueRequest[] = [];
    this.#requests.drain(100, (bytes) => requests.push(decodeVenueRequest(bytes)));
    return requests;
  }

  answer(report: VenueReport): void {
    this.#reports.tryWrite(encodeVenueReport(report));
    this.venueClient.drain();
  }
}

export function candleUpdate(openAtMs: number, isClosed: boolean, instrument = 1): MarketUpdate {
  const price = 100 as Ticks;
  const candle = {
    openAtMs: openAtMs as EpochMs,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: 5 as Lots,
  };
  return { kind: 'CandleChanged', instrument: instrument as InstrumentIndex, interval: 'ONE_MINUTE', candle, isClosed };
}
