import type { Amount } from '../../domain/quantity.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId, CorrelationId } from '../../domain/ids.js';
import type { PositionState } from '../../domain/position.js';
import type { EpochMs } from '../../domain/time.js';
import type { AccountRequest } from '../../domain/venue-message.js';
import type { FundsReport, PositionsReport } from '../../domain/venue-report.js';
import type { ReportQueue } from '../order/reports.js';
import type { AccountRegistry } from './account-registry.js';
import type { ClosedPositions } from './closed-positions.js';
import type { FuturesPosition } from './futures-position.js';
import { backingOf, liquidationPrice, maintenanceMargin, unrealisedPnl, type MarkOf } from './margin.js';
import type { AccountChange, VenueAccount } from './venue-account.js';

export interface AccountServiceParts {
  readonly accounts: AccountRegistry;
  readonly closedPositions: ClosedPositions;
  readonly reports: ReportQueue;
  /** Mark prices at an instant. */
  readonly markAt: (atMs: EpochMs) => MarkOf;
  /** The shard that receives every change of an account. */
  readonly home: (account: AccountId, venue: Venue) => number;
}

const UNREQUESTED = 0 as CorrelationId;

/** Answers requests about accounts and reports their changes. */
export class AccountService {
  readonly #parts: AccountServiceParts;

  constructor(parts: AccountServiceParts) {
    this.#parts = parts;
  }

  handle(request: AccountRequest, origin: number, nowMs: EpochMs): void {
    const { accounts, reports, markAt } = this.#parts;
    const { account, venue, correlationId } = request;
    const found = accounts.account(account, venue);
    if (request.kind === 'QueryFunds') {
      if (origin >= 0) found.subscribers.add(origin);
      return reports.report(allFunds(found, correlationId, nowMs), origin);
    }
    reports.report(allPositions(found, correlationId, nowMs, markAt(nowMs)), origin);
  }

  /** Sends one report an account with all changes since the last turn, after the reports that caused them. */
  reportChanges(nowMs: EpochMs): void {
    const { accounts, closedPositions, reports, markAt, home } = this.#parts;
    for (const { account, change } of accounts.takeChanges()) {
      const homeShard = home(account.account, account.venue);
      if (change.balances.length > 0) {
        const report = changedFunds(account, change, nowMs);
        for (const destination of new Set([...change.audience, homeShard])) reports.report(report, destination);
      }
      if (change.positions.length > 0) {
        closedPositions.note(account, change.positions, nowMs);
        reports.report(positionsOf(account, change.positions, nowMs, markAt(nowMs)), homeShard);
      }
    }
  }
}

function allFunds(found: VenueAccount, correlationId: CorrelationId, atMs: EpochMs): FundsReport {
  const { account, venue, version } = found;
  const balances = found.balanceList();
  return { kind: 'Funds', correlationId, account, venue, atMs, isSnapshot: true, version, balances, causedBy: null };
}

function changedFunds(found: VenueAccount, { balances, causedBy }: AccountChange, atMs: EpochMs): FundsReport {
  const { account, venue, version } = found;
  const head = { correlationId: UNREQUESTED, account, venue, atMs, isSnapshot: false, version };
  return { kind: 'Funds', ...head, balances, causedBy };
}

function allPositions(
  found: VenueAccount,
  correlationId: CorrelationId,
  atMs: EpochMs,
  markOf: MarkOf,
): PositionsReport {
  const open = [...found.positions.values()].filter(({ isOpen }) => isOpen);
  return { ...positionsOf(found, open, atMs, markOf), correlationId, isSnapshot: true };
}

function positionsOf(
  found: VenueAccount,
  positions: readonly FuturesPosition[],
  atMs: EpochMs,
  markOf: MarkOf,
): PositionsReport {
  const { account, venue, version } = found;
  const states = positions.map((position) => positionState(found, position, markOf));
  const head = { correlationId: UNREQUESTED, account, venue, atMs, isSnapshot: false, version };
  return { kind: 'Positions', ...head, positions: states };
}

/** One position, valued at its mark price. */
export function positionState(account: VenueAccount, position: FuturesPosition, markOf: MarkOf): PositionState {
  const { terms, leverage } = position;
  const markPrice = markOf(terms);
  const [pnl, maintenance] = [unrealisedPnl(position, markPrice), maintenanceMargin(position, markPrice)];
  const backing = backingOf(account, terms.instrument.quote, markOf);
  const cushion = backing.equity - pnl - (backing.maintenance - maintenance);
  return {
    instrument: terms.instrument.index,
    positionSide: 'BOTH',
    net: position.net,
    isShort: position.isShort,
    cost: position.cost,
    marginMode: 'CROSS',
    leverage,
    markPrice,
    unrealisedPnl: pnl as Amount,
    initialMargin: position.margin as Amount,
    maintenanceMargin: maintenance as Amount,
    collateral: backing.equity as Amount,
    liquidationPrice: position.isOpen ? liquidationPrice(position, cushion) : null,
  };
}
