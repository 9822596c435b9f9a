import { Type } from '@sinclair/typebox';
import { OrderId } from './cancel-request.js';
import { ApiErrorCode } from './error-code.js';
import { choice, decimal, described, epochMs, instant } from './field.js';
import { LEG_FILLED_VALUE, LEG_MEMBERS, MISHEDGE } from './leg-part.js';
import { QuarantinePart } from './quarantine-part.js';
import { AssetCategory, ExecutionStrategy, MultiLegsAlgo, OrderStatus, Side, TradingExchange } from './vocabulary.js';

const clientOrderId = Type.String({ description: "The caller's name of the order; absent when it has none." });
const message = Type.String({
  description: 'Why it ended or was refused: names field, value and rule.',
});
const errorCode = described(ApiErrorCode, 'Why, as a code; goes with `message`.');

export const OrderSummary = Type.Object(
  {
    order_id: Type.Optional(described(OrderId, 'Absent when nothing is stored.')),
    client_order_id: Type.Optional(clientOrderId),
    status: OrderStatus,
    created_at: instant('When the order was created, service time; of the answer when there is no order.'),
    message: Type.Optional(message),
    error_code: Type.Optional(errorCode),
  },
  {
    title: 'OrderSummary',
    description: 'What a create or cancel has to say of one order.',
    examples: [
      {
        order_id: 65_537,
        client_order_id: 'rebalance-7',
        status: 'PENDING_NEW',
        created_at: '2026-11-21T12:00:00.000Z',
      },
      {
        status: 'REJECTED',
        created_at: '2026-11-21T12:00:00.000Z',
        message: 'quantity "0" is not a decimal above 0',
        error_code: 'INVALID_QUANTITY',
      },
    ],
  },
);

export const OrderSummaryList = Type.Object(
  { orders: Type.Array(OrderSummary, { description: "One for each order of the request, in the request's order." }) },
  { title: 'OrderSummaryList' },
);

export const TradeDetails = Type.Object(
  {
    trade_id: Type.Integer({ description: "The exchange's trade id." }),
    symbol: Type.String({ description: 'As the order was sent.' }),
    exchangeOrderId: Type.String({ description: "The exchange's id of the child order." }),
    clientOrderId: Type.Optional(described(clientOrderId, "The caller's name of the parent order.")),
    quantity: decimal('Filled, in base units.'),
    price: decimal('In quote units.'),
    direction: described(Side, 'Side of the order.'),
    makerOrTaker: choice('Liquidity', ['MAKER', 'TAKER'], 'Whether the child rested in the book or took from it.'),
    execTime: epochMs('When it was executed, service time.'),
    fee: decimal('Fee charged; a rebate is negative.'),
    feeCurrency: Type.String({ description: 'Asset of the fee.' }),
  },
  { title: 'TradeDetails', description: 'One fill. The names are in camelCase.' },
);

export const TradeDetailsList = Type.Object(
  { trades: Type.Array(TradeDetails, { description: 'Order by order as they were named, oldest fill first.' }) },
  { title: 'TradeDetailsList' },
);

const feesInfos = Type.Optional(
  Type.Record(Type.String(), Type.Number(), { description: 'With include_fees=true: fees by currency.' }),
);

/** What an order and a leg have in common. */
const standing = {
  order_id: OrderId,
  client_order_id: Type.Optional(clientOrderId),
  status: OrderStatus,
  asset_class: AssetCategory,
  start_time: epochMs('When trading starts, service time.'),
  end_time: Type.Optional(epochMs('When the order ended, or will end; absent when it has no end yet.')),
  filled_quantity: decimal('Base units filled.'),
  leaves_quantity: decimal('quantity − filled_quantity, also after the end; 0 when more is filled than asked.'),
  last_quantity: decimal('Base units of the latest fill; 0 before the first.'),
  last_price: decimal('Price of the latest fill; 0 before the first.'),
  average_price: decimal(
    'Volume-weighted price of all fills, half up at 8 digits beyond the tick; 0 before the first.',
  ),
};

const traded = {
  symbol: Type.String({ description: 'As it was sent.' }),
  exchange: TradingExchange,
  strategy: ExecutionStrategy,
  side: Side,
};

export const OrderLegDetails = Type.Object(
  {
    ...standing,
    ...traded,
    ...LEG_MEMBERS,
    filled_value: LEG_FILLED_VALUE,
    fees_infos: feesInfos,
  },
  {
    title: 'OrderLegDetails',
    description:
      'Where a leg stands; ids and times are those of the order, and so is the status but while the order is PARTIALLY_FILLED: then a leg may be FILLED, or ACCEPTED without fills. Trades are told with the order.',
  },
);

export const OrderDetails = Type.Object(
  {
    ...standing,
    symbol: Type.Optional(traded.symbol),
    exchange: Type.Optional(traded.exchange),
    strategy: Type.Optional(traded.strategy),
    side: Type.Optional(traded.side),
    algo: Type.Optional(MultiLegsAlgo),
    mishedge: Type.Optional(MISHEDGE),
    legs: Type.Optional(Type.Array(OrderLegDetails, { description: 'In the order of the request.' })),
    message: Type.Optional(message),
    error_code: Type.Optional(errorCode),
    quarantine: Type.Optional(QuarantinePart),
    trades: Type.Optional(Type.Array(TradeDetails, { description: 'With include_trades=true.' })),
    fees_infos: feesInfos,
  },
  {
    title: 'OrderDetails',
    description:
      'Where an order stands. A multi-leg order has `algo`, `mishedge` and `legs` instead of `symbol`, `exchange`, `strategy` and `side`; its quantities and prices are those of the leading leg.',
    examples: [
      {
        order_id: 65_537,
        client_order_id: 'rebalance-7',
        symbol: 'BTC/USDT',
        status: 'PARTIALLY_FILLED',
        asset_class: 'SPOT',
        exchange: 'BINANCE',
        strategy: 'TWAP',
        start_time: 1_795_262_400_000,
        end_time: 1_795_263_000_000,
        filled_quantity: 0.125,
        leaves_quantity: 0.375,
        side: 'BUY',
        last_quantity: 0.0125,
        last_price: 60_000.5,
        average_price: 60_000.125,
        fees_infos: { USDT: 7.500015625 },
      },
    ],
  },
);

export const OrderDetailsList = Type.Object({ orders: Type.Array(OrderDetails) }, { title: 'OrderDetailsList' });
