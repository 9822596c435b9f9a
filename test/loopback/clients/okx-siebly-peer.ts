import { HttpsProxyAgent } from 'https-proxy-agent';
import { RestClient, WebsocketAPIClient, WebsocketClient } from 'okx-api';
import { connection, report, until } from './findings.js';

/**
 * Trades with Siebly's client at OKX, spot and perpetuals: REST, order entry on a socket, private and public channels.
 */

const agent = new HttpsProxyAgent(connection.proxy);
const keys = { apiKey: connection.key, apiSecret: connection.secret, apiPass: connection.passphrase };
const rest = new RestClient(keys, { httpsAgent: agent, proxy: false });
const quiet = {
  trace: () => undefined,
  info: () => undefined,
  error: (...words: unknown[]) => console.error(...words),
};
const account = { ...keys, accountId: 'main' };
const sockets = new WebsocketClient({ accounts: [account], wsOptions: { agent } }, quiet);
const api = new WebsocketAPIClient({ accounts: [account], wsOptions: { agent }, attachEventListeners: false }, quiet);

interface Update {
  readonly arg?: { readonly channel?: string; readonly instId?: string };
  readonly data?: readonly Record<string, unknown>[];
}
const updates: Update[] = [];
for (const client of [sockets, api.getWSClient()]) {
  client.on('update', (update) => {
    updates.push(update as Update);
  });
}
const privateChannels = sockets.subscribe([
  { channel: 'orders', instType: 'ANY' },
  { channel: 'account' },
  { channel: 'positions', instType: 'ANY' },
]);
const publicChannels = sockets.subscribe([
  { channel: 'bbo-tbt', instId: 'BTC-USDT' },
  { channel: 'books', instId: 'BTC-USDT-SWAP' },
  { channel: 'trades', instId: 'BTC-USDT' },
  { channel: 'mark-price', instId: 'BTC-USDT-SWAP' },
  { channel: 'funding-rate', instId: 'BTC-USDT-SWAP' },
  { channel: 'open-interest', instId: 'BTC-USDT-SWAP' },
]);
const candles = sockets.subscribe({ channel: 'candle1m', instId: 'BTC-USDT' });
await Promise.all([...privateChannels, ...publicChannels, ...candles]);
const ofChannel = (channel: string): readonly Record<string, unknown>[] => {
  return updates.filter(({ arg }) => arg?.channel === channel).flatMap(({ data }) => data ?? []);
};
const isReported = (state: string, clOrdId: string): boolean => {
  return ofChannel('orders').some((order) => order['state'] === state && order['clOrdId'] === clOrdId);
};
await until('the balances', () => ofChannel('account').length > 0);

async function trade(instId: string, tdMode: 'cash' | 'cross', name: string): Promise<object> {
  const limit = { instId, tdMode, side: 'buy', ordType: 'limit', px: '49000', sz: '0.01' } as const;
  await rest.submitOrder({ ...limit, clOrdId: `${name}1` });
  const [found] = await rest.getOrderDetails({ instId, clOrdId: `${name}1` });
  await rest.amendOrder({ instId, clOrdId: `${name}1`, newPx: '48900' });
  const pending = await rest.getOrderList({ instType: tdMode === 'cash' ? 'SPOT' : 'SWAP', instId });
  await rest.cancelOrder({ instId, clOrdId: `${name}1` });
  const refused = await rest.cancelOrder({ instId, clOrdId: `${name}1` }).catch((error: unknown) => error);
  const instType = tdMode === 'cash' ? 'SPOT' : 'SWAP';
  const [market] = await rest.getInstruments({ instType, instId });
  const { instId: _replaced, ...terms } = limit;
  const take = {
    ...terms,
    instIdCode: market?.instIdCode ?? 0,
    ordType: 'ioc',
    px: '50100',
    clOrdId: `${name}2`,
  } as const;
  const taken = await api.submitNewOrder(take);
  await until(`the cancel of ${name}`, () => isReported('canceled', `${name}1`));
  await until(`the fill of ${name}`, () => isReported('filled', `${name}2`));
  const [fill] = await rest.getFills({ instType, instId });
  return {
    found: found?.clOrdId,
    pending: pending.map(({ px }) => px),
    refused: JSON.stringify(refused).includes('51400'),
    taken: taken.data[0]?.sCode,
    fill: fill?.fillSz,
  };
}

const spot = await trade('BTC-USDT', 'cash', 'sieblyspot');
const swap = await trade('BTC-USDT-SWAP', 'cross', 'sieblyswap');
for (const channel of ['bbo-tbt', 'books', 'trades', 'mark-price', 'funding-rate', 'open-interest', 'candle1m']) {
  await until(channel, () => ofChannel(channel).length > 0);
}
const [position] = await rest.getPositions({ instId: 'BTC-USDT-SWAP' });
await until('the position', () => ofChannel('positions').some(({ pos }) => pos === '0.01'));
report({ spot, swap, position: position?.pos });
