import type { TSchema } from '@sinclair/typebox';
import {
  ACCOUNT_UNPAID_FRAMES_PER_SECOND,
  BURST_SECONDS,
  KEY_UNPAID_FRAMES_PER_SECOND,
  SESSION_AUTH_MS_MAX,
  SESSION_BACKLOG_BYTES_MAX,
  SESSION_BATCH_FRAME_BYTES_MAX,
  SESSION_FAULTY_FRAMES_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_INCOMPLETE_BYTES_MAX,
  SESSION_KEEP_ALIVE_BYTES_MAX,
  SESSION_RECORDS_PER_ACCOUNT_MAX,
  SESSION_REFUSALS_IN_A_ROW_MAX,
  SESSION_REQUESTS_OPEN_MAX,
  SESSION_RESUME_AFTER_START_MS,
  SESSION_RESUME_MS,
  SESSION_UNPAID_FRAMES_PER_SECOND,
  SESSION_UNPROVEN_FRAMES_MAX,
  SESSIONS_PER_ACCOUNT_MAX,
  SESSIONS_UNPROVEN_MAX,
  SESSIONS_UNPROVEN_PER_ADDRESS_MAX,
  SNAPSHOT_PAGE_ORDERS,
  WS_CONNECTIONS_MAX,
  WS_CONNECTIONS_PER_ACCOUNT_MAX,
  WS_END_MS,
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
import { SESSION_PATH } from '../stream/session-request.js';
import { SessionAnswer, SessionRequest } from '../stream/session-schema.js';

/** Path of the WebSocket of the streams. It is not in the table of operations. */
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
/** Schemas of the messages of order entry. */
export const SESSION_REQUESTS: readonly TSchema[] = [SessionRequest, KeepAlive];
export const SESSION_ANSWERS: readonly TSchema[] = [SessionAnswer, KeepAlive, ServerNotice];

/** The rules that all messages share, in Markdown. */
const STREAM_GUIDE = `Read-only: orders are placed and cancelled over REST or in a session. Every message is one JSON text frame of at most ${WS_FRAME_BYTES_MAX / 1024} KiB from a client.

- **Handshake**: the listen key of \`GET /api/v2/trading/listenKey\` as \`?listenKey=\` or \`Authorization: Bearer\`; an invalid or expired key is answered 401 (INVALID_API_KEY with a \`reason\` when its API key is suspended or expired), a request without an upgrade 426. An open connection survives the expiry of its listen key.
- **Frames of the account** are numbered by \`seq\` and never skipped. The connection of a client with a large backlog is closed with 1013; the client resumes with \`resume_from\`.
- **Open orders**: a subscription of topic \`order\` with \`"snapshot": true\` first sends one frame for each open order of the exchange, in pages of at most ${SNAPSHOT_PAGE_ORDERS} orders. All of them show one instant: the state after the frame with their \`seq\`. The last one has \`snapshot_end\`; without open orders none is sent. The live frames continue with the next \`seq\`. A client that reads slowly gets the pages at its own pace.
- **Market data** is conflated: a slow client misses what is outdated, never the latest and never a closed candle.
- **Close codes**: 1001 silence of the client or shutdown of the service, 1008 more than ${WS_MESSAGES_PER_SECOND} messages a second for ${WS_MESSAGES_BURST_SECONDS} s, pings and pongs of the WebSocket protocol included, 1013 too far behind, also in closed candles, and while the latest events are still being stored: subscribe again, with \`resume_from\`.
- **Limits**, unless the service is configured otherwise: ${WS_MARKET_SUBSCRIPTIONS_MAX} subscriptions of market data a connection (7002), ${WS_CONNECTIONS_PER_ACCOUNT_MAX} connections of one account (429) and ${WS_CONNECTIONS_MAX} of all (503). A longer frame than allowed ends its connection.
- **Positions**: a fill, a liquidation, funding or another leverage makes a numbered frame of \`position\` and one of \`position_risk\`; a closed position is sent once with \`contracts\` 0, a reversed one with its new side. An exchange that starts again repeats the open positions and those closed shortly before. While only the mark price changes, \`position_risk\` sends each open position at most once a second as a snapshot: \`"snapshot": true\` with the \`seq\` of the last frame, not stored and not replayed. \`margin_ratio\` is the maintenance margin of the position ÷ its collateral.`;

const KIB = 1024;

/** The rules of order entry, in Markdown. */
const SESSION_GUIDE = `Order entry for programs that place often: one signature, then requests without waiting for answers. Every rule of REST holds: permissions, network lists, budgets, risk limits, \`client_order_id\`, error codes.

- **Start**: \`auth\` within ${SESSION_AUTH_MS_MAX / 1000} s; send other requests after its answer. A status of 401 or 403 is followed by a close with 1008. A signature starts one session.
- **Order**: requests are admitted in the order sent; answers come when they are known, an accepted order once it is on disk. A cancel covers the creates that were sent before it, also without an answer; \`order.cancelAll\` covers no later one.
- **End of the connection**: sent requests are carried out, as over REST, and their orders stay, unless \`auth\` has \`cancel_on_disconnect: true\`. Repeat a create with its \`client_order_id\` when its answer is missing; set \`order.cancelAllAfter\` to cancel the orders of a client that is gone.
- **cancel_on_disconnect**: when the session ends for any reason, also at a close by the client or a revoked key, every open order placed in it is cancelled ${SESSION_RESUME_MS / 1000} s later; other orders are not. \`auth\` with \`resume\`, the \`data.session\` of the session, and the same key continues the session within that time: \`data.resumed\` is true, the id stays, and the orders stay until the resumed session ends. It takes over a connection that still seems open (1008). Later, with an unknown id or with another key, \`resume\` starts a new session: \`data.resumed\` is false. \`resume\` without \`cancel_on_disconnect\` means true; with false it ends the wish and keeps the orders. The wish is on disk before \`auth\` is answered. After a crash or a restart of the service the session may be resumed until ${SESSION_RESUME_AFTER_START_MS / 1000} s after readiness; then its orders are cancelled. Cancels work during a trading halt and are repeated while a part of the service is unavailable. An account has at most ${SESSION_RECORDS_PER_ACCOUNT_MAX} such sessions, including ended ones whose orders are being cancelled (429).
- **Limits**: ${SESSION_REQUESTS_OPEN_MAX} requests without an answer (more: 503 SYSTEM_BUSY, nothing placed), ${SESSIONS_PER_ACCOUNT_MAX} sessions of one account (429), ${SESSIONS_UNPROVEN_MAX} sessions that have not authenticated, ${SESSIONS_UNPROVEN_PER_ADDRESS_MAX} of them from one address (the oldest is closed with 1013), as many that the address has closed before \`auth\` in the last ${WS_END_MS / 1000} s (429), ${SESSION_KEEP_ALIVE_BYTES_MAX} bytes of a ping or pong (413), frames of ${SESSION_BATCH_FRAME_BYTES_MAX / KIB} KiB for createMany, createManyMultiLegs and cancelMany (more: close with 1009; beyond ${SESSION_INCOMPLETE_BYTES_MAX / KIB} KiB without a close frame) and of ${SESSION_FRAME_BYTES_MAX / KIB} KiB otherwise (413; before \`auth\` close with 1009). One answer has at most ${SESSION_BACKLOG_BYTES_MAX / KIB / KIB} MiB (413: the request was carried out, read the orders over REST).
- **Rate of frames**: at most ${SESSION_UNPROVEN_FRAMES_MAX} frames before the answer to \`auth\`; each of them also counts as a request of its address. After it, accepted requests take from the budgets of the key, and all other frames are unpaid: pings and pongs, those of the WebSocket protocol too, requests refused with a status from 400 to 499, requests beyond the maximum without an answer, and each further ${SESSION_FRAME_BYTES_MAX / KIB} KiB of a large frame. Unpaid frames of all sessions of a key: ${KEY_UNPAID_FRAMES_PER_SECOND} a second; of all keys of an account: ${ACCOUNT_UNPAID_FRAMES_PER_SECOND}; both with a burst of ${BURST_SECONDS} s. The session whose frame is beyond is closed with 1008, with the rate in its reason. ${SESSION_UNPAID_FRAMES_PER_SECOND} a second of each session are always free, so a session is not closed for what the others send. Without budgets large frames are free.
- **Close codes**: 1001 silence of the client or shutdown of the service, 1008 no \`auth\`, too many frames before it or too many unpaid frames after it, ${SESSION_REFUSALS_IN_A_ROW_MAX.toLocaleString('en')} requests in a row refused with a status from 400 to 499, a key that is no longer valid, a session resumed by another connection, or ${SESSION_FAULTY_FRAMES_MAX} malformed or too large frames, 1009 too large a frame, 1013 more than ${SESSION_BACKLOG_BYTES_MAX / KIB / KIB} MiB of answers wait for the client.
- **After a close**: wait before the next connection: the frames that led to 1008 close it too. While the service closes many connections that send too much or have not authenticated, most of them end without a close frame.`;

/** The AsyncAPI 3 document of the WebSockets, from the view of the service: it sends frames and receives requests. */
export function asyncApiDocument(): DocumentPart {
  const components = new Components();
  const streamed = [...new Set([...CLIENT_MESSAGES, ...SERVER_MESSAGES])];
  const traded = [...new Set([...SESSION_REQUESTS, ...SESSION_ANSWERS])];
  const all = [...new Set([...streamed, ...traded])];
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
      },
    },
    channels: {
      stream: {
        address: STREAM_PATH,
        description: 'One connection for all topics.',
        messages: references(streamed),
        bindings: { ws: { method: 'GET', query: LISTEN_KEY_QUERY } },
      },
      trade: {
        address: SESSION_PATH,
        description: SESSION_GUIDE,
        messages: references(traded),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      receiveRequest: {
        action: 'receive',
        channel: channelOf('stream'),
        security: LISTEN_KEYS,
        summary: 'Subscribe, unsubscribe, ping and pong.',
        messages: pointers('stream', CLIENT_MESSAGES),
      },
      sendFrame: {
        action: 'send',
        channel: channelOf('stream'),
        security: LISTEN_KEYS,
        summary: 'Answers, frames of the subscribed topics, pings and notices.',
        messages: pointers('stream', SERVER_MESSAGES),
      },
      receiveOrderRequest: {
        action: 'receive',
        channel: channelOf('trade'),
        summary: 'Authentication, requests, pings and pongs.',
        messages: pointers('trade', SESSION_REQUESTS),
      },
      sendOrderAnswer: {
        action: 'send',
        channel: channelOf('trade'),
        summary: 'Answers, pings and notices.',
        messages: pointers('trade', SESSION_ANSWERS),
      },
    },
    components: { messages, schemas: components.schemas, securitySchemes: { ...LISTEN_KEY_SCHEMES } },
  };
}

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

type Channel = 'stream' | 'trade';

function channelOf(channel: Channel): DocumentPart {
  return { $ref: `#/channels/${channel}` };
}

function references(schemas: readonly TSchema[]): DocumentPart {
  return Object.fromEntries(
    schemas.map((schema) => [nameOf(schema), { $ref: `#/components/messages/${nameOf(schema)}` }]),
  );
}

function pointers(channel: Channel, schemas: readonly TSchema[]): DocumentPart[] {
  return schemas.map((schema) => ({ $ref: `#/channels/${channel}/messages/${nameOf(schema)}` }));
}

function nameOf({ title = '' }: TSchema): string {
  return title;
}
