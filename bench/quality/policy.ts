import type { Strategy } from '../../src/strategy/strategy.js';
import type { StrategyName, TradingStyle } from '../../src/domain/order.js';
import {
  BOUNDED_CATCH_UP,
  EVEN_MAKER,
  EVEN_TAKER,
  FLOORED_SLICES,
  FRONT_LOADED,
  MARKET_AT_ONCE,
  PASSIVE_AT_TOUCH,
  RANDOM_TIMES,
} from './baselines.js';

/** A way of working an order. */
export interface Policy {
  readonly name: string;
  readonly strategy: StrategyName;
  readonly style: TradingStyle;
  /** True: with the gate against book imbalance. */
  readonly hasImbalanceGate: boolean;
  /** Strategy of a published rule; null: the service's own strategy. */
  readonly baseline: Strategy | null;
  /** Rules of one family do nearly the same. They are reported as one where their costs agree. */
  readonly family: string | null;
}

/** A strategy of the service in a style. */
export const own = (strategy: StrategyName, style: TradingStyle, hasImbalanceGate = false): Policy => {
  const name = `${strategy} ${style}${hasImbalanceGate ? ' gated' : ''}`;
  return { name, strategy, style, hasImbalanceGate, baseline: null, family: null };
};

const published = (name: string, baseline: Strategy, family: string | null = null): Policy => {
  return { name, strategy: 'TWAP', style: 'HYBRID', hasImbalanceGate: false, baseline, family };
};

export const HYBRID = own('TWAP', 'HYBRID');
export const AGGRESSIVE = own('TWAP', 'AGGRESSIVE');
export const PASSIVE = own('TWAP', 'PASSIVE');
export const GATED_HYBRID = own('TWAP', 'HYBRID', true);
export const GATED_PASSIVE = own('TWAP', 'PASSIVE', true);

const TAKER_TWAPS = 'taker TWAPs';

export const BASELINES: readonly Policy[] = [
  published('market order', MARKET_AT_ONCE),
  published('passive at touch', PASSIVE_AT_TOUCH),
  published('dYdX, Pacifica TWAP', BOUNDED_CATCH_UP, TAKER_TWAPS),
  published('hummingbot TWAP taker', EVEN_TAKER, TAKER_TWAPS),
  published('hummingbot TWAP maker', EVEN_MAKER),
  published('nautilus TWAP', FLOORED_SLICES, TAKER_TWAPS),
  published('front-loaded', FRONT_LOADED),
  published('random times', RANDOM_TIMES),
];

/** Policies that the questions compare. */
export const COMPARED: readonly Policy[] = [PASSIVE, HYBRID, AGGRESSIVE, GATED_PASSIVE, GATED_HYBRID, ...BASELINES];

export const POLICIES: readonly Policy[] = [
  PASSIVE,
  HYBRID,
  AGGRESSIVE,
  own('VWAP', 'HYBRID'),
  own('POV', 'HYBRID'),
  own('IS', 'HYBRID'),
  own('ICEBERG', 'HYBRID'),
  GATED_PASSIVE,
  GATED_HYBRID,
  ...BASELINES,
];
