import type { StrategyName } from '../model/order.js';

/*
 * What of the contract is not offered yet. A request for it is refused with the code of its field and told so: leaving it
 * out would trade otherwise than asked.
 */

export const STRATEGIES_OFFERED: readonly StrategyName[] = ['TWAP', 'LIMIT', 'MARKET'];

/** Fields of OrderParams. */
export const PARAMS_NOT_OFFERED = [
  'would',
  'trigger',
  'placement_infos',
  'start_ladder_price',
  'end_ladder_price',
  'ladder_direction',
  'ladder_profile',
  'size_skew',
  'ob_imbalance_cancel',
  'ob_imbalance_threshold',
  'price_lock_bps',
] as const;
