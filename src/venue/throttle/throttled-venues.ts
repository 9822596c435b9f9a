import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { VENUE_THROTTLES_MAX } from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRequest } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { RequestRate } from '../listing/exchange-listing.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { AccountThrottle, type ExchangeLimits } from './account-throttle.js';
import type { VenueRates } from './request-rates.js';
import { ThrottleMeter } from './throttle-figures.js';
import type { ChildRequest } from './waiting-requests.js';

export interface ThrottledVenuesParts {
  readonly gateway: VenueGateway;
  readonly rates: VenueRates;
  /** The counts that a real exchange publishes; absent: the venue is simulated. */
  readonly exchangeLimits?: ExchangeLimits;
  /** Memory from createThrottleMemory. */
  readonly figures: SharedArrayBuffer;
}

/** All throttles of one venue. */
interface VenueThrottles {
  readonly rate: RequestRate;
  readonly meter: ThrottleMeter;
  readonly byAccount: Map<AccountId, AccountThrottle>;
}

/**
 * Limits the requests of each account to the rate that its venue accepts. All orders of an account share one throttle,
 * on any shard. A request that waits here has not been sent. Below the rate, requests pass at once and in order.
 */
export class ThrottledVenues implements VenueGateway {
  readonly #parts: ThrottledVenuesParts;
  readonly #venues = new Map<Venue, VenueThrottles>();
  /** Throttles with waiting requests, in the order of their turns. */
  readonly #waiting = new Set<AccountThrottle>();
  #outbox: { readonly report: VenueReport; readonly destination: number }[] = [];
  #dueMs = Infinity;
  #throttleCount = 0;
  #sweepAtCount = VENUE_THROTTLES_MAX;

  constructor(parts: ThrottledVenuesParts) {
    this.#parts = parts;
    for (const [name, rate] of Object.entries(parts.rates)) {
      const venue = name as Venue;
      if (rate === null) continue;
      this.#venues.set(venue, { rate, meter: new ThrottleMeter(parts.figures, venue), byAccount: new Map() });
    }
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    // Waiting requests go first.
    if (this.#dueMs <= nowMs) this.#release(nowMs);
    const throttles = 'child' in request ? this.#venues.get(request.venue) : undefined;
    if (throttles === undefined) return this.#parts.gateway.handle(request, origin, nowMs);
    const throttle = throttles.byAccount.get(request.account) ?? this.#open(throttles, request.account, nowMs);
    throttle.handle(request as ChildRequest, origin, nowMs);
    const { dueMs } = throttle;
    if (dueMs === Infinity) return;
    this.#waiting.add(throttle);
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

  /** Sends due requests. */
  #release(nowMs: EpochMs): void {
    if (this.#parts.exchangeLimits === undefined) return this.#releaseOnTime(nowMs);
    this.#releaseByUrgency(nowMs);
  }

  /** A simulated venue gets each request with the time when it was due, so that a late call changes no result. */
  #releaseOnTime(nowMs: EpochMs): void {
    while (this.#dueMs <= nowMs) {
      const atMs = this.#dueMs as EpochMs;
      for (const throttle of this.#waiting) if (throttle.dueMs <= atMs) throttle.release(atMs);
      this.#setDueMs();
    }
  }

  /**
   * The accounts share counts of a real exchange. Of all requests that have room now, the most urgent one leaves first;
   * of several accounts with such a request each sends one in turn. All of them leave now, also when this call comes
   * late: a past time would hide how long a placement has waited, and would send the requests of a long pause in one
   * burst.
   */
  #releaseByUrgency(nowMs: EpochMs): void {
    for (;;) {
      let [next, nextRank]: [AccountThrottle | null, number] = [null, Infinity];
      for (const throttle of this.#waiting) {
        const rank = throttle.dueMs <= nowMs ? throttle.rankDue(nowMs) : Infinity;
        if (rank < nextRank) [next, nextRank] = [throttle, rank];
      }
      if (next === null) return this.#setDueMs();
      next.releaseOne(nowMs);
      this.#waiting.delete(next);
      this.#waiting.add(next);
    }
  }

  /** Notes the time of the next release, and forgets throttles without requests. */
  #setDueMs(): void {
    this.#dueMs = Infinity;
    for (const throttle of this.#waiting) {
      if (throttle.dueMs === Infinity) this.#waiting.delete(throttle);
      else this.#dueMs = Math.min(this.#dueMs, throttle.dueMs);
    }
  }

  #open(throttles: VenueThrottles, account: AccountId, nowMs: EpochMs): AccountThrottle {
    if (this.#throttleCount >= this.#sweepAtCount) this.#forgetIdle(nowMs);
    const throttle = new AccountThrottle({
      rate: throttles.rate,
      exchangeLimits: this.#parts.exchangeLimits ?? null,
      meter: throttles.meter,
      send: (request, origin, atMs) => this.#parts.gateway.handle(request, origin, atMs),
      report: (report, destination) => this.#outbox.push({ report, destination }),
    });
    throttles.byAccount.set(account, throttle);
    this.#throttleCount += 1;
    return throttle;
  }

  #forgetIdle(nowMs: EpochMs): void {
    for (const { byAccount } of this.#venues.values()) {
      for (const [account, throttle] of byAccount) {
        if (!throttle.isIdle(nowMs)) continue;
        byAccount.delete(account);
        this.#throttleCount -= 1;
      }
    }
    // Doubles the next check: when most throttles are busy, a scan for each new one would cost more than it frees.
    this.#sweepAtCount = Math.max(VENUE_THROTTLES_MAX, 2 * this.#throttleCount);
  }
}
