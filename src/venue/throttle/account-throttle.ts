import type { VenueOrderId } from '../../domain/ids.js';
import {
  BACK_OFF_MS_MAX,
  EXCHANGE_LIMIT_LOOK_MS_MAX,
  THROTTLED_NOTICE_MS,
  RESTING_WAIT_MS_MAX,
  TAKING_WAIT_MS_MAX,
  WAITING_REQUESTS_MAX,
} from '../../domain/limits/trading.js';
import { ZERO_LOTS } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ChildRef, PlacementClass, RequestClass } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { RequestRate } from '../listing/exchange-listing.js';
import { statusAnswered, refusalOf } from '../refusal.js';
import { RequestBucket } from './request-rates.js';
import type { ThrottleMeter } from './throttle-figures.js';
import {
  type ChildRequest,
  isUrgent,
  rankOf,
  requestClassOf,
  WaitingRequest,
  RequestQueue,
} from './waiting-requests.js';

/** The counts of an exchange that publishes them. */
export interface ExchangeLimits {
  /** Milliseconds until the exchange's own counts leave room for the request; 0: now. */
  turnMs(request: ChildRequest, requestClass: RequestClass): number;
}

export interface AccountThrottleParts {
  readonly rate: RequestRate;
  /** null: the venue has no counts of its own. */
  readonly exchangeLimits: ExchangeLimits | null;
  readonly meter: ThrottleMeter;
  readonly send: (request: ChildRequest, origin: number, atMs: EpochMs) => void;
  readonly report: (report: VenueReport, destination: number) => void;
}

/**
 * Longest wait of a placement. Its price is out of date then, and the order should decide again. Each limit is below
 * the acknowledgement timeout, so a wait is never taken for a silent venue.
 */
const WAIT_MS_MAX: { readonly [Class in PlacementClass]: number } = {
  HEDGE: TAKING_WAIT_MS_MAX,
  DEADLINE: TAKING_WAIT_MS_MAX,
  TAKING: TAKING_WAIT_MS_MAX,
  RESTING: RESTING_WAIT_MS_MAX,
};
const PLACEMENTS = Object.entries(WAIT_MS_MAX) as (readonly [PlacementClass, number])[];
/** The order has not reached the venue, so it has no venue id. */
const NEVER_SENT = '' as VenueOrderId;
/** Requests that wait here are all known. */
const ALWAYS = 0 as EpochMs;
const MS_PER_S = 1_000;

/**
 * Sends the requests of one account to one venue within the venue's rate and the exchange's own counts:
 *
 *     handle ──▶ no request waits, the exchange has room, and the bucket has a token? ──yes──▶ send
 *                      │ no
 *                      ▼
 *     cancel or status request for a waiting placement ──▶ answered here; the placement is never sent
 *                      │ any other request
 *                      ▼
 *     one queue per class ── the most urgent first, as tokens refill and the exchange has room ──▶ send
 *                    └─ waited too long, or queue full ──▶ refused with SYSTEM_BUSY
 *
 * An exchange has several counts: of orders, of requests, of each wallet. A request that none of them holds up passes
 * those that wait for room.
 *
 * Waiting requests exist only in memory. After a crash the venue does not know them, and its answers say so.
 */
export class AccountThrottle {
  readonly #parts: AccountThrottleParts;
  readonly #bucket: RequestBucket;
  readonly #queue = new RequestQueue();
  /** No waiting request has room at the exchange before. */
  #roomAtMs = 0;
  /** Time of the next Throttled reports for waiting cancels; Infinity when none waits. */
  #noticeAtMs = Infinity;

  constructor(parts: AccountThrottleParts) {
    this.#parts = parts;
    this.#bucket = new RequestBucket(parts.rate);
  }

