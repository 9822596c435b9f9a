import { formatAmount, type Amount } from '../../model/amount.js';
import type { MarginMode, PositionMode } from '../../model/position.js';
import { reject, type Rejection } from '../../model/rejection.js';
import { VENUE_LISTINGS } from '../listing/index.js';
import type { Contract } from './contract.js';
import { notionalCap } from './margin-tier.js';
import { available, type MarkOf } from './valuation.js';
import type { VenueAccount } from './venue-account.js';

/** Sets the leverage, and ties up the margin that it asks for; returns why not, and then nothing has changed. */
export function setLeverage(
  account: VenueAccount,
  contract: Contract,
  leverage: number,
  markOf: MarkOf,
): Rejection | null {
  if (leverage === contract.leverage) return null;
  const refused = checkLeverage(account, contract, leverage);
  if (refused !== null) return refused;
  const { quote, symbol } = contract.terms.instrument;
  const before = contract.leverage;
  const needed = contract.needed;
  contract.leverage = leverage;
  const [more, free] = [contract.needed - needed, available(account, quote, markOf)];
  if (more > 0n && more > free) {
    contract.leverage = before;
    const text = `${formatAmount(more as Amount)} ${quote} more, free are ${formatAmount(free as Amount)}`;
    return reject('INSUFFICIENT_FUNDS', `leverage ${leverage}: what is open in ${symbol} needs ${text}`).rejection;
  }
  account.retie(contract);
  for (const [, position] of contract.open()) account.notePosition(contract, position);
  return null;
}

function checkLeverage({ venue }: VenueAccount, contract: Contract, leverage: number): Rejection | null {
  const { tiers, instrument } = contract.terms;
  const { symbol, quote } = instrument;
  const highest = Math.min(tiers[0]?.leverageMax ?? 0, VENUE_LISTINGS[venue].capabilities.leverageMax);
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > highest) {
    return reject('INVALID_PARAM', `leverage ${leverage}: ${symbol} takes 1 to ${highest}`).rejection;
  }
  if (contract.marginMode === 'ISOLATED' && !contract.isFlat) {
    return reject('INVALID_ORDER', `leverage: the ISOLATED position in ${symbol} keeps its own until it is closed`)
      .rejection;
  }
  const cap = notionalCap(tiers, leverage);
  if (cap === null || contract.exposure <= cap) return null;
  const rule = `at leverage ${leverage} it carries ${formatAmount(cap as Amount)} ${quote}`;
  return reject('QUANTITY_EXCEED', `leverage: what is open in ${symbol} is larger than that: ${rule}`).rejection;
}

export function setMarginMode(contract: Contract, marginMode: MarginMode): Rejection | null {
  if (marginMode === contract.marginMode) return null;
  const { symbol } = contract.terms.instrument;
  if (!contract.isFlat || contract.hasWaiting) {
    return reject('INVALID_ORDER', `margin mode: there is a position or an open order in ${symbol}`).rejection;
  }
  contract.marginMode = marginMode;
  return null;
}

export function setPositionMode(account: VenueAccount, positionMode: PositionMode): Rejection | null {
  if (positionMode === account.positionMode) return null;
  const { venue } = account;
  if (positionMode === 'HEDGE' && !VENUE_LISTINGS[venue].capabilities.isHedgeModeOffered) {
    return reject('INVALID_PARAM', `position mode: ${venue} does not offer HEDGE`).rejection;
  }
  const busy = [...account.contracts.values()].find((contract) => !contract.isFlat || contract.hasWaiting);
  if (busy !== undefined) {
    const { symbol } = busy.terms.instrument;
    return reject('INVALID_ORDER', `position mode: there is a position or an open order in ${symbol}`).rejection;
  }
  account.positionMode = positionMode;
  return null;
}
