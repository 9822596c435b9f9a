import type { Strategy } from '../model/intent.js';
import type { StrategyName } from '../model/order.js';
import { LIMIT } from './limit.js';
import { MARKET } from './market.js';
import { TWAP } from './twap.js';

const STRATEGIES: ReadonlyMap<StrategyName, Strategy> = new Map(
  [TWAP, LIMIT, MARKET].map((strategy) => [strategy.name, strategy]),
);

/** The strategy of that name; null while it is not offered. */
export function strategyFor(name: StrategyName): Strategy | null {
  return STRATEGIES.get(name) ?? null;
}
