import { type TProperties, Type } from '@sinclair/typebox';
import { ApiErrorCode } from '../field/error-code.js';
import { choice, decimal, described, epochMs } from '../field/schema.js';
import {
  AssetCategory,
  CandleInterval,
  ClipSizeType,
  ExecutionStrategy,
  LiveMode,
  MultiLegsAlgo,
  OrderStatus,
  Side,
  TradingExchange,
} from '../field/vocabulary.js';
import {
  CancelCausePart,
  EchoedPairParams,
  EchoedParams,
  MISHEDGE,
  OrderLegPart,
  OVER_FILLED,
  QuarantinePart,
} from '../order/order-answer.js';
import { ReasonCode, ReasonDetail } from '../order/reason.js';
import { ACCOUNT_TOPICS } from '../../domain/event.js';

/* Frames of the account's topics: names in snake_case, ids as text, decimals as number literals, times in ms. */

const id = (description: string) => Type.String({ description });
const atExchange = {
  exchange_id: Type.Integer({ description: 'Integer id of the exchange.' }),
  exchange_name: TradingExchange,
};

/** Marks a frame without a number of its own. */
export const snapshotMark = Type.Optional(
  Type.Boolean({ description: 'true: the current state; seq is that of the last frame.' }),
);

/** Common members of the frames of an account's topic. */
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
    source: Type.String({ description: 'Source of the status.' }),
    order_id: id('The order, or the child as `<parent id>-<n>`.'),
    client_order_id: Type.Optional(id("The client's own id; for a child the id of the child.")),
    exchange_id: atExchange.exchange_id,
    status: OrderStatus,
    created_at: epochMs(
      'Time of the status, service time; in a snapshot, time of the last event of the order. A report has the time of its exchange, which may be before that of an ' +
        'earlier frame: order the frames of a feed by seq.',
    ),
    filled_quantity: decimal('Base units filled.'),
    leaves_quantity: decimal('Base units left.'),
    over_filled_quantity: Type.Optional(OVER_FILLED),
    side: Side,
    average_price: decimal('Volume-weighted price of all fills; 0 before the first.'),
    message: Type.Optional(
      Type.String({ description: 'Reason of its end or refusal, or the missing input that it trades without.' }),
    ),
    error_code: Type.Optional(ApiErrorCode),
    cause: Type.Optional(CancelCausePart),
  },
  { title: 'OrderStatusPart' },
);

const orderMembers = {
  order_id: id('The id of the service.'),
  client_order_id: Type.Optional(id("The client's own id; for a child the id of the child.")),
  ...atExchange,
  live_mode: Type.Optional(LiveMode),
  subaccount: Type.Optional(Type.String({ description: 'As in the request.' })),
  symbol: Type.String({ description: 'As in the request.' }),
  asset_class: AssetCategory,
  side: Side,
  quantity: decimal('Current quantity of the order in base units.'),
  limit_price: Type.Optional(decimal('Worst price.')),
  strategy: ExecutionStrategy,
  created_at: epochMs('Time of creation, service time.'),
  start_time: epochMs('Earliest start of trading, service time.'),
};

const ParentPart = Type.Object(
  {
    ...orderMembers,
    order_type: described(ExecutionStrategy, 'Same as the strategy.'),
    end_time: Type.Optional(epochMs('End of trading, service time.')),
    clip_size_type: Type.Optional(ClipSizeType),
    clip_size_val: Type.Optional(decimal('As in the request.')),
    params: Type.Optional(Type.Union([EchoedParams, EchoedPairParams])),
    algo: Type.Optional(
      described(MultiLegsAlgo, 'Multi-leg orders only. The other members of the order describe its leading leg.'),
    ),
    legs: Type.Optional(Type.Array(OrderLegPart, { description: 'Multi-leg orders only.' })),
  },
  { title: 'ParentOrderPart' },
);

const ChildPart = Type.Object(
  {
    ...orderMembers,
    parent_order_id: id('The parent.'),
    order_type: choice('ChildType', ['LIMIT', 'MARKET'], 'Type of the child order.'),
    tif: choice('TimeInForce', ['GTC', 'IOC'], 'Good till cancelled, or immediate or cancel.'),
    reason: ReasonCode,
    detail: Type.Optional(ReasonDetail),
  },
  { title: 'ChildOrderPart' },
);

