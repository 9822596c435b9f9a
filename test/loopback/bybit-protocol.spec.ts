import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LoopbackAccount, newKey, TRADING_PERMISSIONS } from './accounts.js';
import { BybitClient, type Parameters, type SignedWith } from './bybit/bybit-client.js';
import { BybitLoopback } from './bybit/bybit-loopback.js';
import { units } from './decimal.js';
import type { Fault } from './faults.js';

let loopback: BybitLoopback;
let account: LoopbackAccount;
let client: BybitClient;

beforeEach(async () => {
  loopback = await BybitLoopback.start({ seed: 'protocol' });
  account = loopback.openAccount();
  client = new BybitClient(loopback, account.keys[0]);
});

afterEach(async () => {
  await loopback.close();
});

type Category = 'spot' | 'linear';
const CATEGORIES: readonly Category[] = ['spot', 'linear'];

function order(category: Category, change: Parameters = {}): Parameters {
  return {
    category,
    symbol: 'BTCUSDT',
    side: 'Buy',
    orderType: 'Limit',
    qty: '0.01',
    price: '49000',
    timeInForce: 'GTC',
    ...change,
  };
}

const create = (category: Category, change: Parameters = {}) =>
  client.post('/v5/order/create', order(category, change));

/** The code in the body of an answer. */
async function codeOf(answer: ReturnType<BybitClient['get']>): Promise<number> {
  return (await answer).body.retCode;
}

async function rowOf(category: Category, orderLinkId: string): Promise<Record<string, unknown>> {
  const { list } = await client.result(client.get('/v5/order/realtime', { category, orderLinkId }));
  return (list as Record<string, unknown>[])[0]!;
}

function wallet(signed: SignedWith = {}): ReturnType<BybitClient['get']> {
  return client.get('/v5/account/wallet-balance', { accountType: 'UNIFIED' }, signed);
}

/** What orders of both products bind of the account's USDT. */
function locked(): bigint {
  return account.spot.balance('USDT').locked + loopback.clearing.orderMargin(account.id);
}

function placeUnder(fault: Fault): ReturnType<BybitClient['post']> {
  loopback.faults.add({ on: 'POST /v5/order/create', fault, times: 1 });
  return create('linear', { orderLinkId: 'child-1' });
}

function accepted(): number {
  return loopback.linear.exchange.ledger.ordersOf(account.id).length;
}

/** A request of the socket for orders. */
function request(reqId: string, change: Parameters = {}): object {
  return {
    reqId,
    op: 'order.create',
    header: { 'X-BAPI-TIMESTAMP': String(Date.now()), 'X-BAPI-RECV-WINDOW': '2000' },
    args: [order('linear', change)],
  };
}

describe('a signed request to the loopback Bybit', () => {
  it('needs a known key, a right signature and a time within its window', async () => {
    expect((await wallet()).body).toMatchObject({ retCode: 0, retMsg: 'OK' });
    expect((await wallet({ secret: 'wrong' })).body).toMatchObject({ retCode: 10004 });
    expect((await wallet({ timestamp: Date.now() - 6_000 })).body.retMsg).toMatch(/recv_window\[5000\]$/);
    expect((await wallet({ timestamp: Date.now() - 6_000 })).body.retCode).toBe(10002);
    expect((await wallet({ timestamp: Date.now() - 6_000, windowMs: 8_000 })).body.retCode).toBe(0);
    expect((await wallet({ timestamp: Date.now() + 2_000 })).body.retCode).toBe(10002);
    const stranger = new BybitClient(loopback, newKey());
    expect(await codeOf(stranger.get('/v5/user/query-api'))).toBe(10003);
    const anonymous = await new BybitClient(loopback).get('/v5/user/query-api');
    expect([anonymous.status, anonymous.body.retCode]).toEqual([401, 10007]);
  });

  it('needs the address and the rights of its key', async () => {
    const elsewhere = newKey({ addresses: ['192.0.2.1'] });
    const reader = newKey({ permissions: { ...TRADING_PERMISSIONS, futures: false } });
    loopback.openAccount([elsewhere, reader]);
    expect(await codeOf(new BybitClient(loopback, elsewhere).get('/v5/user/query-api'))).toBe(10010);
    const reading = new BybitClient(loopback, reader);
    expect(await codeOf(reading.post('/v5/order/create', order('linear')))).toBe(10005);
    expect(await codeOf(reading.post('/v5/order/create', order('spot')))).toBe(0);
  });

  it('states where it stands with its limit, and is refused above it', async () => {
    // All requests fall into one second of the exchange, also on a slow machine.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const answers = [];
    for (let index = 0; index < 12; index += 1) answers.push(await create('linear', { price: '48000' }));
    const [first] = answers;
    expect(first!.headers.get('x-bapi-limit')).toBe('10');
    expect(first!.headers.get('x-bapi-limit-status')).toBe('9');
    const refused = answers.find(({ body }) => body.retCode === 10006);
    expect(refused?.body.retMsg).toBe('Too many visits. Exceeded the API Rate Limit.');
    expect(Number(refused!.headers.get('x-bapi-limit-reset-timestamp'))).toBeGreaterThan(Date.now() - 1_000);
    // Spot has a limit of its own.
    expect(await codeOf(create('spot'))).toBe(0);
    loopback.limits.perAddress = 5;
    expect(await client.get('/v5/market/time')).toMatchObject({ status: 403, body: { retCode: 10018 } });
  });

  it('to an unknown path is not found', async () => {
    expect(await client.get('/v5/order/unknown')).toMatchObject({ status: 404, body: { retCode: 10017 } });
  });
});

