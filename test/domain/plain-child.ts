import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';

/** A child order of 100 lots that rests at a limit. */
export const PLAIN_CHILD = {
  side: 'BUY',
  quantity: 100 as Lots,
  type: 'LIMIT',
  timeInForce: 'GTC',
  limitPrice: 6_400_000 as Ticks,
  postOnly: false,
  reduceOnly: false,
} as const satisfies Partial<ChildOrder>;
