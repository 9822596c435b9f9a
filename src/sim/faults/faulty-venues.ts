import { VENUES } from '../../domain/exchange.js';
import type { InstrumentCatalogue } from '../../domain/instrument.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRequest } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import { type FaultRule, isOutage, type MessageFaultRule, type RequestFault } from './fault-rule.js';
import type { VenueGateway, VenueSink } from '../../venue/port.js';
import { refusalOf } from '../../venue/refusal.js';
import { anythingAt, MessageFaults, Outages, type Subject } from './active-faults.js';
import { FeedFaults, VenueOutages } from './feed-faults.js';
import { ReportFaults } from './report-faults.js';
import { PlacedChildren } from './report-forgery.js';

interface FaultyVenuesParts {
  /** Opens the wrapped venues. Called again after a close when they restart. */
  readonly open: (nowMs: EpochMs) => VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly rules: readonly FaultRule[];
  readonly seed: number;
  readonly startMs: EpochMs;
  /** Destinations that receive Link reports: every shard. */
  readonly listeners: readonly number[];
}

/**
 * Wraps venues and applies the faults of a script. Deterministic: the same script, seed and messages at the same
 * times give the same faults.
 *
 *     handle ─▶ unreachable? under maintenance? banned? ─▶ refused? never sent? ─▶ gateway
 *     sink ◀── link ◀── outages            sink ◀── lost, duplicated, late, reordered ◀── reports ◀─┤
 *                                          sink ◀── stale, emptied by a gap, crossed ◀──── prices ◀─┘
 *
 * | fault | what the service sees | code |
 * |---|---|---|
 * | reject | the order or its cancel is refused | as given |
 * | rate-limit | the same, with a time to wait | RATE_LIMIT_EXCEEDED |
 * | overfill, wrong-price, wrong-side, garbled | an impossible or unreadable fill | |
 * | unknown-child, contradict | an impossible second report | |
 * | unsent, lost | nothing until it queries | NETWORK_ERROR when the order never reached the venue |
 * | ban | requests are refused with a time to wait, queries get no answer | DDOS_PROTECTION |
 * | disconnect | the link is down: requests are refused, reports are lost, prices stay unchanged | NETWORK_ERROR |
 * | maintenance | requests are refused with a time to wait; reports arrive at its end | EXCHANGE_NOT_AVAILABLE |
 * | restart | the links of all venues are down; afterwards they have only their stored state | EXCHANGE_NOT_AVAILABLE |
 * | stale-book, sequence-gap, crossed-book | prices on which no strategy trades | |
 */
export class FaultyVenues implements VenueGateway {
  readonly #parts: FaultyVenuesParts;
  readonly #outages: Outages;
  readonly #faults: MessageFaults;
  readonly #children = new PlacedChildren();
  readonly #requests: RequestFaults;
  readonly #reports: ReportFaults;
  readonly #links: VenueOutages;
  readonly #feed: FeedFaults;
  readonly #gatewaySink: VenueSink;
  /** null while the venues restart. */
  #gateway: VenueGateway | null;
  #outbox: ((sink: VenueSink) => void)[] = [];
  #nextChangeMs: number;
  #atMs: EpochMs;

