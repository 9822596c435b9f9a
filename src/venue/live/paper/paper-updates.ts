import type { Rejection } from '../../../domain/rejection.js';
import type { Lots } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import type { ExecutionReport, VenueReport } from '../../../domain/venue-report.js';
import type { VenueOrder } from '../../../sim/order/venue-order.js';
import type { OrderUpdate, SeenOrder } from '../exchange-line.js';

/** The state of an order as the exchange shows it now. */
export function seenOf({ state, venueOrderId, filled }: VenueOrder, atMs: EpochMs): SeenOrder {
  const shown = state.state === 'FILLED' || state.state === 'CANCELLED' ? state.state : 'OPEN';
  return { venueOrderId, state: shown, filled, cause: state.state === 'CANCELLED' ? state.cause : null, atMs };
}

/** An update with its order: the order names the account. */
interface AddressedUpdate {
  readonly order: VenueOrder;
  readonly update: OrderUpdate;
}

/** What the reports of one request or record say, as updates of a private stream. */
export interface ReportedChanges {
  readonly updates: readonly AddressedUpdate[];
  /** The reason of a refused cancel; null: there was none. */
  readonly cancelRefused: Rejection | null;
}

/**
 * Translates reports, in their order. The total of each update is the one after its own fill, although the order may be
 * ahead: its later fills are in the same reports.
 */
export function updatesOf(
  reports: readonly VenueReport[],
  orderOf: (report: ExecutionReport) => VenueOrder | null,
): ReportedChanges {
  const totals = totalsBefore(reports, orderOf);
  const updates: AddressedUpdate[] = [];
  let cancelRefused: Rejection | null = null;
  for (const report of reports) {
    if (report.kind === 'CancelRejected') cancelRefused = report.rejection;
    if (report.kind !== 'Accepted' && report.kind !== 'Filled' && report.kind !== 'Cancelled') continue;
    const order = orderOf(report);
    if (order === null) continue;
    const fill = report.kind === 'Filled' ? { fill: report.fill, atMs: report.atMs } : null;
    const filled = ((totals.get(order) ?? 0) + (fill?.fill.quantity ?? 0)) as Lots;
    totals.set(order, filled);
    const isFilled = filled === order.submission.quantity;
    const state = report.kind === 'Cancelled' ? 'CANCELLED' : isFilled ? 'FILLED' : 'OPEN';
    const cause = report.kind === 'Cancelled' ? report.cause : null;
    const { orderId, child, instrument } = order.submission;
    const seen: SeenOrder = { venueOrderId: order.venueOrderId, state, filled, cause, atMs: report.atMs };
    updates.push({ order, update: { child: { orderId, child, instrument }, order: seen, fill } });
  }
  return { updates, cancelRefused };
}

/** Traded quantity of each order before these reports. */
function totalsBefore(
  reports: readonly VenueReport[],
  orderOf: (report: ExecutionReport) => VenueOrder | null,
): Map<VenueOrder, number> {
  const totals = new Map<VenueOrder, number>();
  for (const report of reports) {
    if (report.kind !== 'Filled') continue;
    const order = orderOf(report);
    if (order !== null) totals.set(order, (totals.get(order) ?? order.filled) - report.fill.quantity);
  }
  for (const report of reports) {
    if (report.kind !== 'Cancelled') continue;
    const order = orderOf(report);
    if (order !== null && !totals.has(order)) totals.set(order, order.filled);
  }
  return totals;
}
