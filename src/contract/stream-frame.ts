import { Type, type TProperties } from '@sinclair/typebox';
import { ApiErrorCode } from './error-code.js';
import { choice, decimal, described, epochMs } from './field.js';
import { EchoedPairParams, MISHEDGE, OrderLegPart } from './leg-part.js';
import { EchoedParams } from './order-echo.js';
import { QuarantinePart } from './quarantine-part.js';
import {
  AssetCategory,
  CandleInterval,
  ClipSizeType,
  ExecutionStrategy,
  MultiLegsAlgo,
  OrderStatus,
  Side,
  TradingExchange,
} from './vocabulary.js';

/* Frames of the account's topics: names in snake_case, ids as text, decimals as number literals, times in ms. */

const id = (description: string) => Type.String({ description });
const atExchange = {
  exchange_id: Type.Integer({ description: 'Integer id of the exchange.' }),
  exchange_name: TradingExchange,
};

/** Marks a frame that has no number of its own. */
export const snapshotMark = Type.Optional(
  Type.Boolean({ description: 'true: as it stands; seq is that of the last frame sent.' }),
);

/** How the frames of an account's topic begin. */
export function feedFrame<Topic extends string, Properties extends TProperties>(
  topic: Topic,
  title: string,
  about: string,
  properties: Properties,
) {
  const seq = Type.Integer({
    minimum: 0,
    description: 'Counts the frames of one account, topic and exchange from 1 without a gap, across restarts.',
  });
  return Type.Object({ topic: Type.Literal(topic), seq, ...atExchange, ...properties }, { title, description: about });
}

const StatusPart = Type.Object(
  {
    source: Type.String({ description: 'Who says so.' }),
    order_id: id('The order, or the child as `<parent id>-<n>`.'),
    client_order_id: Type.Optional(id("The caller's name; of a child its own id.")),
    exchange_id: atExchange.exchange_id,
    status: OrderStatus,
    created_at: epochMs('When it got there, service time.'),
    filled_quantity: decimal('Base units filled.'),
    leaves_quantity: decimal('Base units left.'),
    side: Side,
    average_price: decimal('Volume-weighted price of all fills; 0 before the first.'),
    message: Type.Optional(Type.String({ description: 'Why it ended or was refused, or what it does without.' })),
    error_code: Type.Optional(ApiErrorCode),
  },
  { title: 'OrderStatusPart' },
);

const orderMembers = {
  order_id: id("The service's id."),
  client_order_id: Type.Optional(id("The caller's name; of a child its own id.")),
  ...atExchange,
  subaccount: Type.Optional(Type.String()),
  symbol: Type.String({ description: 'As it was sent.' }),
  asset_class: AssetCategory,
  side: Side,
  quantity: decimal('Base units asked for, as they are now.'),
  limit_price: Type.Optional(decimal('Worst price.')),
  strategy: ExecutionStrategy,
  created_at: epochMs('When it was made, service time.'),
  start_time: epochMs('When trading may start, service time.'),
};

const ParentPart = Type.Object(
  {
    ...orderMembers,
    order_type: described(ExecutionStrategy, 'The strategy again.'),
    end_time: Type.Optional(epochMs('When trading ends, service time.')),
    clip_size_type: Type.Optional(ClipSizeType),
    clip_size_val: Type.Optional(decimal('As it was sent.')),
    params: Type.Optional(Type.Union([EchoedParams, EchoedPairParams])),
    algo: Type.Optional(
      described(MultiLegsAlgo, 'Of a multi-leg order, whose own members are those of its leading leg.'),
    ),
    legs: Type.Optional(Type.Array(OrderLegPart, { description: 'Of a multi-leg order.' })),
  },
  { title: 'ParentOrderPart' },
);

const ChildPart = Type.Object(
  {
    ...orderMembers,
    parent_order_id: id('The parent.'),
    order_type: choice('ChildType', ['LIMIT', 'MARKET'], 'How it was placed.'),
    tif: choice('TimeInForce', ['GTC', 'IOC'], 'Good till cancelled, or immediate or cancel.'),
    reason: Type.String({ description: 'Why the strategy placed it: a code, and the numbers behind it.' }),
  },
  { title: 'ChildOrderPart' },
);