  /** Time of the next `release`; Infinity while no request waits. */
  get dueMs(): number {
    const { next } = this.#queue;
    if (next === null) return Infinity;
    const freeAtMs = Math.max(this.#roomAtMs, this.#bucket.freeAtMs(isUrgent(next.requestClass)));
    let dueMs = Math.min(this.#noticeAtMs, freeAtMs);
    for (const [requestClass, waitMs] of PLACEMENTS) {
      const first = this.#queue.firstOf(requestClass);
      if (first !== null) dueMs = Math.min(dueMs, first.sinceMs + waitMs);
    }
    return dueMs;
  }

  /** True when the throttle holds no state, so it can be dropped. */
  isIdle(nowMs: EpochMs): boolean {
    return this.#queue.count === 0 && this.#bucket.isFull(nowMs);
  }

  /**
   * Sends, queues or answers the request. The caller has released all requests due by `nowMs`, which never steps back.
   */
  handle(request: ChildRequest, origin: number, nowMs: EpochMs): void {
    const requestClass = requestClassOf(request);
    const isQueueEmpty = this.#queue.count === 0;
    if (!isQueueEmpty && (this.#isAnswered(request, origin, nowMs) || this.#isDuplicate(request, origin))) return;
    if (!isQueueEmpty && request.kind === 'Cancel') this.#dropRoutineQuery(request);
    const turnMs = this.#turnMs(request, requestClass);
    const isNext = turnMs === 0 && (isQueueEmpty || this.#isMostUrgent(requestClass));
    if (isNext && this.#bucket.take(nowMs, isUrgent(requestClass))) {
      this.#parts.meter.sent(requestClass);
      return this.#parts.send(request, origin, nowMs);
    }
    const roomAtMs = nowMs + turnMs;
    this.#roomAtMs = this.#queue.count === 0 ? roomAtMs : Math.min(this.#roomAtMs, roomAtMs);
    this.#enter(new WaitingRequest(request, requestClass, origin, nowMs));
  }

  /** Sends the requests that the rate allows by `nowMs`. Refuses requests that waited too long. */
  release(nowMs: EpochMs): void {
    while (this.rankDue(nowMs) < Infinity) this.releaseOne(nowMs);
  }

  /**
   * Rank of the request that `releaseOne` sends by `nowMs`; Infinity: none has room, and `dueMs` says when to look
   * again. Refuses requests that waited too long.
   */
  rankDue(nowMs: EpochMs): number {
    this.#refuseExpired(nowMs);
    const first = this.#firstWithRoom(nowMs);
    if (first === null && nowMs >= this.#noticeAtMs) this.#reportThrottled(nowMs);
    return first === null ? Infinity : rankOf(first.requestClass);
  }

  /** Sends the most urgent request that has room by `nowMs`. */
  releaseOne(nowMs: EpochMs): void {
    const waiting = this.#firstWithRoom(nowMs);
    if (waiting === null) return;
    const { request, requestClass, origin } = waiting;
    this.#bucket.take(nowMs, isUrgent(requestClass));
    this.#leave(waiting);
    this.#parts.meter.sent(requestClass);
    this.#parts.send(request, origin, nowMs);
  }

  /** The most urgent request that has room now; null: none. Notes when to look again. */
  #firstWithRoom(nowMs: EpochMs): WaitingRequest | null {
    // Requests of one kind, class and instrument count alike: when one has no room, the others have none.
    const held = new Set<string>();
    let roomAtMs = Infinity;
    for (const waiting of this.#queue.inOrder()) {
      const { request, requestClass } = waiting;
      const kind = `${request.kind}/${requestClass}/${request.instrument}`;
      if (held.has(kind)) continue;
      const turnMs = this.#turnMs(request, requestClass);
      if (turnMs > 0) {
        held.add(kind);
        roomAtMs = Math.min(roomAtMs, nowMs + turnMs);
        continue;
      }
      const freeAtMs = this.#bucket.freeAtMs(isUrgent(requestClass));
      if (freeAtMs <= nowMs) {
        this.#roomAtMs = nowMs;
        return waiting;
      }
      // The time of the first one is in `dueMs` already.
      roomAtMs = waiting === this.#queue.next ? nowMs : Math.min(roomAtMs, freeAtMs);
      break;
    }
    this.#roomAtMs = roomAtMs === Infinity ? nowMs : roomAtMs;
    return null;
  }

  /** Whole milliseconds until the exchange has room, at most the time until the queue looks again; 0: now. */
  #turnMs(request: ChildRequest, requestClass: RequestClass): number {
    const { exchangeLimits } = this.#parts;
    if (exchangeLimits === null) return 0;
    return Math.ceil(Math.min(exchangeLimits.turnMs(request, requestClass), EXCHANGE_LIMIT_LOOK_MS_MAX));
  }

  /** True when the request is more urgent than every waiting one: it may then use the reserve. */
  #isMostUrgent(requestClass: RequestClass): boolean {
    const { next } = this.#queue;
    return next === null || rankOf(requestClass) < rankOf(next.requestClass);
  }

  /** Answers a cancel or status request for a waiting placement, and removes the placement: it is never sent. */
  #isAnswered(request: ChildRequest, origin: number, nowMs: EpochMs): boolean {
    const unsent = request.kind === 'Submit' ? null : this.#queue.find('Submit', request);
    if (unsent === null) return false;
    this.#leave(unsent);
    this.#parts.meter.withdrawn(unsent.requestClass);
    this.#parts.report(
      request.kind === 'Cancel' ? unsentCancelled(unsent, nowMs) : unsentUnknown(unsent, nowMs),
      origin,
    );
    return true;
  }

  /** Merges a second cancel or status request for one child. Of two status requests the more urgent one stays. */
  #isDuplicate(request: ChildRequest, origin: number): boolean {
    if (request.kind !== 'Cancel' && request.kind !== 'QueryStatus') return false;
    const twin = this.#queue.find(request.kind, request);
    if (twin === null) return false;
    twin.origin = origin;
    if (rankOf(twin.requestClass) <= rankOf(requestClassOf(request))) return true;
    this.#leave(twin);
    return false;
  }

