import { type Venue, VENUES } from '../../../src/domain/exchange.js';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { Rejection } from '../../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import type { ChildRef, PlacementClass, StatusRequestClass, VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { ExchangeLimits } from '../../../src/venue/throttle/account-throttle.js';
import type { VenueRates } from '../../../src/venue/throttle/request-rates.js';
import {
  type ThrottleFigures,
  createThrottleMemory,
  readThrottleFigures,
} from '../../../src/venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../../../src/venue/throttle/throttled-venues.js';
import { ScriptedGateway, START_MS, submitOf } from '../gateway/scripted-gateway.js';
import { targetOf } from '../child-target.js';

/** The same rate for every venue. */
export function evenRates(count: number, perMs: number): VenueRates {
  const rate = { count, perMs: perMs as DurationMs };
  return Object.fromEntries(VENUES.map((venue) => [venue, rate])) as Record<Venue, typeof rate>;
}

/** Throttles in front of a gateway that accepts everything. Keeps each report with the millisecond of its arrival. */
export class ThrottleRig {
  readonly gateway = new ScriptedGateway();
  readonly memory = createThrottleMemory();
  readonly reports: { readonly report: VenueReport; readonly destination: number; readonly ms: number }[] = [];
  readonly venues: ThrottledVenues;
  /** Milliseconds since the start. */
  nowMs = 0;

  constructor(rates: VenueRates, exchangeLimits?: ExchangeLimits) {
    const { gateway, memory } = this;
    this.venues = new ThrottledVenues({
      gateway,
      rates,
      figures: memory,
      ...(exchangeLimits !== undefined && { exchangeLimits }),
    });
  }

  /** Refusals of orders that never reached the venue. */
  get refusals(): readonly Rejection[] {
    return this.reports.flatMap(({ report }) => (report.kind === 'Rejected' ? [report.rejection] : []));
  }

  /** Requests that reached the venue, as `kind order@ms`. */
  get seen(): readonly string[] {
    return this.gateway.seen;
  }

  /** Reports on orders that never reached the venue. */
  get answers(): readonly string[] {
    const own = this.reports.filter(({ report }) => report.kind !== 'Accepted');
    return own.map(({ report, ms }) => `${report.kind} ${'orderId' in report ? report.orderId : ''}@${ms}`);
  }

  figures(venue: Venue, requestClass: ThrottleFigures['requestClass']): Partial<ThrottleFigures> {
    const all = readThrottleFigures(this.memory);
    return all.find((one) => one.venue === venue && one.requestClass === requestClass) ?? {};
  }

  handle(request: VenueRequest, origin = 0): void {
    this.venues.handle(request, origin, this.#epochMs);
  }

  submit(orderId: number, requestClass: PlacementClass = 'RESTING', account = 'alice'): void {
    this.handle({ ...submitOf(orderId, account), requestClass });
  }

  cancel(orderId: number, origin = 0): void {
    this.handle({ kind: 'Cancel', ...targetOf(refOf(orderId)) }, origin);
  }

  ask(orderId: number, requestClass: StatusRequestClass = 'STATUS', origin = 0): void {
    this.handle({ kind: 'QueryStatus', ...targetOf(refOf(orderId)), requestClass }, origin);
  }

  /** Advances as the worker does, at each wake time. */
  runUntil(ms: number): void {
    this.advance(this.nowMs);
    while (this.venues.nextWakeMs() - START_MS <= ms) this.advance(this.venues.nextWakeMs() - START_MS);
    this.advance(ms);
  }

  advance(ms: number): void {
    this.nowMs = ms;
    this.venues.advance(this.#epochMs, {
      report: (report, destination) => this.reports.push({ report, destination, ms }),
      market: () => undefined,
      trade: () => undefined,
    });
  }

  get #epochMs(): EpochMs {
    return (START_MS + this.nowMs) as EpochMs;
  }
}

export function refOf(orderId: number, account = 'alice'): ChildRef {
  return {
    account: account as AccountId,
    venue: 'BINANCE',
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
  };
}
