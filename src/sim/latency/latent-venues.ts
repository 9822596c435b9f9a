import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { LATENT_BOOKS_MAX, LATENT_MESSAGES_MAX } from '../../domain/limits/trading.js';
import { Depth } from '../../domain/market.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRequest } from '../../domain/venue-message.js';
import { Random } from '../prng.js';
import type { VenueGateway, VenueSink } from '../../venue/port.js';
import { type LatencyModel, DelayLine, Timeline, type VenueLatency } from './latency-model.js';

interface LatentVenuesParts {
  readonly gateway: VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly latencyOf: (venue: Venue) => VenueLatency;
  /** The same seed and the same messages at the same times give the same arrivals. */
  readonly seed: number;
}

/** Directions of an account's messages to and from a venue. */
interface Connection {
  readonly entry: DelayLine;
  readonly response: DelayLine;
}

interface AddressedRequest {
  readonly request: VenueRequest;
  readonly origin: number;
}

const US_PER_MS = 1_000;

/**
 * Adds network latency to a gateway.
 *
 *     handle ──▶ entry, by account and venue ────▶ gateway      a connection keeps the order of its
 *     sink  ◀─── response, by account and venue ◀─┤             messages
 *     sink  ◀─── feed, by venue ◀─────────────────┘
 *
 * Arrival times are drawn in microseconds and take effect in their millisecond. Messages in transit exist only in
 * memory: after a crash a request in transit was never sent, and a status request returns the content of a lost report.
 * Beyond LATENT_MESSAGES_MAX messages in one direction, the earliest ones arrive before their time.
 */
export class LatentVenues implements VenueGateway {
  readonly #parts: LatentVenuesParts;
  readonly #requests = new Timeline<AddressedRequest>();
  readonly #arrivals = new Timeline<(sink: VenueSink) => void>();
  readonly #connections = new Map<string, Connection>();
  readonly #feeds = new Map<Venue, DelayLine>();
  readonly #gatewaySink: VenueSink;
  /** Send time of everything that the gateway emits now. */
  #atMs = 0;

  constructor(parts: LatentVenuesParts) {
    this.#parts = parts;
    this.#gatewaySink = {
      report: (report, destination) => {
        // A Link report originates on this side, so it has no delay.
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
    // Advances step by step, so messages of intermediate instants leave at their own time, however late this call
    // comes.
    for (let atMs = this.#nextGatewayMs(); atMs < nowMs; atMs = this.#nextGatewayMs()) {
      this.#advanceTo(Math.max(atMs, this.#atMs) as EpochMs);
      if (this.#nextGatewayMs() <= atMs) break;
    }
    this.#advanceTo(nowMs);
    const due = this.#arrivals.takeUpTo(lastOf(nowMs), LATENT_MESSAGES_MAX);
    for (const deliver of due) deliver(sink);
  }

  nextWakeMs(): EpochMs {
    return Math.min(this.#nextGatewayMs(), millisecondOf(this.#arrivals.earliest)) as EpochMs;
  }

  close(): void {
    this.#parts.gateway.close();
  }

  #nextGatewayMs(): number {
    return Math.min(this.#parts.gateway.nextWakeMs(), millisecondOf(this.#requests.earliest));
  }

  /** Passes the requests that have arrived to the gateway and collects its output. */
  #advanceTo(atMs: EpochMs): void {
    this.#atMs = atMs;
    const { gateway } = this.#parts;
    const arrived = this.#requests.takeUpTo(lastOf(atMs), LATENT_MESSAGES_MAX);
    for (const { request, origin } of arrived) gateway.handle(request, origin, atMs);
    gateway.advance(atMs, this.#gatewaySink);
  }

  #arrive(line: DelayLine, deliver: (sink: VenueSink) => void): void {
    this.#arrivals.add(line.arrivalUs(this.#atMs * US_PER_MS), deliver);
  }

  /** All messages of one account use one connection, so a status request never overtakes its order. */
  #connection(account: AccountId, venue: Venue): Connection {
    const name = `${venue}/${account}`;
    let connection = this.#connections.get(name);
    if (connection === undefined) {
      const { entry, response } = this.#parts.latencyOf(venue);
      connection = {
        entry: this.#delayLine(`entry/${name}`, entry),
        response: this.#delayLine(`response/${name}`, response),
      };
      this.#connections.set(name, connection);
    }
    return connection;
  }

  #feed(instrument: InstrumentIndex): DelayLine {
    const { venue } = this.#parts.catalogue.at(instrument);
    let feed = this.#feeds.get(venue);
    if (feed === undefined) {
      feed = this.#delayLine(`feed/${venue}`, this.#parts.latencyOf(venue).feed);
      this.#feeds.set(venue, feed);
    }
    return feed;
  }

  /** Each direction has its own random generator, so a message does not change the delays of other connections. */
  #delayLine(name: string, model: LatencyModel): DelayLine {
    return new DelayLine(model, new Random(`${this.#parts.seed}/latency/${name}`));
  }
}

/** Last microsecond of a millisecond. */
function lastOf(ms: EpochMs): number {
  return (ms + 1) * US_PER_MS - 1;
}

function millisecondOf(us: number): number {
  return Math.floor(us / US_PER_MS);
}

type ShowDepth = (instrument: InstrumentIndex, depth: Depth) => void;

interface BookQueue {
  /** Time of the latest market that has arrived. */
  arrivedMs: number;
  /** Books with later times, oldest first. */
  readonly inTransit: Depth[];
}

/**
 * Books in transit from venues. A book is shown with the market of the same time and never earlier, so a deep view
 * shows nothing ahead of the market. Markets may be dropped on the way. Without latency, a book is shown at once.
 */
export class LatentBooks {
  readonly #show: ShowDepth;
  readonly #queues = new Map<InstrumentIndex, BookQueue>();

  constructor(show: ShowDepth) {
    this.#show = show;
  }

  /** Sends a book; the callee copies it. Drops the oldest book when too many are in transit. */
  send(instrument: InstrumentIndex, depth: Depth): void {
    const { inTransit, arrivedMs } = this.#queue(instrument);
    if (depth.atMs <= arrivedMs) return this.#show(instrument, depth);
    if (inTransit.length === LATENT_BOOKS_MAX) inTransit.shift();
    const copy = new Depth();
    copy.set(depth);
    inTransit.push(copy);
  }

  /** Called when the market of that time has arrived. */
  arrive(instrument: InstrumentIndex, atMs: EpochMs): void {
    const queue = this.#queue(instrument);
    queue.arrivedMs = Math.max(queue.arrivedMs, atMs);
    const later = queue.inTransit.findIndex((depth) => depth.atMs > queue.arrivedMs);
    const latest = queue.inTransit.splice(0, later === -1 ? queue.inTransit.length : later).at(-1);
    if (latest !== undefined) this.#show(instrument, latest);
  }

  #queue(instrument: InstrumentIndex): BookQueue {
    let queue = this.#queues.get(instrument);
    if (queue === undefined) this.#queues.set(instrument, (queue = { arrivedMs: -Infinity, inTransit: [] }));
    return queue;
  }
}
