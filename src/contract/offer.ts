import { STRATEGY_NAMES, type ParentOrder, type StrategyName } from '../model/order.js';

/*
 * What of the contract is not offered yet. A request for it is refused with the code of its field and told so: leaving it
 * out would trade otherwise than asked. The documents take their words from here too.
 */

export const STRATEGIES_OFFERED: readonly StrategyName[] = ['TWAP', 'LIMIT', 'MARKET'];

type Gate = 'would' | 'trigger' | 'placement' | 'imbalanceThresholdPpm' | 'priceLockBps';

/** By their names in an order, and in OrderParams. */
export const PARAMS_NOT_OFFERED: readonly (readonly [Gate & keyof ParentOrder, string])[] = [
  ['would', 'would'],
  ['trigger', 'trigger'],
  ['placement', 'placement_infos'],
  ['imbalanceThresholdPpm', 'ob_imbalance_cancel'],
  ['priceLockBps', 'price_lock_bps'],
];

/** What the description of a field of OrderParams ends with; '' when it is offered. */
export function offerOfParam(field: string): string {
  const isOffered = PARAMS_NOT_OFFERED.every(([, name]) => name !== field);
  return isOffered ? '' : ' Not offered yet: refused with INVALID_PARAM.';
}

/** What the description of `strategy` ends with; '' when all are offered. */
export function offerOfStrategies(): string {
  const coming = STRATEGY_NAMES.filter((name) => !STRATEGIES_OFFERED.includes(name));
  if (coming.length === 0) return '';
  return ` Not offered yet, and refused with INVALID_TRADE_STRATEGY: ${coming.join(', ')}.`;
}
