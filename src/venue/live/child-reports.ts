import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildTarget } from '../../domain/venue-message.js';
import { type ExecutionReport, shrunkenOrder } from '../../domain/venue-report.js';
import type { ChildRecord, ChildRecords } from './child-record.js';
import type { ReportedFill, ReportedOrder } from './exchange-client.js';

interface ChildReportsParts {
  readonly records: Pick<ChildRecords, 'end'>;
  readonly report: (report: ExecutionReport) => void;
  readonly onContradiction: (what: string, child: ChildTarget) => void;
  /** Fills of the child are missing: it must be looked up. */
  readonly lookUp: (record: ChildRecord, nowMs: EpochMs) => void;
}

/**
 * Reports of what an exchange shows of children: each acknowledgement, fill, refusal and end once, an end after its
 * fills.
 */
export class ChildReports {
  readonly #parts: ChildReportsParts;

  constructor(parts: ChildReportsParts) {
    this.#parts = parts;
  }

  acknowledge(record: ChildRecord, { venueOrderId, atMs }: Pick<ReportedOrder, 'venueOrderId' | 'atMs'>): void {
    if (record.venueOrderId !== null) return;
    record.venueOrderId = venueOrderId;
    const { report, onContradiction } = this.#parts;
    if (record.isEnded) onContradiction('an order exists that was refused or absent', record.target);
    report({ ...refOf(record.target), atMs, kind: 'Accepted', venueOrderId });
  }

  fill(record: ChildRecord, seen: ReportedFill): void {
    if (record.add(seen)) this.#fill(record, seen);
  }

  /** Repeats all fills: the shard may have lost some. */
  repeatFills(record: ChildRecord): void {
    for (const fill of record.fills) this.#fill(record, fill);
  }

  /**
   * Reports a refusal once. While the answer to the placement is due, it waits: that one has the code of the refusal.
   */
  refuse(record: ChildRecord, rejection: Rejection, nowMs: EpochMs): void {
    if (record.isEnded) return;
    record.refusal = rejection;
    if (record.isAwaited) return;
    this.#parts.records.end(record, nowMs);
    this.#parts.report({ ...refOf(record.target), atMs: nowMs, kind: 'Rejected', rejection });
  }

  /** Reports an end when all its fills are known. Has the child looked up when some are missing. */
  settle(record: ChildRecord, order: ReportedOrder, nowMs: EpochMs): void {
    if (record.filled < order.filled) return this.#parts.lookUp(record, nowMs);
    if (record.isEnded || order.state === 'OPEN') return;
    if (order.state === 'REJECTED' && order.filled === 0) return this.#onRejected(record, order, nowMs);
    this.#parts.records.end(record, nowMs);
    if (order.state === 'FILLED' && record.isWhole) return;
    const { venueOrderId, atMs } = order;
    // The shard has ended a child that its fills have completed, and ignores this report of it.
    const cause = order.state === 'FILLED' ? shrunkenOrder() : order.cause;
    const { filled, target } = record;
    this.#parts.report({ ...refOf(target), atMs, kind: 'Cancelled', venueOrderId, cause, filled });
  }

  /**
   * Says that a fill cannot be reported: the shard quarantines the order, and an operator ends it. The answer to the
   * shard has the total of the exchange, so that the shard knows that its fills are not all.
   */
  offGrid(record: ChildRecord, detail: string, nowMs: EpochMs): void {
    if (!record.isOffGrid) this.#parts.onContradiction(`a fill cannot be stated: ${detail}`, record.target);
    record.isOffGrid = true;
    this.#parts.report({ ...refOf(record.target), atMs: nowMs, kind: 'Unreadable', detail });
  }

  #onRejected(record: ChildRecord, { venueOrderId, cause }: ReportedOrder, nowMs: EpochMs): void {
    const isOther = record.venueOrderId !== null && record.venueOrderId !== venueOrderId;
    if (isOther) return this.#parts.onContradiction('another order with the client id was refused', record.target);
    if (cause !== null) this.refuse(record, cause, nowMs);
  }

  #fill({ target }: ChildRecord, { fill, atMs }: ReportedFill): void {
    this.#parts.report({ ...refOf(target), atMs, kind: 'Filled', fill, instrument: target.instrument });
  }
}

function refOf({ account, venue, orderId, child }: ChildTarget) {
  return { account, venue, orderId, child };
}
