import { scaled, type Shortfall } from '../../model/pair-balance.js';
import type { Lots } from '../../model/quantity.js';
import { farTouch, minimumAt, reached } from '../placement.js';
import { isInside } from './hedge-price.js';
import type { LegSight } from './pair-view.js';

/** Two legs at the end of their order, one of them behind by less than its venue takes. */
export interface UnevenLegs {
  readonly ahead: LegSight;
  readonly behind: LegSight;
  readonly short: Shortfall;
  /** How far beyond the far touch the leg behind may reach, in units of 10^-6. */
  readonly reachPpm: number;
}

/**
 * What the leg that is ahead must still trade so that the other can be brought level with it: the least that both venues
 * take, of what is left of the order. It is on the order's own sides: nothing is ever sold back. null: there is no such
 * quantity.
 *
 *     ahead   ├──── filled ────┤+ x ┤            x lots
 *     behind  ├─ filled ─┤ rest + h·x ┤          so that this is not below the minimum
 */
export function toppingUp({ ahead, behind, short, reachPpm }: UnevenLegs): Shortfall | null {
  // What is still in the book may fill by itself.
  if (behind.childCount > 0 || ahead.working > ahead.taking) return null;
  const [least, leastAhead] = [leastWithin(behind, reachPpm), leastWithin(ahead, reachPpm)];
  const [whole, wholeBehind] = [ahead.traded.quantity, behind.traded.quantity];
  const needed = scaled(behind.filled + least, wholeBehind, whole) + 1 - ahead.filled;
  const wanted = Math.min(whole, ahead.filled + Math.max(needed, leastAhead)) as Lots;
  const lots = (wanted - ahead.filled) as Lots;
  if (lots < leastAhead || scaled(wanted, whole, wholeBehind) - behind.filled < least) return null;
  return { ofFollower: !short.ofFollower, wanted, lots };
}

/** True when both legs can be taken at once to where the leg that is ahead would be by then. */
export function isToBeHad({ ahead, behind, short }: UnevenLegs, more: Shortfall): boolean {
  const [whole, wholeBehind] = [ahead.traded.quantity, behind.traded.quantity];
  const owed = scaled(more.wanted, whole, wholeBehind) - behind.filled;
  return canTake(ahead, more.lots) && canTake(behind, Math.max(owed, short.lots));
}

/** The least that the leg's venue takes at any price from the far touch to as far as it may reach. */
export function leastWithin({ instrument, market, traded }: LegSight, reachPpm: number): Lots {
  const touch = market === null ? 0 : farTouch(traded.side, market);
  if (touch === 0) return instrument.quantityMin;
  return minimumAt(instrument, traded.side === 'BUY' ? touch : reached(traded.side, touch, reachPpm));
}

/** Lots at the far touch; 0 while the market tells none. */
export function standingAt({ market, traded }: LegSight): number {
  if (market === null) return 0;
  return traded.side === 'BUY' ? market.askQuantity : market.bidQuantity;
}

function canTake(leg: LegSight, lots: number): boolean {
  const { market, traded } = leg;
  return market !== null && standingAt(leg) >= lots && isInside(traded, farTouch(traded.side, market));
}