describe('an order at the loopback Bybit', () => {
  it.each<[Category, Parameters, number]>([
    ['spot', { symbol: 'NOUSDT' }, 170121],
    ['spot', { price: '49000.001' }, 170134],
    ['spot', { qty: '0.0100001' }, 170137],
    ['spot', { qty: '0.00001' }, 170136],
    ['spot', { qty: '300' }, 170135],
    ['spot', { qty: '0.0001', price: '10000' }, 170140],
    ['spot', { price: '60000' }, 170193],
    ['spot', { side: 'Sell', price: '40000' }, 170194],
    ['spot', { qty: '100' }, 170131],
    ['linear', { symbol: 'NOUSDT' }, 10001],
    ['linear', { price: '49000.05' }, 10001],
    ['linear', { qty: '0.0005' }, 10001],
    ['linear', { qty: '0.001', price: '4000' }, 110094],
    ['linear', { price: '60000' }, 110003],
    ['linear', { qty: '1000' }, 110007],
    ['linear', { reduceOnly: true }, 110017],
    ['linear', { positionIdx: 1 }, 10001],
    ['linear', { qty: 0.01 }, 10001],
    ['linear', { side: 'BUY' }, 10001],
    ['linear', { smpType: 'Decrement' }, 10001],
    ['linear', { orderLinkId: 'has a blank' }, 10001],
    ['linear', { category: 'inverse' }, 10001],
  ])('of %s with %o is refused with %i', async (category, change, code) => {
    expect(await codeOf(create(category, change))).toBe(code);
    expect(loopback[category].exchange.ledger.ordersOf(account.id)).toEqual([]);
  });

  it.each(CATEGORIES)('of %s has a client id that no other one has, also after its end', async (category) => {
    const orderLinkId = 'child-1';
    await client.result(create(category, { orderLinkId }));
    const code = category === 'spot' ? 170141 : 110072;
    expect(await codeOf(create(category, { orderLinkId }))).toBe(code);
    await client.result(client.post('/v5/order/cancel', { category, symbol: 'BTCUSDT', orderLinkId }));
    expect(await codeOf(create(category, { orderLinkId }))).toBe(code);
  });

  it.each<[Category, Parameters, string, string]>([
    ['spot', { timeInForce: 'PostOnly', price: '51000' }, 'Rejected', 'EC_PostOnlyWillTakeLiquidity'],
    ['linear', { timeInForce: 'PostOnly', price: '51000' }, 'Cancelled', 'EC_PostOnlyWillTakeLiquidity'],
    ['linear', { timeInForce: 'IOC' }, 'Cancelled', 'EC_NoImmediateQtyToFill'],
    ['spot', { timeInForce: 'FOK', qty: '15', price: '50000.5' }, 'Cancelled', 'EC_CancelForNoFullFill'],
    ['spot', { timeInForce: 'IOC', price: '50001' }, 'Filled', 'EC_NoError'],
    ['linear', { orderType: 'Market' }, 'Filled', 'EC_NoError'],
  ])('of %s with %o is accepted and then %s', async (category, change, orderStatus, rejectReason) => {
    await client.result(create(category, { ...change, orderLinkId: 'a' }));
    expect(await rowOf(category, 'a')).toMatchObject({ orderStatus, rejectReason });
  });

  it('of spot at the market buys for an amount of the quote coin unless it names the base coin', async () => {
    await client.result(create('spot', { orderType: 'Market', qty: '1000', orderLinkId: 'value' }));
    expect(await rowOf('spot', 'value')).toMatchObject({ cumExecQty: '0.019999', marketUnit: 'quoteCoin' });
    await client.result(create('spot', { orderType: 'Market', marketUnit: 'baseCoin', orderLinkId: 'base' }));
    expect(await rowOf('spot', 'base')).toMatchObject({ cumExecQty: '0.010000' });
  });

  it.each([
    ['CancelTaker', ['New', 'Cancelled']],
    ['CancelMaker', ['Cancelled', 'New']],
    ['CancelBoth', ['Cancelled', 'Cancelled']],
    ['None', ['Filled', 'Filled']],
  ])('that meets one of its own account with smpType %s leaves %o', async (smpType, states) => {
    loopback.linear.background.clear('BTCUSDT');
    await client.result(create('linear', { price: '50000', orderLinkId: 'maker' }));
    await client.result(create('linear', { side: 'Sell', price: '50000', smpType, orderLinkId: 'taker' }));
    const rows = [await rowOf('linear', 'maker'), await rowOf('linear', 'taker')];
    expect(rows.map(({ orderStatus }) => orderStatus)).toEqual(states);
    const prevented = rows.filter(({ orderStatus }) => orderStatus === 'Cancelled');
    for (const row of prevented) expect(row['cancelType']).toBe('CancelBySmp');
  });

  it.each(CATEGORIES)(
    'of %s is amended, trades at its new price, and cannot shrink below what has traded',
    async (category) => {
      const named = { category, symbol: 'BTCUSDT', orderLinkId: 'a' };
      await client.result(create(category, { orderLinkId: 'a' }));
      const before = locked();
      await client.result(client.post('/v5/order/amend', { ...named, price: '48000', qty: '0.02' }));
      expect(await rowOf(category, 'a')).toMatchObject({ orderStatus: 'New' });
      expect(Number(locked()) / Number(before)).toBeCloseTo((48_000 * 0.02) / (49_000 * 0.01), 5);
      expect(await codeOf(client.post('/v5/order/amend', { ...named, price: '48000' }))).toBe(10001);
      const huge = category === 'spot' ? { qty: '100', code: 170131 } : { qty: '1000', code: 110007 };
      expect(await codeOf(client.post('/v5/order/amend', { ...named, qty: huge.qty }))).toBe(huge.code);
      expect(Number(locked()) / Number(before)).toBeCloseTo((48_000 * 0.02) / (49_000 * 0.01), 5);
      await client.result(client.post('/v5/order/amend', { ...named, price: '50010' }));
      expect(await rowOf(category, 'a')).toMatchObject({ orderStatus: 'Filled' });
      expect(locked()).toBe(0n);
      expect(await codeOf(client.post('/v5/order/amend', { ...named, price: '48000' }))).toBe(
        category === 'spot' ? 170213 : 110001,
      );
    },
  );

  it('is listed page after page, and all of a product are cancelled at once', async () => {
    loopback.limits.orders.spot = 100;
    for (let index = 0; index < 7; index += 1) await client.result(create('spot', { orderLinkId: `n${index}` }));
    const names: unknown[] = [];
    let cursor = '';
    do {
      const query = { category: 'spot', limit: 3, ...(cursor !== '' && { cursor }) };
      const page = await client.result(client.get('/v5/order/realtime', query));
      names.push(...(page['list'] as { orderLinkId: string }[]).map(({ orderLinkId }) => orderLinkId));
      cursor = String(page['nextPageCursor']);
    } while (cursor !== '');
    expect(names).toEqual(['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0']);
    const all = await client.result(client.post('/v5/order/cancel-all', { category: 'spot' }));
    expect(all['list']).toHaveLength(7);
    expect(loopback.spot.exchange.openOrders(account.id)).toEqual([]);
    expect(await codeOf(client.get('/v5/order/realtime', { category: 'linear' }))).toBe(10001);
  });
});

