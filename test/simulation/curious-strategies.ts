import type { ParentOrder } from '../../src/domain/order.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { strategyFor } from '../../src/strategy/registry.js';

/**
 * The strategies of the service. Some orders read the book and the volumes even if their strategy does not need them.
 */
export function curiousStrategyFor(order: ParentOrder): Strategy | null {
  const strategy = strategyFor(order);
  if (strategy === null) return null;
  const depth = strategy.needs?.depth === true || order.orderId % 3 === 0;
  const profile = strategy.needs?.profile === true || order.orderId % 5 === 0;
  return { ...strategy, needs: { depth, profile } };
}
