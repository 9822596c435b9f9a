import type { Fill } from '../../domain/event.js';
import type { TradePrint } from '../../domain/market.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ExecutionReport, VenueReport } from '../../domain/venue-report.js';
import type { VenueOrder } from './venue-order.js';

// Fields are written out: a spread would cost more than the rest of a report.

export function accepted({ submission, venueOrderId }: VenueOrder, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Accepted', venueOrderId };
}

export function rejected({ submission }: VenueOrder, rejection: Rejection, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Rejected', rejection };
}

export function filled({ submission }: VenueOrder, fill: Fill, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child, side, instrument } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Filled', fill, side, instrument };
}

export function cancelled(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = order.submission;
  const { venueOrderId, filled } = order;
  return { account, venue, orderId, child, atMs, kind: 'Cancelled', venueOrderId, cause, filled };
}

interface AddressedReport {
  readonly report: VenueReport;
  readonly destination: number;
}

/** Reports and trades that are released after the commit that makes them durable, in order. */
export class ReportQueue {
  #reports: AddressedReport[] = [];
  #prints: TradePrint[] = [];

  /** Drops a report without a destination: the shard asks for the order again and gets all reports. */
  report(report: VenueReport, destination: number | null): void {
    if (destination !== null) this.#reports.push({ report, destination });
  }

  print(print: TradePrint): void {
    this.#prints.push(print);
  }

  takeReports(): readonly AddressedReport[] {
    const reports = this.#reports;
    this.#reports = [];
    return reports;
  }

  takePrints(): readonly TradePrint[] {
    const prints = this.#prints;
    this.#prints = [];
    return prints;
  }
}
