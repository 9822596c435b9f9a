import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../model/ids.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { unreadableDetail, unreadableMember } from '../../model/report-text.js';
import type { AmendReport, ChildRef, ExecutionReport, VenueReport } from '../../model/venue-message.js';
import { sluice } from '../generated/messages.js';
import { fromWireAnswered, fromWireFunds, fromWirePositions, setAccountReport } from './account-report.js';
import { CodecError, unknownKind } from './codec-error.js';
import { integer, time } from './exact.js';
import { fromWireFill, toWireFill } from './fill.js';
import { fromWireCandles, fromWireFundingRates, setMarketReport } from './market-report.js';
import { bytesOf, modelOf } from './message.js';
import { fromWireOrders, toWireOrders } from './orders-listing.js';
import { orNull, required } from './presence.js';
import { fromWireAnswer, toWireAnswer } from './query-answer.js';
import { fromWireRejection, toWireReason } from './rejection.js';
import { SIDE, VENUE } from './vocabulary.js';

const wire = sluice.v1;
type ReportOfChild = Extract<VenueReport, ChildRef>;
type ReportMessage = ReturnType<typeof wire.VenueReport.decode>;

/**
 * A report on a child that has a value which cannot be written becomes an Unreadable one. Throws CodecError when any other
 * report has one.
 */
export function encodeVenueReport(report: VenueReport): Uint8Array {
  const message: sluice.v1.VenueReport.$Properties = { venue: VENUE.number(report.venue), atMs: report.atMs };
  if (report.kind === 'Link') {
    message.link = { isUp: report.isUp };
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
 * A report on a child whose values cannot be read becomes an Unreadable one, so that its order can be blamed. Throws
 * CodecError when it is not known whose report it is.
 */
export function decodeVenueReport(bytes: Uint8Array): VenueReport {
  return modelOf('VenueReport', wire.VenueReport, fromAnyReport, bytes);
}

/** Returns null for a report that `decodeVenueReport` cannot read, and calls `onUnreadable` with the error. */
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
  return report.kind !== 'Amended' && report.kind !== 'AmendRejected' && report.kind !== 'Held';
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
    case 'QueryAnswered':
      message.queryAnswered = { ...toWireAnswer(report.answer), filled: report.filled };
      return;
    case 'Amended': {
      const { venueOrderId, quantity, limitPrice } = report;
      message.amended = { venueOrderId, quantity, limitPrice };
      return;
    }
    case 'AmendRejected':
      message.amendRejected = { rejection: toWireReason(report.rejection) };
      return;
    case 'Held':
      message.held = {};
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
      const { side } = message.filled;
      const filled = { kind: 'Filled', ...headOf(message), fill } as const;
      return side === null ? filled : { ...filled, side: SIDE.name(side, 'FilledReport.side') };
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
    case 'queryAnswered': {
      const answer = fromWireAnswer(message.queryAnswered);
      const filled = integer<Lots>(message.queryAnswered.filled, 'QueryAnsweredReport.filled');
      return { kind: 'QueryAnswered', ...headOf(message), answer, filled };
    }
    case 'funds':
      return fromWireFunds(message, message.funds);
    case 'amended':
      return fromWireAmended(message, message.amended);
    case 'amendRejected': {
      const rejection = rejectionOf(message.amendRejected, 'AmendRejectedReport');
      return { kind: 'AmendRejected', ...headOf(message), rejection };
    }
    case 'held':
      return { kind: 'Held', ...headOf(message) };
    case 'unreadable':
      return { kind: 'Unreadable', ...headOf(message), detail: message.unreadable.detail };
    case 'positions':
      return fromWirePositions(message, message.positions);
    case 'accountAnswered':
      return fromWireAnswered(message, message.accountAnswered);
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
        isUp: message.link.isUp,
        atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
      };
    case undefined:
      break;
  }
  return unknownKind('VenueReport');
}

function fromWireAmended(message: ReportMessage, amended: sluice.v1.AmendedReport): AmendReport {
  const quantity = integer<Lots>(amended.quantity, 'AmendedReport.quantity');
  const limitPrice = integer<Ticks>(amended.limitPrice, 'AmendedReport.limit_price');
  const venueOrderId = amended.venueOrderId as VenueOrderId;
  return { kind: 'Amended', ...headOf(message), venueOrderId, quantity, limitPrice };
}

/** What every execution report begins with: the child it is about, and when. */
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
