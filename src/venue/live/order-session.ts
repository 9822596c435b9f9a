import type { Venue } from '../../domain/exchange.js';
import type { AccountId, VenueOrderId } from '../../domain/ids.js';
import {
  CATCH_UP_FAILURES_MAX,
  CLOCK_ERROR_MS_MAX,
  DENIED_MS_MAX,
  ENDED_CHILD_KEPT_MS,
  ENDED_CHILDREN_MAX,
  LOOK_UP_AGAIN_MS_MAX,
  LOOK_UP_AGAIN_MS_MIN,
  OPEN_LIST_AGAIN_MS_MAX,
  OPEN_LIST_AGAIN_MS_MIN,
  REFUSED_TIME_AGAIN_MS,
} from '../../domain/limits/live.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { type Lots, ZERO_LOTS } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ChildSubmission, ChildTarget, VenueRequest } from '../../domain/venue-message.js';
import { type ExecutionReport, type OrderStatusAnswer, shrunkenOrder } from '../../domain/venue-report.js';
import { cancelRejected, refusalOf, statusAnswered } from '../refusal.js';
import { ChildRecord, ChildRecords } from './child-record.js';
import type {
  CancelAnswer,
  LookUpAnswer,
  OpenOrder,
  OrderLine,
  OrderUpdate,
  PlaceAnswer,
  SeenChild,
  SeenFill,
  SeenOrder,
  SendingRules,
} from './exchange-line.js';
import { ABSENCE_GAP_MS, Fence } from './fence.js';
import { type StatusQuestion, StatusQuestions } from './status-questions.js';
import { doubledMs } from './waits.js';

export type OrderRequest = Extract<VenueRequest, { readonly kind: 'Submit' | 'Cancel' | 'QueryStatus' }>;

export interface OrderSessionParts {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly line: OrderLine;
  readonly rules: SendingRules;
  /** When this process began: requests of earlier processes were sent before. */
  readonly startedAtMs: EpochMs;
  readonly report: (report: ExecutionReport) => void;
  readonly onLink: (isUp: boolean, nowMs: EpochMs) => void;
  /** An answer that contradicts what the exchange said before. */
  readonly onContradiction: (what: string, child: SeenChild) => void;
}

/**
 * Failed look-ups after which a denied order is worth a log line. An order that is denied more often counts as forgotten
 * when it is from before the order history of its exchange.
 */
const DENIALS_REPORTED = 8;

const NOT_CONNECTED: Rejection = {
  code: 'EXCHANGE_NOT_AVAILABLE',
  message: 'the account is not connected to the exchange; nothing was sent',
};

/** The clock is measured again when a placement is refused so. */
const CLOCK_UNKNOWN: Rejection = {
  code: 'INVALID_TIMESTAMP',
  message: `the clock of the exchange is not known to ${CLOCK_ERROR_MS_MAX} ms; nothing was sent`,
  retryAfterMs: REFUSED_TIME_AGAIN_MS as DurationMs,
};

/**
 * The orders of one account at one real exchange, over a line that loses, delays and repeats.
 *
 * - A child is sent once. An unknown outcome is not reported: the shard asks, and the session looks the child up.
 * - "There is no such order" is answered only after the fence. Of an order that the exchange has shown it is answered only
 *   when the order is from before the history of the exchange, and is denied again and again. A newer one that is denied
 *   for DENIED_MS_MAX is answered as denied.
 * - An end is reported after all its fills. Missing fills are looked up.
 * - After a cut the link is up again when the open orders are listed and every child missing from the list is looked up. A
 *   child that is denied, or cannot be looked up, delays it for CATCH_UP_FAILURES_MAX looks: its shard goes on asking.
 */
export class OrderSession {
  readonly #parts: OrderSessionParts;
  readonly #fence: Fence;
  readonly #records = new ChildRecords({ endedKeptMs: ENDED_CHILD_KEPT_MS, endedMax: ENDED_CHILDREN_MAX });
  readonly #questions: StatusQuestions;
  #isLinked = false;
  /** Children that must be looked up before the link is up; null: no catch-up is under way. */
  #missing: Set<ChildRecord> | null = null;
  /** When they were asked for. */
  #missingSinceMs = -Infinity;
  #listAgainMs = Infinity;
  /** Lists of open orders that failed in a row, also over several connections. */
  #listFailures = 0;
  /** Number of the connection. Answers to an earlier one are late. */
  #connection = 0;

