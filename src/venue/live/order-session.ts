import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import {
  CLOCK_ERROR_MS_MAX,
  ENDED_CHILD_KEPT_MS,
  ENDED_CHILDREN_MAX,
  REFUSED_TIME_AGAIN_MS,
} from '../../domain/limits/live.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ChildSubmission, ChildTarget, VenueRequest } from '../../domain/venue-message.js';
import { type ExecutionReport, type OrderStatusAnswer } from '../../domain/venue-report.js';
import { cancelRejected, refusalOf, statusAnswered } from '../refusal.js';
import { CatchUp } from './catch-up.js';
import { ChildRecord, ChildRecords } from './child-record.js';
import { ChildReports } from './child-reports.js';
import type {
  CancelAnswer,
  OrderClient,
  OrderUpdate,
  PlaceAnswer,
  ReportedChild,
  SendingRules,
} from './exchange-client.js';
import { Fence } from './fence.js';
import { StatusJudge } from './status-judge.js';
import { StatusRequests } from './status-requests.js';

export type OrderRequest = Extract<VenueRequest, { readonly kind: 'Submit' | 'Cancel' | 'QueryStatus' }>;

export interface OrderSessionParts {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly client: OrderClient;
  readonly rules: SendingRules;
  /** When this process began: requests of earlier processes were sent before. */
  readonly startedAtMs: EpochMs;
  readonly report: (report: ExecutionReport) => void;
  readonly onLink: (isUp: boolean, nowMs: EpochMs) => void;
  /** An answer that contradicts what the exchange said before. */
  readonly onContradiction: (what: string, child: ReportedChild) => void;
}

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
 * - "There is no such order" is answered only after the fence. Of an order that the exchange has shown it is answered
 *   only when the order is from before the history of the exchange, and is denied again and again. A newer one that is
 *   denied for DENIED_MS_MAX is answered as denied.
 * - An end is reported after all its fills. Missing fills are looked up.
 * - After a cut the link is up again when the open orders are listed and every child missing from the list is looked
 *   up. A child that is denied, or cannot be looked up, delays it for CATCH_UP_FAILURES_MAX looks: its shard goes on
 *   asking.
 */
export class OrderSession {
  readonly #parts: OrderSessionParts;
  readonly #records = new ChildRecords({ endedKeptMs: ENDED_CHILD_KEPT_MS, endedMax: ENDED_CHILDREN_MAX });
  readonly #requests: StatusRequests;
  readonly #catchUp: CatchUp;
  readonly #reports: ChildReports;
  #isLinked = false;

  constructor(parts: OrderSessionParts) {
    this.#parts = parts;
    const records = this.#records;
    this.#catchUp = new CatchUp({
      client: parts.client,
      records,
      onListed: ({ child, order }) => {
        const record = this.#recordOf(child, order.atMs);
        this.#reports.acknowledge(record, order);
        return record;
      },
      lookUpNow: ({ target }, nowMs) => this.#requests.askNow(target, nowMs),
      onDone: (nowMs) => this.#setLinked(true, nowMs),
    });
    const { report, onContradiction } = parts;
    this.#reports = new ChildReports({
      records,
      report,
      onContradiction,
      lookUp: (record, nowMs) => {
        this.#catchUp.need(record);
        this.#requests.ask(record.target, false, nowMs);
      },
    });
    const judge = new StatusJudge({
      fence: new Fence(parts.rules, parts.startedAtMs),
      records,
      recordOf: (child, submittedAtMs) => this.#recordOf(child, submittedAtMs),
      catchUp: this.#catchUp,
      reports: this.#reports,
      report,
      onContradiction,
    });
    this.#requests = new StatusRequests({
      client: parts.client,
      judge: (request, answer, nowMs) => judge.judge(request, answer, nowMs),
      isFinal: (target, nowMs) => nowMs >= judge.fenceOf(target),
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

  /**
   * The instrument of a child that this process has placed, seen or been asked for; null: it does not know the child.
   */
  instrumentOf(child: Pick<ChildTarget, 'orderId' | 'child'>): InstrumentIndex | null {
    return (this.#records.find(child)?.target ?? this.#requests.targetOf(child))?.instrument ?? null;
  }

  /** The private stream is subscribed: what happened before must be caught up now. */
  onSubscribed(): void {
    this.#catchUp.begin();
  }

  /** The private stream is cut: updates may be missing from now on. */
  onCut(nowMs: EpochMs): void {
    this.#catchUp.end();
    this.#setLinked(false, nowMs);
  }

  onUpdate({ child, order, fill }: OrderUpdate, nowMs: EpochMs): void {
    const record = this.#recordOf(child, order.atMs);
    record.isDenied = false;
    if (order.state !== 'REJECTED') this.#reports.acknowledge(record, order);
    if (fill !== null) this.#reports.fill(record, fill);
    this.#reports.settle(record, order, nowMs);
  }

  advance(nowMs: EpochMs): void {
    this.#catchUp.advance(nowMs);
    this.#requests.advance(nowMs);
  }

  nextWakeMs(): number {
    return Math.min(this.#catchUp.nextWakeMs, this.#requests.nextWakeMs());
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
    this.#parts.client.place(submission, expiresAtMs, (answer, answeredAtMs) =>
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
    if (rejection !== null) this.#reports.refuse(record, rejection, nowMs);
  }

  /** Takes the fills and the end of an order from the answer to its placement. The stream repeats them. */
  #onPlacedOrder(record: ChildRecord, answer: Extract<PlaceAnswer, { kind: 'placed' }>, nowMs: EpochMs): void {
    const { result } = answer;
    // The stream may have shown the refusal first.
    if (record.refusal !== null) return this.#reports.refuse(record, record.refusal, nowMs);
    if (result?.order.state !== 'REJECTED') this.#reports.acknowledge(record, answer);
    if (result === undefined) return;
    for (const fill of result.fills) this.#reports.fill(record, fill);
    // Fills that the answer lacks come through the stream.
    if (record.filled >= result.order.filled) this.#reports.settle(record, result.order, nowMs);
  }

  #cancel(target: ChildTarget, nowMs: EpochMs): void {
    if (!this.#isLinked) return this.#report(cancelRejected(target, NOT_CONNECTED, nowMs));
    this.#parts.client.cancel(target, (answer, answeredAtMs) => this.#onCancelled(target, answer, answeredAtMs));
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
    this.#requests.ask(target, true, nowMs);
  }

  #setLinked(isLinked: boolean, nowMs: EpochMs): void {
    if (this.#isLinked === isLinked) return;
    this.#isLinked = isLinked;
    this.#parts.onLink(isLinked, nowMs);
  }

  #recordOf(child: ReportedChild, submittedAtMs: EpochMs): ChildRecord {
    const { account, venue } = this.#parts;
    return (
      this.#records.find(child) ??
      this.#records.add(new ChildRecord({ account, venue, ...child, submittedAtMs, venueOrderId: null }, null))
    );
  }

  #report(report: ExecutionReport): void {
    this.#parts.report(report);
  }
}
