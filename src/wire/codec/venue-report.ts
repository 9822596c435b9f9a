import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../model/ids.js';
import type { EpochMs } from '../../model/time.js';
import type { ExecutionReport, FundsReport, VenueReport } from '../../model/venue-message.js';
import { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
import { bigInteger, integer, integerOrNull, integerText, time } from './exact.js';
import { fromWireFill, toWireFill } from './fill.js';
import { bytesOf, modelOf } from './message.js';
import { orNull, required } from './presence.js';
import { fromWireAnswer, toWireAnswer } from './query-answer.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { VENUE } from './vocabulary.js';

const wire = sluice.v1;
type ReportMessage = ReturnType<typeof wire.VenueReport.decode>;

export function encodeVenueReport(report: VenueReport): Uint8Array {
  const message: sluice.v1.VenueReport.$Properties = {
    account: report.account,
    venue: VENUE.number(report.venue),
    atMs: report.atMs,
  };
  if (report.kind === 'Funds') message.funds = toWireFunds(report);
  else setExecution(message, report);
  return bytesOf(wire.VenueReport, message);
}

export function decodeVenueReport(bytes: Uint8Array): VenueReport {
  return modelOf('VenueReport', wire.VenueReport, fromWireReport, bytes);
}

function setExecution(message: sluice.v1.VenueReport.$Properties, report: ExecutionReport): void {
  message.orderId = report.orderId;
  message.child = report.child;
  switch (report.kind) {
    case 'Accepted':
      message.accepted = { venueOrderId: report.venueOrderId };
      return;
    case 'Rejected':
      message.rejected = { rejection: toWireRejection(report.rejection) };
      return;
    case 'Filled':
      message.filled = { fill: toWireFill(report.fill) };
      return;
    case 'Cancelled':
      message.cancelled = { venueOrderId: report.venueOrderId, cause: orNull(report.cause, toWireRejection) };
      return;
    case 'CancelRejected':
      message.cancelRejected = { rejection: toWireRejection(report.rejection) };
      return;
    case 'QueryAnswered':
      message.queryAnswered = toWireAnswer(report.answer);
      return;
    default:
      report satisfies never;
  }
}

function toWireFunds(report: FundsReport): sluice.v1.FundsReport.$Properties {
  return {
    correlationId: report.correlationId,
    isSnapshot: report.isSnapshot,
    version: report.version,
    balances: report.balances.map(({ asset, total, free }) => ({
      asset,
      total: integerText(total),
      free: integerText(free),
    })),
    causedBy: report.causedBy,
  };
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
      return { kind: 'Filled', ...headOf(message), fill };
    }
    case 'cancelled': {
      const venueOrderId = message.cancelled.venueOrderId as VenueOrderId;
      const cause = orNull(message.cancelled.cause, fromWireRejection);
      return { kind: 'Cancelled', ...headOf(message), venueOrderId, cause };
    }
    case 'cancelRejected': {
      const rejection = rejectionOf(message.cancelRejected, 'CancelRejectedReport');
      return { kind: 'CancelRejected', ...headOf(message), rejection };
    }
    case 'queryAnswered':
      return { kind: 'QueryAnswered', ...headOf(message), answer: fromWireAnswer(message.queryAnswered) };
    case 'funds':
      return fromWireFunds(message, message.funds);
    case undefined:
      break;
  }
  return unknownKind('VenueReport');
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

function fromWireFunds(message: ReportMessage, funds: sluice.v1.FundsReport): FundsReport {
  return {
    kind: 'Funds',
    correlationId: integer(funds.correlationId, 'FundsReport.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    atMs: time(message.atMs, 'VenueReport.at_ms'),
    isSnapshot: funds.isSnapshot,
    version: integer(funds.version, 'FundsReport.version'),
    balances: funds.balances.map(({ asset, total, free }) => ({
      asset,
      total: bigInteger(total, 'AssetBalance.total'),
      free: bigInteger(free, 'AssetBalance.free'),
    })),
    causedBy: integerOrNull(funds.causedBy, 'FundsReport.caused_by'),
  };
}
