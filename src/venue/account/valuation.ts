import type { Ticks } from '../../model/quantity.js';
import { magnitude, type Contract } from './contract.js';
import { maintenanceOf } from './margin-tier.js';
import type { Position } from './position.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

/** Mark price of a future at one instant. */
export type MarkOf = (terms: TradingTerms) => Ticks;

/** Money behind positions and what must at least be there, as counts of 10^-18: below it the venue liquidates. */
export interface Backing {
  readonly equity: bigint;
  readonly maintenance: bigint;
}

/** Profit if the position were closed at the mark price, as a count of 10^-18 of the quote currency. */
export function unrealisedPnl({ net, cost }: Position, { notionalUnit }: TradingTerms, mark: Ticks): bigint {
  return (BigInt(net) * BigInt(mark) - cost) * notionalUnit;
}

/** Value of the position at the mark price, without its sign; a count of 10^-18. */
export function notionalAt({ net }: Position, { notionalUnit }: TradingTerms, mark: Ticks): bigint {
  return magnitude(BigInt(net) * BigInt(mark)) * notionalUnit;
}

export function maintenanceMargin(position: Position, terms: TradingTerms, mark: Ticks): bigint {
  return maintenanceOf(terms.tiers, notionalAt(position, terms, mark));
}

/**
 * What stands behind all CROSS positions settled in an asset: the balance, but for the margin of ISOLATED positions, and
 * the profit of the CROSS ones. What orders tie up counts: a liquidation cancels them first.
 */
export function crossBacking(account: VenueAccount, asset: string, markOf: MarkOf): Backing {
  let equity: bigint = account.total(asset);
  let maintenance = 0n;
  for (const contract of contractsIn(account, asset)) {
    const { terms, marginMode } = contract;
    for (const [, position] of contract.open()) {
      if (marginMode === 'ISOLATED') equity -= position.margin;
      else {
        const mark = markOf(terms);
        equity += unrealisedPnl(position, terms, mark);
        maintenance += maintenanceMargin(position, terms, mark);
      }
    }
  }
  return { equity, maintenance };
}

export function isolatedBacking(position: Position, terms: TradingTerms, mark: Ticks): Backing {
  return {
    equity: position.margin + unrealisedPnl(position, terms, mark),
    maintenance: maintenanceMargin(position, terms, mark),
  };
}

/** What may be spent or tied up: what is free, less the loss that CROSS positions have run up so far. */
export function available(account: VenueAccount, asset: string, markOf: MarkOf): bigint {
  let profit = 0n;
  for (const contract of contractsIn(account, asset)) {
    if (contract.marginMode !== 'CROSS') continue;
    for (const [, position] of contract.open())
      profit += unrealisedPnl(position, contract.terms, markOf(contract.terms));
  }
  const free = account.free(asset);
  return profit < 0n ? free + profit : free;
}

/** Whether the whole balance of the asset stands behind an open position. */
export function hasCrossPosition(account: VenueAccount, asset: string): boolean {
  return contractsIn(account, asset).some(({ marginMode, isFlat }) => marginMode === 'CROSS' && !isFlat);
}

/** The futures of the account that are settled in an asset. */
export function contractsIn(account: VenueAccount, asset: string): Contract[] {
  return [...account.contracts.values()].filter(({ terms }) => terms.instrument.quote === asset);
}
