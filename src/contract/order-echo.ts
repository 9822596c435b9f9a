import { Type } from '@sinclair/typebox';
import { PLACEMENT_MODES } from '../model/order.js';
import { choice, decimal } from './field.js';
import { LadderDirection, TradingStyle, TriggerCondition, Urgency } from './vocabulary.js';

/*
 * What frames repeat of a request's `params`: what equals its default is left out, decimals are number literals. Whoever
 * sends it again asks for the same order.
 */

const EchoedWould = Type.Object(
  {
    would_price: Type.Optional(decimal('Absent with the arrival price.')),
    would_is_arrival: Type.Optional(Type.Literal(true, { description: 'It acts at the arrival price.' })),
    would_pct: decimal("Percent of the order's quantity."),
    would_style: TradingStyle,
  },
  { title: 'EchoedWould' },
);

const EchoedTrigger = Type.Object(
  { trigger_price: decimal('In quote units.'), trigger_condition: TriggerCondition },
  { title: 'EchoedTrigger' },
);

const EchoedPlacement = Type.Object(
  {
    placement_mode: choice(
      'EchoedPlacementMode',
      PLACEMENT_MODES.filter((mode) => mode !== 'DEFAULT'),
      'TIGHT or CUSTOM.',
    ),
    placement: Type.Optional(Type.Integer({ description: 'Level of the book; with CUSTOM.' })),
    cancel: Type.Optional(Type.Integer({ description: 'Level of the book; with CUSTOM.' })),
  },
  { title: 'EchoedPlacement' },
);

const ONLY_TRUE = Type.Optional(Type.Literal(true, { description: 'Absent when false.' }));

export const EchoedParams = Type.Object(
  {
    duration_seconds: Type.Optional(decimal('Seconds.')),
    trading_style: Type.Optional(TradingStyle),
    urgency: Type.Optional(Urgency),
    randomize_amount: ONLY_TRUE,
    would: Type.Optional(EchoedWould),
    trigger: Type.Optional(EchoedTrigger),
    placement_infos: Type.Optional(EchoedPlacement),
    reduce_only: ONLY_TRUE,
    start_ladder_price: Type.Optional(decimal('In quote units.')),
    end_ladder_price: Type.Optional(decimal('In quote units.')),
    ladder_direction: Type.Optional(LadderDirection),
    size_skew: Type.Optional(decimal('Size at the last price ÷ size at the first.')),
    ob_imbalance_cancel: ONLY_TRUE,
    ob_imbalance_threshold: Type.Optional(decimal('Goes with ob_imbalance_cancel.')),
    price_lock_bps: Type.Optional(Type.Integer({ description: 'Basis points.' })),
    post_only: ONLY_TRUE,
  },
  {
    title: 'EchoedParams',
    description: 'The `params` of the request: those that are no defaults, decimals as numbers.',
    examples: [{ duration_seconds: 3600, trading_style: 'PASSIVE' }],
  },
);
