import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoopbackAccount } from './accounts.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import type { Fault } from './faults.js';
import { TestClient, type TestSocket } from './test-client.js';

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '49000' };
const NAMED = { symbol: 'BTCUSDT', origClientOrderId: 'child-1' };
const ORDER = { ...LIMIT, newClientOrderId: 'child-1' };

let loopback: BinanceLoopback;
let account: LoopbackAccount;
let client: TestClient;

beforeEach(async () => {
  loopback = await BinanceLoopback.start({ seed: 'faults' });
  account = loopback.openAccount();
  client = new TestClient(loopback, account.keys[0]);
});

afterEach(async () => {
  await loopback.close();
});

const accepted = (): number => loopback.spot.exchange.ledger.ordersOf(account.id).length;

const placeUnder = (fault: Fault): ReturnType<TestClient['send']> => {
  loopback.faults.add({ on: 'POST /api/v3/order', fault, times: 1 });
  return client.send('POST', '/api/v3/order', ORDER);
};

describe('a fault of a request', () => {
  it.each([
    ['unknown', true, 503, -1000],
    ['unknown', false, 503, -1000],
    ['unexpected', true, 500, -1006],
    ['timeout', true, 408, -1007],
    ['timeout', false, 408, -1007],
    ['overloaded', false, 503, -1008],
  ] as const)('answers %s, executed %s', async (failure, executed, status, code) => {
    expect(await placeUnder({ kind: 'fail', failure, executed })).toMatchObject({ status, body: { code } });
    expect(accepted()).toBe(executed ? 1 : 0);
  });

  it('leaves an order to its matching engine after the answer', async () => {
    loopback.faults.add({ on: 'POST /api/v3/order', fault: { kind: 'late', ms: 1_000 } });
    const answer = await placeUnder({ kind: 'fail', failure: 'timeout', executed: true });
    expect(answer).toMatchObject({ status: 408, body: { code: -1007 } });
    expect((await client.send('GET', '/api/v3/order', NAMED)).body).toMatchObject({ code: -2013 });
    expect(accepted()).toBe(0);
    await expect.poll(accepted).toBe(1);
  });

  it('answers the futures gateway error without a code', async () => {
    loopback.faults.add({ on: '*', fault: { kind: 'fail', failure: 'unknown', executed: true } });
    const { status, body } = await client.send('POST', '/fapi/v1/order', ORDER);
    expect(status).toBe(503);
    expect(body).toEqual({
      timestamp: expect.any(Number) as number,
      path: '/fapi/v1/order',
      msg: 'Unknown error, please check your request or try again later.',
    });
    expect(loopback.futures.exchange.ledger.ordersOf(account.id)).toHaveLength(1);
  });

  it('holds a request until its recvWindow has passed', async () => {
    loopback.faults.add({ on: 'POST /api/v3/order', fault: { kind: 'hold', ms: 1_200 } });
    const late = await client.send('POST', '/api/v3/order', { ...ORDER, recvWindow: 1_000 });
    expect(late.body).toMatchObject({ code: -1021 });
    expect(accepted()).toBe(0);
    // A held request is executed later, after a look-up that did not find it.
    const placing = client.send('POST', '/api/v3/order', ORDER);
    expect((await client.send('GET', '/api/v3/order', NAMED)).body).toMatchObject({ code: -2013 });
    expect((await placing).status).toBe(200);
    expect((await client.send('GET', '/api/v3/order', NAMED)).status).toBe(200);
  });

  it('delays the answer only', async () => {
    const placing = placeUnder({ kind: 'delay', ms: 1_000 });
    await expect.poll(accepted).toBe(1);
    expect((await client.send('GET', '/api/v3/order', NAMED)).status).toBe(200);
    expect((await placing).status).toBe(200);
  });

  it.each([true, false])('cuts the connection, executed %s', async (executed) => {
    await expect(placeUnder({ kind: 'cut', executed })).rejects.toThrow('fetch failed');
    expect(accepted()).toBe(executed ? 1 : 0);
  });

  it('loses the answer of an executed request', async () => {
    const placing = placeUnder({ kind: 'lose' });
    await expect.poll(accepted).toBe(1);
    loopback.cut();
    await expect(placing).rejects.toThrow('fetch failed');
  });

  it('shows a page of maintenance', async () => {
    const answer = await placeUnder({ kind: 'maintenance', status: 502 });
    expect(answer).toMatchObject({ status: 502, body: null, text: expect.stringContaining('<html>') as string });
    expect(accepted()).toBe(0);
  });

  it.each([429, 418] as const)('refuses with %s and the time to wait', async (status) => {
    const answer = await placeUnder({ kind: 'limit', status, retryAfterSeconds: 7 });
    expect(answer).toMatchObject({ status, body: { code: -1003 } });
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('hides a young order and shows an old list', async () => {
    await client.ok('POST', '/api/v3/order', ORDER);
    const remove = loopback.faults.add({ on: 'GET /api/v3/order', fault: { kind: 'absent', ms: 2_000 } });
    loopback.faults.add({ on: 'GET /api/v3/openOrders', fault: { kind: 'stale', ms: 2_000 } });
    expect((await client.send('GET', '/api/v3/order', NAMED)).body).toMatchObject({ code: -2013 });
    expect(await client.ok('GET', '/api/v3/openOrders', { symbol: 'BTCUSDT' })).toEqual([]);
    await expect.poll(async () => (await client.send('GET', '/api/v3/order', NAMED)).status).toBe(200);
    await client.ok('DELETE', '/api/v3/order', NAMED);
    expect(await client.ok('GET', '/api/v3/openOrders', { symbol: 'BTCUSDT' })).toHaveLength(1);
    remove();
    expect((await client.send('GET', '/api/v3/order', NAMED)).body).toMatchObject({ status: 'CANCELED' });
  });

  it('lacks entries in a partial list, and none in a look-up', async () => {
    await client.ok('POST', '/api/v3/order', ORDER);
    await client.ok('POST', '/api/v3/order', { ...ORDER, newClientOrderId: 'second' });
    const remove = loopback.faults.add({ on: 'GET /api/v3/openOrders', fault: { kind: 'partial', every: 2 } });
    expect(await client.ok('GET', '/api/v3/openOrders', { symbol: 'BTCUSDT' })).toHaveLength(1);
    expect((await client.send('GET', '/api/v3/order', NAMED)).status).toBe(200);
    remove();
    expect(await client.ok('GET', '/api/v3/openOrders', { symbol: 'BTCUSDT' })).toHaveLength(2);
  });

  it('refuses a withdrawn key until it is given back', async () => {
    const { key } = account.keys[0]!;
    loopback.accounts.setAccepted(key, false);
    expect((await client.send('GET', '/api/v3/account')).body).toMatchObject({ code: -2015 });
    loopback.accounts.setAccepted(key, true);
    expect((await client.send('GET', '/api/v3/account')).status).toBe(200);
  });

  it('has a clock of its own', async () => {
    loopback.clock.offsetMs = 10_000;
    expect((await client.send('POST', '/api/v3/order', ORDER)).body).toMatchObject({ code: -1021 });
    const { serverTime } = await client.ok<{ serverTime: number }>('GET', '/api/v3/time');
    expect(serverTime - Date.now()).toBeGreaterThan(9_000);
    expect((await client.send('POST', '/api/v3/order', { ...ORDER, timestamp: serverTime })).status).toBe(200);
  });

  it('applies by number, by chance, and a number of times', async () => {
    loopback.faults.add({ on: 'GET /api/v3/ping', nth: 2, fault: { kind: 'maintenance', status: 503 } });
    const statuses: number[] = [];
    for (let sent = 0; sent < 3; sent += 1) statuses.push((await client.send('GET', '/api/v3/ping')).status);
    expect(statuses).toEqual([200, 503, 200]);
    loopback.faults.add({ on: 'GET /api/v3/time', chance: 0.5, fault: { kind: 'maintenance', status: 503 } });
    for (let sent = 0; sent < 40; sent += 1) await client.send('GET', '/api/v3/time');
    const hits = loopback.faults.applied.filter(({ on }) => on === 'GET /api/v3/time').length;
    expect(hits).toBeGreaterThan(8);
    expect(hits).toBeLessThan(32);
  });
});

describe('a fault of a frame', () => {
  let socket: TestSocket;

  beforeEach(async () => {
    socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    await socket.request('userDataStream.subscribe.signature');
  });

  const executions = (): unknown[] => {
    const events = socket.frames.map((frame) => frame['event'] as Record<string, unknown> | undefined);
    return events.flatMap((event) => (event?.['e'] === 'executionReport' ? [event['x']] : []));
  };

  it.each<[Fault, readonly string[]]>([
    [{ kind: 'lose' }, ['TRADE']],
    [{ kind: 'duplicate' }, ['NEW', 'NEW', 'TRADE']],
    [{ kind: 'reorder' }, ['TRADE', 'NEW']],
    [{ kind: 'delay', ms: 50 }, ['TRADE', 'NEW']],
  ])('%o changes the reports of an order', async (fault, expected) => {
    loopback.faults.add({ on: 'spot executionReport', fault, nth: 1 });
    await client.ok('POST', '/api/v3/order', { ...ORDER, price: '50100', timeInForce: 'IOC' });
    await expect.poll(executions, { timeout: 1_000 }).toEqual(expected);
  });

  it('cuts the socket at a frame', async () => {
    loopback.faults.add({ on: 'spot executionReport', fault: { kind: 'cut', executed: true } });
    await client.ok('POST', '/api/v3/order', ORDER);
    await expect.poll(() => socket.isClosed).toBe(true);
    expect(accepted()).toBe(1);
  });

  it('loses, repeats and fails answers on the socket', async () => {
    loopback.faults.add({
      on: 'spot order.place',
      nth: 1,
      fault: { kind: 'fail', failure: 'timeout', executed: true },
    });
    loopback.faults.add({ on: 'spot order.status', fault: { kind: 'duplicate' } });
    expect(await socket.request('order.place', ORDER)).toMatchObject({ status: 408, error: { code: -1007 } });
    const { id } = await socket.request('order.status', NAMED);
    await expect.poll(() => socket.frames.filter((frame) => frame['id'] === id).length).toBe(2);
  });
});

describe('a listen key', () => {
  it('expires with an event to its stream', async () => {
    const { listenKey } = await client.ok<{ listenKey: string }>('POST', '/fapi/v1/listenKey');
    const socket = await client.socket('fstream.binance.com', `/private/ws?listenKey=${listenKey}`);
    loopback.futures.listenKeys.expireNow(account.id);
    expect(await socket.frame(({ e }) => e === 'listenKeyExpired')).toMatchObject({ listenKey });
    expect((await client.send('PUT', '/fapi/v1/listenKey')).body).toMatchObject({ code: -1125 });
  });
});
