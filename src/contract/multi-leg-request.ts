import { Type } from '@sinclair/typebox';
import {
  BATCH_ORDERS_MAX,
  HEDGE_SLIPPAGE_BPS_DEFAULT,
  HEDGE_SLIPPAGE_BPS_MAX,
  MAX_UNHEDGED_SECONDS_DEFAULT,
  MAX_UNHEDGED_SECONDS_MAX,
} from '../model/limits.js';
import { decimalText, described } from './field.js';
import { WORKING_PARAMS } from './order-params.js';
import { ClientOrderId, CreateParentOrderRequest, RULES_OF_WORKING, Subaccount } from './order-request.js';
import { AssetCategory, ClipSizeType, ExecutionStrategy, MultiLegsAlgo, Side, TradingExchange } from './vocabulary.js';

/** Fields that mean the same in an order and in its legs. */
const { symbol, limit_price, start_time, end_time, clip_size_val } = CreateParentOrderRequest.properties;

const OrderLegParams = Type.Object(
  {
    ...WORKING_PARAMS,
    is_leading: Type.Optional(
      Type.Boolean({
        description:
          'true: this leg leads; the first does when neither says so. false in both: neither leads, each is worked by its strategy, and the one that is ahead waits.',
      }),
    ),
  },
  { title: 'OrderLegParams', description: 'How the leg is worked.' },
);

export const CreateOrderLegRequest = Type.Object(
  {
    exchange: TradingExchange,
    symbol,
    asset_category: AssetCategory,
    side: Side,
    target_value: decimalText(
      'What is to be filled, in `ccy`. A quantity of the base is a multiple of the lot; money becomes one at `limit_price`, else at the mid when the order comes in, rounded down to the lot. Else INVALID_QUANTITY, above the maximum QUANTITY_EXCEED; EXCHANGE_NOT_AVAILABLE when the market tells no price.',
      '10000',
    ),
    ccy: Type.String({
      description:
        'Currency of target_value: base or quote of the symbol, in any letter case, or USD where the quote is USDT, USDC or USD. Else INVALID_PARAM.',
      examples: ['USDT'],
    }),
    limit_price,
    strategy: described(ExecutionStrategy, `${ExecutionStrategy.description} A leg has no ladder: SCALE is refused.`),
    clip_size_type: Type.Optional(described(ClipSizeType, `${ClipSizeType.description}`, { default: 'AUTOMATIC' })),
    clip_size_val,
    params: Type.Optional(OrderLegParams),
  },
  {
    allOf: RULES_OF_WORKING,
    title: 'CreateOrderLegRequest',
    description: 'One leg. A refusal names it: `legs[0].symbol …`.',
  },
);

export const UNHEDGED_VALUE =
  'How much the leading leg may be ahead, in its quote currency; twice its clip when absent.';

/** How far the legs may be out of step. */
export const UNHEDGED_PARAMS = {
  max_unhedged_value: Type.Optional(decimalText(UNHEDGED_VALUE, '5000')),
  max_unhedged_seconds: Type.Optional(
    decimalText(
      `How long it may be, 1 to ${MAX_UNHEDGED_SECONDS_MAX}: after that the hedge may cross four times as far, then the order ends with SLIPPAGE_EXCEEDED.`,
      '60',
      { default: String(MAX_UNHEDGED_SECONDS_DEFAULT) },
    ),
  ),
  hedge_slippage_bps: Type.Optional(
    decimalText(
      `How far beyond the best price of the other side a hedge may trade, in basis points: an integer from 1 to ${HEDGE_SLIPPAGE_BPS_MAX}.`,
      '25',
      { default: String(HEDGE_SLIPPAGE_BPS_DEFAULT) },
    ),
  ),
};

const MultiLegsOrderParams = Type.Object(UNHEDGED_PARAMS, {
  title: 'MultiLegsOrderParams',
  description: 'How far the legs may be out of step. A wrong value: INVALID_PARAM.',
});

const EXAMPLE = {
  client_order_id: 'basis-3',
  algo: 'PAIR',
  legs: [
    {
      exchange: 'BINANCE',
      symbol: 'BTC/USDT',
      asset_category: 'SPOT',
      side: 'BUY',
      target_value: '20000',
      ccy: 'USDT',
      strategy: 'TWAP',
      params: { duration_seconds: '600', is_leading: true },
    },
    {
      exchange: 'OKX',
      symbol: 'BTC/USDT',
      asset_category: 'FUTURE',
      side: 'SELL',
      target_value: '20000',
      ccy: 'USD',
      strategy: 'MARKET',
    },
  ],
};

export const CreateMultiLegsParentOrderRequest = Type.Object(
  {
    client_order_id: Type.Optional(ClientOrderId),
    subaccount: Type.Optional(Subaccount),
    algo: MultiLegsAlgo,
    legs: Type.Array(CreateOrderLegRequest, {
      minItems: 2,
      maxItems: 2,
      description: 'Exactly two, of which at most one says `is_leading`. Else INVALID_REQUEST.',
    }),
    start_time,
    end_time,
    params: Type.Optional(MultiLegsOrderParams),
  },
  {
    title: 'CreateMultiLegsParentOrderRequest',
    description:
      'One order of two legs. Of several wrong fields the first in this order is told; then what fields of a leg mean for each other; last what the clock has against the times and the market against the values.',
    examples: [EXAMPLE],
  },
);

export const CreateManyMultiLegsParentOrdersRequest = Type.Object(
  {
    orders: Type.Array(CreateMultiLegsParentOrderRequest, {
      minItems: 1,
      maxItems: BATCH_ORDERS_MAX,
      description: 'Independent of each other: one that is refused does not keep the others from being placed.',
    }),
  },
  { title: 'CreateManyMultiLegsParentOrdersRequest', description: `Up to ${BATCH_ORDERS_MAX} orders.` },
);
