import { Type } from '@sinclair/typebox';
import { ACCOUNT_TOPICS } from '../model/feed.js';
import { CandleInterval, TradingExchange } from './vocabulary.js';
import { choice, described } from './field.js';

/* What clients send over the WebSocket, and how it is answered. */

const METHOD = choice('StreamMethod', ['subscribe', 'unsubscribe'], 'What to do.');
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
          'First replays the frames whose seq is above this, each once, then goes on live. What is no longer kept (3 days or 1,000,000 frames) or was never sent is answered 7001.',
      }),
    ),
  },
  {
    title: 'AccountSubscription',
    description: 'One subscription for each topic and exchange; a second one is acknowledged and changes nothing.',
    examples: [
      { topic: 'order', exchange: 'BINANCE', method: 'subscribe' },
      { topic: 'trade', exchange: 'BINANCE', method: 'subscribe', resume_from: 41 },
    ],
  },
);

export const MarketSubscription = Type.Object(
  {
    topic: choice('MarketTopic', ['ticker', 'ohlcv', 'open_interest'], 'open_interest: futures only.'),
    exchange: EXCHANGE,
    symbol: Type.String({ description: 'Canonical: `BTC/USDT`, or `BTC/USDT:USDT` for a linear perpetual.' }),
    method: METHOD,
    interval: Type.Optional(described(CandleInterval, 'Topic ohlcv only; ONE_MINUTE when it is left out.')),
  },
  {
    title: 'MarketSubscription',
    description:
      'One subscription for each topic, exchange and symbol; ohlcv with another interval takes the place of the one before. A connection may hold 20 (`SLUICE_MARKET_DATA_CAP`; 0 disables market data).',
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
    message: Type.String({ description: 'With 0 the request itself, exchange in upper case; otherwise why not.' }),
  },
  {
    title: 'Answer',
    description: 'To every subscribe and unsubscribe, before any frame that it causes.',
    examples: [
      { code: 0, message: '{"topic":"order","exchange":"BINANCE","method":"subscribe"}' },
      { code: 8054, message: 'exchange NASDAQ is missing or no trading exchange' },
    ],
  },
);

export const ServerNotice = Type.Object(
  { topic: Type.Literal('server'), message: Type.String() },
  {
    title: 'ServerNotice',
    description: 'Sent before the service closes a connection with 1001.',
    examples: [{ topic: 'server', message: 'shutting down' }],
  },
);
