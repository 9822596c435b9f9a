import type { Venue } from '../domain/exchange.js';
import type { CorrelationId } from '../domain/ids.js';
import { VENUE_ANSWER_WAIT_MS } from '../domain/limits/clients.js';
import { VENUE_QUERIES_PENDING_MAX } from '../domain/limits/process.js';
import { type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { ChildTarget, VenueRequest } from '../domain/venue-message.js';
import type { AccountReport, LinkReport, MarketReport, OrdersReport, VenueReport } from '../domain/venue-report.js';
import { readVenueReport } from '../wire/codec/venue-report.js';
import { encodeVenueRequest } from '../wire/codec/venue-request.js';
import type { Ringer } from '../wire/bell.js';
import type { RingConsumer, RingProducer } from '../wire/ring.js';

/** The report kind that answers each query kind. */
const ANSWERS = {
  QueryFunds: 'Funds',
  QueryPositions: 'Positions',
  QueryOrders: 'Orders',
  QueryCandles: 'Candles',
  QueryFundingRates: 'FundingRates',
} as const;
export type QueryKind = keyof typeof ANSWERS;

export type VenueQuery<Kind extends QueryKind> = Omit<Extract<VenueRequest, { readonly kind: Kind }>, 'correlationId'>;
export type VenueAnswerOf<Kind extends QueryKind> = Extract<VenueReport, { readonly kind: (typeof ANSWERS)[Kind] }>;

type VenueAnswer = AccountReport | MarketReport | OrdersReport;

interface Pending {
  readonly venue: Venue;
  readonly kind: QueryKind;
  readonly settle: (result: OrRejection<VenueAnswer>) => void;
  readonly deadlineMs: number;
}

export interface VenueClientParts {
  readonly requests: RingProducer;
  readonly reports: RingConsumer;
  readonly venueBell: Ringer;
  readonly nowRealMs: () => number;
  /** Called for an unreadable report, which is skipped; its query ends by timeout. */
  readonly onUnreadable: (error: unknown) => void;
}

const REPORTS_PER_DRAIN_MAX = 4096;

/**
 * Sends the main thread's queries to the venue worker. Each is answered once: by the venue, or by a rejection that
 * names the cause.
 */
export class VenueClient {
  readonly #parts: VenueClientParts;
  readonly #pending = new Map<CorrelationId, Pending>();
  #lastCorrelationId = 0;
  #isVenueUp = false;
  readonly #cutOff = new Set<Venue>();
  /** `<venue>/<account>` of the accounts without a connection of their own. */
  readonly #accountsCutOff = new Set<string>();

  constructor(parts: VenueClientParts) {
    this.#parts = parts;
  }

  get isVenueUp(): boolean {
    return this.#isVenueUp;
  }

  /** True while the venue worker is up and has a connection to the venue. */
  isConnected(venue: Venue): boolean {
    return this.#isVenueUp && !this.#cutOff.has(venue);
  }

  /** Number of accounts whose own connection to the venue is down. */
  accountsDown(venue: Venue): number {
    return [...this.#accountsCutOff].filter((name) => name.startsWith(`${venue}/`)).length;
  }

  /** Records that the venue worker started or died. A death rejects all pending queries at once. */
  setVenueUp(isUp: boolean): void {
    this.#isVenueUp = isUp;
    if (isUp) return;
    // A restarted worker reports its missing connections.
    this.#cutOff.clear();
    this.#accountsCutOff.clear();
    for (const [id, { venue }] of this.#pending) this.#settle(id, new Rejected(notAvailable(venue, 'is down')));
  }

  ask<Kind extends QueryKind>(
    query: VenueQuery<Kind>,
    answer: (result: OrRejection<VenueAnswerOf<Kind>>) => void,
  ): void {
    const { venue, kind } = query as VenueQuery<QueryKind>;
    if (!this.#isVenueUp) return answer(new Rejected(notAvailable(venue, 'is down')));
    if (this.#pending.size >= VENUE_QUERIES_PENDING_MAX) return answer(new Rejected(BUSY));
    this.#lastCorrelationId += 1;
    const correlationId = this.#lastCorrelationId as CorrelationId;
    const request = encodeVenueRequest({ ...query, correlationId } as VenueRequest);
    if (this.#parts.requests.tryWrite(request) !== 'written') return answer(new Rejected(BUSY));
    this.#parts.venueBell.ring();
    const deadlineMs = this.#parts.nowRealMs() + VENUE_ANSWER_WAIT_MS;
    const settle = answer as Pending['settle'];
    this.#pending.set(correlationId, { venue, kind, settle, deadlineMs });
  }

  /**
   * Asks a venue to cancel an order that no parent order owns; its end appears in the next order list. False when it
   * cannot be sent now.
   */
  cancel(child: ChildTarget): boolean {
    if (!this.#isVenueUp) return false;
    const isWritten = this.#parts.requests.tryWrite(encodeVenueRequest({ kind: 'Cancel', ...child })) === 'written';
    if (isWritten) this.#parts.venueBell.ring();
    return isWritten;
  }

  /** Processes the reports of the venue worker. */
  drain(): void {
    this.#parts.reports.drain(REPORTS_PER_DRAIN_MAX, (bytes) => {
      const report = readVenueReport(bytes, this.#parts.onUnreadable);
      if (report !== null) this.#onReport(report);
    });
  }

  /** Rejects queries past their deadline; called about once a second. */
  sweep(): void {
    const nowMs = this.#parts.nowRealMs();
    for (const [correlationId, { venue, deadlineMs }] of this.#pending) {
      if (deadlineMs > nowMs) return;
      this.#settle(
        correlationId,
        new Rejected(notAvailable(venue, `has not answered within ${VENUE_ANSWER_WAIT_MS} ms`)),
      );
    }
  }

  #onReport(report: VenueReport): void {
    if (report.kind === 'Link') return this.#onLink(report);
    if (!('correlationId' in report)) return;
    if (report.kind === 'QueryRejected') {
      return this.#settle(report.correlationId, new Rejected(report.rejection));
    }
    const pending = this.#pending.get(report.correlationId);
    // Ignores reports that answer no pending query.
    if (pending !== undefined && ANSWERS[pending.kind] === report.kind) this.#settle(report.correlationId, report);
  }

  /** The connection of one account says nothing about the venue. */
  #onLink({ venue, account, isUp }: LinkReport): void {
    if (account === null) setMember(this.#cutOff, venue, !isUp);
    else setMember(this.#accountsCutOff, `${venue}/${account}`, !isUp);
  }

  #settle(correlationId: CorrelationId, result: OrRejection<VenueAnswer>): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return;
    this.#pending.delete(correlationId);
    pending.settle(result);
  }
}

function setMember<Name>(names: Set<Name>, name: Name, isMember: boolean): void {
  if (isMember) names.add(name);
  else names.delete(name);
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many queries wait for the venue' };

function notAvailable(venue: Venue, why: string): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} ${why}` };
}
