import { VENUES, type Venue } from '../../../src/model/exchange.js';
import type { AccountId, ChildNumber, OrderId } from '../../../src/model/ids.js';
import type { PlacementClass, QuestionClass } from '../../../src/model/request-class.js';
import type { DurationMs, EpochMs } from '../../../src/model/time.js';
import type { ChildRef, VenueReport, VenueRequest } from '../../../src/model/venue-message.js';
import {
  BudgetedVenues,
  createBudgetMemory,
  readBudgetFigures,
  type BudgetFigures,
  type VenueRates,
} from '../../../src/venue/budget/index.js';
import { ScriptedGateway, START_MS, submitOf } from '../gateway/scripted-gateway.js';

/** Every venue takes so many requests in so much time. */
export function evenRates(count: number, perMs: number): VenueRates {
  const rate = { count, perMs: perMs as DurationMs };
  return Object.fromEntries(VENUES.map((venue) => [venue, rate])) as Record<Venue, typeof rate>;
}

/** Budgets in front of a gateway that takes everything, and what came back with the millisecond it came in. */
export class BudgetRig {
  readonly gateway = new ScriptedGateway();
  readonly memory = createBudgetMemory();
  readonly reports: { readonly report: VenueReport; readonly destination: number; readonly ms: number }[] = [];
  readonly venues: BudgetedVenues;
  /** Since the start. */
  nowMs = 0;

  constructor(rates: VenueRates) {
    this.venues = new BudgetedVenues({ gateway: this.gateway, rates, figures: this.memory });
  }

  /** What reached the venue: kind, order and millisecond. */
  get seen(): readonly string[] {
    return this.gateway.seen;
  }

  /** What was told of orders that never reached the venue. */
  get told(): readonly string[] {
    const own = this.reports.filter(({ report }) => report.kind !== 'Accepted');
    return own.map(({ report, ms }) => `${report.kind} ${'orderId' in report ? report.orderId : ''}@${ms}`);
  }

  figures(venue: Venue, requestClass: BudgetFigures['requestClass']): Partial<BudgetFigures> {
    const all = readBudgetFigures(this.memory);
    return all.find((one) => one.venue === venue && one.requestClass === requestClass) ?? {};
  }

  handle(request: VenueRequest, origin = 0): void {
    this.venues.handle(request, origin, this.#epochMs);
  }

  submit(orderId: number, requestClass: PlacementClass = 'RESTING', account = 'alice'): void {
    this.handle({ ...submitOf(orderId, account), requestClass });
  }

  cancel(orderId: number, origin = 0): void {
    this.handle({ kind: 'Cancel', ...refOf(orderId) }, origin);
  }

  ask(orderId: number, requestClass: QuestionClass = 'QUESTION', origin = 0): void {
    this.handle({ kind: 'Query', ...refOf(orderId), requestClass }, origin);
  }

  /** Lets the worker run as it does, waking when it is told to. */
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
