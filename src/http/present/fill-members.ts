import type { Progress, Side } from '../../model/order.js';
import {
  averagePrice,
  formatLots,
  formatTicks,
  ZERO_LOTS,
  type Grid,
  type Lots,
  type Ticks,
} from '../../model/quantity.js';

/** How far an order, or a leg of one, has come. */
export interface Filling {
  readonly side: Side;
  readonly quantity: Lots;
  readonly progress: Progress;
  readonly lastQuantity: Lots;
  readonly lastPrice: Ticks;
}

/** The members of OrderDetails that tell it, with a comma before each; `side` is left out where there is none. */
export function fillMembers(filling: Filling, grid: Grid, withSide: boolean): string {
  const { side, quantity, progress, lastQuantity, lastPrice } = filling;
  const leaves = Math.max(quantity - progress.filled, ZERO_LOTS) as Lots;
  return (
    `,"filled_quantity":${formatLots(progress.filled, grid)},"leaves_quantity":${formatLots(leaves, grid)}` +
    `${withSide ? `,"side":"${side}"` : ''},"last_quantity":${formatLots(lastQuantity, grid)}` +
    `,"last_price":${formatTicks(lastPrice, grid)}` +
    `,"average_price":${averagePrice(progress.notional, progress.filled, grid)}`
  );
}
