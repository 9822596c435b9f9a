import type { InstrumentIndex } from '../domain/instrument.js';
import { BEAT_MS_MAX } from '../domain/limits/process.js';
import type { Market } from '../domain/market.js';
import type { ThreadClock } from '../domain/time.js';
import type { BellRinger } from '../wire/bell.js';
import { encodeVenueReport } from '../wire/codec/venue-report.js';
import { decodeVenueRequest } from '../wire/codec/venue-request.js';
import { OutboundQueue } from '../wire/outbound-queue.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import type { VenueRings } from '../wire/worker-data.js';
import type { VenueGateway, VenueSink } from './port.js';

/** Origin of the main thread's requests. The origin of a shard is its number. */
export const MAIN_THREAD = -1;
/** Requests that a turn takes from one ring. */
const REQUESTS_PER_TURN_MAX = 512;
/** A full ring does not ring when it has room again, so the thread polls. */
const FULL_RING_POLL_MS = 1;

/** A thread that sends requests: the rings to and from it, and its bell. */
interface Requester {
  readonly rings: VenueRings;
  readonly bell: BellRinger;
}

interface VenueLoopParts {
  readonly gateway: VenueGateway;
  readonly clock: ThreadClock;
  /** In the order of their numbers. */
  readonly shards: readonly Requester[];
  readonly main: Requester;
  /** Publishes a market, for example in the last-value cache. */
  readonly onMarket: (instrument: InstrumentIndex, market: Market) => void;
  /** Sends the market feeds of the turn. */
  readonly feeds: { flush(): void };
}

/** One origin of requests, with the queue of its reports. */
interface Origin {
  readonly origin: number;
  readonly requests: RingConsumer;
  readonly reports: OutboundQueue;
}

/**
 * The turns of a thread that runs exchanges. The thread waits between them:
 *
 *     request rings of shards and main thread ─▶ gateway.handle
 *                                                gateway.advance ─▶ market ─▶ feeds ─▶ report rings
 */
export class VenueLoop {
  readonly #parts: VenueLoopParts;
  readonly #origins: readonly Origin[];
  readonly #sink: VenueSink;

  constructor(parts: VenueLoopParts) {
    this.#parts = parts;
    this.#origins = [
      ...parts.shards.map((requester, shard) => originOf(shard, requester)),
      originOf(MAIN_THREAD, parts.main),
    ];
    const queues = new Map(this.#origins.map(({ origin, reports }) => [origin, reports]));
    this.#sink = {
      report: (report, destination) => queues.get(destination)?.send(encodeVenueReport(report)),
      market: parts.onMarket,
      trade: () => undefined,
    };
  }

  /** Runs one turn. Returns true when it took requests, so that the next turn must follow without a wait. */
  turn(): boolean {
    const { gateway, clock, feeds } = this.#parts;
    const nowMs = clock.nowMs();
    let taken = 0;
    for (const { origin, requests, reports } of this.#origins) {
      // A shard that does not take its reports gets no new work. Its requests and its queue wait.
      if (reports.waitingCount > 0) continue;
      taken += requests.drain(REQUESTS_PER_TURN_MAX, (bytes) => {
        gateway.handle(decodeVenueRequest(bytes), origin, nowMs);
      });
    }
    gateway.advance(nowMs, this.#sink);
    feeds.flush();
    for (const { reports } of this.#origins) reports.flush();
    return taken > 0;
  }

  /** Real milliseconds until the next turn is due without a ring of the bell: 0..BEAT_MS_MAX. */
  waitMs(): number {
    const { gateway, clock } = this.#parts;
    if (this.#origins.some(({ reports }) => reports.waitingCount > 0)) return FULL_RING_POLL_MS;
    // A turn has a whole millisecond as its time: before the next one it would find nothing due.
    return Math.min(clock.realMsUntil(Math.ceil(gateway.nextWakeMs())), BEAT_MS_MAX);
  }
}

function originOf(origin: number, { rings, bell }: Requester): Origin {
  return {
    origin,
    requests: new RingConsumer(rings.requests),
    reports: new OutboundQueue(new RingProducer(rings.reports), bell),
  };
}
