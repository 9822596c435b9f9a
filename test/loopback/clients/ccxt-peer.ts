import ccxt from 'ccxt';
import { connection, report, until } from './findings.js';

/** Trades with ccxt.pro on both sections: REST, user stream and book. */

const common = {
  apiKey: connection.key,
  secret: connection.secret,
  httpsProxy: connection.proxy,
  wssProxy: connection.proxy,
  enableRateLimit: false,
};

async function trade(
  exchange: InstanceType<typeof ccxt.pro.binance>,
  symbol: string,
  clientId: string,
): Promise<object> {
  await exchange.loadProxyModules();
  await exchange.loadMarkets();
  const updates: { id: string; status: string | undefined; filled: number }[] = [];
  const follow = async (): Promise<void> => {
    for (;;) {
      for (const order of await exchange.watchOrders(symbol)) {
        updates.push({ id: order.clientOrderId ?? '', status: order.status, filled: Number(order.filled) });
      }
    }
  };
  void follow().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  const book = await exchange.watchOrderBook(symbol);
  await new Promise((resolve) => {
    setTimeout(resolve, 500);
  });
  const resting = await exchange.createOrder(symbol, 'limit', 'buy', 0.01, 49000, {
    newClientOrderId: `${clientId}-1`,
  });
  const found = await exchange.fetchOrder(String(resting.id), symbol, { origClientOrderId: `${clientId}-1` });
  await exchange.cancelOrder(String(resting.id), symbol);
  await until('the cancel', () => updates.find(({ status }) => status === 'canceled'));
  const taken = await exchange.createOrder(symbol, 'limit', 'buy', 0.01, 50100, {
    newClientOrderId: `${clientId}-2`,
    timeInForce: 'IOC',
  });
  await until('the fill', () => updates.find(({ status }) => status === 'closed'));
  const trades = await exchange.fetchMyTrades(symbol);
  const balance = await exchange.fetchBalance();
  return {
    ask: book.asks[0]?.[0],
    resting: found.status,
    foundId: found.clientOrderId,
    taken: (await exchange.fetchOrder(String(taken.id), symbol)).status,
    trades: trades.map(({ order, amount, price }) => ({ isOwn: order === taken.id, amount, price })),
    usdt: (balance['USDT'] as { total?: number } | undefined)?.total,
    open: (await exchange.fetchOpenOrders(symbol)).length,
  };
}

const spot = new ccxt.pro.binance({
  ...common,
  options: { fetchMarkets: { types: ['spot'] }, fetchCurrencies: false },
});
const usdm = new ccxt.pro.binanceusdm({
  ...common,
  options: { fetchMarkets: { types: ['linear'] }, fetchCurrencies: false },
});
const [ofSpot, ofFutures] = await Promise.all([
  trade(spot, 'BTC/USDT', 'ccxt-spot'),
  trade(usdm, 'BTC/USDT:USDT', 'ccxt-usdm'),
]);
report({ spot: ofSpot, futures: ofFutures });
