import { VENUES } from '../../model/exchange.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueReport, VenueRequest } from '../../model/venue-message.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { anythingAt, type Subject } from './armed-rule.js';
import { isOutage, type FaultRule } from './fault-rule.js';
import { FeedFaults } from './feed-faults.js';
import { MessageFaults } from './message-faults.js';
import { Outages } from './outages.js';
import { PlacedChildren } from './placed-children.js';
import { refusalOf } from './refusal.js';
import { ReportFaults } from './report-faults.js';
import { RequestFaults } from './request-faults.js';
import { VenueLinks } from './venue-links.js';

export interface FaultyVenuesParts {
  /** Opens the venues behind this one; called again, after a close, when they restart. */
  readonly open: (nowMs: EpochMs) => VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly rules: readonly FaultRule[];
  readonly seed: number;
  readonly startMs: EpochMs;
  /** Destinations that are told when a venue cannot be reached and when it can be again: every shard. */
  readonly listeners: readonly number[];
}

/**
 * Venues that fail as a script says, in front of others that do not. Deterministic: the same script, seed and messages
 * at the same times give the same faults.
 *
 *     handle ─▶ unreachable? under maintenance? banned? ─▶ refused? never sent? ─▶ gateway
 *     sink ◀── link ◀── outages            sink ◀── lost, duplicated, late, reordered ◀── reports ◀─┤
 *                                          sink ◀── stale, emptied by a gap, crossed ◀──── prices ◀─┘
 *
 * | fault | what the service sees | code |
 * |---|---|---|
 * | reject | the order or its cancel is refused | as given |
 * | rate-limit | the same, with a time to wait | RATE_LIMIT_EXCEEDED |
 * | overfill, wrong-price, wrong-side | a fill that cannot be | |
 * | unknown-child, contradict | a second report that cannot be | |
 * | unsent, lost | nothing, until it asks | NETWORK_ERROR when the venue never had the order |
 * | ban | requests are refused with a time to wait, questions stay unanswered | DDOS_PROTECTION |
 * | disconnect | the link is down: requests are refused, reports of the time are missed, prices stand still | NETWORK_ERROR |
 * | maintenance | requests are refused with a time to wait; reports come at its end | EXCHANGE_NOT_AVAILABLE |
 * | restart | the links of all venues are down, and their memory is what they had stored | EXCHANGE_NOT_AVAILABLE |
 * | stale-book, sequence-gap, crossed-book | prices that are not traded on | |
 */
export class FaultyVenues implements VenueGateway {
  readonly #parts: FaultyVenuesParts;
  readonly #outages: Outages;
  readonly #faults: MessageFaults;
  readonly #children = new PlacedChildren();
  readonly #requests: RequestFaults;
  readonly #reports: ReportFaults;
  readonly #links: VenueLinks;
  readonly #feed: FeedFaults;
  readonly #behind: VenueSink;
  /** null while the venues restart. */
  #gateway: VenueGateway | null;
  #outbox: ((sink: VenueSink) => void)[] = [];
  #nextChangeMs: number;
  #atMs: EpochMs;

