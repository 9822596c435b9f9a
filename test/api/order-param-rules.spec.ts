import { describe } from 'vitest';
import { at, ladder, params, rule, TAKEN, would, type Fields } from './rule-table.js';

/* The contract's rules of OrderParams that are objects or several members, one sentence each. */

const trigger = (fields: Fields): Fields => params({ trigger: fields });
const placement = (fields: Fields): Fields => params({ placement_infos: fields });

describe('would, trigger and placement', () => {
  rule('INVALID_WOULD_PRICE: not a positive decimal or off the tick grid; a would price worse than limit_price', [
    [would({ would_price: '59000.01' }), TAKEN],
    [would({ would_price: '0' }), 'INVALID_WOULD_PRICE: params.would.would_price "0" is not a decimal above 0'],
    [would({ would_price: '59000.001' }), 'would_price "59000.001" is not a multiple of the tick 0.01'],
    [would({}), 'INVALID_WOULD_PRICE: params.would.would_price is missing: it, or would_is_arrival, is needed'],
    [would({ would_price: '59000' }, { limit_price: '59000' }), TAKEN],
    [
      would({ would_price: '59000.01' }, { limit_price: '59000' }),
      'INVALID_WOULD_PRICE: params.would.would_price 59000.01 is worse than limit_price 59000 of a BUY',
    ],
    [would({ would_price: '59000.01' }, { limit_price: '59000', side: 'SELL' }), TAKEN],
    [would({ would_price: '58999.99' }, { limit_price: '59000', side: 'SELL' }), 'INVALID_WOULD_PRICE: params.would'],
  ]);

  rule('`would_pct` percent of the order’s quantity may be worked in `would_style`', [
    [would({ would_price: '59000', would_pct: 100, would_style: 'passive' }), TAKEN],
    [would({ would_price: '59000', would_pct: '0' }), 'would_pct "0" is not a percentage above 0 and up to 100'],
    [would({ would_price: '59000', would_pct: '100.1' }), 'INVALID_PARAM: params.would.would_pct "100.1"'],
    [would({ would_price: '59000', would_pct: '0.0000001' }), 'has more than 6 digits after the point'],
    [would({ would_price: '59000', would_style: 'BOLD' }), 'INVALID_PARAM: params.would.would_style "BOLD"'],
    [params({ would: true }), 'INVALID_PARAM: params.would is true, not an object'],
  ]);

  rule('`would_is_arrival` uses the arrival price', [
    [would({ would_is_arrival: true }), TAKEN],
    [would({ would_is_arrival: false }), 'INVALID_WOULD_PRICE: params.would.would_price is missing'],
    [would({ would_is_arrival: 'yes' }), 'INVALID_PARAM: params.would.would_is_arrival "yes" is not true or false'],
    // It takes precedence over a would_price in the same request.
    [would({ would_is_arrival: true, would_price: '59000.01' }, { limit_price: '59000' }), TAKEN],
  ]);

  rule('INVALID_TRIGGER_PRICE: not a positive decimal or off the tick grid', [
    [trigger({ trigger_price: '61000', trigger_condition: 'below' }), TAKEN],
    [trigger({ trigger_condition: 'ABOVE' }), 'INVALID_TRIGGER_PRICE: params.trigger.trigger_price is missing'],
    [trigger({ trigger_price: 'x' }), 'INVALID_TRIGGER_PRICE: params.trigger.trigger_price "x" is not a decimal'],
    [trigger({ trigger_price: '1.001' }), 'trigger_price "1.001" is not a multiple of the tick 0.01'],
    [params({ trigger: [] }), 'INVALID_PARAM: params.trigger is an array, not an object'],
  ]);

  rule('trigger_condition: ABOVE, BELOW', [
    [trigger({ trigger_price: '61000' }), 'INVALID_PARAM: params.trigger.trigger_condition is missing'],
    [trigger({ trigger_price: '61000', trigger_condition: 'AT' }), 'trigger_condition "AT" is not one of ABOVE, BELOW'],
  ]);

  rule('placement_mode: DEFAULT, TIGHT, CUSTOM (uses placement and cancel)', [
    [placement({}), TAKEN],
    [placement({ placement_mode: 'default', placement: 3 }), TAKEN],
    [placement({ placement_mode: 'Tight' }), TAKEN],
    [placement({ placement_mode: 'FAR' }), 'INVALID_PARAM: params.placement_infos.placement_mode "FAR" is not one of'],
    [placement({ placement_mode: 'CUSTOM', cancel: 2 }), 'INVALID_PARAM: params.placement_infos.placement is missing'],
    [placement({ placement_mode: 'CUSTOM', placement: 2 }), 'INVALID_PARAM: params.placement_infos.cancel is missing'],
  ]);

  rule('book levels, 1 = best; cancel > placement', [
    [placement({ placement_mode: 'CUSTOM', placement: '1', cancel: '20' }), TAKEN],
    [placement({ placement_mode: 'CUSTOM', placement: '2', cancel: '2' }), 'cancel 2 is not more than placement 2'],
    [placement({ placement_mode: 'CUSTOM', placement: 0, cancel: 2 }), 'placement 0 is not a level of the book from 1'],
    [
      placement({ placement_mode: 'CUSTOM', placement: 1, cancel: 21 }),
      'cancel 21 is not a level of the book from 1 to 20',
    ],
    [placement({ placement: 'best' }), 'INVALID_PARAM: params.placement_infos.placement "best" is not a level'],
  ]);
});

