import { Type } from '@sinclair/typebox';
import { DEPTH_LEVELS_COUNT } from '../model/limits.js';
import { decimalText, described } from './field.js';
import { PlacementMode, TradingStyle, TriggerCondition } from './vocabulary.js';

/* The objects within `params` of an order or a leg. */

export const WouldInfo = Type.Object(
  {
    would_price: Type.Optional(
      decimalText(
        'The price in quote units, on the tick grid: a BUY acts while the ask is at or under it, a SELL while the bid is at or above it. It must not be worse than `limit_price`. Refused with INVALID_WOULD_PRICE when it is wrong, or missing without `would_is_arrival`.',
        '59000',
      ),
    ),
    would_pct: Type.Optional(
      decimalText(
        "Percent of the order's quantity that may be worked this way: above 0 and up to 100, at most 6 digits behind the point.",
        '50',
        { default: '100' },
      ),
    ),
    would_style: Type.Optional(described(TradingStyle, "Style of that part; the order's `trading_style` when absent.")),
    would_is_arrival: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Acts at the arrival price; `would_price` then counts for nothing.',
      }),
    ),
  },
  {
    anyOf: [
      { required: ['would_price'] },
      { required: ['would_is_arrival'], properties: { would_is_arrival: { const: true } } },
    ],
    title: 'WouldInfo',
    description: `Works part of the order at once while the price is good, always inside \`limit_price\`; the rest keeps its schedule.`,
    examples: [{ would_price: '59000', would_pct: '50', would_style: 'AGGRESSIVE' }, { would_is_arrival: true }],
  },
);

export const TriggerInfo = Type.Object(
  {
    trigger_price: decimalText(
      'The price in quote units, on the tick grid, that the last trade is compared with. Refused with INVALID_TRIGGER_PRICE when it is missing or wrong.',
      '61000',
    ),
    trigger_condition: TriggerCondition,
  },
  {
    title: 'TriggerInfo',
    description: `Starts the order, at \`start_time\` or later, once the last trade gets there; until then it is ACCEPTED and has no child.`,
    examples: [{ trigger_price: '61000', trigger_condition: 'ABOVE' }],
  },
);

const LEVELS = `an integer from 1, the best, to ${DEPTH_LEVELS_COUNT}`;

export const PlacementInfo = Type.Object(
  {
    placement_mode: Type.Optional(described(PlacementMode, `${PlacementMode.description}`, { default: 'DEFAULT' })),
    placement: Type.Optional(
      decimalText(`With CUSTOM: level of the book at which passive children are placed, ${LEVELS}.`, '2'),
    ),
    cancel: Type.Optional(
      decimalText(
        `With CUSTOM: a resting child that has drifted to this level or a worse one is cancelled; ${LEVELS}, and more than \`placement\`.`,
        '5',
      ),
    ),
  },
  {
    if: { properties: { placement_mode: { const: 'CUSTOM' } }, required: ['placement_mode'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: { required: ['placement', 'cancel'] },
    title: 'PlacementInfo',
    description: `Where passive children stand in the book.`,
    examples: [{ placement_mode: 'TIGHT' }, { placement_mode: 'CUSTOM', placement: '2', cancel: '5' }],
  },
);