const progress = Type.Number({ minimum: 0, maximum: 1, description: 'filled ÷ quantity, rounded down at 6 digits.' });

export const OrderFrame = feedFrame(
  'order',
  'OrderFrame',
  'State of a parent order after an event. A multi-leg order is in the feed of each of its exchanges. A subscription with `snapshot` first gets one frame for each open order.',
  {
    snapshot: snapshotMark,
    snapshot_end: Type.Optional(
      Type.Boolean({
        description: 'true: the last frame of the snapshot. Without open orders there is no such frame.',
      }),
    ),
    order_status: StatusPart,
    order: ParentPart,
    order_progress: progress,
    mishedge: Type.Optional(MISHEDGE),
    quarantine: Type.Optional(QuarantinePart),
  },
);

export const ChildOrderFrame = feedFrame('child_order', 'ChildOrderFrame', 'State of a child order after an event.', {
  order_status: StatusPart,
  order: ChildPart,
  order_progress: progress,
});

export const TradeFrame = feedFrame('trade', 'TradeFrame', 'One fill.', {
  trade_id: id("The exchange's trade id."),
  order_id: id('The child.'),
  parent_order_id: id('The parent.'),
  symbol: Type.String({ description: 'As in the request of the order.' }),
  side: Side,
  taker_or_maker: choice(
    'Liquidity',
    ['MAKER', 'TAKER'],
    'MAKER: the child rested in the book. TAKER: it took from the book.',
  ),
  price: decimal('In quote units.'),
  amount: decimal('In base units.'),
  cost: decimal('price × amount.'),
  fee_currency: Type.String({ description: 'Asset of the fee.' }),
  fee_cost: decimal('Fee charged; a rebate is negative.'),
  timestamp: epochMs('Time of execution, service time.'),
  ext_trade_id: id("The exchange's trade id."),
  ext_order_id: id("The exchange's id of the child."),
  client_order_id: Type.Optional(id("The client's own id of the parent.")),
  is_late: Type.Optional(Type.Boolean({ description: 'true: it came after the end of its child. It still counts.' })),
});

export const BalanceFrame = feedFrame(
  'balance',
  'BalanceFrame',
  'One asset: after a subscription all of them, then each one that changes.',
  {
    snapshot: snapshotMark,
    symbol: Type.String({ description: 'Asset.' }),
    balance: decimal('Total.'),
    free: decimal('The part that orders and margin have not locked.'),
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
    bid: Type.Optional(decimal('Best bid; absent without bids.')),
    ask: Type.Optional(decimal('Best ask; absent without asks.')),
    bid_qty: decimal('Base units at the best bid.'),
    ask_qty: decimal('Base units at the best ask.'),
    timestamp: epochMs('Service time.'),
  },
  {
    title: 'TickerFrame',
    description: 'Best bid and ask. A slow client gets only the latest frame.',
  },
);

export const OhlcvFrame = Type.Object(
  {
    topic: Type.Literal('ohlcv'),
    ...market,
    open: decimal('First price; for a candle without a trade the previous close.'),
    high: decimal('Highest price.'),
    low: decimal('Lowest price.'),
    close: decimal('Latest price.'),
    volume: decimal('Base units traded.'),
    last: decimal('Same as the close.'),
    open_time: epochMs('Start of the candle, service time.'),
    close_time: epochMs('End of the candle and start of the next one.'),
    interval: CandleInterval,
    closed: Type.Boolean({ description: 'true: its time is over. Sent once, and never dropped.' }),
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
    open_interest: decimal('Open base units.'),
    open_interest_value: decimal('Their value at the mark price, in quote units.'),
    timestamp: epochMs('Service time.'),
  },
  { title: 'OpenInterestFrame', description: 'Open interest of a future. A slow client gets only the latest frame.' },
);

/* Client messages of the WebSocket, and their answers. */

const METHOD = choice('StreamMethod', ['subscribe', 'unsubscribe'], 'Action.');
const EXCHANGE = described(TradingExchange, 'Any letter case.');

