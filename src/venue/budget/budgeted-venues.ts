import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import { VENUE_BUDGETS_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueReport, VenueRequest } from '../../model/venue-message.js';
import type { RequestRate } from '../listing/index.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { AccountBudget } from './account-budget.js';
import { BudgetMeter } from './budget-figures.js';
import type { ChildRequest } from './child-request.js';
import type { VenueRates } from './venue-rates.js';

export interface BudgetedVenuesParts {
  readonly gateway: VenueGateway;
  readonly rates: VenueRates;
  /** Where the figures are kept. */
  readonly figures: SharedArrayBuffer;
}

/** All budgets of one venue. */
interface VenueBudgets {
  readonly rate: RequestRate;
  readonly meter: BudgetMeter;
  readonly byAccount: Map<AccountId, AccountBudget>;
}

/**
 * Venues that are asked no more than they take: the gateway behind it, and a budget for each account at each of them,
 * which all its orders share, whatever shard works them. It stands on our side of the way: nothing that waits here has
 * been sent. While budgets last, everything passes at once and in its order.
 */
export class BudgetedVenues implements VenueGateway {
  readonly #parts: BudgetedVenuesParts;
  readonly #venues = new Map<Venue, VenueBudgets>();
  /** Budgets where somebody waits. */
  readonly #strained = new Set<AccountBudget>();
  #outbox: { readonly report: VenueReport; readonly destination: number }[] = [];
  #dueMs = Infinity;
  #budgetCount = 0;
  #sweepAtBudgets = VENUE_BUDGETS_MAX;

  constructor(parts: BudgetedVenuesParts) {
    this.#parts = parts;
    for (const [name, rate] of Object.entries(parts.rates)) {
      const venue = name as Venue;
      if (rate === null) continue;
      this.#venues.set(venue, { rate, meter: new BudgetMeter(parts.figures, venue), byAccount: new Map() });
    }
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    // Whoever has waited goes first, at its own time.
    if (this.#dueMs <= nowMs) this.#release(nowMs);
    const budgets = 'child' in request ? this.#venues.get(request.venue) : undefined;
    if (budgets === undefined) return this.#parts.gateway.handle(request, origin, nowMs);
    const budget = budgets.byAccount.get(request.account) ?? this.#open(budgets, request.account, nowMs);
    budget.handle(request as ChildRequest, origin, nowMs);
    const { dueMs } = budget;
    if (dueMs === Infinity) return;
    this.#strained.add(budget);
    this.#dueMs = Math.min(this.#dueMs, dueMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    if (this.#dueMs <= nowMs) this.#release(nowMs);
    this.#parts.gateway.advance(nowMs, sink);
    if (this.#outbox.length === 0) return;
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const { report, destination } of outbox) sink.report(report, destination);
  }

  nextWakeMs(): EpochMs {
    return Math.min(this.#parts.gateway.nextWakeMs(), this.#dueMs) as EpochMs;
  }

  close(): void {
    this.#parts.gateway.close();
  }

  /** Instant by instant: each request leaves when it may, however late we come. */
  #release(nowMs: EpochMs): void {
    while (this.#dueMs <= nowMs) {
      const atMs = this.#dueMs as EpochMs;
      let dueMs = Infinity;
      for (const budget of this.#strained) {
        if (budget.dueMs <= atMs) budget.release(atMs);
        if (budget.dueMs === Infinity) this.#strained.delete(budget);
        dueMs = Math.min(dueMs, budget.dueMs);
      }
      this.#dueMs = dueMs;
    }
  }

  #open(budgets: VenueBudgets, account: AccountId, nowMs: EpochMs): AccountBudget {
    if (this.#budgetCount >= this.#sweepAtBudgets) this.#forgetIdle(nowMs);
    const budget = new AccountBudget({
      rate: budgets.rate,
      meter: budgets.meter,
      send: (request, origin, atMs) => this.#parts.gateway.handle(request, origin, atMs),
      report: (report, destination) => this.#outbox.push({ report, destination }),
    });
    budgets.byAccount.set(account, budget);
    this.#budgetCount += 1;
    return budget;
  }

  #forgetIdle(nowMs: EpochMs): void {
    for (const { byAccount } of this.#venues.values()) {
      for (const [account, budget] of byAccount) {
        if (!budget.isIdle(nowMs)) continue;
        byAccount.delete(account);
        this.#budgetCount -= 1;
      }
    }
    // While more than that are in use, looking again at each new one would cost more than it frees.
    this.#sweepAtBudgets = Math.max(VENUE_BUDGETS_MAX, 2 * this.#budgetCount);
  }
}