const progress = Type.Number({ minimum: 0, maximum: 1, description: 'filled ÷ quantity, rounded down at 6 digits.' });

export const OrderFrame = feedFrame(
  'order',
  'OrderFrame',
  'Where a parent order stands after an event. That of a multi-leg order comes in the feed of each of its exchanges.',
  {
    order_status: StatusPart,
    order: ParentPart,
    order_progress: progress,
    mishedge: Type.Optional(MISHEDGE),
    quarantine: Type.Optional(QuarantinePart),
  },
);

export const ChildOrderFrame = feedFrame(
  'child_order',
  'ChildOrderFrame',
  'Where a child order stands after an event.',
  {
    order_status: StatusPart,
    order: ChildPart,
    order_progress: progress,
  },
);

export const TradeFrame = feedFrame('trade', 'TradeFrame', 'One fill.', {
  trade_id: id("The exchange's trade id."),
  order_id: id('The child.'),
  parent_order_id: id('The parent.'),
  symbol: Type.String({ description: 'As the order was sent.' }),
  side: Side,
  taker_or_maker: choice('Liquidity', ['MAKER', 'TAKER'], 'Whether the child rested in the book or took from it.'),
  price: decimal('In quote units.'),
  amount: decimal('In base units.'),
  cost: decimal('price × amount.'),
  fee_currency: Type.String(),
  fee_cost: decimal('Fee charged; a rebate is negative.'),
  timestamp: epochMs('When it was executed, service time.'),
  ext_trade_id: id("The exchange's trade id."),
  ext_order_id: id("The exchange's id of the child."),
  client_order_id: Type.Optional(id("The caller's name of the parent.")),
  is_late: Type.Optional(Type.Boolean({ description: 'true: it came after its child had ended, and counts.' })),
});

export const BalanceFrame = feedFrame(
  'balance',
  'BalanceFrame',
  'One asset: all of them on subscribing, then each that changes.',
  {
    snapshot: snapshotMark,
    symbol: Type.String({ description: 'Asset.' }),
    balance: decimal('Total.'),
    free: decimal('What orders and margin have not locked.'),
    timestamp: epochMs('Service time.'),
  },
);

const market = {
  symbol: Type.String({ description: 'Canonical.' }),
  exchange: Type.Integer({ description: 'Integer id of the exchange.' }),
  asset_class: Type.Integer({ description: '1 SPOT, 2 FUTURE.' }),
};

export const TickerFrame = Type.Object(
  {
    topic: Type.Literal('ticker'),
    ...market,
    bid: Type.Optional(decimal('Best bid; absent when nobody bids.')),
    ask: Type.Optional(decimal('Best ask; absent when nobody offers.')),
    bid_qty: decimal('Base units at the best bid.'),
    ask_qty: decimal('Base units at the best ask.'),
    timestamp: epochMs('Service time.'),
  },
  {
    title: 'TickerFrame',
    description: 'Best bid and ask. What a slow reader has missed is left out: the latest wins.',
  },
);

export const OhlcvFrame = Type.Object(
  {
    topic: Type.Literal('ohlcv'),
    ...market,
    open: decimal('First price; of a candle without a trade the close before it.'),
    high: decimal('Highest price.'),
    low: decimal('Lowest price.'),
    close: decimal('Latest price.'),
    volume: decimal('Base units traded.'),
    last: decimal('The close again.'),
    open_time: epochMs('When it begins, service time.'),
    close_time: epochMs('When it ends, and the next one begins.'),
    interval: CandleInterval,
    closed: Type.Boolean({ description: 'true: its time is over. Sent once, and never left out.' }),
  },
  {
    title: 'OhlcvFrame',
    description: 'One candle: the running one at every change, at most 4 a second, and the closed one once.',
  },
);

export const OpenInterestFrame = Type.Object(
  {
    topic: Type.Literal('open_interest'),
    ...market,
    open_interest: decimal('Base units that are open.'),
    open_interest_value: decimal('What they are worth at the mark price, in quote units.'),
    timestamp: epochMs('Service time.'),
  },
  { title: 'OpenInterestFrame', description: 'All that is open in a future. The latest wins.' },
);
