import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Lots } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef } from '../../domain/venue-message.js';
import {
  type ExecutionReport,
  type OrderStatusAnswer,
  unreadableDetail,
  unreadableMember,
  type VenueReport,
} from '../../domain/venue-report.js';
import { sluice } from '../generated/messages.js';
import { fromWireFunds, fromWirePositions, fromWireQueryRejected, setAccountReport } from './account.js';
import { fromWireFill, toWireFill } from './child-order.js';
import { fromWireCandles, fromWireFundingRates, setMarketReport } from './market-history.js';
import { bytesOf, CodecError, integer, modelOf, orNull, required, time, unknownKind } from './message.js';
import { fromWireOrders, toWireOrders } from './orders-listing.js';
import { fromWireRejection, toWireReason } from './rejection.js';
import { QUERIED_STATE, SIDE, VENUE } from './enums.js';

const wire = sluice.v1;
type ReportOfChild = Extract<VenueReport, ChildRef>;
type ReportMessage = ReturnType<typeof wire.VenueReport.decode>;

/**
 * Encodes a report. A child's report with an unwritable value becomes an Unreadable report. Throws CodecError for
 * such a value in any other report.
 */
export function encodeVenueReport(report: VenueReport): Uint8Array {
  const message: sluice.v1.VenueReport.$Properties = { venue: VENUE.number(report.venue), atMs: report.atMs };
  if (report.kind === 'Link') {
    message.link = { isUp: report.isUp };
    message.account = report.account ?? '';
    return bytesOf(wire.VenueReport, message);
  }
  message.account = report.account;
  if (report.kind === 'Orders') message.orders = toWireOrders(report);
  else if ('orderId' in report) setReportOfChild(message, report);
  else if ('instrument' in report) setMarketReport(message, report);
  else setAccountReport(message, report);
  return bytesOf(wire.VenueReport, message);
}

/**
 * Decodes a report. A child's report with unreadable values becomes an Unreadable report, so that its order is
 * quarantined. Throws CodecError when the report's order is unreadable too.
 */
export function decodeVenueReport(bytes: Uint8Array): VenueReport {
  return modelOf('VenueReport', wire.VenueReport, fromAnyReport, bytes);
}

/**
 * Decodes a report. Calls `onUnreadable` with the error and returns null for one that `decodeVenueReport` cannot
 * read.
 */
export function readVenueReport(bytes: Uint8Array, onUnreadable: (error: unknown) => void): VenueReport | null {
  try {
    return decodeVenueReport(bytes);
  } catch (error) {
    onUnreadable(error);
    return null;
  }
}

function fromAnyReport(message: ReportMessage): VenueReport {
  try {
    return fromWireReport(message);
  } catch (error) {
    if (!(error instanceof CodecError) || message.child === 0) throw error;
    return { kind: 'Unreadable', ...headOf(message), detail: error.message };
  }
}

function setReportOfChild(message: sluice.v1.VenueReport.$Properties, report: ReportOfChild): void {
  message.orderId = report.orderId;
  message.child = report.child;
  const member = isExecution(report) ? unreadableMember(report) : null;
  if (member === null) setExecution(message, report);
  else message.unreadable = { detail: unreadableDetail(report, member) };
}

function isExecution(report: ReportOfChild): report is ExecutionReport {
  return report.kind !== 'Throttled';
}

function setExecution(message: sluice.v1.VenueReport.$Properties, report: ReportOfChild): void {
  switch (report.kind) {
    case 'Accepted':
      message.accepted = { venueOrderId: report.venueOrderId };
      return;
    case 'Rejected':
      message.rejected = { rejection: toWireReason(report.rejection) };
      return;
    case 'Filled':
      message.filled = {
        fill: toWireFill(report.fill),
        side: orNull(report.side ?? null, (side) => SIDE.number(side)),
        instrument: report.instrument ?? null,
      };
      return;
    case 'Cancelled':
      message.cancelled = {
        venueOrderId: report.venueOrderId,
        cause: orNull(report.cause, toWireReason),
        filled: report.filled,
      };
      return;
    case 'CancelRejected':
      message.cancelRejected = { rejection: toWireReason(report.rejection) };
      return;
    case 'StatusAnswered':
      message.statusAnswered = { ...toWireAnswer(report.answer), filled: report.filled };
      return;
    case 'Throttled':
      message.throttled = {};
      return;
    case 'Unreadable':
      message.unreadable = { detail: report.detail };
      return;
    default:
      report satisfies never;
  }
}

