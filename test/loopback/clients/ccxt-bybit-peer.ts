import ccxt from 'ccxt';
import { connection, report, until } from './findings.js';

/** Trades with ccxt.pro on spot and perpetuals: REST, order entry on a socket, user stream and book. */

const exchange = new ccxt.pro.bybit({
  apiKey: connection.key,
  secret: connection.secret,
  httpsProxy: connection.proxy,
  wssProxy: connection.proxy,
  enableRateLimit: false,
  options: { fetchMarkets: { types: ['spot', 'linear'] } },
});
await exchange.loadProxyModules();
await exchange.loadMarkets();

async function trade(symbol: string, clientId: string): Promise<object> {
  const updates: { id: string; status: string | undefined }[] = [];
  const follow = async (): Promise<void> => {
    for (;;) {
      for (const { clientOrderId, status } of await exchange.watchOrders(symbol)) {
        updates.push({ id: clientOrderId ?? '', status });
      }
    }
  };
  void follow().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  const book = await exchange.watchOrderBook(symbol, 50);
  await new Promise((resolve) => {
    setTimeout(resolve, 500);
  });
  const limit = [symbol, 'limit', 'buy', 0.01] as const;
  const [first, second, third] = [1, 2, 3].map((number) => `${clientId}-${number}`);
  const resting = await exchange.createOrder(...limit, 49000, { orderLinkId: first });
  const acknowledged = { acknowledged: true };
  const found = await exchange.fetchOrder(String(resting.id), symbol, acknowledged);
  await exchange.editOrder(String(resting.id), ...limit, 48900);
  const amended = await exchange.fetchOrder(String(resting.id), symbol, acknowledged);
  await exchange.cancelOrder(String(resting.id), symbol);
  const isSeen = (id: string | undefined, status: string): boolean => {
    return updates.some((update) => update.id === id && update.status === status);
  };
  await until('the cancel', () => isSeen(first, 'canceled'));
  const taken = await exchange.createOrder(...limit, 50100, { orderLinkId: second, timeInForce: 'IOC' });
  await until('the fill', () => isSeen(second, 'closed'));
  await exchange.createOrderWs(...limit, 50100, { orderLinkId: third, timeInForce: 'IOC' });
  await until('the fill of the order on the socket', () => isSeen(third, 'closed'));
  const trades = await exchange.fetchMyTrades(symbol);
  return {
    isBook: Number(book.asks[0]?.[0]) > 49_000,
    resting: found.status,
    foundId: found.clientOrderId,
    amended: amended.price,
    taken: (await exchange.fetchClosedOrder(String(taken.id), symbol)).status,
    trades: trades.map(({ amount, price, fee }) => ({ amount, price, currency: fee?.currency })),
    open: (await exchange.fetchOpenOrders(symbol)).length,
  };
}

const [spot, linear] = await Promise.all([trade('BTC/USDT', 'ccxt-spot'), trade('BTC/USDT:USDT', 'ccxt-linear')]);
const balance = await exchange.fetchBalance();
const positions = await exchange.fetchPositions(['BTC/USDT:USDT']);
const candles = await exchange.fetchOHLCV('BTC/USDT:USDT', '1m', undefined, 5);
const rates = await exchange.fetchFundingRateHistory('BTC/USDT:USDT', undefined, 3);
report({
  spot,
  linear,
  btc: (balance['BTC'] as { total?: number } | undefined)?.total,
  positions: positions.map(({ side, contracts }) => ({ side, contracts })),
  candles: candles.length,
  rates: rates.map(({ fundingRate }) => fundingRate),
});
