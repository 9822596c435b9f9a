import type { Venue } from '../model/exchange.js';
import type { CorrelationId } from '../model/ids.js';
import { VENUE_ANSWER_WAIT_MS, VENUE_QUESTIONS_PENDING_MAX } from '../model/limits.js';
import type { OrRejection, Rejection } from '../model/rejection.js';
import type {
  AccountReport,
  ChildRef,
  MarketReport,
  OrdersReport,
  VenueReport,
  VenueRequest,
} from '../model/venue-message.js';
import { encodeVenueRequest, readVenueReport } from '../wire/codec/index.js';
import type { BellRinger } from '../wire/doorbell.js';
import type { RingConsumer, RingProducer } from '../wire/ring.js';

/** Which report answers which question. */
const ANSWERS = {
  QueryFunds: 'Funds',
  QueryPositions: 'Positions',
  QueryOrders: 'Orders',
  QueryCandles: 'Candles',
  QueryFundingRates: 'FundingRates',
} as const;
type Asked = keyof typeof ANSWERS;

export type Question<Kind extends Asked> = Omit<Extract<VenueRequest, { readonly kind: Kind }>, 'correlationId'>;
type Answer<Kind extends Asked> = Extract<VenueReport, { readonly kind: (typeof ANSWERS)[Kind] }>;

type Told = AccountReport | MarketReport | OrdersReport;

interface Pending {
  readonly venue: Venue;
  readonly kind: Asked;
  readonly settle: (result: OrRejection<Told>) => void;
  readonly deadlineMs: number;
}

export interface VenueLineParts {
  readonly requests: RingProducer;
  readonly reports: RingConsumer;
  readonly venueBell: BellRinger;
  readonly nowRealMs: () => number;
  /** A report that cannot be read is passed over; the question that it answers ends by its time. */
  readonly onUnreadable: (error: unknown) => void;
}

const REPORTS_PER_DRAIN_MAX = 4096;

/** Questions of the main thread to the venue worker. Each is answered once: by the venue, or by why it did not. */
export class VenueLine {
  readonly #parts: VenueLineParts;
  readonly #pending = new Map<CorrelationId, Pending>();
  #lastCorrelationId = 0;
  #isVenueUp = false;

  constructor(parts: VenueLineParts) {
    this.#parts = parts;
  }

  get isVenueUp(): boolean {
    return this.#isVenueUp;
  }

  /** The venue worker came up or died; who waits for a dead one is told at once. */
  setVenueUp(isUp: boolean): void {
    this.#isVenueUp = isUp;
    if (isUp) return;
    for (const [id, { venue }] of this.#pending) this.#settle(id, { rejection: notAvailable(venue, 'is down') });
  }

  ask<Kind extends Asked>(question: Question<Kind>, answer: (result: OrRejection<Answer<Kind>>) => void): void {
    const { venue, kind } = question as Question<Asked>;
    if (!this.#isVenueUp) return answer({ rejection: notAvailable(venue, 'is down') });
    if (this.#pending.size >= VENUE_QUESTIONS_PENDING_MAX) return answer({ rejection: BUSY });
    this.#lastCorrelationId += 1;
    const correlationId = this.#lastCorrelationId as CorrelationId;
    const request = encodeVenueRequest({ ...question, correlationId } as VenueRequest);
    if (this.#parts.requests.tryWrite(request) !== 'written') return answer({ rejection: BUSY });
    this.#parts.venueBell.ring();
    const deadlineMs = this.#parts.nowRealMs() + VENUE_ANSWER_WAIT_MS;
    const settle = answer as Pending['settle'];
    this.#pending.set(correlationId, { venue, kind, settle, deadlineMs });
  }

  /** Asks a venue to cancel an order that no order of ours owns; its end is seen in the next list of orders. False: not now. */
  cancel(child: ChildRef): boolean {
    if (!this.#isVenueUp) return false;
    const isWritten = this.#parts.requests.tryWrite(encodeVenueRequest({ kind: 'Cancel', ...child })) === 'written';
    if (isWritten) this.#parts.venueBell.ring();
    return isWritten;
  }

  /** Takes in what the venue worker has sent. */
  drain(): void {
    this.#parts.reports.drain(REPORTS_PER_DRAIN_MAX, (bytes) => {
      const report = readVenueReport(bytes, this.#parts.onUnreadable);
      if (report !== null) this.#onReport(report);
    });
  }

  /** Ends the waits that are over; called about once a second. */
  sweep(): void {
    const nowMs = this.#parts.nowRealMs();
    for (const [correlationId, { venue, deadlineMs }] of this.#pending) {
      if (deadlineMs > nowMs) return;
      this.#settle(correlationId, {
        rejection: notAvailable(venue, `has not answered within ${VENUE_ANSWER_WAIT_MS} ms`),
      });
    }
  }

  #onReport(report: VenueReport): void {
    if (!('correlationId' in report)) return;
    if (report.kind === 'AccountAnswered') {
      if (report.rejection !== null) this.#settle(report.correlationId, { rejection: report.rejection });
      return;
    }
    const pending = this.#pending.get(report.correlationId);
    // What the venue tells unasked is nobody's answer.
    if (pending !== undefined && ANSWERS[pending.kind] === report.kind) this.#settle(report.correlationId, report);
  }

  #settle(correlationId: CorrelationId, result: OrRejection<Told>): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return;
    this.#pending.delete(correlationId);
    pending.settle(result);
  }
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many questions wait for the venue' };

function notAvailable(venue: Venue, why: string): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} ${why}` };
}
