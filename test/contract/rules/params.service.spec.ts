import { describe, expect, it } from 'vitest';
import { TAKEN, fieldRules } from './field-rules.js';
import { FUTURE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';

const service = useService();

const { field, verdict } = fieldRules(service);

/** A valid SCALE order. */
const LADDER = {
  ...RESTING,
  strategy: 'SCALE',
  limit_price: undefined,
  quantity: '0.1',
  params: { start_ladder_price: '50000', end_ladder_price: '40000', ladder_direction: 'DOWNWARDS' },
} as const;

/** A schedule with one more parameter. */
const withParam = (name: string, value: object) => ({ ...SCHEDULED, params: { ...SCHEDULED.params, [name]: value } });
const WOULD = withParam('would', { would_price: '70000', would_pct: '50', would_style: 'PASSIVE' });
const TRIGGER = withParam('trigger', { trigger_price: '60000', trigger_condition: 'ABOVE' });
const PLACEMENT = withParam('placement_infos', { placement_mode: 'CUSTOM', placement: '1', cancel: '3' });

const right = (values: readonly unknown[]) => values.map((value) => [value, TAKEN] as const);
const wrong = (values: readonly unknown[], code = 'INVALID_PARAM') => values.map((value) => [value, code] as const);

describe('OrderParams', () => {
  field('params', RESTING, wrong([7, 'none', [], true]));

  // 1 to 2,592,000; required for TWAP and VWAP unless `end_time` is given.
  for (const strategy of ['TWAP', 'VWAP']) {
    field('params.duration_seconds', { ...SCHEDULED, strategy }, [
      ...wrong(['0', '0.5', '2592001', '-60', 'an hour', '1e3', '', true, {}]),
      ...wrong([undefined, null]),
    ]);
  }
  field('params.duration_seconds', SCHEDULED, [
    ['1', TAKEN],
    ['2592000', TAKEN],
    [600, TAKEN],
  ]);

  field('params.trading_style', SCHEDULED, [
    ['PASSIVE', TAKEN],
    ['AGGRESSIVE', TAKEN],
    ['hybrid', TAKEN],
    ...wrong(['LAZY', '', 1]),
  ]);

  field('params.urgency', SCHEDULED, [
    ['LOW', TAKEN],
    ['MEDIUM', TAKEN],
    ['High', TAKEN],
    ...wrong(['EXTREME', '', 2]),
  ]);

  field('params.randomize_amount', SCHEDULED, [[true, TAKEN], [false, TAKEN], ...wrong(['yes', 1])]);

  // FUTURE only.
  field('params.reduce_only', FUTURE, [[true, TAKEN], [false, TAKEN], ...wrong(['no'])]);
  field('params.reduce_only', RESTING, [
    [true, 'INVALID_PARAM'],
    [false, TAKEN],
  ]);

  // Supported on BINANCE only; elsewhere INVALID_PARAM.
  field('params.post_only', RESTING, [[true, TAKEN], [false, TAKEN], ...wrong(['yes'])]);
  for (const exchange of ['OKX', 'KRAKEN', 'COINBASE_PRIME']) {
    const order = { ...RESTING, exchange, symbol: 'ETH/USDT', quantity: '1', limit_price: '2000' };
    field('params.post_only', order, [
      [true, 'INVALID_PARAM'],
      [false, TAKEN],
    ]);
  }
});

describe('WouldInfo', () => {
  field('params.would', SCHEDULED, wrong([7, 'yes', []]));
  field('params.would.would_price', WOULD, right(['70000', 65000]));
  field('params.would.would_pct', WOULD, right(['100', '0.5', 25, undefined]));
  field('params.would.would_style', WOULD, right(['PASSIVE', 'AGGRESSIVE', 'hybrid', undefined]));
  field('params.would.would_is_arrival', WOULD, right([true, false]));
  field('params.would', SCHEDULED, right([{ would_is_arrival: true, would_pct: '100' }]));
  // Not a positive decimal or off the tick grid.
  field('params.would.would_price', WOULD, wrong(['0', '-1', 'cheap', '70000.00001', '', {}], 'INVALID_WOULD_PRICE'));
  field('params.would.would_pct', WOULD, wrong(['0', '-5', '101', 'half', {}]));
  // PASSIVE, AGGRESSIVE, HYBRID.
  field('params.would.would_style', WOULD, wrong(['LAZY', 1]));
  field('params.would.would_is_arrival', WOULD, wrong(['yes', 1]));

  it('is refused with INVALID_WOULD_PRICE when the would price is worse than limit_price', async () => {
    for (const [side, limit, would] of [
      ['BUY', '60000', '60001'],
      ['SELL', '60000', '59999'],
    ]) {
      const params = { duration_seconds: '600', would: { would_price: would, would_pct: '50' } };
      const order = { ...SCHEDULED, side, limit_price: limit, params };
      expect(await verdict(order)).toMatchObject({ verdict: 'INVALID_WOULD_PRICE' });
    }
  });
});

describe('TriggerInfo', () => {
  field('params.trigger', SCHEDULED, wrong([7, 'now', []]));
  field('params.trigger.trigger_condition', TRIGGER, right(['ABOVE', 'BELOW', 'below']));
  field(
    'params.trigger.trigger_price',
    TRIGGER,
    wrong(['0', '-1', 'high', '60000.00001', '', undefined], 'INVALID_TRIGGER_PRICE'),
  );
  // ABOVE, BELOW.
  field('params.trigger.trigger_condition', TRIGGER, wrong(['AT', '', 1]));
});

describe('PlacementInfo: placement / cancel are book levels, 1 = best; cancel > placement', () => {
  field('params.placement_infos', SCHEDULED, wrong([7, 'DEFAULT', []]));
  field('params.placement_infos.placement_mode', PLACEMENT, right(['DEFAULT', 'TIGHT', 'custom', undefined]));
  field('params.placement_infos.cancel', PLACEMENT, right(['2', 5]));
  field('params.placement_infos.placement_mode', PLACEMENT, wrong(['LOOSE', '', 1]));
  field('params.placement_infos.placement', PLACEMENT, wrong(['0', '-1', '1.5', 'best', {}]));
  field('params.placement_infos.cancel', PLACEMENT, wrong(['0', '1', '-1', '2.5', 'worst', {}]));
});

describe('ladder', () => {
  field('strategy', LADDER, right(['SCALE', 'iceberg']));
  field('params.ladder_direction', LADDER, right(['DOWNWARDS', 'downwards', undefined]));
  field('params.ladder_profile', LADDER, right(['LINEAR', 'linear', undefined]));
  field('params.size_skew', LADDER, right([1, 2.5, 0.5, undefined]));
  field('clip_size_val', { ...LADDER, clip_size_type: 'ORDER_COUNT' }, right(['2', '20']));
  // Prices given off the grid or a ladder_direction that contradicts start and end: INVALID_PARAM.
  field('params.start_ladder_price', LADDER, wrong(['0', '-1', 'low', '50000.00001', undefined]));
  field('params.end_ladder_price', LADDER, wrong(['0', '-1', 'low', '40000.00001', undefined]));
  field('params.ladder_direction', LADDER, wrong(['UPWARDS', 'upwards', 'SIDEWAYS', 1]));
  // LINEAR (default), any case; others rejected INVALID_PARAM.
  field('params.ladder_profile', LADDER, wrong(['GEOMETRIC', '', 1]));
  field('params.size_skew', LADDER, wrong([0, -1, 'steep', {}]));
  // The count from the clip: 2..200.
  field('clip_size_val', { ...LADDER, clip_size_type: 'ORDER_COUNT' }, wrong(['1', '201', '0']));
});

describe('ob_imbalance_cancel, ob_imbalance_threshold: decimal between 0.5 and 0.99', () => {
  field('params.ob_imbalance_cancel', SCHEDULED, wrong(['yes', 1]));
  field('params.ob_imbalance_cancel', SCHEDULED, right([true, false]));
  const leaning = { ...SCHEDULED, params: { ...SCHEDULED.params, ob_imbalance_cancel: true } };
  field('params.ob_imbalance_threshold', leaning, right(['0.5', '0.75', '0.99', 0.6, undefined]));
  field('params.ob_imbalance_threshold', leaning, wrong(['0.49', '0.995', '1', '0', '-0.6', 'much', {}]));
});

describe('price_lock_bps: integer-like value between 1 and 100', () => {
  field('params.price_lock_bps', SCHEDULED, right(['1', '100', 10]));
  field('params.price_lock_bps', SCHEDULED, wrong(['0', '101', '-1', '1.5', 'some', {}]));
});

describe('clip: for POV the target share of market volume in percent (0 < p ≤ 50)', () => {
  const pov = { ...SCHEDULED, strategy: 'POV', clip_size_type: 'PERCENTAGE' };
  field('clip_size_val', pov, right(['50', '0.5', '10']));
  field('clip_size_val', pov, wrong(['50.1', '100', '0', '-1']));
});

describe('strategy', () => {
  it.each(['VWAP', 'TWAP', 'POV', 'ICEBERG', 'IS', 'MARKET'])('%s is accepted', async (strategy) => {
    expect(await verdict({ ...SCHEDULED, strategy })).toMatchObject({ verdict: TAKEN });
  });

  // duration_seconds is optional for the rest; IS chooses its horizon from urgency.
  it.each(['POV', 'ICEBERG', 'IS', 'MARKET'])('%s is accepted without a duration', async (strategy) => {
    expect(await verdict({ ...SCHEDULED, strategy, params: {} })).toMatchObject({ verdict: TAKEN });
  });
});