  constructor(parts: FaultyVenuesParts) {
    const { catalogue, seed, startMs, listeners } = parts;
    const outages = new Outages(catalogue);
    const faults = new MessageFaults(catalogue, seed);
    const tell = (report: VenueReport, destination: number): void => this.#tell(report, destination);
    this.#parts = parts;
    this.#atMs = startMs;
    this.#nextChangeMs = startMs;
    this.#outages = outages;
    this.#faults = faults;
    this.#requests = new RequestFaults({ outages, faults });
    this.#reports = new ReportFaults({ faults, children: this.#children, pass: tell });
    this.#links = new VenueLinks({ outages, listeners, tell });
    this.#feed = new FeedFaults({
      catalogue,
      outages,
      market: (instrument, market) => this.#outbox.push((sink) => sink.market(instrument, market)),
      trade: (print) => this.#outbox.push((sink) => sink.trade(print)),
    });
    this.#behind = {
      report: (report, destination) => this.#takeReport(report, destination),
      market: (instrument, market) => this.#feed.market(instrument, market, this.#atMs),
      trade: (print) => this.#feed.trade(print, this.#atMs),
    };
    this.#gateway = parts.open(startMs);
    for (const rule of parts.rules) this.inject(rule, startMs);
  }

  /** One more rule, whose times count from now. */
  inject(rule: FaultRule, nowMs: EpochMs): void {
    if (isOutage(rule)) this.#outages.add(rule, nowMs);
    else this.#faults.add(rule, nowMs);
    this.#nextChangeMs = nowMs;
  }

  /** Drops every rule: outages end, and nothing more goes wrong. */
  calm(nowMs: EpochMs): void {
    this.#faults.clear();
    this.#outages.clear();
    this.#nextChangeMs = nowMs;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.#follow(nowMs);
    if (request.kind === 'Submit') this.#children.note(request);
    const fate = this.#requests.fateOf(request, this.#subjectOf(request), nowMs);
    if (fate === 'unsent') return;
    if (fate !== 'passes') return this.#refuse(request, fate, origin, nowMs);
    if (request.kind === 'Query') this.#reports.noteAsked(request);
    this.#gateway?.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#follow(nowMs);
    this.#atMs = nowMs;
    this.#gateway?.advance(nowMs, this.#behind);
    this.#reports.release(nowMs);
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const tell of outbox) tell(sink);
  }

  nextWakeMs(): EpochMs {
    const gatewayMs = this.#gateway?.nextWakeMs() ?? Infinity;
    return Math.min(gatewayMs, this.#nextChangeMs, this.#reports.nextReleaseMs) as EpochMs;
  }

  close(): void {
    this.#gateway?.close();
  }

  /** Goes through every begin and end of an outage up to now, in order. */
  #follow(nowMs: EpochMs): void {
    while (this.#nextChangeMs <= nowMs) {
      this.#atMs = Math.max(this.#nextChangeMs, this.#atMs) as EpochMs;
      this.#restart(this.#atMs);
      this.#links.review(this.#atMs);
      this.#feed.review(this.#atMs);
      this.#nextChangeMs = this.#outages.nextChangeMs(this.#atMs);
    }
  }

  /** All venues share one process: they go down and come up together. */
  #restart(atMs: EpochMs): void {
    const isOpen = !VENUES.some((venue) => this.#outages.isOn(['restart'], anythingAt(venue), atMs));
    if (isOpen === (this.#gateway !== null)) return;
    this.#gateway?.close();
    this.#gateway = isOpen ? this.#parts.open(atMs) : null;
    this.#reports.forgetAsked();
  }

  #refuse(request: VenueRequest, rejection: Rejection, origin: number, nowMs: EpochMs): void {
    this.#links.remind(request.venue, origin, nowMs);
    const report = refusalOf(request, rejection, nowMs);
    if (report !== null) this.#tell(report, origin);
  }

  #takeReport(report: VenueReport, destination: number): void {
    if (report.kind === 'Link') return this.#tell(report, destination);
    const isOfChild = 'child' in report;
    // Whoever comes back asks for balances and positions: their changes come late, and are not missed.
    if (this.#links.isCutOff(report.venue, this.#atMs)) {
      if (!isOfChild) this.#links.withhold(report, destination);
    } else if (this.#links.isClosed(report.venue, this.#atMs)) this.#links.withhold(report, destination);
    else if (isOfChild) this.#reports.send(report, destination, this.#atMs);
    else this.#tell(report, destination);
  }

  #subjectOf(request: VenueRequest): Subject {
    if ('child' in request) return this.#children.subjectOf(request);
    const { venue, account } = request;
    return { ...anythingAt(venue), account };
  }

  #tell(report: VenueReport, destination: number): void {
    this.#outbox.push((sink) => sink.report(report, destination));
  }
}
