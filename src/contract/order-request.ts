import { Type, type SchemaOptions } from '@sinclair/typebox';
import { BATCH_ORDERS_MAX, CLIP_COUNT_MAX, LADDER_RUNGS_MAX, LADDER_RUNGS_MIN } from '../model/limits.js';
import { decimalText, described, instantText } from './field.js';
import { OrderParams } from './order-params.js';
import { CLIENT_ORDER_ID_FORM, DECIMAL_FORM, SUBACCOUNT_FORM } from './text-form.js';
import { AssetCategory, ClipSizeType, ExecutionStrategy, Side, TradingExchange } from './vocabulary.js';

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

const LADDER_PRICES = ['start_ladder_price', 'end_ladder_price'];

/** What a value of one field asks of others, in an order and in a leg. */
export const RULES_OF_WORKING = [
  when('clip_size_type', ['ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'], { required: ['clip_size_val'] }),
  when('strategy', ['LIMIT'], { required: ['limit_price'] }),
];

const RULES_BETWEEN_FIELDS = {
  allOf: [
    ...RULES_OF_WORKING,
    when('strategy', ['SCALE'], withParams(LADDER_PRICES)),
    when('strategy', ['TWAP', 'VWAP'], { anyOf: [{ required: ['end_time'] }, withParams(['duration_seconds'])] }),
  ],
};

function when(field: string, values: readonly string[], rule: SchemaOptions): SchemaOptions {
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  return { if: { properties: { [field]: { enum: values } }, required: [field] }, then: rule };
}

function withParams(names: readonly string[]): SchemaOptions {
  return { required: ['params'], properties: { params: { type: 'object', required: names } } };
}

export const CreateParentOrderRequest = Type.Object(
  {
    client_order_id: Type.Optional(ClientOrderId),
    exchange: TradingExchange,
    subaccount: Type.Optional(Subaccount),
    symbol: Type.String({
      description:
        'BASE/QUOTE of an instrument of the exchange. With FUTURE, `BTC/USDT` and `BTC/USDT:USDT` name the same linear perpetual. Answers echo it as it was sent. Else INVALID_SYMBOL.',
      examples: ['BTC/USDT'],
    }),
    asset_category: AssetCategory,
    side: Side,
    quantity: decimalText(
      "Base units to trade; a multiple of the instrument's lot (10^-quantityPrecision) within its limits. Else INVALID_QUANTITY, above the maximum QUANTITY_EXCEED.",
      '0.5',
    ),
    strategy: ExecutionStrategy,
    limit_price: Type.Optional(
      decimalText(
        "Worst price in quote units, never traded through; a multiple of the tick (10^-pricePrecision) within the instrument's limits. LIMIT needs it. Else INVALID_LIMIT_PRICE.",
        '60000',
      ),
    ),
    start_time: Type.Optional(
      instantText(
        'When trading may start; at once when absent. At most 60 s past and 30 days ahead, service time. Else INVALID_TRADE_TIME.',
      ),
    ),
    end_time: Type.Optional(
      instantText(
        'When trading ends: after the start and after now, and at most 30 days after the start; service time. Else INVALID_END_TIME.',
      ),
    ),
    clip_size_type: Type.Optional(described(ClipSizeType, `${ClipSizeType.description}`, { default: 'AUTOMATIC' })),
    clip_size_val: Type.Optional(
      decimalText(
        `Needed unless clip_size_type is AUTOMATIC, where it counts for nothing. ABSOLUTE: base units on the lot grid, at least the instrument's minimum; PERCENTAGE: above 0 and up to 100, with POV up to 50 (10 when AUTOMATIC), at most 6 digits behind the point; ORDER_COUNT: an integer from 1 to ${CLIP_COUNT_MAX}. With SCALE it must make ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX} rungs. Else INVALID_PARAM.`,
        '0.05',
        { pattern: DECIMAL_FORM },
      ),
    ),
    params: Type.Optional(OrderParams),
  },
  {
    ...RULES_BETWEEN_FIELDS,
    title: 'CreateParentOrderRequest',
    description:
      'One single-leg order. Of several wrong fields the first in this order is told; then what fields mean for each other; last what the clock has against its times.',
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