describe('a position at the loopback Bybit', () => {
  it('has one side in one-way mode and two in hedge mode', async () => {
    const mode = (value: number) =>
      client.post('/v5/position/switch-mode', { category: 'linear', coin: 'USDT', mode: value });
    expect(await codeOf(mode(0))).toBe(110025);
    await client.result(mode(3));
    expect(await codeOf(create('linear', { positionIdx: 0 }))).toBe(10001);
    await client.result(create('linear', { orderType: 'Market', positionIdx: 1 }));
    await client.result(create('linear', { orderType: 'Market', side: 'Sell', positionIdx: 2 }));
    const { list } = await client.result(client.get('/v5/position/list', { category: 'linear', symbol: 'BTCUSDT' }));
    expect(list).toMatchObject([
      { positionIdx: 1, side: 'Buy', size: '0.01' },
      { positionIdx: 2, side: 'Sell', size: '0.01' },
    ]);
    expect(await codeOf(mode(0))).toBe(110024);
  });

  it('has a leverage that decides about its margin', async () => {
    const set = (leverage: string) =>
      client.post('/v5/position/set-leverage', {
        category: 'linear',
        symbol: 'BTCUSDT',
        buyLeverage: leverage,
        sellLeverage: leverage,
      });
    await client.result(set('10'));
    expect(await codeOf(set('10'))).toBe(110043);
    expect(await codeOf(set('500'))).toBe(10001);
    await client.result(create('linear', { orderType: 'Market', qty: '1' }));
    const { list } = await client.result(
      client.get('/v5/account/wallet-balance', { accountType: 'UNIFIED', coin: 'USDT' }),
    );
    const [{ coin }] = list as [{ coin: [{ totalPositionIM: string }] }];
    expect(Number(coin[0].totalPositionIM)).toBeCloseTo(5_000, -2);
  });

  it('and spot orders share the money of one wallet', async () => {
    await client.result(create('linear', { qty: '100', price: '49000' }));
    // 4.9 million at twentyfold leverage bind 245,000 of the million.
    expect(await codeOf(create('spot', { qty: '16', price: '49000' }))).toBe(170131);
    expect(await codeOf(create('spot', { qty: '15', price: '49000' }))).toBe(0);
  });
});

