import type { Strategy } from '../model/intent.js';
import { isGated, type ParentOrder, type StrategyName } from '../model/order.js';
import { gated } from './gates.js';
import { ICEBERG } from './iceberg.js';
import { IS } from './is.js';
import { LIMIT } from './limit.js';
import { MARKET } from './market.js';
import { POV } from './pov.js';
import { SCALE } from './scale.js';
import { TWAP } from './twap.js';
import { VWAP } from './vwap.js';

const OFFERED: readonly Strategy[] = [TWAP, VWAP, ICEBERG, POV, MARKET, LIMIT, IS, SCALE];
const PLAIN: ReadonlyMap<StrategyName, Strategy> = new Map(OFFERED.map((one) => [one.name, one]));
const GATED: ReadonlyMap<StrategyName, Strategy> = new Map(OFFERED.map((one) => [one.name, gated(one)]));

/** How the order is worked; null while its strategy is not offered. */
export function strategyFor(order: ParentOrder): Strategy | null {
  return (isGated(order) ? GATED : PLAIN).get(order.strategy) ?? null;
}
