import type { Strategy } from '../../src/model/intent.js';
import type { ParentOrder } from '../../src/model/order.js';
import { strategyFor } from '../../src/strategy/registry.js';

/** The strategies that are offered; some orders look at the book and at volumes, whether theirs needs them or not. */
export function curiousStrategyFor(order: ParentOrder): Strategy | null {
  const strategy = strategyFor(order);
  if (strategy === null) return null;
  const depth = strategy.needs?.depth === true || order.orderId % 3 === 0;
  const profile = strategy.needs?.profile === true || order.orderId % 5 === 0;
  return { ...strategy, needs: { depth, profile } };
}
