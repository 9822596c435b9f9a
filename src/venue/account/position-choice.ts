import type { Side } from '../../model/order.js';
import type { PositionMode, PositionSide } from '../../model/position.js';
import type { Position } from './position.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

interface Intent {
  readonly side: Side;
  readonly reduceOnly: boolean;
}

/**
 * Which position an order is about. With a long and a short one side by side, the side and reduce-only say it together:
 *
 *                  opens           reduces (reduce-only)
 *     BUY          LONG            SHORT
 *     SELL         SHORT           LONG
 */
export function positionSideOf(mode: PositionMode, { side, reduceOnly }: Intent): PositionSide {
  if (mode === 'ONE_WAY') return 'BOTH';
  return (side === 'BUY') === reduceOnly ? 'SHORT' : 'LONG';
}

export function positionOf(account: VenueAccount, terms: TradingTerms, intent: Intent): Position {
  return account.contract(terms).positions[positionSideOf(account.positionMode, intent)];
}
