import type { Strategy } from '../../src/model/intent.js';
import type { StrategyName, TradingStyle } from '../../src/model/order.js';
import { BOUNDED_CATCH_UP } from '../baseline/bounded-catch-up.js';
import { EVEN_MAKER } from '../baseline/even-maker.js';
import { EVEN_TAKER } from '../baseline/even-taker.js';
import { FLOORED_SLICES } from '../baseline/floored-slices.js';
import { MARKET_AT_ONCE } from '../baseline/market-at-once.js';
import { PASSIVE_AT_TOUCH } from '../baseline/passive-at-touch.js';

/** A way to work an order that is compared with others. */
export interface Policy {
  readonly name: string;
  readonly strategy: StrategyName;
  readonly style: TradingStyle;
  /** True for one that withdraws from a book that leans against it. */
  readonly isWary: boolean;
  /** How a published rule works it; null: the service's own strategy. */
  readonly baseline: Strategy | null;
}

const own = (strategy: StrategyName, style: TradingStyle, isWary = false): Policy => {
  const name = `${strategy} ${style}${isWary ? ' wary' : ''}`;
  return { name, strategy, style, isWary, baseline: null };
};

const published = (name: string, baseline: Strategy): Policy => {
  return { name, strategy: 'TWAP', style: 'HYBRID', isWary: false, baseline };
};

export const HYBRID = own('TWAP', 'HYBRID');
export const AGGRESSIVE = own('TWAP', 'AGGRESSIVE');
export const PASSIVE = own('TWAP', 'PASSIVE');
export const WARY_HYBRID = own('TWAP', 'HYBRID', true);
export const WARY_PASSIVE = own('TWAP', 'PASSIVE', true);

export const BASELINES: readonly Policy[] = [
  published('market order', MARKET_AT_ONCE),
  published('passive at touch', PASSIVE_AT_TOUCH),
  published('dYdX, Pacifica TWAP', BOUNDED_CATCH_UP),
  published('hummingbot TWAP taker', EVEN_TAKER),
  published('hummingbot TWAP maker', EVEN_MAKER),
  published('nautilus TWAP', FLOORED_SLICES),
];

export const POLICIES: readonly Policy[] = [
  PASSIVE,
  HYBRID,
  AGGRESSIVE,
  own('VWAP', 'HYBRID'),
  own('POV', 'HYBRID'),
  own('IS', 'HYBRID'),
  own('ICEBERG', 'HYBRID'),
  WARY_PASSIVE,
  WARY_HYBRID,
  ...BASELINES,
];
