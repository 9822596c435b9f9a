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
import type { LookUpAnswer, SeenChild, SeenOrder } from './exchange-line.js';
import { ABSENCE_GAP_MS, type Fence } from './fence.js';
import type { StatusQuestion } from './status-questions.js';
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
  readonly recordOf: (child: SeenChild, submittedAtMs: EpochMs) => ChildRecord;
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

  /** Judges the answer to a look-up: returns when to look again, or null when the question is answered. */
  judge(question: StatusQuestion, answer: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (answer.kind === 'found') {
      question.missingSinceMs = null;
      question.denials = 0;
    }
    const missing = this.#parts.records.find(question.target);
    const wakeMs =
      answer.kind === 'found' ? this.#onFound(question, answer, nowMs) : this.#onLack(question, answer, nowMs);
    // A look from before the catch-up shows nothing of the time of the cut.
    if (this.#parts.catchUp.isTooEarly(missing, question.lookedAtMs)) {
      if (wakeMs === null) question.isWanted = false;
      return nowMs;
    }
    // Nothing of a child that was never shown is missing: the stream is open, and shows what is carried out later.
    const isUnseen = answer.kind === 'absent' && missing !== null && missing.venueOrderId === null;
    if (wakeMs === null || isUnseen || question.failures >= CATCH_UP_FAILURES_MAX)
      this.#parts.catchUp.settled(missing, nowMs);
    return wakeMs;
  }

  #onFound(
    question: StatusQuestion,
    { order, fills, offGrid }: Extract<LookUpAnswer, { kind: 'found' }>,
    nowMs: EpochMs,
  ): EpochMs | null {
    const record = this.#parts.recordOf(question.target, question.target.submittedAtMs);
    const wasEnded = record.isEnded;
    record.isDenied = false;
    if (order.state !== 'REJECTED') this.#parts.reports.acknowledge(record, order);
    for (const fill of fills) this.#parts.reports.fill(record, fill);
    if (wasEnded && order.state === 'OPEN') return again(question, nowMs);
    if (record.filled !== order.filled) {
      // The list of trades may be behind the order, and both may be behind the stream.
      if (offGrid === undefined || record.filled > order.filled) return again(question, nowMs);
      this.#parts.reports.offGrid(record, offGrid, nowMs);
    } else if (!question.isWanted) {
      this.#parts.reports.settle(record, order, nowMs);
    }
    if (!question.isWanted) return null;
    this.#parts.reports.repeatFills(record);
    if (order.state !== 'OPEN') this.#parts.records.end(record, nowMs);
    this.#parts.report(statusAnswered(question.target, statusOf(order), order.filled, nowMs));
    return null;
  }

  #onLack(question: StatusQuestion, { kind }: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (kind === 'unknown') return again(question, nowMs);
    const record = this.#parts.records.find(question.target);
    if (record !== null && record.venueOrderId !== null) {
      return this.#onDenial(question, record, record.venueOrderId, nowMs);
    }
    if (!question.isWanted) return null;
    const fenceMs = this.fenceOf(question.target);
    if (question.lookedAtMs < fenceMs) return Math.max(fenceMs, nowMs) as EpochMs;
    question.missingSinceMs ??= question.lookedAtMs;
    const provenMs = (question.missingSinceMs + ABSENCE_GAP_MS) as EpochMs;
    if (question.lookedAtMs < provenMs) return Math.max(provenMs, nowMs) as EpochMs;
    if (record !== null) this.#parts.records.end(record, nowMs);
    this.#reportAbsence(question, ZERO_LOTS, nowMs);
    return null;
  }

  /**
   * Exchanges deny live orders for a moment: what was shown once exists. An order that is denied for DENIED_MS_MAX is
   * reported as denied, never as absent. An order from before the history of the exchange may be forgotten, and then no
   * later look finds it. The shard decides what either means.
   */
  #onDenial(question: StatusQuestion, record: ChildRecord, venueOrderId: VenueOrderId, nowMs: EpochMs): EpochMs | null {
    const { target, lookedAtMs } = question;
    question.denials += 1;
    question.missingSinceMs ??= lookedAtMs;
    if (question.failures === DENIALS_REPORTED) this.#parts.onContradiction('an order is denied', target);
    const isOld = target.submittedAtMs < this.#parts.fence.knownSinceMs(lookedAtMs);
    const deniedSinceMs = question.missingSinceMs;
    const isOver = isOld ? question.denials > DENIALS_REPORTED : lookedAtMs - deniedSinceMs >= DENIED_MS_MAX;
    if (!question.isWanted || !isOver) return again(question, nowMs);
    this.#parts.reports.repeatFills(record);
    if (isOld) {
      // A later sign of the order is news again.
      this.#parts.records.forget(record);
      this.#reportAbsence(question, record.filled, nowMs);
      return null;
    }
    if (!record.isDenied) this.#parts.onContradiction('a denied order waits for an operator', target);
    record.isDenied = true;
    this.#parts.report(statusAnswered(target, { state: 'DENIED', venueOrderId, deniedSinceMs }, record.filled, nowMs));
    return null;
  }

  #reportAbsence({ target, lookedAtMs }: StatusQuestion, filled: Lots, nowMs: EpochMs): void {
    const answer: OrderStatusAnswer = { state: 'UNKNOWN', knownSinceMs: this.#parts.fence.knownSinceMs(lookedAtMs) };
    this.#parts.report(statusAnswered(target, answer, filled, nowMs));
  }
}

function statusOf({ state, venueOrderId, cause }: SeenOrder): OrderStatusAnswer {
  if (state === 'REJECTED' && cause !== null) return { state, rejection: cause };
  if (state === 'REJECTED') return { state: 'CANCELLED', venueOrderId, cause };
  return state === 'CANCELLED' ? { state, venueOrderId, cause } : { state, venueOrderId };
}

/** Doubles the wait with each failure. */
function again(question: StatusQuestion, nowMs: EpochMs): EpochMs {
  const waitMs = doubledMs(LOOK_UP_AGAIN_MS_MIN, question.failures, LOOK_UP_AGAIN_MS_MAX);
  question.failures = Math.min(question.failures + 1, 30);
  return (nowMs + waitMs) as EpochMs;
}