  constructor(parts: OrderSessionParts) {
    this.#parts = parts;
    this.#fence = new Fence(parts.rules, parts.startedAtMs);
    this.#questions = new StatusQuestions({
      line: parts.line,
      judge: (question, answer, nowMs) => this.#judge(question, answer, nowMs),
      isFinal: (target, nowMs) => nowMs >= this.#fenceOf(target),
    });
  }

  get isLinked(): boolean {
    return this.#isLinked;
  }

  handle(request: OrderRequest, nowMs: EpochMs): void {
    switch (request.kind) {
      case 'Submit':
        return this.#submit(request, nowMs);
      case 'Cancel':
        return this.#cancel(request, nowMs);
      case 'QueryStatus':
        return this.#ask(request, nowMs);
    }
  }

  /** The instrument of a child that this process has placed, seen or been asked for; null: it does not know the child. */
  instrumentOf(child: Pick<ChildTarget, 'orderId' | 'child'>): InstrumentIndex | null {
    return (this.#records.find(child)?.target ?? this.#questions.targetOf(child))?.instrument ?? null;
  }

  /** The private stream is subscribed: what happened before must be caught up now. */
  onSubscribed(): void {
    this.#connection += 1;
    this.#missing = null;
    this.#list();
  }

  /** The private stream is cut: updates may be missing from now on. */
  onCut(nowMs: EpochMs): void {
    this.#connection += 1;
    this.#missing = null;
    this.#listAgainMs = Infinity;
    this.#setLinked(false, nowMs);
  }

  onUpdate({ child, order, fill }: OrderUpdate, nowMs: EpochMs): void {
    const record = this.#recordOf(child, order.atMs);
    record.isDenied = false;
    if (order.state !== 'REJECTED') this.#acknowledge(record, order);
    if (fill !== null) this.#fill(record, fill);
    this.#settle(record, order, nowMs);
  }

  advance(nowMs: EpochMs): void {
    if (this.#listAgainMs <= nowMs) this.#list();
    this.#questions.advance(nowMs);
  }

  nextWakeMs(): number {
    return Math.min(this.#listAgainMs, this.#questions.nextWakeMs());
  }

  #submit(submission: ChildSubmission & { readonly kind: 'Submit' }, nowMs: EpochMs): void {
    if (this.#records.find(submission) !== null) {
      this.#parts.onContradiction('a client id was sent again', submission);
      return this.#ask({ ...submission, submittedAtMs: nowMs, venueOrderId: null }, nowMs);
    }
    if (!this.#isLinked) return this.#report(refusalOf(submission, NOT_CONNECTED, nowMs) as ExecutionReport);
    const { expiryMs, clockErrorMs: errorOfClock } = this.#parts.rules;
    const clockErrorMs = errorOfClock();
    if (clockErrorMs > CLOCK_ERROR_MS_MAX) {
      return this.#report(refusalOf(submission, CLOCK_UNKNOWN, nowMs) as ExecutionReport);
    }
    const target = { ...submission, submittedAtMs: nowMs, venueOrderId: null };
    const sent = { atMs: nowMs, clockErrorMs, quantity: submission.quantity };
    const record = this.#records.add(new ChildRecord(target, sent));
    const expiresAtMs = (expiryMs === null ? Infinity : nowMs + expiryMs) as EpochMs;
    this.#parts.line.place(submission, expiresAtMs, (answer, answeredAtMs) =>
      this.#onPlaced(record, answer, answeredAtMs),
    );
  }

  #onPlaced(record: ChildRecord, answer: PlaceAnswer, nowMs: EpochMs): void {
    record.isAwaited = false;
    if (answer.kind === 'placed') return this.#onPlacedOrder(record, answer, nowMs);
    if (record.venueOrderId !== null && answer.kind === 'refused') {
      return this.#parts.onContradiction('a placed order was refused', record.target);
    }
    const rejection = answer.kind === 'refused' ? answer.rejection : record.refusal;
    if (rejection !== null) this.#refuse(record, rejection, nowMs);
  }

  /** Takes the fills and the end of an order from the answer to its placement. The stream repeats them. */
  #onPlacedOrder(record: ChildRecord, answer: Extract<PlaceAnswer, { kind: 'placed' }>, nowMs: EpochMs): void {
    const { result } = answer;
    // The stream may have shown the refusal first.
    if (record.refusal !== null) return this.#refuse(record, record.refusal, nowMs);
    if (result?.order.state !== 'REJECTED') this.#acknowledge(record, answer);
    if (result === undefined) return;
    for (const fill of result.fills) this.#fill(record, fill);
    // Fills that the answer lacks come through the stream.
    if (record.filled >= result.order.filled) this.#settle(record, result.order, nowMs);
  }

  /** Reports a refusal once. While the answer to the placement is due, it waits: that one has the code of the refusal. */
  #refuse(record: ChildRecord, rejection: Rejection, nowMs: EpochMs): void {
    if (record.isEnded) return;
    record.refusal = rejection;
    if (record.isAwaited) return;
    this.#records.end(record, nowMs);
    this.#report({ ...refOf(record.target), atMs: nowMs, kind: 'Rejected', rejection });
  }

  #cancel(target: ChildTarget, nowMs: EpochMs): void {
    if (!this.#isLinked) return this.#report(cancelRejected(target, NOT_CONNECTED, nowMs));
    this.#parts.line.cancel(target, (answer, answeredAtMs) => this.#onCancelled(target, answer, answeredAtMs));
  }

  #onCancelled(target: ChildTarget, answer: CancelAnswer, nowMs: EpochMs): void {
    if (answer.kind === 'refused') return this.#report(cancelRejected(target, answer.rejection, nowMs));
    if (answer.kind === 'cancelled' && answer.order !== null) {
      this.onUpdate({ child: target, order: answer.order, fill: null }, nowMs);
    }
  }

  #ask(target: ChildTarget, nowMs: EpochMs): void {
    const record = this.#records.find(target);
    if (record !== null && record.refusal !== null) {
      const answer: OrderStatusAnswer = { state: 'REJECTED', rejection: record.refusal };
      return this.#report(statusAnswered(target, answer, record.filled, nowMs));
    }
    // An earlier process has seen the order: this one must not take it for absent.
    if (record === null && target.venueOrderId !== null) this.#records.add(new ChildRecord(target, null));
    this.#questions.ask(target, true, nowMs);
  }

  /** Judges the answer to a look-up: returns when to look again, or null when the question is answered. */
  #judge(question: StatusQuestion, answer: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (answer.kind === 'found') {
      question.missingSinceMs = null;
      question.denials = 0;
    }
    const missing = this.#records.find(question.target);
    const wakeMs =
      answer.kind === 'found' ? this.#onFound(question, answer, nowMs) : this.#onLack(question, answer, nowMs);
    // A look from before the catch-up shows nothing of the time of the cut.
    const isOld = question.lookedAtMs < this.#missingSinceMs;
    if (isOld && missing !== null && this.#missing?.has(missing) === true) {
      if (wakeMs === null) question.isWanted = false;
      return nowMs;
    }
    // Nothing of a child that was never shown is missing: the stream is open, and shows what is carried out later.
    const isUnseen = answer.kind === 'absent' && missing !== null && missing.venueOrderId === null;
    if (wakeMs === null || isUnseen || question.failures >= CATCH_UP_FAILURES_MAX) this.#caughtUp(missing, nowMs);
    return wakeMs;
  }

  #onFound(
    question: StatusQuestion,
    { order, fills, offGrid }: Extract<LookUpAnswer, { kind: 'found' }>,
    nowMs: EpochMs,
  ): EpochMs | null {
    const record = this.#recordOf(question.target, question.target.submittedAtMs);
    const wasEnded = record.isEnded;
    record.isDenied = false;
    if (order.state !== 'REJECTED') this.#acknowledge(record, order);
    for (const fill of fills) this.#fill(record, fill);
    if (wasEnded && order.state === 'OPEN') return again(question, nowMs);
    if (record.filled !== order.filled) {
      // The list of trades may be behind the order, and both may be behind the stream.
      if (offGrid === undefined || record.filled > order.filled) return again(question, nowMs);
      this.#reportOffGrid(record, offGrid, nowMs);
    } else if (!question.isWanted) {
      this.#settle(record, order, nowMs);
    }
    if (!question.isWanted) return null;
    for (const fill of record.fills) this.#reportFill(record, fill);
    if (order.state !== 'OPEN') this.#records.end(record, nowMs);
    this.#report(statusAnswered(question.target, statusOf(order), order.filled, nowMs));
    return null;
  }

  /**
   * Says that a fill cannot be reported: the shard quarantines the order, and an operator ends it. The answer to the shard
   * has the total of the exchange, so that the shard knows that its fills are not all.
   */
  #reportOffGrid(record: ChildRecord, detail: string, nowMs: EpochMs): void {
    if (!record.isOffGrid) this.#parts.onContradiction(`a fill cannot be stated: ${detail}`, record.target);
    record.isOffGrid = true;
    this.#report({ ...refOf(record.target), atMs: nowMs, kind: 'Unreadable', detail });
  }

  #onLack(question: StatusQuestion, { kind }: LookUpAnswer, nowMs: EpochMs): EpochMs | null {
    if (kind === 'unknown') return again(question, nowMs);
    const record = this.#records.find(question.target);
    if (record !== null && record.venueOrderId !== null) {
      return this.#onDenial(question, record, record.venueOrderId, nowMs);
    }
    if (!question.isWanted) return null;
    const fenceMs = this.#fenceOf(question.target);
    if (question.lookedAtMs < fenceMs) return Math.max(fenceMs, nowMs) as EpochMs;
    question.missingSinceMs ??= question.lookedAtMs;
    const provenMs = (question.missingSinceMs + ABSENCE_GAP_MS) as EpochMs;
    if (question.lookedAtMs < provenMs) return Math.max(provenMs, nowMs) as EpochMs;
    if (record !== null) this.#records.end(record, nowMs);
    this.#reportAbsence(question, ZERO_LOTS, nowMs);
    return null;
  }

  #fenceOf(target: ChildTarget): EpochMs {
    return this.#fence.of(this.#records.find(target)?.sent ?? null);
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
    const isOld = target.submittedAtMs < this.#fence.knownSinceMs(lookedAtMs);
    const deniedSinceMs = question.missingSinceMs;
    const isOver = isOld ? question.denials > DENIALS_REPORTED : lookedAtMs - deniedSinceMs >= DENIED_MS_MAX;
    if (!question.isWanted || !isOver) return again(question, nowMs);
    for (const fill of record.fills) this.#reportFill(record, fill);
    if (isOld) {
      // A later sign of the order is news again.
      this.#records.forget(record);
      this.#reportAbsence(question, record.filled, nowMs);
      return null;
    }
    if (!record.isDenied) this.#parts.onContradiction('a denied order waits for an operator', target);
    record.isDenied = true;
    this.#report(statusAnswered(target, { state: 'DENIED', venueOrderId, deniedSinceMs }, record.filled, nowMs));
    return null;
  }

  #reportAbsence({ target, lookedAtMs }: StatusQuestion, filled: Lots, nowMs: EpochMs): void {
    const answer: OrderStatusAnswer = { state: 'UNKNOWN', knownSinceMs: this.#fence.knownSinceMs(lookedAtMs) };
    this.#report(statusAnswered(target, answer, filled, nowMs));
  }

  #list(): void {
    this.#listAgainMs = Infinity;
    const connection = this.#connection;
    // An order that is placed or ends during the request may be missing from the list, or wrongly in it.
    const before = this.#records.live();
    this.#parts.line.openOrders((orders, answeredAtMs) => {
      if (connection !== this.#connection) return;
      if (orders !== null) {
        this.#listFailures = 0;
        return this.#catchUp(before, orders, answeredAtMs);
      }
      const waitMs = doubledMs(OPEN_LIST_AGAIN_MS_MIN, this.#listFailures, OPEN_LIST_AGAIN_MS_MAX);
      this.#listFailures += 1;
      this.#listAgainMs = answeredAtMs + waitMs;
    });
  }

  #catchUp(before: readonly ChildRecord[], orders: readonly OpenOrder[], nowMs: EpochMs): void {
    const listed = new Set<ChildRecord>();
    for (const { child, order } of orders) {
      const record = this.#recordOf(child, order.atMs);
      this.#acknowledge(record, order);
      // A list that is ahead of the fills needs a look-up. One that is behind needs none: the updates are newer.
      if (order.filled <= record.filled) listed.add(record);
    }
    const missing = this.#records.live().filter((record) => !listed.has(record));
    const asked = new Set(missing.filter((record) => before.includes(record) || record.venueOrderId !== null));
    // A child that waits for an operator delays no connection.
    this.#missing = new Set([...asked].filter(({ isDenied }) => !isDenied));
    this.#missingSinceMs = nowMs;
    for (const record of asked) this.#questions.askNow(record.target, nowMs);
    this.#finishCatchUp(nowMs);
  }

  #caughtUp(record: ChildRecord | null, nowMs: EpochMs): void {
    if (this.#missing === null) return;
    if (record !== null) this.#missing.delete(record);
    this.#finishCatchUp(nowMs);
  }

  #finishCatchUp(nowMs: EpochMs): void {
    if (this.#missing === null || this.#missing.size > 0) return;
    this.#missing = null;
    this.#setLinked(true, nowMs);
  }

  #setLinked(isLinked: boolean, nowMs: EpochMs): void {
    if (this.#isLinked === isLinked) return;
    this.#isLinked = isLinked;
    this.#parts.onLink(isLinked, nowMs);
  }

  #recordOf(child: SeenChild, submittedAtMs: EpochMs): ChildRecord {
    const { account, venue } = this.#parts;
    return (
      this.#records.find(child) ??
      this.#records.add(new ChildRecord({ account, venue, ...child, submittedAtMs, venueOrderId: null }, null))
    );
  }

  #acknowledge(record: ChildRecord, { venueOrderId, atMs }: Pick<SeenOrder, 'venueOrderId' | 'atMs'>): void {
    if (record.venueOrderId !== null) return;
    record.venueOrderId = venueOrderId;
    if (record.isEnded) this.#parts.onContradiction('an order exists that was refused or absent', record.target);
    this.#report({ ...refOf(record.target), atMs, kind: 'Accepted', venueOrderId });
  }

  #fill(record: ChildRecord, seen: SeenFill): void {
    if (record.add(seen)) this.#reportFill(record, seen);
  }

  #reportFill({ target }: ChildRecord, { fill, atMs }: SeenFill): void {
    this.#report({ ...refOf(target), atMs, kind: 'Filled', fill, instrument: target.instrument });
  }

  /** Reports an end when all its fills are known. Looks the child up when some are missing. */
  #settle(record: ChildRecord, order: SeenOrder, nowMs: EpochMs): void {
    if (record.filled < order.filled) {
      // A new process may see a child for the first time after the list of open orders, and before the link is up.
      this.#missing?.add(record);
      return this.#questions.ask(record.target, false, nowMs);
    }
    if (record.isEnded || order.state === 'OPEN') return;
    if (order.state === 'REJECTED' && order.filled === 0) return this.#onRejected(record, order, nowMs);
    this.#records.end(record, nowMs);
    if (order.state === 'FILLED' && record.isWhole) return;
    const { venueOrderId, atMs } = order;
    // The shard has ended a child that its fills have completed, and ignores this report of it.
    const cause = order.state === 'FILLED' ? shrunkenOrder() : order.cause;
    this.#report({ ...refOf(record.target), atMs, kind: 'Cancelled', venueOrderId, cause, filled: record.filled });
  }

  #onRejected(record: ChildRecord, { venueOrderId, cause }: SeenOrder, nowMs: EpochMs): void {
    const isOther = record.venueOrderId !== null && record.venueOrderId !== venueOrderId;
    if (isOther) return this.#parts.onContradiction('another order with the client id was refused', record.target);
    if (cause !== null) this.#refuse(record, cause, nowMs);
  }

  #report(report: ExecutionReport): void {
    this.#parts.report(report);
  }
}

function refOf({ account, venue, orderId, child }: ChildTarget) {
  return { account, venue, orderId, child };
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
