import type { MarketCondition } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';

/** What the market must come to before the order may trade: its last price, as the service sees it; null: nothing. */
export function triggerOf({ trigger }: ParentOrder): MarketCondition | null {
  if (trigger === null) return null;
  const { price, condition } = trigger;
  return { field: 'last', at: condition === 'ABOVE' ? 'or above' : 'or below', bound: price };
}
