import type { Amount } from '../../model/amount.js';
import type { CorrelationId } from '../../model/ids.js';
import type { PositionState } from '../../model/position.js';
import type { EpochMs } from '../../model/time.js';
import type { FundsReport, PositionsReport } from '../../model/venue-message.js';
import type { Contract } from './contract.js';
import { liquidationPrice } from './liquidation-price.js';
import type { Position } from './position.js';
import { crossBacking, isolatedBacking, maintenanceMargin, unrealisedPnl, type MarkOf } from './valuation.js';
import type { AccountChange, VenueAccount } from './venue-account.js';

/** Of a report that nobody asked for. */
const UNASKED = 0 as CorrelationId;

export interface NewsDate {
  readonly atMs: EpochMs;
  readonly markOf: MarkOf;
}

/** All balances of an account. */
export function allFunds(found: VenueAccount, correlationId: CorrelationId, atMs: EpochMs): FundsReport {
  const { account, venue, version } = found;
  const balances = found.balanceList();
  return { kind: 'Funds', correlationId, account, venue, atMs, isSnapshot: true, version, balances, causedBy: null };
}

export function changedFunds(found: VenueAccount, { balances, causedBy }: AccountChange, atMs: EpochMs): FundsReport {
  const { account, venue, version } = found;
  const head = { correlationId: UNASKED, account, venue, atMs, isSnapshot: false, version };
  return { kind: 'Funds', ...head, balances, causedBy };
}

/** All open positions of an account. */
export function allPositions(found: VenueAccount, correlationId: CorrelationId, date: NewsDate): PositionsReport {
  const contracts = [...found.contracts.values()];
  const open = contracts.flatMap((contract) => contract.open().map(([, position]) => [position, contract] as const));
  return { ...positionsOf(found, open, date), correlationId, isSnapshot: true };
}

export function changedPositions(found: VenueAccount, { positions }: AccountChange, date: NewsDate): PositionsReport {
  return positionsOf(found, positions, date);
}

function positionsOf(
  found: VenueAccount,
  positions: AccountChange['positions'],
  { atMs, markOf }: NewsDate,
): PositionsReport {
  const { account, venue, version, positionMode } = found;
  const states = positions.map(([position, contract]) => positionState(found, contract, position, markOf));
  const head = { correlationId: UNASKED, account, venue, atMs, isSnapshot: false, version };
  return { kind: 'Positions', ...head, positionMode, positions: states };
}

/** One position, valued at its mark price. */
export function positionState(
  account: VenueAccount,
  contract: Contract,
  position: Position,
  markOf: MarkOf,
): PositionState {
  const { terms, marginMode, leverage } = contract;
  const mark = markOf(terms);
  const [unrealised, maintenance] = [unrealisedPnl(position, terms, mark), maintenanceMargin(position, terms, mark)];
  const together = marginMode === 'CROSS' ? contract.open().map(([, each]) => each) : [position];
  const backing =
    marginMode === 'CROSS'
      ? crossBacking(account, terms.instrument.quote, markOf)
      : isolatedBacking(position, terms, mark);
  const ownPnl = together.reduce((sum, each) => sum + unrealisedPnl(each, terms, mark), 0n);
  const ownMaintenance = together.reduce((sum, each) => sum + maintenanceMargin(each, terms, mark), 0n);
  const cushion = backing.equity - ownPnl - (backing.maintenance - ownMaintenance);
  return {
    instrument: terms.instrument.index,
    positionSide: contract.sideOf(position),
    net: position.net,
    isShort: position.isShort,
    cost: position.cost,
    marginMode,
    leverage,
    markPrice: mark,
    unrealisedPnl: unrealised as Amount,
    initialMargin: position.margin as Amount,
    maintenanceMargin: maintenance as Amount,
    collateral: backing.equity as Amount,
    liquidationPrice: position.isOpen ? liquidationPrice({ terms, positions: together, cushion }) : null,
  };
}
