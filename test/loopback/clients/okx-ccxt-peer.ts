import ccxt from 'ccxt';
import { connection, report, until } from './findings.js';

/** Trades with ccxt.pro at OKX, spot and perpetuals: REST, private channels and book. */

const exchange = new ccxt.pro.okx({
  apiKey: connection.key,
  secret: connection.secret,
  password: connection.passphrase,
  httpsProxy: connection.proxy,
  wssProxy: connection.proxy,
  enableRateLimit: false,
  options: { fetchMarkets: { types: ['spot', 'swap'] }, fetchCurrencies: false },
});
await exchange.loadProxyModules();
await exchange.loadMarkets();

/** `amount` counts contracts of a perpetual. */
async function trade(symbol: string, amount: number, clientId: string): Promise<object> {
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
  const of = (id: string, status: string) => updates.find((update) => update.id === id && update.status === status);
  const resting = await exchange.createOrder(symbol, 'limit', 'buy', amount, 49000, { clOrdId: `${clientId}1` });
  const found = await exchange.fetchOrder('', symbol, { clOrdId: `${clientId}1` });
  await exchange.editOrder(String(resting.id), symbol, 'limit', 'buy', amount, 48900);
  const amended = await exchange.fetchOrder(String(resting.id), symbol);
  await exchange.cancelOrder('', symbol, { clOrdId: `${clientId}1` });
  await until('the cancel', () => of(`${clientId}1`, 'canceled'));
  const taken = await exchange.createOrder(symbol, 'limit', 'buy', amount, 50100, {
    clOrdId: `${clientId}2`,
    timeInForce: 'IOC',
  });
  await until('the fill', () => of(`${clientId}2`, 'closed'));
  const overSocket = await exchange.createOrderWs(symbol, 'limit', 'buy', amount, 49000, { clOrdId: `${clientId}3` });
  await exchange.cancelOrderWs(String(overSocket.id), symbol);
  await until('the cancel over the socket', () => of(`${clientId}3`, 'canceled'));
  const trades = await exchange.fetchMyTrades(symbol);
  return {
    ask: book.asks[0]?.[0],
    resting: found.status,
    foundId: found.clientOrderId,
    amended: amended.price,
    taken: (await exchange.fetchOrder(String(taken.id), symbol)).status,
    trades: trades.map(({ order, amount: traded, price }) => ({ isOwn: order === taken.id, amount: traded, price })),
    open: (await exchange.fetchOpenOrders(symbol)).length,
    closed: (await exchange.fetchClosedOrders(symbol)).length,
  };
}

const spot = await trade('BTC/USDT', 0.01, 'ccxtspot');
const swap = await trade('BTC/USDT:USDT', 1, 'ccxtswap');
const balance = await exchange.fetchBalance();
const positions = await exchange.fetchPositions(['BTC/USDT:USDT']);
const funding = await exchange.fetchFundingRate('BTC/USDT:USDT');
const candles = await exchange.fetchOHLCV('BTC/USDT', '1m', undefined, 5);
report({
  spot,
  swap,
  usdt: (balance['USDT'] as { total?: number } | undefined)?.total,
  positions: positions.map(({ contracts, side, entryPrice }) => ({ contracts, side, entryPrice })),
  funding: funding.fundingRate,
  candles: candles.length,
});
