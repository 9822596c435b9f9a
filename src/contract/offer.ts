import type { ParentOrder, StrategyName } from '../model/order.js';

/*
 * What of the contract is not offered yet. A request for it is refused with the code of its field and told so: leaving it
 * out would trade otherwise than asked.
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
