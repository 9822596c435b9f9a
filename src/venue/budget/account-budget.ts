import type { VenueOrderId } from '../../model/ids.js';
import {
  BACK_OFF_MS_MAX,
  HELD_NOTICE_MS,
  RESTING_WAIT_MS_MAX,
  TAKING_WAIT_MS_MAX,
  WAITING_REQUESTS_MAX,
} from '../../model/limits.js';
import { ZERO_LOTS } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { PlacementClass, RequestClass } from '../../model/request-class.js';
import type { DurationMs, EpochMs } from '../../model/time.js';
import type { ChildRef, VenueReport } from '../../model/venue-message.js';
import { refusalOf } from '../faults/index.js';
import type { RequestRate } from '../listing/index.js';
import { amendRejected, queryAnswered } from '../order/report.js';
import type { BudgetMeter } from './budget-figures.js';
import { isPressing, rankOf, requestClassOf, type ChildRequest } from './child-request.js';
import { RateGate } from './rate-gate.js';
import { WaitingRequest } from './waiting-line.js';
import { WaitingRoom } from './waiting-room.js';

export interface AccountBudgetParts {
  readonly rate: RequestRate;
  readonly meter: BudgetMeter;
  readonly send: (request: ChildRequest, origin: number, atMs: EpochMs) => void;
  readonly report: (report: VenueReport, destination: number) => void;
}

/**
 * How long a placement may wait: what it was priced by has passed then, and its order had better decide anew. It is heard
 * of before its silence could be taken for the venue's.
 */
const WAIT_MS_MAX: { readonly [Class in PlacementClass]: number } = {
  HEDGE: TAKING_WAIT_MS_MAX,
  DEADLINE: TAKING_WAIT_MS_MAX,
  TAKING: TAKING_WAIT_MS_MAX,
  RESTING: RESTING_WAIT_MS_MAX,
};
const PLACEMENTS = Object.entries(WAIT_MS_MAX) as (readonly [PlacementClass, number])[];
/** No venue has given it one. */
const NEVER_SENT = '' as VenueOrderId;
const MS_PER_S = 1_000;

/**
 * What one account asks of one venue, within what the venue takes of it:
 *
 *     handle ──▶ nobody waits, and the gate is open? ──yes──▶ send
 *                      │ no
 *                      ▼
 *     a cancel of, or a question about, what still waits ──▶ answered here: it is never sent
 *                      │ anything else
 *                      ▼
 *     a line a class ── the most urgent first, as the gate opens ──▶ send
 *                    └─ waited too long, or too many wait ──▶ refused with SYSTEM_BUSY
 *
 * What waits lies in memory alone: after a crash it was never sent, and the venue says so to whoever asks.
 */
export class AccountBudget {
  readonly #parts: AccountBudgetParts;
  readonly #gate: RateGate;
  readonly #room = new WaitingRoom();
  /** When those who wait for a cancel are told so next. */
  #noticeAtMs = Infinity;

  constructor(parts: AccountBudgetParts) {
    this.#parts = parts;
    this.#gate = new RateGate(parts.rate);
  }