describe('a fault at the loopback Bybit', () => {
  it.each([
    ['unknown', true, 200, 10016],
    ['unexpected', true, 500, 10016],
    ['timeout', true, 200, 10000],
    ['timeout', false, 200, 10000],
    ['overloaded', false, 200, 429],
  ] as const)('answers %s, executed %s', async (failure, executed, status, code) => {
    expect(await placeUnder({ kind: 'fail', failure, executed })).toMatchObject({ status, body: { retCode: code } });
    expect(accepted()).toBe(executed ? 1 : 0);
  });

  it('holds a request until its window has passed', async () => {
    loopback.faults.add({ on: 'POST /v5/order/create', fault: { kind: 'hold', ms: 150 } });
    const late = await client.post('/v5/order/create', order('linear'), { windowMs: 100 });
    expect(late.body.retCode).toBe(10002);
    expect(accepted()).toBe(0);
  });

  it('shows pages of the load balancer and of a banned address', async () => {
    expect(await placeUnder({ kind: 'maintenance', status: 502 })).toMatchObject({ status: 502 });
    expect(await placeUnder({ kind: 'limit', status: 418, retryAfterSeconds: 1 })).toMatchObject({ status: 403 });
    const slow = await placeUnder({ kind: 'limit', status: 429, retryAfterSeconds: 7 });
    expect(slow).toMatchObject({ status: 200, body: { retCode: 10006 } });
    expect(Number(slow.headers.get('x-bapi-limit-reset-timestamp')) - Date.now()).toBeGreaterThan(6_000);
    expect(accepted()).toBe(0);
  });

  it('hides a young order and shows an old list', async () => {
    await client.result(create('linear', { orderLinkId: 'child-1' }));
    loopback.faults.add({ on: 'GET /v5/order/realtime', fault: { kind: 'absent', ms: 60_000 }, times: 1 });
    expect(await rowOf('linear', 'child-1')).toBeUndefined();
    expect(await rowOf('linear', 'child-1')).toMatchObject({ orderStatus: 'New' });
  });
});

