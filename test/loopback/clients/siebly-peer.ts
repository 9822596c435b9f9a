import { MainClient, USDMClient, WebsocketAPIClient, WebsocketClient, WS_KEY_MAP } from 'binance';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { connection, report, until } from './findings.js';

/** Trades with Siebly's client on both sections: REST, both socket APIs, both user data streams and books. */

const agent = new HttpsProxyAgent(connection.proxy);
const keys = { api_key: connection.key, api_secret: connection.secret };
const requestOptions = { httpsAgent: agent, proxy: false as const };
const options = { ...keys, beautify: false, wsOptions: { agent }, requestOptions };
const spot = new MainClient({ ...keys, beautifyResponses: false }, requestOptions);
const usdm = new USDMClient({ ...keys, beautifyResponses: false }, requestOptions);

const quiet = {
  trace: () => undefined,
  info: () => undefined,
  error: (...words: unknown[]) => console.error(...words),
};
const sockets = new WebsocketClient(options, quiet);
const api = new WebsocketAPIClient({ ...options, attachEventListeners: false }, quiet);
const events: Record<string, unknown>[] = [];
for (const client of [sockets, api.getWSClient()]) {
  client.on('message', (event) => {
    events.push(event as unknown as Record<string, unknown>);
  });
}
await api.subscribeUserDataStream(WS_KEY_MAP.mainWSAPI);
await sockets.subscribeUsdFuturesUserDataStream();
await sockets.subscribe(['btcusdt@bookTicker'], WS_KEY_MAP.main);
await sockets.subscribe(['btcusdt@depth5@100ms'], WS_KEY_MAP.usdmPublic);

const payloads = (): Record<string, unknown>[] =>
  events.map((event) => (event['event'] ?? event['data'] ?? event) as Record<string, unknown>);
const isReported = (execution: string, id: string): boolean => {
  return payloads().some((payload) => {
    // Futures events hold the order in `o`; in spot events `o` is the type of the order.
    const order = (typeof payload['o'] === 'object' ? payload['o'] : payload) as Record<string, unknown>;
    return order['x'] === execution && (order['c'] === id || order['C'] === id);
  });
};

const symbol = 'BTCUSDT';
const limit = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 0.01, price: 49000 } as const;
await spot.submitNewOrder({ ...limit, newClientOrderId: 'siebly-spot-1' });
const spotFound = await spot.getOrder({ symbol, origClientOrderId: 'siebly-spot-1' });
await spot.cancelOrder({ symbol, origClientOrderId: 'siebly-spot-1' });
await usdm.submitNewOrder({ ...limit, newClientOrderId: 'siebly-usdm-1' });
const usdmFound = await usdm.getOrder({ symbol, origClientOrderId: 'siebly-usdm-1' });
await usdm.cancelOrder({ symbol, origClientOrderId: 'siebly-usdm-1' });

const taker = { ...limit, timeInForce: 'IOC', price: 50100 } as const;
const spotTaken = await api.submitNewSpotOrder({
  ...taker,
  newClientOrderId: 'siebly-spot-2',
  timestamp: Date.now(),
} as never);
const usdmTaken = await api.submitNewFuturesOrder('usdm', {
  ...taker,
  newClientOrderId: 'siebly-usdm-2',
  timestamp: Date.now(),
});

for (const section of ['spot', 'usdm']) {
  await until(`the cancel of ${section}`, () => isReported('CANCELED', `siebly-${section}-1`));
  await until(`the fill of ${section}`, () => isReported('TRADE', `siebly-${section}-2`));
}
await until('a spot quote', () => payloads().some((payload) => 'u' in payload && 'B' in payload));
await until('a futures book', () => payloads().some((payload) => payload['e'] === 'depthUpdate'));
report({
  spot: { found: spotFound.clientOrderId, taken: (spotTaken.result as unknown as { status: string }).status },
  usdm: { found: usdmFound.clientOrderId, taken: usdmTaken.result.clientOrderId },
});
