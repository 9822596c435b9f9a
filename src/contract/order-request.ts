import { Type } from '@sinclair/typebox';
import { BATCH_ORDERS_MAX, DURATION_SECONDS_MAX } from '../model/limits.js';
import { choice, decimalText, described, instantText } from './field.js';
import { CLIENT_ORDER_ID_FORM, DECIMAL_FORM, SUBACCOUNT_FORM } from './text-form.js';
import {
  AssetCategory,
  ClipSizeType,
  ExecutionStrategy,
  Side,
  TradingExchange,
  TradingStyle,
  Urgency,
} from './vocabulary.js';

export const ClientOrderId = Type.String({
  pattern: CLIENT_ORDER_ID_FORM,
  description:
    "The caller's own name of the order: printable characters, no comma. Idempotent for the account while the order is open and 3 days after: the same id with the same request answers the first order and places nothing, with another request it is refused with INVALID_REQUEST.",
  examples: ['rebalance-7'],
});

export const Subaccount = Type.String({
  pattern: SUBACCOUNT_FORM,
  description: 'Name of a sub-account: printable characters, no comma. A simulated account is one unified account.',
});

const WouldInfo = Type.Object(
  {
    would_price: Type.Optional(
      decimalText('BUY: acts when the ask is at or under it; SELL: bid at or above.', '59000'),
    ),
    would_pct: Type.Optional(decimalText("Percent of the order's quantity that may be worked this way.", '50')),
    would_style: Type.Optional(described(TradingStyle, 'Style of that part.')),
    would_is_arrival: Type.Optional(Type.Boolean({ description: 'Use the arrival price instead of `would_price`.' })),
  },
  { title: 'WouldInfo', description: 'Does part of the order at once when the price is good. Not offered yet.' },
);

const TriggerInfo = Type.Object(
  {
    trigger_price: Type.Optional(decimalText('Price the last trade is compared with.', '61000')),
    trigger_condition: Type.Optional(
      choice('TriggerCondition', ['ABOVE', 'BELOW'], 'Start at or above, or at or below the price.'),
    ),
  },
  { title: 'TriggerInfo', description: 'Starts the order when the last price gets there. Not offered yet.' },
);

const PlacementInfo = Type.Object(
  {
    placement_mode: Type.Optional(
      choice(
        'PlacementMode',
        ['DEFAULT', 'TIGHT', 'CUSTOM'],
        'DEFAULT: the strategy decides. TIGHT: the best own level, moved at every change. CUSTOM: by placement and cancel.',
      ),
    ),
    placement: Type.Optional(Type.String({ description: 'Book level of new passive children; 1 is the best.' })),
    cancel: Type.Optional(
      Type.String({ description: 'Book level at which a resting child is cancelled; more than `placement`.' }),
    ),
  },
  { title: 'PlacementInfo', description: 'Where passive children rest in the book. Not offered yet.' },
);

const OrderParams = Type.Object(
  {
    duration_seconds: Type.Optional(
      decimalText(
        `Seconds the order is worked, 1 to ${DURATION_SECONDS_MAX}, to the millisecond. TWAP and VWAP need it or \`end_time\`; with both the earlier end holds. Without either, the others work until filled or cancelled.`,
        '3600',
      ),
    ),
    trading_style: Type.Optional(described(TradingStyle, `${TradingStyle.description}`, { default: 'HYBRID' })),
    urgency: Type.Optional(described(Urgency, `${Urgency.description}`, { default: 'MEDIUM' })),
    randomize_amount: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Varies each slice by up to 20 %; the schedule as a whole is kept.',
      }),
    ),
    reduce_only: Type.Optional(
      Type.Boolean({ default: false, description: 'FUTURE only: never opens, increases or flips a position.' }),
    ),
    post_only: Type.Optional(
      Type.Boolean({ default: false, description: 'Passive children are sent post-only. BINANCE only.' }),
    ),
    would: Type.Optional(WouldInfo),
    trigger: Type.Optional(TriggerInfo),
    placement_infos: Type.Optional(PlacementInfo),
    start_ladder_price: Type.Optional(decimalText('First price of the ladder. Not offered yet.', '59000')),
    end_ladder_price: Type.Optional(decimalText('Last price of the ladder. Not offered yet.', '60000')),
    ladder_direction: Type.Optional(choice('LadderDirection', ['UPWARDS', 'DOWNWARDS'], 'Not offered yet.')),
    ladder_profile: Type.Optional(choice('LadderProfile', ['LINEAR'], 'Not offered yet.')),
    size_skew: Type.Optional(
      Type.Number({ description: 'Size at the end price ÷ size at the start price; 1 is linear. Not offered yet.' }),
    ),
    ob_imbalance_cancel: Type.Optional(
      Type.Boolean({
        description: 'Withdraws resting children while the book leans against the order. Not offered yet.',
      }),
    ),
    ob_imbalance_threshold: Type.Optional(
      decimalText('Share of the book that counts as leaning, 0.5 to 0.99. Not offered yet.', '0.75'),
    ),
    price_lock_bps: Type.Optional(
      decimalText(
        'Takes the full remainder when the market is so many basis points (1 to 100) better than at arrival. Not offered yet.',
        '5',
      ),
    ),
  },
  {
    title: 'OrderParams',
    description: 'How the order is worked. A field marked "not offered yet" is refused with INVALID_PARAM.',
  },
);

