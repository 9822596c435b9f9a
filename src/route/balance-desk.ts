import type { Venue } from '../model/exchange.js';
import type { AccountId, CorrelationId } from '../model/ids.js';
import { BALANCE_QUERIES_PENDING_MAX, VENUE_ANSWER_WAIT_MS } from '../model/limits.js';
import type { OrRejection, Rejection } from '../model/rejection.js';
import type { AssetBalance, VenueReport } from '../model/venue-message.js';
import { decodeVenueReport, encodeVenueRequest } from '../wire/codec/index.js';
import type { BellRinger } from '../wire/doorbell.js';
import type { RingConsumer, RingProducer } from '../wire/ring.js';

type Answer = (result: OrRejection<readonly AssetBalance[]>) => void;

interface Pending {
  readonly venue: Venue;
  readonly answer: Answer;
  readonly deadlineMs: number;
}

export interface BalanceDeskParts {
  readonly requests: RingProducer;
  readonly reports: RingConsumer;
  readonly venueBell: BellRinger;
  readonly nowRealMs: () => number;
}

const REPORTS_PER_DRAIN_MAX = 4096;

/** Asks venues for an account's balances on behalf of the main thread. */
export class BalanceDesk {
  readonly #parts: BalanceDeskParts;
  readonly #pending = new Map<CorrelationId, Pending>();
  #lastCorrelationId = 0;
  #isVenueUp = false;

  constructor(parts: BalanceDeskParts) {
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

  balances(account: AccountId, venue: Venue, answer: Answer): void {
    if (!this.#isVenueUp) return answer({ rejection: notAvailable(venue, 'is down') });
    if (this.#pending.size >= BALANCE_QUERIES_PENDING_MAX) return answer({ rejection: BUSY });
    this.#lastCorrelationId += 1;
    const correlationId = this.#lastCorrelationId as CorrelationId;
    const request = encodeVenueRequest({ kind: 'QueryFunds', correlationId, account, venue });
    if (this.#parts.requests.tryWrite(request) !== 'written') return answer({ rejection: BUSY });
    this.#parts.venueBell.ring();
    const deadlineMs = this.#parts.nowRealMs() + VENUE_ANSWER_WAIT_MS;
    this.#pending.set(correlationId, { venue, answer, deadlineMs });
  }

  /** Takes in what the venue worker has sent. */
  drain(): void {
    this.#parts.reports.drain(REPORTS_PER_DRAIN_MAX, (bytes) => this.#onReport(decodeVenueReport(bytes)));
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
    if (report.kind === 'Funds') this.#settle(report.correlationId, report.balances);
  }

  #settle(correlationId: CorrelationId, result: OrRejection<readonly AssetBalance[]>): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return;
    this.#pending.delete(correlationId);
    pending.answer(result);
  }
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many balance queries wait for the venue' };

function notAvailable(venue: Venue, why: string): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} ${why}` };
}