export const AccountSubscription = Type.Object(
  {
    topic: choice('AccountTopic', ACCOUNT_TOPICS, 'A feed of the account.'),
    exchange: EXCHANGE,
    method: METHOD,
    resume_from: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'First replays the frames with a larger seq, each once, then continues live. A seq that is no longer stored (3 days or 1,000,000 frames) or was never sent is answered 7001.',
      }),
    ),
    snapshot: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Topic order: true first sends a frame for each open order of the exchange, oldest first. All frames of the snapshot show one instant, after the frame with their seq; the live frames continue with the next seq. balance, position and position_risk send a snapshot in any case. true is answered 7002 for child_order and trade, and together with resume_from: a stream that resumes has the state already.',
      }),
    ),
  },
  {
    title: 'AccountSubscription',
    description: 'One subscription for each topic and exchange; a second one is acknowledged and changes nothing.',
    examples: [
      { topic: 'order', exchange: 'BINANCE', method: 'subscribe' },
      { topic: 'order', exchange: 'BINANCE', method: 'subscribe', snapshot: true },
      { topic: 'trade', exchange: 'BINANCE', method: 'subscribe', resume_from: 41 },
    ],
  },
);

export const MarketSubscription = Type.Object(
  {
    topic: choice('MarketTopic', ['ticker', 'ohlcv', 'open_interest'], 'open_interest: futures only.'),
    exchange: EXCHANGE,
    symbol: Type.String({
      description:
        'Canonical: `BTC/USDT`, or `BTC/USDT:USDT` for a linear perpetual. The slash is optional when the text names one instrument of the exchange. Frames carry the canonical symbol.',
    }),
    method: METHOD,
    interval: Type.Optional(described(CandleInterval, 'Topic ohlcv only; default ONE_MINUTE.')),
  },
  {
    title: 'MarketSubscription',
    description:
      'One subscription for each topic, exchange and symbol; ohlcv with another interval replaces the earlier one. A connection may have 20 (`SLUICE_MARKET_DATA_CAP`; 0 disables market data).',
    examples: [
      { topic: 'ticker', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'subscribe' },
      { topic: 'ohlcv', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'subscribe', interval: 'FIVE_MINUTE' },
      { topic: 'open_interest', exchange: 'BINANCE', symbol: 'BTC/USDT:USDT', method: 'subscribe' },
    ],
  },
);

export const KeepAlive = Type.Object(
  { topic: choice('KeepAliveTopic', ['ping', 'pong'], 'A ping is answered by a pong.') },
  {
    title: 'KeepAlive',
    description:
      'The server sends a ping every 60 s. A connection without any client message for 5 minutes is closed with 1001.',
    examples: [{ topic: 'ping' }, { topic: 'pong' }],
  },
);

export const Answer = Type.Object(
  {
    code: Type.Union([Type.Literal(0), Type.Literal(7001), Type.Literal(7002), Type.Literal(8054)], {
      description:
        '0: acknowledged. 7001: the stream ended, subscribe again. 7002: the request is invalid, or a cap is reached. 8054: the exchange is missing or unknown.',
    }),
    message: Type.String({ description: 'With 0 the request itself, exchange in upper case; otherwise the reason.' }),
    ended: Type.Optional(
      Type.Object(
        { topic: choice('AccountTopic', ACCOUNT_TOPICS, 'A feed of the account.'), exchange: TradingExchange },
        { description: 'Present only when the message answers no request: this acknowledged stream has ended.' },
      ),
    ),
  },
  {
    title: 'Answer',
    description:
      'Sent for every subscribe and unsubscribe, in their order, before any frame that it causes. With `ended` it answers no request and may come between two answers.',
    examples: [
      { code: 0, message: '{"topic":"order","exchange":"BINANCE","method":"subscribe"}' },
      { code: 8054, message: 'exchange NASDAQ is missing or no trading exchange' },
      {
        code: 7001,
        message: 'stream balance of OKX has ended: OKX is down; subscribe again',
        ended: { topic: 'balance', exchange: 'OKX' },
      },
    ],
  },
);

export const ServerNotice = Type.Object(
  { topic: Type.Literal('server'), message: Type.String({ description: 'Why, for people.' }) },
  {
    title: 'ServerNotice',
    description: 'Sent before the service closes a connection with 1001.',
    examples: [{ topic: 'server', message: 'shutting down' }],
  },
);