  /** When `release` is due next; Infinity while nobody waits. */
  get dueMs(): number {
    const { next } = this.#room;
    if (next === null) return Infinity;
    let dueMs = Math.min(this.#noticeAtMs, this.#gate.freeAtMs(isPressing(next.requestClass)));
    for (const [requestClass, waitMs] of PLACEMENTS) {
      const first = this.#room.firstOf(requestClass);
      if (first !== null) dueMs = Math.min(dueMs, first.sinceMs + waitMs);
    }
    return dueMs;
  }

  /** True when forgetting it changes nothing. */
  isIdle(nowMs: EpochMs): boolean {
    return this.#room.count === 0 && this.#gate.isFull(nowMs);
  }

  /** Sends the request, lets it wait, or answers it. What may go by `nowMs`, which never steps back, has been released. */
  handle(request: ChildRequest, origin: number, nowMs: EpochMs): void {
    const requestClass = requestClassOf(request);
    const isQuiet = this.#room.count === 0;
    if (!isQuiet && (this.#isAnswered(request, origin, nowMs) || this.#isAskedAlready(request, origin))) return;
    if (!isQuiet && request.kind === 'Cancel') this.#spareRoutine(request);
    if ((isQuiet || this.#isFirst(requestClass)) && this.#gate.take(nowMs, isPressing(requestClass))) {
      this.#parts.meter.sent(requestClass);
      return this.#parts.send(request, origin, nowMs);
    }
    this.#enter(new WaitingRequest(request, requestClass, origin, nowMs));
  }

  /** Sends as many as may go by now, and turns away who has waited too long. */
  release(nowMs: EpochMs): void {
    this.#turnAwayStale(nowMs);
    for (let { next } = this.#room; next !== null; { next } = this.#room) {
      if (!this.#gate.take(nowMs, isPressing(next.requestClass))) break;
      this.#leave(next);
      this.#parts.meter.sent(next.requestClass);
      this.#parts.send(next.request, next.origin, nowMs);
    }
    if (nowMs >= this.#noticeAtMs) this.#tellHeld(nowMs);
  }

  /** More urgent than all who wait: it may use what they must leave. */
  #isFirst(requestClass: RequestClass): boolean {
    const { next } = this.#room;
    return next === null || rankOf(requestClass) < rankOf(next.requestClass);
  }

  /** What is asked of a child that has not been sent is answered here, and the child is never sent. */
  #isAnswered(request: ChildRequest, origin: number, nowMs: EpochMs): boolean {
    const unsent = request.kind === 'Submit' ? null : this.#room.find('Submit', request);
    if (unsent === null) return false;
    if (request.kind === 'Amend') {
      this.#parts.report(amendRejected(request, this.#refusal(unsent, 'the order itself still waits'), nowMs), origin);
      return true;
    }
    this.#leave(unsent);
    this.#parts.meter.withdrawn(unsent.requestClass);
    this.#parts.report(
      request.kind === 'Cancel' ? unsentCancelled(unsent, nowMs) : unsentUnknown(unsent, nowMs),
      origin,
    );
    return true;
  }

  /** One cancel and one question a child are enough; the more urgent of two questions stays. */
  #isAskedAlready(request: ChildRequest, origin: number): boolean {
    if (request.kind !== 'Cancel' && request.kind !== 'Query') return false;
    const twin = this.#room.find(request.kind, request);
    if (twin === null) return false;
    twin.origin = origin;
    if (rankOf(twin.requestClass) <= rankOf(requestClassOf(request))) return true;
    this.#leave(twin);
    return false;
  }

  /** The end of a child will say what a look at it would have. */
  #spareRoutine(cancelled: ChildRef): void {
    const look = this.#room.find('Query', cancelled);
    if (look?.requestClass !== 'ROUTINE') return;
    this.#leave(look);
    this.#parts.meter.withdrawn('ROUTINE');
  }

  #enter(newcomer: WaitingRequest): void {
    const { requestClass, sinceMs } = newcomer;
    if (this.#room.count >= WAITING_REQUESTS_MAX) {
      const last = this.#room.newestOfLeastUrgent;
      const isLast = last === null || rankOf(last.requestClass) <= rankOf(requestClass);
      if (!isLast) this.#leave(last);
      this.#turnAway(isLast ? newcomer : last, `${WAITING_REQUESTS_MAX} requests wait already`, sinceMs);
      if (isLast) return;
    }
    this.#room.add(newcomer);
    this.#parts.meter.entered(requestClass);
    if (requestClass === 'CANCEL') this.#noticeAtMs = Math.min(this.#noticeAtMs, sinceMs + HELD_NOTICE_MS);
  }

  #leave(waiting: WaitingRequest): void {
    this.#room.remove(waiting);
    this.#parts.meter.left(waiting.requestClass);
  }

  #turnAwayStale(nowMs: EpochMs): void {
    for (const [requestClass, waitMs] of PLACEMENTS) {
      for (let first = this.#room.firstOf(requestClass); first !== null; first = this.#room.firstOf(requestClass)) {
        if (nowMs < first.sinceMs + waitMs) break;
        this.#leave(first);
        this.#turnAway(first, `this one has waited ${waitMs} ms`, nowMs);
      }
    }
  }

  /** Refuses as the venue would; a question is not answered, and asked again by whoever still wants to know. */
  #turnAway(waiting: WaitingRequest, why: string, nowMs: EpochMs): void {
    this.#parts.meter.refused(waiting.requestClass);
    const report = refusalOf(waiting.request, this.#refusal(waiting, why), nowMs);
    if (report !== null) this.#parts.report(report, waiting.origin);
  }

  /** With the time after which those ahead of it would be through. */
  #refusal({ request, requestClass }: WaitingRequest, why: string): Rejection {
    const { count, perMs } = this.#parts.rate;
    const turnMs = this.#gate.requestMs * (1 + this.#room.countAhead(requestClass));
    const retryAfterMs = Math.ceil(Math.min(turnMs, BACK_OFF_MS_MAX)) as DurationMs;
    const message = `${request.venue} takes ${count} requests in ${perMs / MS_PER_S} s of an account, and ${why}`;
    return { code: 'SYSTEM_BUSY', message, retryAfterMs };
  }

  #tellHeld(nowMs: EpochMs): void {
    this.#noticeAtMs = Infinity;
    for (let held = this.#room.firstOf('CANCEL'); held !== null; held = held.behind) {
      const { account, venue, orderId, child } = held.request;
      this.#parts.report({ kind: 'Held', account, venue, orderId, child, atMs: nowMs }, held.origin);
      this.#noticeAtMs = nowMs + HELD_NOTICE_MS;
    }
  }
}

function unsentCancelled({ request }: WaitingRequest, atMs: EpochMs): VenueReport {
  const { account, venue, orderId, child } = request;
  const end = { venueOrderId: NEVER_SENT, cause: null, filled: ZERO_LOTS };
  return { kind: 'Cancelled', account, venue, orderId, child, atMs, ...end };
}

function unsentUnknown({ request }: WaitingRequest, atMs: EpochMs): VenueReport {
  return queryAnswered(request, { state: 'UNKNOWN' }, ZERO_LOTS, atMs);
}