describe('ladder and guards', () => {
  rule('SCALE: limit children from start_ladder_price to end_ladder_price inclusive', [
    [ladder({}), TAKEN],
    [
      ladder({ start_ladder_price: null, end_ladder_price: null }),
      'INVALID_PARAM: params.start_ladder_price is missing',
    ],
    [ladder({ start_ladder_price: null }), 'INVALID_PARAM: params.start_ladder_price is missing'],
    [ladder({ end_ladder_price: null }), 'INVALID_PARAM: params.end_ladder_price is missing'],
    [ladder({ end_ladder_price: '59000.0' }), 'INVALID_PARAM: params.end_ladder_price: a ladder from 59000 to 59000'],
    [ladder({}, { strategy: 'TWAP', end_time: at(1) }), 'params.start_ladder_price 59000 is for strategies SCALE and'],
    [ladder({}, { limit_price: '60000' }), TAKEN],
    [
      ladder({}, { limit_price: '59999.99' }),
      'params.end_ladder_price 60000 is worse than limit_price 59999.99 of a BUY',
    ],
    [
      ladder({}, { limit_price: '59000.01', side: 'SELL' }),
      'params.start_ladder_price 59000 is worse than limit_price',
    ],
  ]);

  rule('prices given off the grid or a ladder_direction that contradicts start and end: INVALID_PARAM', [
    [
      ladder({ start_ladder_price: '59000.001' }),
      'INVALID_PARAM: params.start_ladder_price "59000.001" is not a multiple',
    ],
    [ladder({ end_ladder_price: 'x' }), 'INVALID_PARAM: params.end_ladder_price "x" is not a decimal above 0'],
    [ladder({ ladder_direction: 'Upwards' }), TAKEN],
    [
      ladder({ ladder_direction: 'downwards' }),
      'INVALID_PARAM: params.ladder_direction DOWNWARDS contradicts a ladder',
    ],
    [ladder({ ladder_direction: 'SIDEWAYS' }), 'params.ladder_direction "SIDEWAYS" is not one of UPWARDS, DOWNWARDS'],
  ]);

  rule('ICEBERG with ladder prices works the same ladder one clip at a time', [
    [ladder({}, { strategy: 'ICEBERG' }), TAKEN],
    [{ strategy: 'ICEBERG', params: null }, TAKEN],
  ]);

  rule('ladder_profile: LINEAR (default), any case; others rejected INVALID_PARAM', [
    [ladder({ ladder_profile: 'linear' }), TAKEN],
    [ladder({ ladder_profile: 'GEOMETRIC' }), 'INVALID_PARAM: params.ladder_profile "GEOMETRIC" is not one of LINEAR'],
  ]);

  rule('`size_skew` = size at the end price ÷ size at the start price', [
    [ladder({ size_skew: 0.01 }), TAKEN],
    [ladder({ size_skew: '100' }), TAKEN],
    [ladder({ size_skew: 0 }), 'INVALID_PARAM: params.size_skew 0 is not a number from 0.01 to 100'],
    [ladder({ size_skew: 100.5 }), 'INVALID_PARAM: params.size_skew 100.5 is not a number'],
    [ladder({ size_skew: 1.0000001 }), 'params.size_skew 1.0000001 has more than 6 digits after the point'],
  ]);

  rule('ob_imbalance_threshold: Decimal between 0.5 and 0.99; default 0.75; used only with ob_imbalance_cancel', [
    [params({ ob_imbalance_cancel: true }), TAKEN],
    [params({ ob_imbalance_cancel: true, ob_imbalance_threshold: '0.5' }), TAKEN],
    [params({ ob_imbalance_threshold: 0.99 }), 'placed'],
    [params({ ob_imbalance_cancel: 'on' }), 'INVALID_PARAM: params.ob_imbalance_cancel "on" is not true or false'],
    [params({ ob_imbalance_threshold: '0.49' }), 'ob_imbalance_threshold "0.49" is not a decimal from 0.5 to 0.99'],
    [params({ ob_imbalance_threshold: 1 }), 'INVALID_PARAM: params.ob_imbalance_threshold 1 is not a decimal'],
  ]);

  rule('price_lock_bps: Integer-like value between 1 and 100', [
    [params({ price_lock_bps: '1' }), TAKEN],
    [params({ price_lock_bps: '100.0' }), TAKEN],
    [params({ price_lock_bps: 0 }), 'INVALID_PARAM: params.price_lock_bps 0 is not an integer from 1 to 100'],
    [params({ price_lock_bps: '101' }), 'INVALID_PARAM: params.price_lock_bps "101"'],
    [params({ price_lock_bps: '5.5' }), 'INVALID_PARAM: params.price_lock_bps "5.5" is not an integer'],
  ]);

  rule('post_only: supported on BINANCE only; elsewhere INVALID_PARAM', [
    [params({ post_only: true }), 'placed'],
    [{ exchange: 'OKX', ...params({ post_only: false }) }, 'placed'],
    [
      { exchange: 'OKX', ...params({ post_only: true }) },
      'INVALID_PARAM: params.post_only true is not supported on OKX',
    ],
  ]);

  rule('reduce_only: FUTURE only', [
    [{ asset_category: 'FUTURE', ...params({ reduce_only: true }) }, 'placed'],
    [params({ reduce_only: true }), 'INVALID_PARAM: params.reduce_only true is for FUTURE only, not for SPOT'],
  ]);
});