describe('a socket of the loopback Bybit', () => {
  it('enters orders after a login, each request id once', async () => {
    const strangers = await client.socket('/v5/trade');
    strangers.write(request('1'));
    expect(await strangers.frame(({ reqId }) => reqId === '1')).toMatchObject({ retCode: 10005 });
    const socket = await client.login('/v5/trade');
    socket.write(request('1', { orderLinkId: 'a' }));
    expect(await socket.frame(({ reqId }) => reqId === '1')).toMatchObject({
      retCode: 0,
      op: 'order.create',
      data: { orderLinkId: 'a' },
      header: { 'X-Bapi-Limit': '10' },
    });
    socket.write(request('1', { orderLinkId: 'b' }));
    expect(await socket.frame(({ retCode }) => retCode === 20006)).toMatchObject({ reqId: '1' });
    socket.write({ ...request('2'), op: 'order.unknown' });
    expect(await socket.frame(({ reqId }) => reqId === '2')).toMatchObject({ retCode: 10404 });
    socket.write({ ...request('3'), header: { 'X-BAPI-TIMESTAMP': '1' } });
    expect(await socket.frame(({ reqId }) => reqId === '3')).toMatchObject({ retCode: 10002 });
    socket.write({ op: 'ping' });
    expect(await socket.frame(({ op }) => op === 'pong')).toMatchObject({ retCode: 0 });
    strangers.close();
    socket.close();
  });

  it('of the account sends fills before the order that they change, to its owner only', async () => {
    const socket = await client.login('/v5/private');
    socket.write({ op: 'subscribe', req_id: '7', args: ['order', 'execution', 'wallet', 'position'] });
    expect(await socket.frame(({ op }) => op === 'subscribe')).toMatchObject({ success: true, req_id: '7' });
    const other = new BybitClient(loopback, loopback.openAccount().keys[0]);
    await other.result(other.post('/v5/order/create', order('spot')));
    await client.result(create('linear', { timeInForce: 'IOC', price: '51000', orderLinkId: 'a' }));
    await socket.frame(({ topic }) => topic === 'wallet');
    const topics = socket.frames.flatMap(({ topic }) => (topic === undefined ? [] : [topic]));
    expect(topics).toEqual(['order', 'execution', 'order', 'position', 'wallet']);
    socket.write({ op: 'subscribe', args: ['gossip'] });
    expect(await socket.frame(({ success }) => success === false)).toMatchObject({ op: 'subscribe' });
    socket.close();
  });

  it('of the account refuses a wrong login and a subscription without one', async () => {
    const socket = await client.socket('/v5/private');
    socket.write({ op: 'subscribe', args: ['order'] });
    expect(await socket.frame(({ op }) => op === 'subscribe')).toMatchObject({ success: false });
    socket.write({ op: 'auth', args: [account.keys[0]!.key, Date.now() + 1_000, '00'] });
    expect(await socket.frame(({ op }) => op === 'auth')).toMatchObject({ success: false });
    socket.close();
  });

  it('of the market begins with a snapshot and goes on with changes', async () => {
    const socket = await client.socket('/v5/public/spot');
    socket.write({ op: 'subscribe', args: ['orderbook.50.BTCUSDT', 'orderbook.1.BTCUSDT', 'tickers.BTCUSDT'] });
    const first = await socket.frame(({ topic }) => topic === 'orderbook.50.BTCUSDT');
    expect(first).toMatchObject({ type: 'snapshot', data: { s: 'BTCUSDT' } });
    loopback.spot.background.trade('BTCUSDT', 'BUY', units('0.01'));
    const change = await socket.frame(({ topic, type }) => topic === 'orderbook.50.BTCUSDT' && type === 'delta');
    expect((change['data'] as { u: number }).u).toBe((first['data'] as { u: number }).u + 1);
    await socket.frame(({ topic }) => topic === 'tickers.BTCUSDT');
    socket.write({ op: 'subscribe', args: ['orderbook.7.BTCUSDT'] });
    expect(await socket.frame(({ success }) => success === false)).toMatchObject({ op: 'subscribe' });
    socket.write({ op: 'ping', req_id: '1' });
    expect(await socket.frame(({ ret_msg: text }) => text === 'pong')).toMatchObject({ req_id: '1' });
    socket.close();
  });
});
