import type { ChildOrder } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';

/** What a child is sent as: 100 lots that rest at a limit. */
export const PLAIN_CHILD = {
  side: 'BUY',
  quantity: 100 as Lots,
  type: 'LIMIT',
  timeInForce: 'GTC',
  limitPrice: 6_400_000 as Ticks,
  postOnly: false,
  reduceOnly: false,
} as const satisfies Partial<ChildOrder>;
