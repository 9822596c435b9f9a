import type { AccountId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { PositionState } from '../../domain/position.js';
import type { EpochMs } from '../../domain/time.js';
import type { AccountRequest, QueryRejectedReport } from '../../domain/venue-message.js';
import type { AccountReport, FundsReport, PositionsReport } from '../../domain/venue-report.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerOrNull, integerText, required, time } from './message.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { MARGIN_MODE, POSITION_SIDE, VENUE } from './enums.js';

type ReportMessage = ReturnType<typeof sluice.v1.VenueReport.decode>;

/** Sets the fields of an account report. The caller sets account, venue and time. */
export function setAccountReport(message: sluice.v1.VenueReport.$Properties, report: AccountReport): void {
  switch (report.kind) {
    case 'Funds':
      message.funds = toWireFunds(report);
      return;
    case 'Positions':
      message.positions = toWirePositions(report);
      return;
    case 'QueryRejected': {
      const { correlationId, rejection } = report;
      message.queryRejected = { correlationId, rejection: toWireRejection(rejection) };
      return;
    }
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

function toWirePositions(report: PositionsReport): sluice.v1.PositionsReport.$Properties {
  return {
    correlationId: report.correlationId,
    isSnapshot: report.isSnapshot,
    version: report.version,
    positions: report.positions.map(toWirePosition),
  };
}

export function fromWireFunds(message: ReportMessage, funds: sluice.v1.FundsReport): FundsReport {
  return {
    kind: 'Funds',
    ...headOf(message, funds, 'FundsReport'),
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

export function fromWirePositions(message: ReportMessage, positions: sluice.v1.PositionsReport): PositionsReport {
  return {
    kind: 'Positions',
    ...headOf(message, positions, 'PositionsReport'),
    isSnapshot: positions.isSnapshot,
    version: integer(positions.version, 'PositionsReport.version'),
    positions: positions.positions.map(fromWirePosition),
  };
}

export function fromWireQueryRejected(
  message: ReportMessage,
  rejected: sluice.v1.QueryRejectedReport,
): QueryRejectedReport {
  const rejection = fromWireRejection(required(rejected.rejection, 'QueryRejectedReport.rejection'));
  return { kind: 'QueryRejected', ...headOf(message, rejected, 'QueryRejectedReport'), rejection };
}

/** The common fields of every account report. */
function headOf(message: ReportMessage, part: { readonly correlationId: number }, name: string) {
  return {
    correlationId: integer<AccountReport['correlationId']>(part.correlationId, `${name}.correlation_id`),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
  };
}

type RequestMessage = ReturnType<typeof sluice.v1.VenueRequest.decode>;
/** The fields of an account request. The caller sets account and venue. */
export function toWireAccountRequest(request: AccountRequest): sluice.v1.VenueRequest.$Properties {
  const { correlationId } = request;
  return request.kind === 'QueryFunds' ? { queryFunds: { correlationId } } : { queryPositions: { correlationId } };
}

/** Account, venue and correlation id of an account request. */
export function accountRefOf(message: RequestMessage, { correlationId }: { readonly correlationId: number }) {
  return {
    correlationId: integer<AccountRequest['correlationId']>(correlationId, 'VenueRequest.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
  };
}

export function toWirePosition(position: PositionState): sluice.v1.PositionState.$Properties {
  return {
    instrument: position.instrument,
    positionSide: POSITION_SIDE.number(position.positionSide),
    net: position.net,
    isShort: position.isShort,
    cost: integerText(position.cost),
    marginMode: MARGIN_MODE.number(position.marginMode),
    leverage: position.leverage,
    markPrice: position.markPrice,
    unrealisedPnl: integerText(position.unrealisedPnl),
    initialMargin: integerText(position.initialMargin),
    maintenanceMargin: integerText(position.maintenanceMargin),
    collateral: integerText(position.collateral),
    liquidationPrice: position.liquidationPrice,
  };
}

export function fromWirePosition(message: sluice.v1.PositionState): PositionState {
  return {
    instrument: message.instrument as InstrumentIndex,
    positionSide: POSITION_SIDE.name(message.positionSide, 'PositionState.position_side'),
    net: integer(message.net, 'PositionState.net'),
    isShort: message.isShort,
    cost: bigInteger(message.cost, 'PositionState.cost'),
    marginMode: MARGIN_MODE.name(message.marginMode, 'PositionState.margin_mode'),
    leverage: message.leverage,
    markPrice: integer(message.markPrice, 'PositionState.mark_price'),
    unrealisedPnl: bigInteger(message.unrealisedPnl, 'PositionState.unrealised_pnl'),
    initialMargin: bigInteger(message.initialMargin, 'PositionState.initial_margin'),
    maintenanceMargin: bigInteger(message.maintenanceMargin, 'PositionState.maintenance_margin'),
    collateral: bigInteger(message.collateral, 'PositionState.collateral'),
    liquidationPrice: integerOrNull(message.liquidationPrice, 'PositionState.liquidation_price'),
  };
}
