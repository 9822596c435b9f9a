import type { AccountId } from '../../model/ids.js';
import type { AccountAnswer, AccountReport, FundsReport, PositionsReport } from '../../model/venue-message.js';
import type { EpochMs } from '../../model/time.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerOrNull, integerText, time } from './exact.js';
import { fromWirePosition, toWirePosition } from './position-state.js';
import { orNull } from './presence.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { POSITION_MODE, VENUE } from './vocabulary.js';

type ReportMessage = ReturnType<typeof sluice.v1.VenueReport.decode>;

/** Sets what of a message an account report adds to account, venue and time. */
export function setAccountReport(message: sluice.v1.VenueReport.$Properties, report: AccountReport): void {
  switch (report.kind) {
    case 'Funds':
      message.funds = toWireFunds(report);
      return;
    case 'Positions':
      message.positions = toWirePositions(report);
      return;
    case 'AccountAnswered': {
      const { correlationId, rejection } = report;
      message.accountAnswered = { correlationId, rejection: orNull(rejection, toWireRejection) };
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
    positionMode: POSITION_MODE.number(report.positionMode),
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
    positionMode: POSITION_MODE.name(positions.positionMode, 'PositionsReport.position_mode'),
    positions: positions.positions.map(fromWirePosition),
  };
}

export function fromWireAnswered(message: ReportMessage, answered: sluice.v1.AccountAnsweredReport): AccountAnswer {
  const rejection = orNull(answered.rejection, fromWireRejection);
  return { kind: 'AccountAnswered', ...headOf(message, answered, 'AccountAnsweredReport'), rejection };
}

/** What every account report begins with. */
function headOf(message: ReportMessage, part: { readonly correlationId: number }, name: string) {
  return {
    correlationId: integer<AccountReport['correlationId']>(part.correlationId, `${name}.correlation_id`),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
  };
}
