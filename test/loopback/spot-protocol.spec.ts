import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackAccount, newKey, TRADING_PERMISSIONS } from './accounts.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { formatUnits, units } from './decimal.js';
import { type Parameters, TestClient } from './test-client.js';

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '49000' };
const MARKET = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' };

let loopback: BinanceLoopback;
let account: LoopbackAccount;
let client: TestClient;
let clientNumber = 0;

/** A client id that no other test uses. */
function nextId(): string {
  clientNumber += 1;
  return `spec-${clientNumber}`;
}

beforeAll(async () => {
  loopback = await BinanceLoopback.start();
  account = loopback.openAccount();
  client = new TestClient(loopback, account.keys[0]);
});

afterAll(async () => {
  await loopback.close();
});

describe('a spot order', () => {
  it('answers by its response type', async () => {
    const ack = await client.ok('POST', '/api/v3/order', { ...LIMIT, newOrderRespType: 'ACK' });
    expect(Object.keys(ack)).toEqual(['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime']);
    const result = await client.ok('POST', '/api/v3/order', { ...LIMIT, newOrderRespType: 'RESULT' });
    expect(result).toMatchObject({ status: 'NEW', executedQty: '0.00000000' });
    expect(result).not.toHaveProperty('fills');
    const full = await client.ok('POST', '/api/v3/order', MARKET);
    expect(full).toMatchObject({ status: 'FILLED', fills: [{ qty: '0.01000000', commissionAsset: 'BTC' }] });
    await client.ok('DELETE', '/api/v3/openOrders', { symbol: 'BTCUSDT' });
  });

  it('keeps its client id unique among open orders only', async () => {
    const id = nextId();
    await client.ok('POST', '/api/v3/order', { ...LIMIT, newClientOrderId: id });
    const again = await client.send('POST', '/api/v3/order', { ...LIMIT, newClientOrderId: id });
    expect(again).toMatchObject({ status: 400, body: { code: -2010, msg: 'Duplicate order sent.' } });
    await client.ok('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: id });
    await client.ok('POST', '/api/v3/order', { ...MARKET, newClientOrderId: id });
    expect(loopback.spot.exchange.ledger.repeatedClientIds(account.id)).toContain(id);
    const found = await client.ok('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: id });
    expect(found).toMatchObject({ type: 'MARKET', status: 'FILLED' });
  });

  it('is refused by name after its end, and as unknown by a cancel', async () => {
    const named = { symbol: 'BTCUSDT', origClientOrderId: 'never-sent' };
    expect((await client.send('GET', '/api/v3/order', named)).body).toEqual({
      code: -2013,
      msg: 'Order does not exist.',
    });
    expect((await client.send('DELETE', '/api/v3/order', named)).body).toEqual({
      code: -2011,
      msg: 'Unknown order sent.',
    });
  });

  it.each([
    ['IOC', { price: '49000', timeInForce: 'IOC' }, 'EXPIRED'],
    ['FOK', { price: '49000', timeInForce: 'FOK' }, 'EXPIRED'],
    ['IOC that crosses', { price: '50100', timeInForce: 'IOC' }, 'FILLED'],
  ])('ends at once as %s', async (_name, terms, status) => {
    expect(await client.ok('POST', '/api/v3/order', { ...LIMIT, ...terms })).toMatchObject({ status });
  });

  it('is refused as LIMIT_MAKER when it would take', async () => {
    const { timeInForce: _, ...terms } = { ...LIMIT, type: 'LIMIT_MAKER', price: '50100' };
    expect((await client.send('POST', '/api/v3/order', terms)).body).toEqual({
      code: -2010,
      msg: 'Order would immediately match and take.',
    });
  });

  it('converts an amount of the quote asset', async () => {
    const answer = await client.ok('POST', '/api/v3/order', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quoteOrderQty: '1000',
    });
    expect(answer).toMatchObject({ status: 'FILLED', executedQty: '0.01999000', origQuoteOrderQty: '1000.00000000' });
  });

  it.each<[string, Parameters, number, string]>([
    ['a price off the tick', { price: '49000.001' }, -1013, 'Filter failure: PRICE_FILTER'],
    ['a quantity off the lot', { quantity: '0.010001' }, -1013, 'Filter failure: LOT_SIZE'],
    ['a notional below the least', { quantity: '0.00010' }, -1013, 'Filter failure: NOTIONAL'],
    ['a price far from the market', { price: '9000' }, -1013, 'Filter failure: PERCENT_PRICE_BY_SIDE'],
    ['too much precision', { quantity: '0.0100000001' }, -1111, "Parameter 'quantity' has too much precision."],
    ['no price', { price: '' }, -1105, "Parameter 'price' was empty."],
    ['a wrong side', { side: 'HOLD' }, -1117, 'Invalid side.'],
    ['a wrong type', { type: 'STOP' }, -1116, 'Invalid orderType.'],
    ['a wrong time in force', { timeInForce: 'DAY' }, -1115, 'Invalid timeInForce.'],
    ['an unknown symbol', { symbol: 'NONEUSDT' }, -1121, 'Invalid symbol.'],
    ['more than the account has', { quantity: '30' }, -2010, 'Account has insufficient balance for requested action.'],
    [
      'a parameter that nothing reads',
      { foo: '1' },
      -1104,
      "Not all sent parameters were read; read '8' parameter(s) but was sent '9'.",
    ],
    [
      'a negative quantity',
      { quantity: '-1' },
      -1100,
      "Illegal characters found in parameter 'quantity'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.",
    ],
  ])('is refused with %s', async (_name, change, code, msg) => {
    const answer = await client.send('POST', '/api/v3/order', { ...LIMIT, ...change });
    expect(answer).toMatchObject({ status: 400, body: { code, msg } });
  });

  it('is refused above the number of open orders', async () => {
    const full = loopback.openAccount();
    const own = new TestClient(loopback, full.keys[0]);
    const prices = Array.from({ length: 200 }, (_, index) => 40_000 + index);
    loopback.spot.limits.pardon();
    for (const price of prices.slice(0, 99))
      await own.ok('POST', '/api/v3/order', { ...LIMIT, quantity: '0.001', price });
    const limited = await own.send('POST', '/api/v3/order', { ...LIMIT, quantity: '0.001' });
    expect([200, 429]).toContain(limited.status);
    for (const price of prices.slice(99)) {
      loopback.spot.limits.pardon();
      await own.send('POST', '/api/v3/order', { ...LIMIT, quantity: '0.001', price });
    }
    loopback.spot.limits.pardon();
    const last = await own.send('POST', '/api/v3/order', LIMIT);
    expect(last.body).toEqual({ code: -1013, msg: 'Filter failure: MAX_NUM_ORDERS' });
    await own.ok('DELETE', '/api/v3/openOrders', { symbol: 'BTCUSDT' });
    expect(full.spot.balance('USDT')).toEqual({ free: units('1000000'), locked: 0n });
  });
});

describe('self-trade prevention', () => {
  const inside = { ...LIMIT, price: '50000', side: 'SELL' };

  it.each([
    ['EXPIRE_TAKER', 'EXPIRED_IN_MATCH', 'NEW'],
    ['EXPIRE_MAKER', 'EXPIRED', 'EXPIRED_IN_MATCH'],
    ['EXPIRE_BOTH', 'EXPIRED_IN_MATCH', 'EXPIRED_IN_MATCH'],
    ['DECREMENT', 'EXPIRED_IN_MATCH', 'EXPIRED_IN_MATCH'],
    ['NONE', 'FILLED', 'FILLED'],
  ])('in mode %s ends the taker as %s and the maker as %s', async (selfTradePreventionMode, taker, maker) => {
    loopback.spot.background.quote('BTCUSDT', units('50000'));
    const resting = await client.ok('POST', '/api/v3/order', { ...inside, newClientOrderId: nextId() });
    const crossing = { ...LIMIT, price: '50000', timeInForce: 'IOC', selfTradePreventionMode };
    expect(await client.ok('POST', '/api/v3/order', crossing)).toMatchObject({ status: taker });
    const { orderId } = resting as { orderId: number };
    expect(await client.ok('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId })).toMatchObject({ status: maker });
    if (maker === 'NEW') await client.ok('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', orderId });
    expect(account.spot.balance('USDT').locked).toBe(0n);
    expect(account.spot.balance('BTC').locked).toBe(0n);
  });
});

describe('a signed request', () => {
  it.each<[string, Parameters, number]>([
    ['old', { timestamp: Date.now() - 60_000 }, -1021],
    ['from the future', { timestamp: Date.now() + 60_000 }, -1021],
    ['with a recvWindow that is too long', { recvWindow: 60_001 }, -1131],
  ])('is refused when it is %s', async (_name, parameters, code) => {
    expect((await client.send('GET', '/api/v3/account', parameters)).body).toMatchObject({ code });
  });

  it('is refused with a wrong signature, a wrong key, or none', async () => {
    const wrong = new TestClient(loopback, { ...account.keys[0]!, secret: 'other' });
    expect(await wrong.send('GET', '/api/v3/account')).toMatchObject({ status: 400, body: { code: -1022 } });
    const unknown = new TestClient(loopback, newKey());
    expect(await unknown.send('GET', '/api/v3/account')).toMatchObject({ status: 401, body: { code: -2015 } });
    const none = new TestClient(loopback);
    expect(await none.send('GET', '/api/v3/account')).toMatchObject({ status: 401, body: { code: -2014 } });
  });

  it('is refused from another address and without the permission', async () => {
    const bound = newKey({ addresses: ['203.0.113.7'] });
    const reading = newKey({ permissions: { ...TRADING_PERMISSIONS, spotTrading: false } });
    loopback.openAccount([bound, reading]);
    expect((await new TestClient(loopback, bound).send('GET', '/api/v3/account')).body).toMatchObject({ code: -2015 });
    const reader = new TestClient(loopback, reading);
    expect((await reader.send('GET', '/api/v3/account')).status).toBe(200);
    expect((await reader.send('POST', '/api/v3/order', LIMIT)).body).toMatchObject({ code: -2015 });
  });

  it('states the permissions of a key', async () => {
    const key = newKey({ permissions: { ...TRADING_PERMISSIONS, withdrawals: true }, addresses: ['127.0.0.1'] });
    loopback.openAccount([key]);
    expect(await new TestClient(loopback, key).ok('GET', '/sapi/v1/account/apiRestrictions')).toMatchObject({
      ipRestrict: true,
      enableWithdrawals: true,
      enableReading: true,
      enableFutures: true,
    });
  });
});

describe('request limits', () => {
  it('counts weight and orders in headers', async () => {
    loopback.spot.limits.pardon();
    const { headers } = await client.send('POST', '/api/v3/order', { ...LIMIT, timeInForce: 'IOC' });
    expect(headers.get('x-mbx-used-weight-1m')).toBe('1');
    expect(headers.get('x-mbx-order-count-10s')).toBe('1');
    expect(headers.get('x-mbx-order-count-1d')).toBe('1');
  });

  it('answers 429 above the weight and 418 to a client that goes on', async () => {
    loopback.spot.limits.pardon();
    loopback.spot.limits.weigh('127.0.0.1', 5_999, loopback.clock.nowMs());
    const first = await client.send('GET', '/api/v3/depth', { symbol: 'BTCUSDT' });
    expect(first).toMatchObject({ status: 429, body: { code: -1003 } });
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let again = 0; again < 20; again += 1) await client.send('GET', '/api/v3/ping');
    const banned = await client.send('GET', '/api/v3/ping');
    expect(banned).toMatchObject({
      status: 418,
      body: { code: -1003, msg: expect.stringContaining('IP banned until') as string },
    });
    loopback.spot.limits.pardon();
  });
});

describe('the ledger', () => {
  it('agrees with the wallets after all these orders', () => {
    const { ledger } = loopback.spot.exchange;
    const first = { BTC: units('10'), ETH: units('100'), USDT: units('1000000') };
    const changes = ledger.spotChanges(account.id);
    for (const [asset, amount] of Object.entries(first)) {
      const { free, locked } = account.spot.balance(asset);
      expect(formatUnits(free + locked)).toBe(formatUnits(amount + (changes.get(asset) ?? 0n)));
    }
    expect(ledger.fillsOf(account.id).length).toBeGreaterThan(3);
  });
});
