import type { TSchema } from '@sinclair/typebox';
import {
  WS_CONNECTIONS_MAX,
  WS_CONNECTIONS_PER_ACCOUNT_MAX,
  WS_FRAME_BYTES_MAX,
  WS_MARKET_SUBSCRIPTIONS_MAX,
  WS_MESSAGES_BURST_SECONDS,
  WS_MESSAGES_PER_SECOND,
} from '../../domain/limits/clients.js';
import { Components, type Json, type DocumentPart } from './components.js';
import { PositionFrame, PositionRiskFrame } from '../account/account-frame.js';
import {
  AccountSubscription,
  Answer,
  BalanceFrame,
  ChildOrderFrame,
  KeepAlive,
  MarketSubscription,
  OhlcvFrame,
  OpenInterestFrame,
  OrderFrame,
  ServerNotice,
  TickerFrame,
  TradeFrame,
} from '../stream/frame-schema.js';

/** Path of the WebSocket. It is not in the table of operations. */
export const STREAM_PATH = '/api/v2/ws';

/** Schemas of client messages. */
export const CLIENT_MESSAGES: readonly TSchema[] = [AccountSubscription, MarketSubscription, KeepAlive];
/** Schemas of server messages. */
export const SERVER_MESSAGES: readonly TSchema[] = [
  Answer,
  OrderFrame,
  ChildOrderFrame,
  TradeFrame,
  BalanceFrame,
  PositionFrame,
  PositionRiskFrame,
  TickerFrame,
  OhlcvFrame,
  OpenInterestFrame,
  KeepAlive,
  ServerNotice,
];

/** The rules that all messages share, in Markdown. */
export const STREAM_GUIDE = `Read-only: orders are placed and cancelled over REST. Every message is one JSON text frame of at most ${WS_FRAME_BYTES_MAX / 1024} KiB from a client.

- **Handshake**: the listen key of \`GET /api/v2/trading/listenKey\` as \`?listenKey=\` or \`Authorization: Bearer\`; an invalid or expired key is answered 401, a request without an upgrade 426. An open connection survives the expiry of its listen key.
- **Frames of the account** are numbered by \`seq\` and never skipped. The connection of a client with a large backlog is closed with 1013; the client resumes with \`resume_from\`.
- **Market data** is conflated: a slow client misses what is outdated, never the latest and never a closed candle.
- **Close codes**: 1001 silence of the client or shutdown of the service, 1008 more than ${WS_MESSAGES_PER_SECOND} messages a second for ${WS_MESSAGES_BURST_SECONDS} s, 1013 too far behind, also in closed candles.
- **Limits**, unless the service is configured otherwise: ${WS_MARKET_SUBSCRIPTIONS_MAX} subscriptions of market data a connection (7002), ${WS_CONNECTIONS_PER_ACCOUNT_MAX} connections of one account (429) and ${WS_CONNECTIONS_MAX} of all (503). A longer frame than allowed ends its connection.
- **Positions**: a fill, a liquidation, funding or another leverage makes a numbered frame of \`position\` and one of \`position_risk\`; a closed position is sent once with \`contracts\` 0, a reversed one with its new side. An exchange that starts again repeats the open positions and those closed shortly before. While only the mark price changes, \`position_risk\` sends each open position at most once a second as a snapshot: \`"snapshot": true\` with the \`seq\` of the last frame, not stored and not replayed. \`margin_ratio\` is the maintenance margin of the position ÷ its collateral.`;

/** The AsyncAPI 3 document of the WebSocket, from the view of the service: it sends frames and receives requests. */
export function asyncApiDocument(): DocumentPart {
  const components = new Components();
  const all = [...new Set([...CLIENT_MESSAGES, ...SERVER_MESSAGES])];
  const messages = Object.fromEntries(all.map((schema) => [nameOf(schema), messageOf(schema, components)]));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Sluice streams', version: '2.0.0', description: STREAM_GUIDE },
    defaultContentType: 'application/json',
    servers: {
      here: {
        host: '127.0.0.1:8080',
        protocol: 'ws',
        description: 'This service at its default address.',
        security: LISTEN_KEYS,
      },
    },
    channels: {
      stream: {
        address: STREAM_PATH,
        description: 'One connection for all topics.',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', query: LISTEN_KEY_QUERY } },
      },
    },
    operations: {
      receiveRequest: {
        action: 'receive',
        channel: CHANNEL,
        summary: 'Subscribe, unsubscribe, ping and pong.',
        messages: CLIENT_MESSAGES.map(pointer),
      },
      sendFrame: {
        action: 'send',
        channel: CHANNEL,
        summary: 'Answers, frames of the subscribed topics, pings and notices.',
        messages: SERVER_MESSAGES.map(pointer),
      },
    },
    components: { messages, schemas: components.schemas, securitySchemes: { ...LISTEN_KEY_SCHEMES } },
  };
}

const CHANNEL = { $ref: '#/channels/stream' };
const LISTEN_KEYS = [
  { $ref: '#/components/securitySchemes/listenKeyInQuery' },
  { $ref: '#/components/securitySchemes/listenKeyInHeader' },
];
const LISTEN_KEY_SCHEMES = {
  listenKeyInQuery: { type: 'httpApiKey', in: 'query', name: 'listenKey' },
  listenKeyInHeader: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
};
const LISTEN_KEY_QUERY = {
  type: 'object',
  properties: {
    listenKey: { type: 'string', description: 'The listen key, when it is not in the header Authorization.' },
  },
};

function messageOf(schema: TSchema, components: Components): DocumentPart {
  const examples = (schema.examples ?? []) as readonly Json[];
  return {
    name: nameOf(schema),
    ...(schema.description === undefined ? {} : { summary: schema.description }),
    contentType: 'application/json',
    payload: components.place(schema),
    ...(examples.length === 0 ? {} : { examples: examples.map((payload) => ({ payload })) }),
  };
}

function pointer(schema: TSchema): DocumentPart {
  return { $ref: `#/channels/stream/messages/${nameOf(schema)}` };
}

function nameOf({ title = '' }: TSchema): string {
  return title;
}
