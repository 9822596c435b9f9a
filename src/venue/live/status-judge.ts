import type { VenueOrderId } from '../../domain/ids.js';
import {
  CATCH_UP_FAILURES_MAX,
  DENIED_MS_MAX,
  LOOK_UP_AGAIN_MS_MAX,
  LOOK_UP_AGAIN_MS_MIN,
} from '../../domain/limits/live.js';
import { type Lots, ZERO_LOTS } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildTarget } from '../../domain/venue-message.js';
import type { ExecutionReport, OrderStatusAnswer } from '../../domain/venue-report.js';
import { statusAnswered } from '../refusal.js';
import type { CatchUp } from './catch-up.js';
import type { ChildRecord, ChildRecords } from './child-record.js';
import type { ChildReports } from './child-reports.js';
import type { LookUpAnswer, ReportedChild, ReportedOrder } from './exchange-client.js';
import { ABSENCE_GAP_MS, type Fence } from './fence.js';
import type { StatusRequest } from './status-requests.js';
import { doubledMs } from './waits.js';

/**
 * Failed look-ups after which a denied order is worth a log line. An order that is denied more often counts as
 * forgotten when it is from before the order history of its exchange.
 */
const DENIALS_REPORTED = 8;

interface JudgeParts {
  readonly fence: Fence;
  readonly records: ChildRecords;
  /** The record of a child; a new one when the process does not know it. */
  readonly recordOf: (child: ReportedChild, submittedAtMs: EpochMs) => ChildRecord;
  readonly catchUp: CatchUp;
  readonly reports: ChildReports;
  readonly report: (report: ExecutionReport) => void;
  readonly onContradiction: (what: string, child: ChildTarget) => void;
}

/** Decides what an answer to a look-up proves: an order and its fills, an absence, a denial, or nothing yet. */
export class StatusJudge {
  readonly #parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  /** When a request for the child can no longer be carried out. */
  fenceOf(target: ChildTarget): EpochMs {
    const { fence, records } = this.#parts;
    return fence.of(records.find(target)?.sent ?? null);
  }

  /** Judges the answer to a look-up: returns when to look again, or null when the request is answered. */
  judge(request: StatusRequest, answer: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (answer.kind === 'found') {
      request.missingSinceMs = null;
      request.denials = 0;
    }
    const missing = this.#parts.records.find(request.target);
    const wakeMs =
      answer.kind === 'found' ? this.#onFound(request, answer, nowMs) : this.#onLack(request, answer, nowMs);
    // A look from before the catch-up shows nothing of the time of the cut.
    if (this.#parts.catchUp.isTooEarly(missing, request.lookedAtMs)) {
      if (wakeMs === null) request.isWanted = false;
      return nowMs;
    }
    // Nothing of a child that was never shown is missing: the stream is open, and shows what is carried out later.
    const isUnseen = answer.kind === 'absent' && missing !== null && missing.venueOrderId === null;
    if (wakeMs === null || isUnseen || request.failures >= CATCH_UP_FAILURES_MAX)
      this.#parts.catchUp.settled(missing, nowMs);
    return wakeMs;
  }

