import { Type } from '@sinclair/typebox';
import { OrderIdSchema } from './order-schema.js';
import { ApiErrorCode, ApiErrorReason } from '../field/error-code.js';
import { choice, decimal, described, epochMs, instant } from '../field/schema.js';
import {
  AssetCategory,
  ExecutionStrategy,
  LiveMode,
  MultiLegsAlgo,
  OrderStatus,
  Side,
  TradingExchange,
} from '../field/vocabulary.js';
import { echoedProperties } from '../field/field-schema.js';
import { PAIR_PARAMS } from '../pair/pair-fields.js';
import { ORDER_FIELDS } from './order-fields.js';
import { ORDER_PARAMS } from './param-fields.js';
import { CANCELLERS } from '../../domain/cancel-cause.js';
import { QUARANTINE_REASONS } from '../../domain/quarantine.js';

const clientOrderId = Type.String({ description: "The client's id of the order. Absent when the client gave none." });

const REASON = 'Reason of the end or the refusal. Names field, value and rule.';
const message = Type.String({ description: REASON });

const errorCode = described(ApiErrorCode, 'Error code of the reason. Present together with `message`.');

export const OrderSummary = Type.Object(
  {
    order_id: Type.Optional(described(OrderIdSchema, 'Absent when nothing is stored.')),
    client_order_id: Type.Optional(clientOrderId),
    status: OrderStatus,
    created_at: instant('Creation time of the order, service time. Time of the answer when no order is stored.'),
    message: Type.Optional(message),
    error_code: Type.Optional(errorCode),
    reason: Type.Optional(ApiErrorReason),
  },
  {
    title: 'OrderSummary',
    description: 'Result of a create or a cancel for one order.',
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
  { orders: Type.Array(OrderSummary, { description: 'One summary for each order, in the sequence of the request.' }) },
  { title: 'OrderSummaryList' },
);

export const TradeDetails = Type.Object(
  {
    trade_id: Type.Integer({ description: "The exchange's trade id." }),
    symbol: Type.String({ description: 'Symbol as the request sent it.' }),
    exchangeOrderId: Type.String({ description: "The exchange's id of the child order." }),
    clientOrderId: Type.Optional(described(clientOrderId, "The client's id of the parent order.")),
    quantity: decimal('Filled quantity in base units.'),
    price: decimal('Price in quote units.'),
    direction: described(Side, 'Side of the order.'),
    makerOrTaker: choice(
      'Liquidity',
      ['MAKER', 'TAKER'],
      'MAKER: the child rested in the book. TAKER: it took from the book.',
    ),
    execTime: epochMs('Time of the execution, service time.'),
    fee: decimal('Fee charged; a rebate is negative.'),
    feeCurrency: Type.String({ description: 'Asset of the fee.' }),
  },
  { title: 'TradeDetails', description: 'One fill. The names are in camelCase.' },
);

export const TradeDetailsList = Type.Object(
  {
    trades: Type.Array(TradeDetails, {
      description: 'Grouped by order in the sequence of the request, the oldest fill first.',
    }),
  },
  { title: 'TradeDetailsList' },
);

const feesInfos = Type.Optional(
  Type.Record(Type.String(), Type.Number(), { description: 'Fees by currency. Present with include_fees=true.' }),
);

export const EchoedParams = Type.Object(echoedProperties(ORDER_PARAMS), {
  title: 'EchoedParams',
  description:
    'The `params` of the request that differ from their defaults, with decimals as numbers. A create with these params requests the same order.',
  examples: [{ duration_seconds: 3600, trading_style: 'PASSIVE' }],
});

export const EchoedPairParams = Type.Object(echoedProperties(PAIR_PARAMS), {
  title: 'EchoedPairParams',
  description: 'Params of a multi-leg order that differ from their defaults.',
});

/** Clip and params of the details have the form of the frames. */
const WITH_PARAMS = 'The `params` of the request, as in frames of topic order. Present with include_params=true.';

/** Absent from an order that has not more fills than its quantity, as almost every one. */
export const OVER_FILLED = decimal(
  'filled_quantity − quantity, when that is above 0: a child was executed after it counted as absent.',
);

/** Members that an order and a leg share. */
const commonMembers = {
  order_id: OrderIdSchema,
  client_order_id: Type.Optional(clientOrderId),
  status: OrderStatus,
  asset_class: AssetCategory,
  live_mode: Type.Optional(LiveMode),
  quantity: decimal('Current quantity in base units. Of a leg: its target in base units.'),
  limit_price: Type.Optional(decimal('Worst price that it accepts.')),
  created_at: epochMs('Time of creation, service time.'),
  start_time: epochMs('When trading starts, service time.'),
  end_time: Type.Optional(epochMs('Time of the end, past or planned. Absent while the order has no end.')),
  filled_quantity: decimal('Filled quantity in base units.'),
  leaves_quantity: decimal(
    'quantity − filled_quantity, also after the end. 0 when filled_quantity exceeds the quantity.',
  ),
  over_filled_quantity: Type.Optional(OVER_FILLED),
  last_quantity: decimal('Quantity of the latest fill in base units. 0 before the first fill.'),
  last_price: decimal('Price of the latest fill. 0 before the first fill.'),
  average_price: decimal(
    'Volume-weighted price of all fills, rounded half up to 8 digits more than the tick. 0 before the first fill.',
  ),
};

const traded = {
  symbol: Type.String({ description: 'Symbol as the request sent it.' }),
  exchange: TradingExchange,
  strategy: ExecutionStrategy,
  side: Side,
};

/** Members of a leg in answers and frames that an order does not have. */
const LEG_MEMBERS = {
  is_leading: Type.Boolean({
    description:
      'true: the strategy of this leg executes it, and the other leg follows. false for both legs when no leg leads.',
  }),
  target_value: decimal('Target of the leg, in `ccy`.'),
  ccy: Type.String({ description: 'Currency of `target_value`: base, quote or USD, in upper case.' }),
};

const LEG_FILLED_VALUE = decimal('Filled value: in base units when `ccy` is the base, else in quote currency.');

const OrderLegDetails = Type.Object(
  {
    ...commonMembers,
    ...traded,
    ...LEG_MEMBERS,
    filled_value: LEG_FILLED_VALUE,
    ...echoedProperties(ORDER_FIELDS),
    params: Type.Optional(described(EchoedParams, WITH_PARAMS)),
    fees_infos: feesInfos,
  },
  {
    title: 'OrderLegDetails',
    description:
      'State of one leg. Ids and times are those of the order. The status equals that of the order, with one exception: while the order is PARTIALLY_FILLED, a complete leg is FILLED and a leg without fills is ACCEPTED. The order lists the trades.',
  },
);

export const MISHEDGE = decimal(
  'Filled value of the leading leg − filled value of the other leg, in the quote currency of the leading leg. Another currency is converted at the live rate of the last hedge. Multi-leg orders only.',
);

export const CancelCausePart = Type.Object(
  {
    by: choice(
      'Canceller',
      CANCELLERS,
      'CLIENT: a cancel or cancelMany of the order. CANCEL_ALL: a cancelAll. CANCEL_ALL_AFTER: the timer expired. ' +
        'DISCONNECT: the session with cancel_on_disconnect that placed it has ended. KILL_SWITCH: the kill switch of the ' +
        'account or of the service is engaged. OPERATOR: an operator released it from quarantine. SERVICE: the service ' +
        'ended it, for the reason in `error_code`.',
    ),
    api_key: Type.Optional(
      Type.String({ description: 'Public id of the API key of the request. With CLIENT and CANCEL_ALL only.' }),
    ),
    error_code: Type.Optional(described(ApiErrorCode, 'Why the service ended the order. With SERVICE only.')),
  },
  {
    title: 'CancelCausePart',
    description:
      'Who cancelled the order: the first cause, later ones do not replace it. Present while the order is being ' +
      'cancelled and when it is CANCELLED. Absent for orders that were cancelled before causes were recorded.',
    examples: [
      { by: 'CLIENT', api_key: '0f3c9a1be27d44c8' },
      { by: 'SERVICE', error_code: 'SLIPPAGE_EXCEEDED' },
    ],
  },
);

export const QuarantinePart = Type.Object(
  {
    since: epochMs('When the order was quarantined, service time.'),
    reason: choice(
      'QuarantineReason',
      QUARANTINE_REASONS,
      'CONTRADICTORY_REPORT: a report of the exchange contradicts the order. BROKEN_INVARIANT, UNEXPECTED_ERROR: the ' +
        'processing of the order failed. SHARD_DEATH: the thread died repeatedly while it processed the order. ' +
        'FORGOTTEN_CHILD: the exchange does not know a child that is older than its order history. DENIED_CHILD: the ' +
        'exchange has acknowledged a child and denies it for minutes; an operator settles it.',
    ),
    detail: Type.String({ description: 'The report or the error that caused the quarantine.' }),
  },
  {
    title: 'QuarantinePart',
    description:
      'The order is quarantined. It places no more children. Its fills are still recorded, so filled_quantity may ' +
      'exceed the quantity. Its status stays; message and error_code SYSTEM_ERROR give the reason. It can be cancelled, but not ' +
      'paused, resumed or amended.',
  },
);

export const OrderDetails = Type.Object(
  {
    ...commonMembers,
    symbol: Type.Optional(traded.symbol),
    exchange: Type.Optional(traded.exchange),
    strategy: Type.Optional(traded.strategy),
    side: Type.Optional(traded.side),
    algo: Type.Optional(MultiLegsAlgo),
    mishedge: Type.Optional(MISHEDGE),
    legs: Type.Optional(Type.Array(OrderLegDetails, { description: 'In the order of the request.' })),
    message: Type.Optional(
      Type.String({
        description:
          `${REASON} Without \`error_code\`: the child whose state the open order waits for, because its exchange has ` +
          'given no certain answer.',
      }),
    ),
    error_code: Type.Optional(errorCode),
    cause: Type.Optional(CancelCausePart),
    quarantine: Type.Optional(QuarantinePart),
    ...echoedProperties(ORDER_FIELDS),
    params: Type.Optional(Type.Union([EchoedParams, EchoedPairParams], { description: WITH_PARAMS })),
    trades: Type.Optional(
      Type.Array(TradeDetails, { description: 'Fills of the order. Present with include_trades=true.' }),
    ),
    fees_infos: feesInfos,
  },
  {
    title: 'OrderDetails',
    description:
      'State of an order. A multi-leg order has `algo`, `mishedge` and `legs` instead of `symbol`, `exchange`, `strategy` and `side`; its quantities and prices are those of the leading leg.',
    examples: [
      {
        order_id: 65_537,
        client_order_id: 'rebalance-7',
        symbol: 'BTC/USDT',
        status: 'PARTIALLY_FILLED',
        asset_class: 'SPOT',
        exchange: 'BINANCE',
        strategy: 'TWAP',
        quantity: 0.5,
        limit_price: 61_000,
        created_at: 1_795_262_399_750,
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

/** A leg in a frame of topic `order`. */
export const OrderLegPart = Type.Object(
  {
    exchange_id: Type.Integer({ description: 'Integer id of the exchange.' }),
    exchange_name: TradingExchange,
    live_mode: Type.Optional(LiveMode),
    symbol: Type.String({ description: 'Symbol as the request sent it.' }),
    asset_class: AssetCategory,
    side: Side,
    ...LEG_MEMBERS,
    quantity: decimal('The target in base units.'),
    limit_price: Type.Optional(decimal('Worst price that the leg accepts.')),
    strategy: ExecutionStrategy,
    ...echoedProperties(ORDER_FIELDS),
    params: Type.Optional(EchoedParams),
    filled_quantity: decimal('Filled quantity in base units, after the event.'),
    average_price: decimal('Volume-weighted price of the fills. 0 before the first fill.'),
    filled_value: LEG_FILLED_VALUE,
  },
  { title: 'OrderLegPart', description: 'One leg of a multi-leg order: its request and its progress.' },
);