function fromWireReport(message: ReportMessage): VenueReport {
  switch (message.kind) {
    case 'accepted': {
      const venueOrderId = message.accepted.venueOrderId as VenueOrderId;
      return { kind: 'Accepted', ...headOf(message), venueOrderId };
    }
    case 'rejected':
      return { kind: 'Rejected', ...headOf(message), rejection: rejectionOf(message.rejected, 'RejectedReport') };
    case 'filled': {
      const fill = fromWireFill(required(message.filled.fill, 'FilledReport.fill'));
      const { side, instrument } = message.filled;
      return {
        kind: 'Filled',
        ...headOf(message),
        fill,
        ...(side !== null && { side: SIDE.name(side, 'FilledReport.side') }),
        ...(instrument !== null && { instrument: instrument as InstrumentIndex }),
      };
    }
    case 'cancelled': {
      const venueOrderId = message.cancelled.venueOrderId as VenueOrderId;
      const cause = orNull(message.cancelled.cause, fromWireRejection);
      const filled = integer<Lots>(message.cancelled.filled, 'CancelledReport.filled');
      return { kind: 'Cancelled', ...headOf(message), venueOrderId, cause, filled };
    }
    case 'cancelRejected': {
      const rejection = rejectionOf(message.cancelRejected, 'CancelRejectedReport');
      return { kind: 'CancelRejected', ...headOf(message), rejection };
    }
    case 'statusAnswered': {
      const answer = fromWireAnswer(message.statusAnswered);
      const filled = integer<Lots>(message.statusAnswered.filled, 'StatusAnsweredReport.filled');
      return { kind: 'StatusAnswered', ...headOf(message), answer, filled };
    }
    case 'funds':
      return fromWireFunds(message, message.funds);
    case 'throttled':
      return { kind: 'Throttled', ...headOf(message) };
    case 'unreadable':
      return { kind: 'Unreadable', ...headOf(message), detail: message.unreadable.detail };
    case 'positions':
      return fromWirePositions(message, message.positions);
    case 'queryRejected':
      return fromWireQueryRejected(message, message.queryRejected);
    case 'orders':
      return fromWireOrders(message, message.orders);
    case 'candles':
      return fromWireCandles(message, message.candles);
    case 'fundingRates':
      return fromWireFundingRates(message, message.fundingRates);
    case 'link':
      return {
        kind: 'Link',
        venue: VENUE.name(message.venue, 'VenueReport.venue'),
        account: message.account === '' ? null : (message.account as AccountId),
        isUp: message.link.isUp,
        atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
      };
    case undefined:
      break;
  }
  return unknownKind('VenueReport');
}

/** The common fields of every execution report: the child and the time. */
function headOf(message: ReportMessage) {
  return {
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    orderId: integer<OrderId>(message.orderId, 'VenueReport.order_id'),
    child: message.child as ChildNumber,
    atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
  };
}

function rejectionOf(part: { rejection: sluice.v1.Rejection | null }, name: string) {
  return fromWireRejection(required(part.rejection, `${name}.rejection`));
}

function toWireAnswer(answer: OrderStatusAnswer): sluice.v1.StatusAnsweredReport.$Properties {
  const state = QUERIED_STATE.number(answer.state);
  switch (answer.state) {
    case 'UNKNOWN':
      return { state, knownSinceMs: answer.knownSinceMs };
    case 'DENIED':
      return { state, venueOrderId: answer.venueOrderId, deniedSinceMs: answer.deniedSinceMs };
    case 'OPEN':
    case 'FILLED':
      return { state, venueOrderId: answer.venueOrderId };
    case 'CANCELLED':
      return { state, venueOrderId: answer.venueOrderId, rejection: orNull(answer.cause, toWireReason) };
    case 'REJECTED':
      return { state, rejection: toWireReason(answer.rejection) };
  }
}

function fromWireAnswer(message: sluice.v1.StatusAnsweredReport): OrderStatusAnswer {
  const state = QUERIED_STATE.name(message.state, 'StatusAnsweredReport.state');
  const venueOrderId = message.venueOrderId as VenueOrderId;
  switch (state) {
    case 'UNKNOWN':
      return { state, knownSinceMs: time<EpochMs>(message.knownSinceMs, 'StatusAnsweredReport.known_since_ms') };
    case 'DENIED': {
      const deniedSinceMs = time<EpochMs>(message.deniedSinceMs, 'StatusAnsweredReport.denied_since_ms');
      return { state, venueOrderId, deniedSinceMs };
    }
    case 'OPEN':
    case 'FILLED':
      return { state, venueOrderId };
    case 'CANCELLED':
      return { state, venueOrderId, cause: orNull(message.rejection, fromWireRejection) };
    case 'REJECTED':
      return { state, rejection: fromWireRejection(required(message.rejection, 'StatusAnsweredReport.rejection')) };
  }
}
