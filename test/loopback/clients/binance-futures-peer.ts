import { DerivativesTradingUsdsFutures } from '@binance/derivatives-trading-usds-futures';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { connection, report, until } from './findings.js';

/** Trades with Binance's own connector of USD-M futures: REST, socket API, user data stream and market streams. */

const agent = new HttpsProxyAgent(connection.proxy);
const keys = { apiKey: connection.key, apiSecret: connection.secret };
const client = new DerivativesTradingUsdsFutures({
  configurationRestAPI: { ...keys, httpsAgent: agent },
  configurationWebsocketAPI: { ...keys, agent },
  configurationWebsocketStreams: { agent },
});

const { listenKey } = await (await client.restAPI.startUserDataStream()).data();
const streams = await client.websocketStreams.connect();
const events: Record<string, unknown>[] = [];
streams.userData(listenKey ?? '').on('message', (event) => {
  events.push(event as unknown as Record<string, unknown>);
});
const books: unknown[] = [];
streams
  .partialBookDepthStreams({ symbol: 'btcusdt', levels: 5, updateSpeed: '100ms' } as never)
  .on('message', (book) => {
    books.push(book);
  });
const marks: unknown[] = [];
streams.markPriceStream({ symbol: 'btcusdt', updateSpeed: '1s' } as never).on('message', (mark) => {
  marks.push(mark);
});
await new Promise((resolve) => {
  setTimeout(resolve, 300);
});
const updates = (execution: string, id: string): boolean => {
  const orders = events.map((event) => event['o'] as Record<string, unknown> | undefined);
  return orders.some((order) => order?.['x'] === execution && order['c'] === id);
};

const symbol = 'BTCUSDT';
const limit = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 0.01, price: 49000 };
const placed = await (await client.restAPI.newOrder({ ...limit, newClientOrderId: 'usdm-rest-1' } as never)).data();
const found = await (await client.restAPI.queryOrder({ symbol, origClientOrderId: 'usdm-rest-1' })).data();
const cancelled = await (await client.restAPI.cancelOrder({ symbol, origClientOrderId: 'usdm-rest-1' })).data();

const api = await client.websocketAPI.connect();
await api.newOrder({ ...limit, newClientOrderId: 'usdm-ws-1' } as never);
const status = (await api.queryOrder({ symbol, origClientOrderId: 'usdm-ws-1' })).data;
await api.cancelOrder({ symbol, origClientOrderId: 'usdm-ws-1' });
const taker = { ...limit, timeInForce: 'IOC', price: 50100, newClientOrderId: 'usdm-ws-2', newOrderRespType: 'RESULT' };
const taken = (await api.newOrder(taker as never)).data;

await until('the cancel', () => updates('CANCELED', 'usdm-rest-1'));
await until('the fill', () => updates('TRADE', 'usdm-ws-2'));
const account = await until('the position', () => events.find((event) => event['e'] === 'ACCOUNT_UPDATE'));
await until('a book', () => books.length > 0);
await until('a mark price', () => marks.length > 0);
const trades = await (await client.restAPI.accountTradeList({ symbol })).data();
const risks = await (await client.restAPI.positionInformationV3({ symbol })).data();
report({
  placed: placed.status,
  found: found.clientOrderId,
  cancelled: cancelled.status,
  status: status.status,
  taken: taken.status,
  trades: trades.map(({ qty, price }) => [qty, price]),
  positions: risks.map(({ positionAmt, entryPrice }) => [positionAmt, entryPrice]),
  update: (account['a'] as { P: { pa: string }[] }).P.map(({ pa }) => pa),
});
