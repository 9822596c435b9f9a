import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { MarketUpdate } from '../../src/model/market-feed.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { VenueReport, VenueRequest } from '../../src/model/venue-message.js';
import { MarketDesk } from '../../src/route/market-desk.js';
import { VenueLine } from '../../src/route/venue-line.js';
import { decodeVenueRequest, encodeVenueReport } from '../../src/wire/codec/index.js';
import { BellRinger, createBell } from '../../src/wire/doorbell.js';
import { createDepthSlate, DepthSlateWriter } from '../../src/wire/depth-slate.js';
import { createFeedInterest, FeedInterestReader, FeedInterestWriter } from '../../src/wire/feed-interest.js';
import { RingFeedOutlet } from '../../src/wire/ring-feed-outlet.js';
import { createRing, RingConsumer, RingProducer } from '../../src/wire/ring.js';

export const MINUTE = 60_000;
export const START = 20_000 * 24 * 60 * MINUTE;
const ROWS = 4;

/** Both ends of what connects the main thread with the venue worker, in one thread. */
export class FeedRoom {
  nowMs = START + 10_000;
  nowRealMs = 0;
  readonly unreadable: unknown[] = [];
  readonly #rings = { updates: createRing(16 * 1024), requests: createRing(64 * 1024), reports: createRing(64 * 1024) };
  readonly #interest = createFeedInterest(ROWS);
  readonly #bell = new BellRinger(createBell());
  readonly line: VenueLine;
  readonly desk: MarketDesk;
  outlet = this.venueStarts();
  readonly #requests = new RingConsumer(this.#rings.requests);
  readonly #reports = new RingProducer(this.#rings.reports);

  constructor() {
    this.line = new VenueLine({
      requests: new RingProducer(this.#rings.requests),
      reports: new RingConsumer(this.#rings.reports),
      venueBell: this.#bell,
      nowRealMs: () => this.nowRealMs,
      onUnreadable: (error) => this.unreadable.push(error),
    });
    this.desk = new MarketDesk({
      updates: new RingConsumer(this.#rings.updates),
      interest: new FeedInterestWriter(this.#interest),
      venueBell: this.#bell,
      line: this.line,
      clock: { nowMs: () => this.nowMs as EpochMs },
    });
  }

  /** The venue's thread begins, perhaps after another one died. */
  venueStarts(): RingFeedOutlet {
    return new RingFeedOutlet({
      updates: new RingProducer(this.#rings.updates),
      mainBell: this.#bell,
      interest: new FeedInterestReader(this.#interest),
      depth: new DepthSlateWriter(createDepthSlate(ROWS, 0), []),
      sendDepth: () => undefined,
      speed: 1,
    });
  }

  /** What the venue has been asked since the last call. */
  asked(): VenueRequest[] {
    const requests: VenueRequest[] = [];
    this.#requests.drain(100, (bytes) => requests.push(decodeVenueRequest(bytes)));
    return requests;
  }

  answer(report: VenueReport): void {
    this.#reports.tryWrite(encodeVenueReport(report));
    this.line.drain();
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
