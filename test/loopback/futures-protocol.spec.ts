import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoopbackAccount } from './accounts.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { units } from './decimal.js';
import { type Parameters, TestClient } from './test-client.js';

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.010', price: '49000' };
const MARKET = { symbol: 'BTCUSDT', type: 'MARKET', newOrderRespType: 'RESULT' };

let loopback: BinanceLoopback;
let account: LoopbackAccount;
let client: TestClient;

beforeAll(async () => {
  loopback = await BinanceLoopback.start();
});

afterAll(async () => {
  await loopback.close();
});

beforeEach(() => {
  loopback.futures.limits.pardon();
  loopback.futures.background.quote('BTCUSDT', units('50000'));
  account = loopback.openAccount();
  client = new TestClient(loopback, account.keys[0]);
});

describe('a futures order', () => {
  it.each<[string, Parameters, number]>([
    ['a price off the tick', { price: '49000.01' }, -4014],
    ['a price far from the market', { price: '60000' }, -4016],
    ['a quantity off the lot', { quantity: '0.0101' }, -1111],
    ['a notional below the least', { quantity: '0.001' }, -4164],
    ['no quantity', { quantity: '0' }, -4003],
    ['more than the margin', { quantity: '900', price: '49000' }, -2019],
    ['a position side of hedge mode', { positionSide: 'LONG' }, -4061],
    ['nothing to reduce', { reduceOnly: true }, -2022],
    ['a post-only price that would take', { timeInForce: 'GTX', price: '50100' }, -5022],
    ['a fill or kill that cannot fill', { timeInForce: 'FOK' }, -5021],
    ['an unknown symbol', { symbol: 'NONEUSDT' }, -1121],
  ])('is refused with %s', async (_name, change, code) => {
    const { status, body } = await client.send('POST', '/fapi/v1/order', { ...LIMIT, ...change });
    expect({ status, body }).toMatchObject({ status: 400, body: { code } });
    expect(loopback.futures.exchange.ledger.ordersOf(account.id)).toEqual([]);
  });

  it('is acknowledged as NEW and found as FILLED', async () => {
    const order = { ...LIMIT, price: '50100', newClientOrderId: 'taking' };
    expect(await client.ok('POST', '/fapi/v1/order', order)).toMatchObject({ status: 'NEW', executedQty: '0.000' });
    const named = { symbol: 'BTCUSDT', origClientOrderId: 'taking' };
    expect(await client.ok('GET', '/fapi/v1/order', named)).toMatchObject({ status: 'FILLED', executedQty: '0.010' });
  });

  it('keeps its client id unique among open orders only', async () => {
    await client.ok('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'same' });
    const again = await client.send('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'same' });
    expect(again.body).toMatchObject({ code: -4116 });
    await client.ok('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'same' });
    expect((await client.send('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'same' })).status).toBe(200);
  });
});

describe('a position', () => {
  it('opens, reduces, turns and pays fees', async () => {
    const opened = await client.ok('POST', '/fapi/v1/order', { ...MARKET, side: 'BUY', quantity: '0.100' });
    expect(opened).toMatchObject({ status: 'FILLED', avgPrice: '50000.50000' });
    const risk = async (): Promise<unknown> => client.ok('GET', '/fapi/v3/positionRisk', { symbol: 'BTCUSDT' });
    expect(await risk()).toMatchObject([{ positionAmt: '0.1', entryPrice: '50000.50000' }]);
    const reduce = { ...MARKET, side: 'SELL', quantity: '0.150', reduceOnly: true };
    expect(await client.ok('POST', '/fapi/v1/order', reduce)).toMatchObject({ executedQty: '0.100' });
    expect(await risk()).toEqual([]);
    await client.ok('POST', '/fapi/v1/order', { ...MARKET, side: 'SELL', quantity: '0.050' });
    expect(await risk()).toMatchObject([{ positionAmt: '-0.05', entryPrice: '49999.50000' }]);
    await client.ok('POST', '/fapi/v1/order', { ...MARKET, side: 'BUY', quantity: '0.080' });
    expect(await risk()).toMatchObject([{ positionAmt: '0.03', entryPrice: '50000.50000' }]);
    // Realised: 0.1 sold and 0.05 bought back, each at one unit of loss.
    const { ledger } = loopback.futures.exchange;
    const fills = ledger.fillsOf(account.id);
    expect(fills.reduce((sum, { realizedPnl }) => sum + realizedPnl, 0n)).toBe(units('-0.15'));
    const fees = fills.reduce((sum, { fee }) => sum + fee, 0n);
    expect(account.futures.balance('USDT').free).toBe(units('1000000') - units('0.15') - fees);
    expect(ledger.positionOf(account.id, 'BTCUSDT')).toBe(units('0.03'));
  });

  it('has two sides in hedge mode', async () => {
    const dual = '/fapi/v1/positionSide/dual';
    expect(await client.ok('GET', dual)).toEqual({ dualSidePosition: false });
    expect((await client.send('POST', dual, { dualSidePosition: 'false' })).body).toMatchObject({ code: -4059 });
    await client.ok('POST', dual, { dualSidePosition: 'true' });
    await client.ok('POST', '/fapi/v1/order', { ...MARKET, side: 'BUY', quantity: '0.010', positionSide: 'LONG' });
    await client.ok('POST', '/fapi/v1/order', { ...MARKET, side: 'SELL', quantity: '0.020', positionSide: 'SHORT' });
    expect(await client.ok('GET', '/fapi/v3/positionRisk')).toMatchObject([
      { positionSide: 'LONG', positionAmt: '0.01' },
      { positionSide: 'SHORT', positionAmt: '-0.02' },
    ]);
    expect((await client.send('POST', dual, { dualSidePosition: 'false' })).body).toMatchObject({ code: -4068 });
  });

  it('reserves and releases margin of orders', async () => {
    const margin = async (): Promise<unknown> => {
      return (await client.ok('GET', '/fapi/v3/account'))['totalOpenOrderInitialMargin'];
    };
    await client.ok('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'margin' });
    expect(await margin()).toBe('24.50000000');
    await client.ok('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    expect(await margin()).toBe('0.00000000');
  });
});

async function framesOf(path: string): Promise<number> {
  const socket = await client.socket('fstream.binance.com', path);
  loopback.futures.background.trade('BTCUSDT', 'BUY', units('0.1'));
  await new Promise((resolve) => {
    setTimeout(resolve, 150);
  });
  socket.close();
  return socket.frames.length;
}

describe('a stream of the futures host', () => {
  it('comes on its own part of the host only', async () => {
    expect(await framesOf('/public/ws/btcusdt@bookTicker')).toBeGreaterThan(0);
    expect(await framesOf('/market/ws/btcusdt@bookTicker')).toBe(0);
    expect(await framesOf('/market/ws/btcusdt@aggTrade')).toBeGreaterThan(0);
  });

  it('is refused on the former paths', async () => {
    await expect(client.socket('fstream.binance.com', '/ws/btcusdt@bookTicker')).rejects.toThrow('404');
  });

  it('has depth updates that join without a gap', async () => {
    const socket = await client.socket('fstream.binance.com', '/public/stream?streams=btcusdt@depth@100ms');
    for (let step = 0; step < 4; step += 1) {
      loopback.futures.background.trade('BTCUSDT', 'BUY', units('0.1'));
      await new Promise((resolve) => {
        setTimeout(resolve, 110);
      });
    }
    const updates = socket.frames.map(({ data }) => data as { u: number; pu: number });
    expect(updates.length).toBeGreaterThan(2);
    for (const [index, update] of updates.slice(1).entries()) expect(update.pu).toBe(updates[index]!.u);
    socket.close();
  });

  it('answers subscriptions', async () => {
    const socket = await client.socket('fstream.binance.com', '/public/ws');
    socket.write({ method: 'SUBSCRIBE', params: ['btcusdt@bookTicker'], id: 1 });
    socket.write({ method: 'LIST_SUBSCRIPTIONS', id: 2 });
    socket.write({ method: 'UNSUBSCRIBE', params: ['btcusdt@bookTicker'], id: 3 });
    socket.write({ method: 'NONE', id: 4 });
    expect(await socket.frame(({ id }) => id === 2)).toEqual({ result: ['btcusdt@bookTicker'], id: 2 });
    expect(await socket.frame(({ id }) => id === 3)).toEqual({ result: null, id: 3 });
    expect(await socket.frame(({ id }) => id === 4)).toMatchObject({ error: { code: 2 } });
    socket.close();
  });
});
