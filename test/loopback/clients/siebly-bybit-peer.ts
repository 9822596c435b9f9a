import { RestClientV5, WebsocketAPIClient, WebsocketClient } from 'bybit-api';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { connection, report, until } from './findings.js';

/** Trades with Siebly's client on both products: REST, order entry on a socket, user stream and books. */

const agent = new HttpsProxyAgent(connection.proxy);
const keys = { key: connection.key, secret: connection.secret };
const rest = new RestClientV5(keys, { httpsAgent: agent, proxy: false });
const quiet = {
  trace: () => undefined,
  info: () => undefined,
  error: (...words: unknown[]) => console.error(...words),
};
const options = { ...keys, wsOptions: { agent } };
const sockets = new WebsocketClient(options, quiet);
const orders = new WebsocketAPIClient({ ...options, attachEventListeners: false }, quiet);

type Row = Readonly<Record<string, unknown>>;
const messages: { readonly topic: string; readonly data: unknown }[] = [];
sockets.on('update', (event) => {
  messages.push({ topic: String(event.topic), data: event.data });
});
sockets.on('exception', (error) => console.error(error));
await Promise.all(sockets.subscribeV5(['order', 'execution', 'wallet', 'position'], 'linear'));
await Promise.all(sockets.subscribeV5(['orderbook.50.BTCUSDT', 'publicTrade.BTCUSDT'], 'spot'));
await Promise.all(sockets.subscribeV5(['tickers.BTCUSDT', 'kline.1.BTCUSDT'], 'linear'));

const rows = (topic: string): readonly Row[] => {
  return messages.filter((message) => message.topic === topic).flatMap(({ data }) => data as Row[]);
};
const isOrder = (id: string, orderStatus: string): boolean => {
  return rows('order').some((row) => row['orderLinkId'] === id && row['orderStatus'] === orderStatus);
};

async function trade(category: 'spot' | 'linear'): Promise<object> {
  const symbol = 'BTCUSDT';
  const limit = { category, symbol, side: 'Buy', orderType: 'Limit', qty: '0.01', timeInForce: 'GTC' } as const;
  const [first, second] = [`siebly-${category}-1`, `siebly-${category}-2`];
  const placed = await rest.submitOrder({ ...limit, price: '49000', orderLinkId: first });
  const found = await rest.getActiveOrders({ category, symbol, orderLinkId: first });
  const cancelled = await rest.cancelOrder({ category, symbol, orderLinkId: first });
  const late = await rest.cancelOrder({ category, symbol, orderLinkId: first });
  const taken = await orders.submitNewOrder({ ...limit, price: '50100', timeInForce: 'IOC', orderLinkId: second });
  await until(`the cancel of ${category}`, () => isOrder(first, 'Cancelled'));
  await until(`the fill of ${category}`, () => isOrder(second, 'Filled'));
  const history = await rest.getHistoricOrders({ category, symbol });
  const trades = await rest.getExecutionList({ category, orderLinkId: second });
  return {
    codes: [placed.retCode, cancelled.retCode, late.retCode, taken.retCode],
    found: found.result.list.map(({ orderLinkId, orderStatus }) => [orderLinkId, orderStatus]),
    history: history.result.list.map(({ orderLinkId, orderStatus }) => [orderLinkId, orderStatus]),
    trades: trades.result.list.map(({ execQty, orderLinkId }) => [execQty, orderLinkId]),
  };
}

const [spot, linear] = [await trade('spot'), await trade('linear')];
await until('the executions', () => rows('execution').length >= 2);
await until('the position', () => rows('position').some(({ size }) => size === '0.01'));
await until('a wallet', () => rows('wallet').length > 0);
await until('a book', () => messages.some(({ topic }) => topic === 'orderbook.50.BTCUSDT'));
await until('a trade', () => messages.some(({ topic }) => topic === 'publicTrade.BTCUSDT'));
await until('a ticker', () => messages.some(({ topic }) => topic === 'tickers.BTCUSDT'));
const key = await rest.getQueryApiKey();
const wallet = await rest.getWalletBalance({ accountType: 'UNIFIED', coin: 'USDT' });
report({
  spot,
  linear,
  spotPermissions: key.result.permissions.Spot,
  coins: wallet.result.list[0]?.coin.map(({ coin }) => coin),
});
