import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import { LATENT_MESSAGES_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueRequest } from '../../model/venue-message.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { Random } from '../prng.js';
import type { LatencyModel, VenueLatency } from './latency-model.js';
import { Leg } from './leg.js';
import { Timeline } from './timeline.js';

export interface LatentVenuesParts {
  readonly gateway: VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly latencyOf: (venue: Venue) => VenueLatency;
  /** Same seed, same messages at the same times: same arrivals. */
  readonly seed: number;
}

/** Where an account's orders go to a venue and its reports come back. */
interface Connection {
  readonly entry: Leg;
  readonly response: Leg;
}

interface Letter {
  readonly request: VenueRequest;
  readonly origin: number;
}

const US_PER_MS = 1_000;

/**
 * Venues at a distance: the gateway behind it, with time between it and us.
 *
 *     handle ──▶ entry, by account and venue ────▶ gateway      a connection keeps the order of its messages:
 *     sink  ◀─── response, by account and venue ◀─┤             nothing that is sent later arrives earlier
 *     sink  ◀─── feed, by venue ◀─────────────────┘
 *
 * Arrivals are drawn in microseconds and happen in the millisecond they fall into. What is under way lies in memory
 * alone: after a crash a request on its way was never sent, and a report on its way is told again to whoever asks.
 * Of more than LATENT_MESSAGES_MAX messages one way the earliest arrive before their time.
 */
export class LatentVenues implements VenueGateway {
  readonly #parts: LatentVenuesParts;
  readonly #requests = new Timeline<Letter>();
  readonly #arrivals = new Timeline<(sink: VenueSink) => void>();
  readonly #connections = new Map<string, Connection>();
  readonly #feeds = new Map<Venue, Leg>();
  readonly #behind: VenueSink;
  /** What the gateway tells now, it tells at this time. */
  #atMs = 0;

  constructor(parts: LatentVenuesParts) {
    this.#parts = parts;
    this.#behind = {
      report: (report, destination) => {
        // Not a message of the venue's: it is known here.
        if (report.kind === 'Link')
          return this.#arrivals.add(this.#atMs * US_PER_MS, (sink) => sink.report(report, destination));
        const { response } = this.#connection(report.account, report.venue);
        this.#arrive(response, (sink) => sink.report(report, destination));
      },
      market: (instrument, market) => {
        this.#arrive(this.#feed(instrument), (sink) => sink.market(instrument, market));
      },
      trade: (print) => this.#arrive(this.#feed(print.instrument), (sink) => sink.trade(print)),
    };
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    const { entry } = this.#connection(request.account, request.venue);
    this.#requests.add(entry.arrivalUs(nowMs * US_PER_MS), { request, origin });
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    // Step by step: what the gateway tells of a moment in between sets out then, however late we come.
    for (let atMs = this.#nextBehindMs(); atMs < nowMs; atMs = this.#nextBehindMs()) {
      this.#live(Math.max(atMs, this.#atMs) as EpochMs);
      if (this.#nextBehindMs() <= atMs) break;
    }
    this.#live(nowMs);
    const due = this.#arrivals.takeUpTo(lastOf(nowMs), LATENT_MESSAGES_MAX);
    for (const deliver of due) deliver(sink);
  }

  nextWakeMs(): EpochMs {
    return Math.min(this.#nextBehindMs(), millisecondOf(this.#arrivals.earliest)) as EpochMs;
  }

  close(): void {
    this.#parts.gateway.close();
  }

  #nextBehindMs(): number {
    return Math.min(this.#parts.gateway.nextWakeMs(), millisecondOf(this.#requests.earliest));
  }

  /** Hands the gateway what has arrived by then, and takes in what it tells. */
  #live(atMs: EpochMs): void {
    this.#atMs = atMs;
    const { gateway } = this.#parts;
    const arrived = this.#requests.takeUpTo(lastOf(atMs), LATENT_MESSAGES_MAX);
    for (const { request, origin } of arrived) gateway.handle(request, origin, atMs);
    gateway.advance(atMs, this.#behind);
  }

  #arrive(leg: Leg, deliver: (sink: VenueSink) => void): void {
    this.#arrivals.add(leg.arrivalUs(this.#atMs * US_PER_MS), deliver);
  }

  /** Whoever asks for an account, its messages share one line: a question never overtakes the order it is about. */
  #connection(account: AccountId, venue: Venue): Connection {
    const name = `${venue}/${account}`;
    let connection = this.#connections.get(name);
    if (connection === undefined) {
      const { entry, response } = this.#parts.latencyOf(venue);
      connection = { entry: this.#leg(`entry/${name}`, entry), response: this.#leg(`response/${name}`, response) };
      this.#connections.set(name, connection);
    }
    return connection;
  }

  #feed(instrument: InstrumentIndex): Leg {
    const { venue } = this.#parts.catalogue.at(instrument);
    let feed = this.#feeds.get(venue);
    if (feed === undefined) {
      feed = this.#leg(`feed/${venue}`, this.#parts.latencyOf(venue).feed);
      this.#feeds.set(venue, feed);
    }
    return feed;
  }

  /** Each way has luck of its own, so that no message changes the time of another connection's. */
  #leg(name: string, model: LatencyModel): Leg {
    return new Leg(model, new Random(`${this.#parts.seed}/latency/${name}`));
  }
}

/** The last microsecond of a millisecond. */
function lastOf(ms: EpochMs): number {
  return (ms + 1) * US_PER_MS - 1;
}

function millisecondOf(us: number): number {
  return Math.floor(us / US_PER_MS);
}