  constructor(parts: FaultyVenuesParts) {
    const { catalogue, seed, startMs, listeners } = parts;
    const outages = new Outages(catalogue);
    const faults = new MessageFaults(catalogue, seed);
    const send = (report: VenueReport, destination: number): void => this.#send(report, destination);
    this.#parts = parts;
    this.#atMs = startMs;
    this.#nextChangeMs = startMs;
    this.#outages = outages;
    this.#faults = faults;
    this.#requests = new RequestFaults({ outages, faults });
    this.#reports = new ReportFaults({ faults, children: this.#children, pass: send });
    this.#links = new VenueOutages({ outages, listeners, send });
    this.#feed = new FeedFaults({
      catalogue,
      outages,
      market: (instrument, market) => this.#outbox.push((sink) => sink.market(instrument, market)),
      trade: (print) => this.#outbox.push((sink) => sink.trade(print)),
    });
    this.#gatewaySink = {
      report: (report, destination) => this.#takeReport(report, destination),
      market: (instrument, market) => this.#feed.market(instrument, market, this.#atMs),
      trade: (print) => this.#feed.trade(print, this.#atMs),
    };
    this.#gateway = parts.open(startMs);
    for (const rule of parts.rules) this.inject(rule, startMs);
  }

  /** Adds a rule; its times count from now. */
  inject(rule: FaultRule, nowMs: EpochMs): void {
    if (isOutage(rule)) this.#outages.add(rule, nowMs);
    else this.#faults.add(rule, nowMs);
    this.#nextChangeMs = nowMs;
  }

  /** Drops every rule and ends every outage. */
  endFaults(nowMs: EpochMs): void {
    this.#faults.clear();
    this.#outages.clear();
    this.#nextChangeMs = nowMs;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.#processOutages(nowMs);
    if (request.kind === 'Submit') this.#children.note(request);
    const outcome = this.#requests.outcomeOf(request, this.#subjectOf(request), nowMs);
    if (outcome === 'unsent') return;
    if (outcome !== 'passes') return this.#refuse(request, outcome, origin, nowMs);
    if (request.kind === 'QueryStatus') this.#reports.noteQueried(request);
    this.#gateway?.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#processOutages(nowMs);
    this.#atMs = nowMs;
    this.#gateway?.advance(nowMs, this.#gatewaySink);
    this.#reports.release(nowMs);
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const deliver of outbox) deliver(sink);
  }

  nextWakeMs(): EpochMs {
    const gatewayMs = this.#gateway?.nextWakeMs() ?? Infinity;
    return Math.min(gatewayMs, this.#nextChangeMs, this.#reports.nextReleaseMs) as EpochMs;
  }

  close(): void {
    this.#gateway?.close();
  }

  /** Processes every start and end of an outage up to now, in order. */
  #processOutages(nowMs: EpochMs): void {
    while (this.#nextChangeMs <= nowMs) {
      this.#atMs = Math.max(this.#nextChangeMs, this.#atMs) as EpochMs;
      this.#restart(this.#atMs);
      this.#links.review(this.#atMs);
      this.#feed.review(this.#atMs);
      this.#nextChangeMs = this.#outages.nextChangeMs(this.#atMs);
    }
  }

  /** Restarts affect all venues together, because they share one process. */
  #restart(atMs: EpochMs): void {
    const isOpen = !VENUES.some((venue) => this.#outages.isOn(['restart'], anythingAt(venue), atMs));
    if (isOpen === (this.#gateway !== null)) return;
    this.#gateway?.close();
    this.#gateway = isOpen ? this.#parts.open(atMs) : null;
    this.#reports.clearQueried();
  }

  #refuse(request: VenueRequest, rejection: Rejection, origin: number, nowMs: EpochMs): void {
    this.#links.remind(request.venue, origin, nowMs);
    const report = refusalOf(request, rejection, nowMs);
    if (report !== null) this.#send(report, origin);
  }

  #takeReport(report: VenueReport, destination: number): void {
    if (report.kind === 'Link') return this.#send(report, destination);
    const isOfChild = 'child' in report;
    // Funds and positions are delayed, not lost: a client that reconnects asks for them.
    if (this.#links.isCutOff(report.venue, this.#atMs)) {
      if (!isOfChild) this.#links.withhold(report, destination);
    } else if (this.#links.isClosed(report.venue, this.#atMs)) this.#links.withhold(report, destination);
    else if (isOfChild) this.#reports.send(report, destination, this.#atMs);
    else this.#send(report, destination);
  }

  #subjectOf(request: VenueRequest): Subject {
    if ('child' in request) return this.#children.subjectOf(request);
    const { venue, account } = request;
    return { ...anythingAt(venue), account };
  }

  #send(report: VenueReport, destination: number): void {
    this.#outbox.push((sink) => sink.report(report, destination));
  }
}

type RequestRule = MessageFaultRule & RequestFault;

interface RequestFaultsParts {
  readonly outages: Outages;
  readonly faults: MessageFaults;
}

/** Outcome of a request: it passes, it is refused, or it is lost on the way. */
type RequestOutcome = 'passes' | 'unsent' | Rejection;

/**
 * Decides the outcome of requests. Outages come before rules for single requests, and the more severe outage comes
 * first.
 */
class RequestFaults {
  readonly #parts: RequestFaultsParts;

  constructor(parts: RequestFaultsParts) {
    this.#parts = parts;
  }

  outcomeOf(request: VenueRequest, subject: Subject, nowMs: EpochMs): RequestOutcome {
    return this.#outageRefusal(subject, nowMs) ?? this.#hit(request, subject, nowMs);
  }

  #outageRefusal(subject: Subject, nowMs: EpochMs): Rejection | null {
    const { venue } = subject;
    const { outages } = this.#parts;
    if (outages.isOn(['restart'], subject, nowMs)) {
      return { code: 'EXCHANGE_NOT_AVAILABLE', message: `${venue} restarts` };
    }
    if (outages.isOn(['disconnect'], subject, nowMs)) {
      return { code: 'NETWORK_ERROR', message: `${venue} is not connected` };
    }
    const closedMs = outages.remainingMs(['maintenance'], subject, nowMs);
    if (closedMs !== null) {
      const message = `${venue} is under maintenance`;
      return { code: 'EXCHANGE_NOT_AVAILABLE', message, retryAfterMs: closedMs };
    }
    const bannedMs = outages.remainingMs(['ban'], subject, nowMs);
    if (bannedMs === null) return null;
    return { code: 'DDOS_PROTECTION', message: `${venue} has banned this client for a while`, retryAfterMs: bannedMs };
  }

  #hit(request: VenueRequest, subject: Subject, nowMs: EpochMs): RequestOutcome {
    const isMeant = (rule: MessageFaultRule): rule is RequestRule => 'request' in rule && concerns(rule, request);
    const rule = this.#parts.faults.hit(isMeant, subject, nowMs);
    if (rule === null) return 'passes';
    if (rule.fault === 'unsent') return 'unsent';
    const { code, message, retryAfterMs } = rule;
    return retryAfterMs === null ? { code, message } : { code, message, retryAfterMs };
  }
}

function concerns({ request: kind }: RequestRule, request: VenueRequest): boolean {
  if (request.kind === 'Submit') return kind !== 'cancel';
  return request.kind === 'Cancel' && kind !== 'submit';
}