/** With these a size is needed; with AUTOMATIC it makes no difference. */
const CLIP_SIZE_RULE = {
  if: {
    properties: { clip_size_type: { enum: ['ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'] } },
    required: ['clip_size_type'],
  },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { required: ['clip_size_val'] },
};

export const CreateParentOrderRequest = Type.Object(
  {
    client_order_id: Type.Optional(ClientOrderId),
    exchange: TradingExchange,
    subaccount: Type.Optional(Subaccount),
    symbol: Type.String({
      description:
        'BASE/QUOTE of an instrument of the exchange. With FUTURE, `BTC/USDT` and `BTC/USDT:USDT` name the same linear perpetual. Answers echo it as it was sent.',
      examples: ['BTC/USDT'],
    }),
    asset_category: AssetCategory,
    side: Side,
    quantity: decimalText(
      "Base units to trade; a multiple of the instrument's lot (10^-quantityPrecision) within its limits.",
      '0.5',
    ),
    strategy: ExecutionStrategy,
    limit_price: Type.Optional(
      decimalText(
        "Worst price in quote units, never traded through; a multiple of the tick (10^-pricePrecision) within the instrument's limits. LIMIT needs it.",
        '60000',
      ),
    ),
    start_time: Type.Optional(
      instantText('When trading may start; at once when absent. At most 60 s past and 30 days ahead, service time.'),
    ),
    end_time: Type.Optional(instantText('When trading ends: after the start and after now, service time.')),
    clip_size_type: Type.Optional(described(ClipSizeType, `${ClipSizeType.description}`, { default: 'AUTOMATIC' })),
    clip_size_val: Type.Optional(
      decimalText(
        'Needed unless clip_size_type is AUTOMATIC. ABSOLUTE: base units on the lot grid; PERCENTAGE: above 0, up to 100; ORDER_COUNT: an integer from 1 to 10000.',
        '0.05',
        DECIMAL_FORM,
      ),
    ),
    params: Type.Optional(OrderParams),
  },
  {
    ...CLIP_SIZE_RULE,
    title: 'CreateParentOrderRequest',
    description: 'One single-leg order. Of several wrong fields the first in this order is told.',
    examples: [
      {
        client_order_id: 'rebalance-7',
        exchange: 'BINANCE',
        symbol: 'BTC/USDT',
        asset_category: 'SPOT',
        side: 'BUY',
        quantity: '0.5',
        strategy: 'TWAP',
        limit_price: '150000',
        params: { duration_seconds: '600', trading_style: 'HYBRID' },
      },
      {
        exchange: 'OKX',
        symbol: 'ETH/USDT',
        asset_category: 'FUTURE',
        side: 'SELL',
        quantity: '2',
        strategy: 'MARKET',
      },
    ],
  },
);

export const CreateManyParentOrdersRequest = Type.Object(
  {
    orders: Type.Array(CreateParentOrderRequest, {
      minItems: 1,
      maxItems: BATCH_ORDERS_MAX,
      description: 'Independent of each other: one that is refused does not keep the others from being placed.',
    }),
  },
  { title: 'CreateManyParentOrdersRequest', description: `Up to ${BATCH_ORDERS_MAX} orders.` },
);
