import { scaled, type HedgeDeficit } from '../../domain/pair-balance.js';
import { otherLeg } from '../../domain/pair.js';
import type { Lots } from '../../domain/quantity.js';
import { farTouch, isWithinLimit, minimumAt, reached } from '../placement/child.js';
import type { LegSight } from './pair-view.js';

/** Two legs at the end of their order. The deficit of one leg is below the minimum of its venue. */
export interface UnevenLegs {
  readonly ahead: LegSight;
  readonly behind: LegSight;
  readonly short: HedgeDeficit;
  /** Maximum tolerance of the leg behind beyond the far touch, in units of 10^-6. */
  readonly reachPpm: number;
}

/**
 * Returns the lots that the leg ahead must still trade so that the leg behind can follow: the smallest quantity that
 * both venues accept within the order's leaves. Each leg keeps its side. null: there is no such quantity.
 *
 *     ahead   ├──── filled ────┤+ x ┤            x lots
 *     behind  ├─ filled ─┤ rest + h·x ┤          not below the minimum
 */
export function residualHedge({ ahead, behind, short, reachPpm }: UnevenLegs): HedgeDeficit | null {
  // Working children may still fill.
  if (behind.childCount > 0 || ahead.working > ahead.taking) return null;
  const [least, leastAhead] = [leastWithin(behind, reachPpm), leastWithin(ahead, reachPpm)];
  const [whole, wholeBehind] = [ahead.traded.quantity, behind.traded.quantity];
  const needed = scaled(behind.filled + least, wholeBehind, whole) + 1 - ahead.filled;
  const wanted = Math.min(whole, ahead.filled + Math.max(needed, leastAhead)) as Lots;
  const lots = (wanted - ahead.filled) as Lots;
  if (lots < leastAhead || scaled(wanted, whole, wholeBehind) - behind.filled < least) return null;
  return { leg: otherLeg(short.leg), wanted, lots };
}

/** True when both touches show enough lots for the residual hedge and its counterpart. */
export function isToBeHad({ ahead, behind, short }: UnevenLegs, more: HedgeDeficit): boolean {
  const [whole, wholeBehind] = [ahead.traded.quantity, behind.traded.quantity];
  const owed = scaled(more.wanted, whole, wholeBehind) - behind.filled;
  return canTake(ahead, more.lots) && canTake(behind, Math.max(owed, short.lots));
}

/** Minimum quantity of the venue at any price from the far touch to the maximum tolerance. */
export function leastWithin({ instrument, market, traded }: LegSight, reachPpm: number): Lots {
  const touch = market === null ? 0 : farTouch(traded.side, market);
  if (touch === 0) return instrument.quantityMin;
  return minimumAt(instrument, traded.side === 'BUY' ? touch : reached(traded.side, touch, reachPpm));
}

/** Lots at the far touch. 0: unknown. */
export function standingAt({ market, traded }: LegSight): number {
  if (market === null) return 0;
  return traded.side === 'BUY' ? market.askQuantity : market.bidQuantity;
}

function canTake(leg: LegSight, lots: number): boolean {
  const { market, traded } = leg;
  return market !== null && standingAt(leg) >= lots && isWithinLimit(traded, farTouch(traded.side, market));
}
