import type { TSchema } from '@sinclair/typebox';
import {
  WS_CONNECTIONS_MAX,
  WS_CONNECTIONS_PER_ACCOUNT_MAX,
  WS_FRAME_BYTES_MAX,
  WS_MARKET_SUBSCRIPTIONS_MAX,
  WS_MESSAGES_BURST_SECONDS,
  WS_MESSAGES_PER_SECOND,
} from '../model/limits.js';
import { Components, type Json, type JsonObject } from './components.js';
import { PositionFrame, PositionRiskFrame } from './position-frame.js';
import {
  BalanceFrame,
  ChildOrderFrame,
  OhlcvFrame,
  OpenInterestFrame,
  OrderFrame,
  TickerFrame,
  TradeFrame,
} from './stream-frame.js';
import { AccountSubscription, Answer, KeepAlive, MarketSubscription, ServerNotice } from './stream-message.js';

/** Path of the WebSocket, outside of the table of operations: it is no request and answer. */
export const STREAM_PATH = '/api/v2/ws';

/** What a client may send. */
export const CLIENT_MESSAGES: readonly TSchema[] = [AccountSubscription, MarketSubscription, KeepAlive];
/** What the service sends. */
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

/** What all messages share, in Markdown. */
export const STREAM_GUIDE = `Read-only: orders are placed and cancelled over REST. Every message is one JSON text frame of at most ${WS_FRAME_BYTES_MAX / 1024} KiB from a client.

- **Handshake**: the listen key of \`GET /api/v2/trading/listenKey\` as \`?listenKey=\` or \`Authorization: Bearer\`; a wrong or expired one is answered 401, a request for no upgrade 426. An open connection outlives its key.
- **Frames of the account** are numbered by \`seq\` and never skipped. A client that falls too far behind is closed with 1013 and goes on by \`resume_from\`.
- **Market data** is conflated: a slow client misses what is outdated, never the latest and never a closed candle.
- **Close codes**: 1001 silence of the client or shutdown of the service, 1008 more than ${WS_MESSAGES_PER_SECOND} messages a second for ${WS_MESSAGES_BURST_SECONDS} s, 1013 too far behind, also in closed candles.
- **Limits**, unless the service is configured otherwise: ${WS_MARKET_SUBSCRIPTIONS_MAX} subscriptions of market data a connection (7002), ${WS_CONNECTIONS_PER_ACCOUNT_MAX} connections of one account (429) and ${WS_CONNECTIONS_MAX} of all (503). A longer frame than allowed ends its connection.
- **Positions**: a fill, a liquidation, funding or another leverage makes a numbered frame of \`position\` and one of \`position_risk\`; a position that is closed is told once with \`contracts\` 0, one that turns with its new side, and an exchange that starts again repeats the open ones and those closed shortly before. While nothing but the mark price moves, \`position_risk\` tells each open position at most once a second as a snapshot: \`"snapshot": true\` with the \`seq\` of the last frame, not kept and not replayed. \`margin_ratio\` is the maintenance margin of the position ÷ its collateral.`;

/** The AsyncAPI 3 document of the WebSocket, seen from the service: it sends frames and receives requests. */
export function asyncApiDocument(): JsonObject {
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
        summary: 'Subscribe, unsubscribe, and show life.',
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

function messageOf(schema: TSchema, components: Components): JsonObject {
  const examples = (schema.examples ?? []) as readonly Json[];
  return {
    name: nameOf(schema),
    ...(schema.description === undefined ? {} : { summary: schema.description }),
    contentType: 'application/json',
    payload: components.place(schema),
    ...(examples.length === 0 ? {} : { examples: examples.map((payload) => ({ payload })) }),
  };
}

function pointer(schema: TSchema): JsonObject {
  return { $ref: `#/channels/stream/messages/${nameOf(schema)}` };
}

function nameOf({ title = '' }: TSchema): string {
  return title;
}