  /** Drops a waiting routine status request: the report of the cancel will carry the same facts. */
  #dropRoutineQuery(cancelled: ChildRef): void {
    const query = this.#queue.find('QueryStatus', cancelled);
    if (query?.requestClass !== 'ROUTINE') return;
    this.#leave(query);
    this.#parts.meter.withdrawn('ROUTINE');
  }

  #enter(added: WaitingRequest): void {
    const { requestClass, sinceMs } = added;
    if (this.#queue.count >= WAITING_REQUESTS_MAX) {
      const last = this.#queue.newestOfLeastUrgent;
      const isLast = last === null || rankOf(last.requestClass) <= rankOf(requestClass);
      if (!isLast) this.#leave(last);
      this.#refuse(isLast ? added : last, `${WAITING_REQUESTS_MAX} requests wait already`, sinceMs);
      if (isLast) return;
    }
    this.#queue.add(added);
    this.#parts.meter.entered(requestClass);
    if (requestClass === 'CANCEL') this.#noticeAtMs = Math.min(this.#noticeAtMs, sinceMs + THROTTLED_NOTICE_MS);
  }

  #leave(waiting: WaitingRequest): void {
    this.#queue.remove(waiting);
    this.#parts.meter.left(waiting.requestClass);
  }

  #refuseExpired(nowMs: EpochMs): void {
    for (const [requestClass, waitMs] of PLACEMENTS) {
      for (let first = this.#queue.firstOf(requestClass); first !== null; first = this.#queue.firstOf(requestClass)) {
        if (nowMs < first.sinceMs + waitMs) break;
        this.#leave(first);
        this.#refuse(first, `this one has waited ${waitMs} ms`, nowMs);
      }
    }
  }

  /** Refuses as the venue would. A status request gets no answer; the order asks again. */
  #refuse(waiting: WaitingRequest, why: string, nowMs: EpochMs): void {
    this.#parts.meter.refused(waiting.requestClass);
    const report = refusalOf(waiting.request, this.#refusal(waiting, why), nowMs);
    if (report !== null) this.#parts.report(report, waiting.origin);
  }

  /** The refusal with the time until the requests ahead would have been sent. */
  #refusal({ request, requestClass }: WaitingRequest, why: string): Rejection {
    const { rate, exchangeLimits } = this.#parts;
    const turnMs = this.#bucket.requestMs * (1 + this.#queue.countAhead(requestClass));
    const roomMs = Math.ceil(exchangeLimits?.turnMs(request, requestClass) ?? 0);
    const retryAfterMs = Math.ceil(Math.min(Math.max(turnMs, roomMs), BACK_OFF_MS_MAX)) as DurationMs;
    const { venue } = request;
    const limit =
      roomMs > 0
        ? `${venue} has room for the next request of the account in ${roomMs} ms by its own counts`
        : `${venue} takes ${rate.count} requests in ${rate.perMs / MS_PER_S} s of an account`;
    return { code: 'SYSTEM_BUSY', message: `${limit}, and ${why}`, retryAfterMs };
  }

  #reportThrottled(nowMs: EpochMs): void {
    this.#noticeAtMs = Infinity;
    for (let waiting = this.#queue.firstOf('CANCEL'); waiting !== null; waiting = waiting.following) {
      const { account, venue, orderId, child } = waiting.request;
      this.#parts.report({ kind: 'Throttled', account, venue, orderId, child, atMs: nowMs }, waiting.origin);
      this.#noticeAtMs = nowMs + THROTTLED_NOTICE_MS;
    }
  }
}

function unsentCancelled({ request }: WaitingRequest, atMs: EpochMs): VenueReport {
  const { account, venue, orderId, child } = request;
  const end = { venueOrderId: NEVER_SENT, cause: null, filled: ZERO_LOTS };
  return { kind: 'Cancelled', account, venue, orderId, child, atMs, ...end };
}

function unsentUnknown({ request }: WaitingRequest, atMs: EpochMs): VenueReport {
  return statusAnswered(request, { state: 'UNKNOWN', knownSinceMs: ALWAYS }, ZERO_LOTS, atMs);
}
