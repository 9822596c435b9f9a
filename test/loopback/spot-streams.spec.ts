import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LoopbackAccount, newEd25519Key } from './accounts.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { units } from './decimal.js';
import { TestClient, type TestSocket } from './test-client.js';

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '49000' };

let loopback: BinanceLoopback;
let account: LoopbackAccount;
let client: TestClient;

beforeAll(async () => {
  loopback = await BinanceLoopback.start({ pingEveryMs: 20, unansweredPingsMax: 5 });
  account = loopback.openAccount();
  client = new TestClient(loopback, account.keys[0]);
});

afterAll(async () => {
  await loopback.close();
});

const eventsOf = (socket: TestSocket): readonly Record<string, unknown>[] => {
  return socket.frames.flatMap((frame) => ('event' in frame ? [frame['event'] as Record<string, unknown>] : []));
};

describe('the spot user data stream', () => {
  it('names a cancelled order in C and the cancel in c', async () => {
    const socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    expect(await socket.request('userDataStream.subscribe.signature')).toMatchObject({
      status: 200,
      result: { subscriptionId: expect.any(Number) as number },
    });
    await socket.request('order.place', { ...LIMIT, newClientOrderId: 'the-order' });
    const cancel = { symbol: 'BTCUSDT', origClientOrderId: 'the-order', newClientOrderId: 'the-cancel' };
    expect(await socket.request('order.cancel', cancel)).toMatchObject({
      result: { origClientOrderId: 'the-order', clientOrderId: 'the-cancel', status: 'CANCELED' },
    });
    await expect
      .poll(() => eventsOf(socket))
      .toMatchObject([
        { e: 'executionReport', x: 'NEW', c: 'the-order', C: '' },
        { e: 'outboundAccountPosition' },
        { e: 'executionReport', x: 'CANCELED', c: 'the-cancel', C: 'the-order' },
        { e: 'outboundAccountPosition' },
      ]);
    socket.close();
  });

  it('reports a transfer and the balance after it', async () => {
    const socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    await socket.request('userDataStream.subscribe.signature');
    loopback.spot.transfer(account.id, 'BTC', units('0.5'));
    await expect
      .poll(() => eventsOf(socket))
      .toMatchObject([
        { e: 'balanceUpdate', a: 'BTC', d: '0.50000000' },
        { e: 'outboundAccountPosition', B: [{ a: 'BTC', f: '10.50000000' }] },
      ]);
    await socket.request('userDataStream.unsubscribe');
    loopback.spot.transfer(account.id, 'BTC', units('0.5'));
    await socket.request('ping');
    expect(eventsOf(socket)).toHaveLength(2);
    socket.close();
  });

  it('reports only the orders of its account', async () => {
    const socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    await socket.request('userDataStream.subscribe.signature');
    const other = new TestClient(loopback, loopback.openAccount().keys[0]);
    await other.ok('POST', '/api/v3/order', LIMIT);
    await socket.request('ping');
    expect(eventsOf(socket)).toEqual([]);
    socket.close();
  });

  it('takes no HMAC key for a logon and needs a logon for a subscription without signature', async () => {
    const socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    expect(await socket.request('session.logon')).toMatchObject({ status: 400, error: { code: -4056 } });
    expect(await socket.request('userDataStream.subscribe')).toMatchObject({ status: 401 });
    expect(newEd25519Key().key.secret).toBeNull();
    socket.close();
  });
});

describe('the socket API', () => {
  it('answers errors with their status, and rate limits when asked', async () => {
    const socket = await client.socket('ws-api.binance.com', '/ws-api/v3');
    const missing = await socket.request('order.status', { symbol: 'BTCUSDT', origClientOrderId: 'never' });
    expect(missing).toMatchObject({
      status: 400,
      error: { code: -2013 },
      rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT' }],
    });
    const hidden = await socket.request('account.status', { returnRateLimits: false });
    expect(hidden).toMatchObject({ status: 200, result: { accountType: 'SPOT' } });
    expect(hidden).not.toHaveProperty('rateLimits');
    const placed = await socket.request('order.place', LIMIT);
    expect(placed['rateLimits']).toHaveLength(3);
    socket.close();
  });
});

describe('a market stream', () => {
  it('changes between raw and combined frames', async () => {
    const socket = await client.socket('stream.binance.com', '/ws/btcusdt@trade');
    loopback.spot.background.trade('BTCUSDT', 'BUY', units('0.001'));
    expect(await socket.frame(({ e }) => e === 'trade')).toMatchObject({ s: 'BTCUSDT', q: '0.00100000', m: false });
    socket.write({ method: 'SET_PROPERTY', params: ['combined', true], id: 1 });
    await socket.frame(({ id }) => id === 1);
    loopback.spot.background.trade('BTCUSDT', 'SELL', units('0.001'));
    const combined = await socket.frame(({ stream }) => stream === 'btcusdt@trade');
    expect(combined).toMatchObject({ data: { m: true } });
    socket.close();
  });

  it('joins the trades of one taker at one price', async () => {
    const socket = await client.socket('stream.binance.com', '/stream?streams=btcusdt@aggTrade/btcusdt@trade');
    await client.ok('POST', '/api/v3/order', { ...LIMIT, price: '50000', newClientOrderId: 'agg-1' });
    await client.ok('POST', '/api/v3/order', { ...LIMIT, price: '50000', newClientOrderId: 'agg-2' });
    loopback.spot.background.trade('BTCUSDT', 'SELL', units('0.02'));
    const aggregate = await socket.frame(({ stream }) => stream === 'btcusdt@aggTrade');
    const { f, l, q } = aggregate['data'] as { f: number; l: number; q: string };
    expect({ count: l - f + 1, q }).toEqual({ count: 2, q: '0.02000000' });
    expect(socket.frames.filter(({ stream }) => stream === 'btcusdt@trade')).toHaveLength(2);
    socket.close();
  });

  it('ends for a client that answers no ping', async () => {
    const address = `${loopback.address('stream.binance.com', 'ws')}/ws/btcusdt@trade`;
    const deaf = new WebSocket(address, { autoPong: false });
    const polite = new WebSocket(address);
    let pings = 0;
    polite.on('ping', () => (pings += 1));
    await once(deaf, 'close');
    expect(pings).toBeGreaterThan(2);
    expect(polite.readyState).toBe(WebSocket.OPEN);
    polite.terminate();
  });
});