  #onFound(
    request: StatusRequest,
    { order, fills, offGrid }: Extract<LookUpAnswer, { kind: 'found' }>,
    nowMs: EpochMs,
  ): EpochMs | null {
    const record = this.#parts.recordOf(request.target, request.target.submittedAtMs);
    const wasEnded = record.isEnded;
    record.isDenied = false;
    if (order.state !== 'REJECTED') this.#parts.reports.acknowledge(record, order);
    for (const fill of fills) this.#parts.reports.fill(record, fill);
    if (wasEnded && order.state === 'OPEN') return again(request, nowMs);
    if (record.filled !== order.filled) {
      // The list of trades may be behind the order, and both may be behind the stream.
      if (offGrid === undefined || record.filled > order.filled) return again(request, nowMs);
      this.#parts.reports.offGrid(record, offGrid, nowMs);
    } else if (!request.isWanted) {
      this.#parts.reports.settle(record, order, nowMs);
    }
    if (!request.isWanted) return null;
    this.#parts.reports.repeatFills(record);
    if (order.state !== 'OPEN') this.#parts.records.end(record, nowMs);
    this.#parts.report(statusAnswered(request.target, statusOf(order), order.filled, nowMs));
    return null;
  }

  #onLack(request: StatusRequest, { kind }: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (kind === 'unknown') return again(request, nowMs);
    const record = this.#parts.records.find(request.target);
    if (record !== null && record.venueOrderId !== null) {
      return this.#onDenial(request, record, record.venueOrderId, nowMs);
    }
    if (!request.isWanted) return null;
    const fenceMs = this.fenceOf(request.target);
    if (request.lookedAtMs < fenceMs) return Math.max(fenceMs, nowMs) as EpochMs;
    request.missingSinceMs ??= request.lookedAtMs;
    const provenMs = (request.missingSinceMs + ABSENCE_GAP_MS) as EpochMs;
    if (request.lookedAtMs < provenMs) return Math.max(provenMs, nowMs) as EpochMs;
    if (record !== null) this.#parts.records.end(record, nowMs);
    this.#reportAbsence(request, ZERO_LOTS, nowMs);
    return null;
  }

  /**
   * Exchanges deny live orders for a moment: what was shown once exists. An order that is denied for DENIED_MS_MAX is
   * reported as denied, never as absent. An order from before the history of the exchange may be forgotten, and then no
   * later look finds it. The shard decides what either means.
   */
  #onDenial(request: StatusRequest, record: ChildRecord, venueOrderId: VenueOrderId, nowMs: EpochMs): EpochMs | null {
    const { target, lookedAtMs } = request;
    request.denials += 1;
    request.missingSinceMs ??= lookedAtMs;
    if (request.failures === DENIALS_REPORTED) this.#parts.onContradiction('an order is denied', target);
    const isOld = target.submittedAtMs < this.#parts.fence.knownSinceMs(lookedAtMs);
    const deniedSinceMs = request.missingSinceMs;
    const isOver = isOld ? request.denials > DENIALS_REPORTED : lookedAtMs - deniedSinceMs >= DENIED_MS_MAX;
    if (!request.isWanted || !isOver) return again(request, nowMs);
    this.#parts.reports.repeatFills(record);
    if (isOld) {
      // A later sign of the order is news again.
      this.#parts.records.forget(record);
      this.#reportAbsence(request, record.filled, nowMs);
      return null;
    }
    if (!record.isDenied) this.#parts.onContradiction('a denied order waits for an operator', target);
    record.isDenied = true;
    this.#parts.report(statusAnswered(target, { state: 'DENIED', venueOrderId, deniedSinceMs }, record.filled, nowMs));
    return null;
  }

  #reportAbsence({ target, lookedAtMs }: StatusRequest, filled: Lots, nowMs: EpochMs): void {
    const answer: OrderStatusAnswer = { state: 'UNKNOWN', knownSinceMs: this.#parts.fence.knownSinceMs(lookedAtMs) };
    this.#parts.report(statusAnswered(target, answer, filled, nowMs));
  }
}

function statusOf({ state, venueOrderId, cause }: ReportedOrder): OrderStatusAnswer {
  if (state === 'REJECTED' && cause !== null) return { state, rejection: cause };
  if (state === 'REJECTED') return { state: 'CANCELLED', venueOrderId, cause };
  return state === 'CANCELLED' ? { state, venueOrderId, cause } : { state, venueOrderId };
}

/** Doubles the wait with each failure. */
function again(request: StatusRequest, nowMs: EpochMs): EpochMs {
  const waitMs = doubledMs(LOOK_UP_AGAIN_MS_MIN, request.failures, LOOK_UP_AGAIN_MS_MAX);
  request.failures = Math.min(request.failures + 1, 30);
  return (nowMs + waitMs) as EpochMs;
}
