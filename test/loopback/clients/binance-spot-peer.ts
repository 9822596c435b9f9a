import { Spot } from '@binance/spot';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { connection, report, until } from './findings.js';

/** Trades with Binance's own spot connector: REST, the socket API with its user data stream, and market streams. */

const agent = new HttpsProxyAgent(connection.proxy);
const keys = { apiKey: connection.key, apiSecret: connection.secret };
const client = new Spot({
  configurationRestAPI: { ...keys, httpsAgent: agent },
  configurationWebsocketAPI: { ...keys, agent },
  configurationWebsocketStreams: { agent },
});

const api = await client.websocketAPI.connect();
const { stream } = await api.userDataStreamSubscribeSignature();
const events: Record<string, unknown>[] = [];
stream.on('message', (event) => {
  events.push(event as unknown as Record<string, unknown>);
});
const reports = (execution: string, id: string): unknown => {
  return events.find((event) => event['x'] === execution && (event['c'] === id || event['C'] === id));
};

const streams = await client.websocketStreams.connect();
const books: unknown[] = [];
streams.partialBookDepth({ symbol: 'btcusdt', levels: '5', updateSpeed: '100ms' } as never).on('message', (book) => {
  books.push(book);
});

const symbol = 'BTCUSDT';
const limit = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 0.01, price: 49000 } as const;
const placed = await (await client.restAPI.newOrder({ ...limit, newClientOrderId: 'spot-rest-1' } as never)).data();
const found = await (await client.restAPI.getOrder({ symbol, origClientOrderId: 'spot-rest-1' })).data();
const cancelled = await (await client.restAPI.deleteOrder({ symbol, origClientOrderId: 'spot-rest-1' })).data();

await api.orderPlace({ ...limit, newClientOrderId: 'spot-ws-1' } as never);
const status = (await api.orderStatus({ symbol, origClientOrderId: 'spot-ws-1' })).data;
await api.orderCancel({ symbol, origClientOrderId: 'spot-ws-1' });
const taker = { ...limit, timeInForce: 'IOC', price: 50100, newClientOrderId: 'spot-ws-2' };
const taken = (await api.orderPlace(taker as never)).data;

await until('the cancel of the REST order', () => reports('CANCELED', 'spot-rest-1') !== undefined);
await until('the fill', () => reports('TRADE', 'spot-ws-2') !== undefined);
await until('a balance', () => events.some((event) => event['e'] === 'outboundAccountPosition'));
await until('a book', () => books.length > 0);
const trades = await (await client.restAPI.myTrades({ symbol })).data();
const cancel = reports('CANCELED', 'spot-rest-1') as Record<string, unknown>;
report({
  placed: placed.status,
  found: found.clientOrderId,
  cancelled: cancelled.origClientOrderId,
  status: status.status,
  taken: taken.status,
  fills: taken.fills?.length,
  trades: trades.map(({ qty, price }) => [qty, price]),
  cancelNames: { C: cancel['C'], isOther: cancel['c'] !== cancel['C'] },
});
