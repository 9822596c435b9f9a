import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { useService } from './service-under-rules.js';
import { StreamClient, handshakeStatus, streamUrl } from './stream-client.js';

const LISTEN_KEY = '/api/v2/trading/listenKey';
const ACCOUNT_TOPICS = ['order', 'child_order', 'trade', 'balance', 'position', 'position_risk'];
const CAP = 3;
const PING_MS = 300;
/** Much longer than the time between two messages of a test on a loaded machine. */
const SILENCE_MS = 4000;
const LISTEN_KEY_TTL_S = 4;

const service = useService({
  env: {
    SLUICE_MARKET_DATA_CAP: String(CAP),
    SLUICE_LISTEN_KEY_TTL_S: String(LISTEN_KEY_TTL_S),
    SLUICE_WS_PING_MS: String(PING_MS),
    SLUICE_WS_SILENCE_MS: String(SILENCE_MS),
  },
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const order = { topic: 'order', exchange: 'BINANCE', method: 'subscribe' };
const ticker = { topic: 'ticker', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'subscribe' };

describe('The listen key authenticates the connection', () => {
  it('is accepted as query parameter `listenKey` and as header `Authorization: Bearer <LISTEN_KEY>`', async () => {
    const { body: listenKey } = await service.trader.get<string>(LISTEN_KEY);
    const url = streamUrl(service.trader);
    expect(await handshakeStatus(`${url}?listenKey=${listenKey}`)).toBe(101);
    expect(await handshakeStatus(url, { headers: { Authorization: `Bearer ${listenKey}` } })).toBe(101);
    // A listen key may be used until it expires.
    expect(await handshakeStatus(`${url}?listenKey=${listenKey}`)).toBe(101);
  });

  it('fails the handshake with HTTP 401 when it is invalid or expired', async () => {
    const url = streamUrl(service.trader);
    const { body: listenKey } = await service.trader.get<string>(LISTEN_KEY);
    const [head = '', claims = '', signature = ''] = listenKey.split('.');
    const forged = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    for (const wrong of [
      '',
      '?listenKey=',
      '?listenKey=nonsense',
      `?listenKey=${head}.${claims}.`,
      `?listenKey=${forged}.${claims}.`,
      `?listenKey=${head}.${claims}x.${signature}`,
    ]) {
      expect([wrong, await handshakeStatus(url + wrong)]).toEqual([wrong, 401]);
    }
  });
});

// These wait for the life of a listen key and for the time of a silent connection.
describe.concurrent('A listen key that expires', () => {
  it('is checked at the handshake only: an open connection survives its expiry, a reconnect does not', async () => {
    const { body: listenKey } = await service.trader.get<string>(LISTEN_KEY);
    const url = `${streamUrl(service.trader)}?listenKey=${listenKey}`;
    const stream = await StreamClient.at(url);
    while ((await handshakeStatus(url)) !== 401) {
      await pause(100);
      stream.send({ topic: 'pong' });
    }
    expect(await stream.ask(order)).toMatchObject({ code: 0 });
    stream.close();
  });
});

describe.concurrent('Keep-alive', () => {
  it('sends {"topic":"ping"} every 60 seconds', async () => {
    const startMs = performance.now();
    const stream = await StreamClient.of(service.trader);
    await eventually(
      () => stream.of('ping').length,
      (count) => count >= 4,
    );
    // Only the first ping may come early.
    expect(performance.now() - startMs).toBeGreaterThan(PING_MS * 2.5);
    expect(stream.of('ping')[0]).toEqual({ topic: 'ping' });
    stream.close();
  });

  it('closes the connection with 1001 after 5 minutes without a client message', async () => {
    const stream = await StreamClient.of(service.trader);
    await eventually(
      () => stream.closeCode,
      (code) => code !== null,
    );
    expect(stream.closeCode).toBe(1001);
  });

  it('answers {"topic":"ping"} with {"topic":"pong"}, and any client message restarts the time', async () => {
    const stream = await StreamClient.of(service.trader);
    const startMs = performance.now();
    let sent = 0;
    while (performance.now() < startMs + SILENCE_MS * 1.5) {
      await pause(100);
      stream.send({ topic: 'ping' });
      sent += 1;
    }
    await eventually(
      () => stream.of('pong').length,
      (count) => count === sent,
    );
    expect(stream.of('pong')[0]).toEqual({ topic: 'pong' });
    expect(stream.closeCode).toBeNull();
    expect(stream.answers).toEqual([]);
    stream.close();
  });
});

describe('Codes: 0 acknowledged, `message` is the request serialised with the exchange in upper case', () => {
  it.each([...ACCOUNT_TOPICS, 'ticker', 'ohlcv'])('acknowledges subscribe and unsubscribe of %s', async (topic) => {
    const stream = await StreamClient.of(service.trader);
    const symbol = ACCOUNT_TOPICS.includes(topic) ? {} : { symbol: 'BTC/USDT' };
    for (const method of ['subscribe', 'unsubscribe']) {
      const { code, message } = await stream.ask({ topic, exchange: 'bInAnCe', ...symbol, method });
      expect([code, JSON.parse(message)]).toEqual([0, { topic, exchange: 'BINANCE', ...symbol, method }]);
    }
    stream.close();
  });

  it('acknowledges open_interest of a FUTURE only', async () => {
    const stream = await StreamClient.of(service.trader);
    const request = { topic: 'open_interest', exchange: 'okx', method: 'subscribe' };
    expect(await stream.ask({ ...request, symbol: 'BTC/USDT:USDT' })).toMatchObject({ code: 0 });
    expect(await stream.ask({ ...request, symbol: 'ETH/BTC' })).toMatchObject({ code: 7002 });
    stream.close();
  });

  it('acknowledges an unsubscribe without a subscription', async () => {
    const stream = await StreamClient.of(service.trader);
    expect(await stream.ask({ ...order, method: 'unsubscribe' })).toMatchObject({ code: 0 });
    stream.close();
  });
});

describe('8054 exchange missing or unknown; 7002 invalid request (unparsable, no method, unknown topic, missing symbol …)', () => {
  it.each([
    ['8054', { topic: 'order', method: 'subscribe' }],
    ['8054', { ...order, exchange: '' }],
    ['8054', { ...order, exchange: 'NASDAQ' }],
    ['8054', { ...order, exchange: null }],
    ['8054', { ...order, exchange: 7 }],
    ['8054', { ...ticker, exchange: 'NASDAQ' }],
    ['7002', 'hello'],
    ['7002', '{'],
    ['7002', '[]'],
    ['7002', '7'],
    ['7002', 'null'],
    ['7002', '""'],
    ['7002', {}],
    ['7002', { topic: 'order', exchange: 'BINANCE' }],
    ['7002', { ...order, method: 'follow' }],
    ['7002', { ...order, method: 1 }],
    ['7002', { exchange: 'BINANCE', method: 'subscribe' }],
    ['7002', { ...order, topic: 'weather' }],
    ['7002', { ...order, topic: {} }],
    ['7002', { topic: 'ticker', exchange: 'BINANCE', method: 'subscribe' }],
    ['7002', { ...ticker, symbol: '' }],
    ['7002', { ...ticker, symbol: 7 }],
    ['7002', { ...ticker, symbol: 'NOPE/USDT' }],
    ['7002', { topic: 'ohlcv', exchange: 'BINANCE', method: 'subscribe' }],
    ['7002', { ...ticker, topic: 'ohlcv', interval: 'TWO_MINUTES' }],
    ['7002', { ...order, resume_from: -1 }],
    ['7002', { ...order, resume_from: 'start' }],
    ['7002', { ...order, resume_from: 1.5 }],
  ])('answers %s to %j', async (code, request) => {
    const stream = await StreamClient.of(service.trader);
    const answer = await stream.ask(request);
    expect([answer.code, typeof answer.message]).toEqual([Number(code), 'string']);
    stream.close();
  });
});

describe('Which error first: unparsable, method, topic (7002), then exchange (8054), then symbol, cap and the rest (7002)', () => {
  it.each([
    [7002, { topic: 'order', exchange: 'NASDAQ' }],
    [7002, { topic: 'weather', exchange: 'NASDAQ', method: 'subscribe' }],
    [8054, { topic: 'ticker', exchange: 'NASDAQ', method: 'subscribe' }],
    [8054, { topic: 'ohlcv', method: 'subscribe', interval: 'NONE' }],
  ])('answers %i to %j', async (code, request) => {
    const stream = await StreamClient.of(service.trader);
    expect(await stream.ask(request)).toMatchObject({ code });
    stream.close();
  });
});

describe('Account topics: one subscription per (topic, exchange); market data: one per (topic, exchange, symbol)', () => {
  it('acknowledges a duplicate without doubling its frames', async () => {
    const stream = await StreamClient.of(service.trader);
    for (let count = 0; count < 3; count += 1) await stream.follow('balance');
    for (let count = 0; count < 3; count += 1) await stream.follow('ticker', { symbol: 'BTC/USDT' });
    await eventually(
      () => stream.of('ticker').length,
      (count) => count >= 5,
    );
    const snapshot = stream.of('balance').map((frame) => frame['symbol']);
    expect(new Set(snapshot)).toEqual(new Set(['BTC', 'ETH', 'SOL', 'USDT']));
    expect(snapshot).toHaveLength(4);
    const instants = stream.of('ticker').map((frame) => JSON.stringify(frame));
    expect(new Set(instants).size).toBe(instants.length);
    stream.close();
  });

  it('sends no frame after an unsubscribe', async () => {
    const stream = await StreamClient.of(service.trader);
    await stream.follow('ticker', { symbol: 'BTC/USDT' });
    await stream.frame('ticker');
    expect(await stream.ask({ ...ticker, method: 'unsubscribe' })).toMatchObject({ code: 0 });
    const count = stream.of('ticker').length;
    const other = await StreamClient.of(service.trader);
    await other.follow('ticker', { symbol: 'BTC/USDT' });
    await eventually(
      () => other.of('ticker').length,
      (seen) => seen >= 3,
    );
    await stream.ask({ ...ticker, method: 'unsubscribe' });
    expect(stream.of('ticker')).toHaveLength(count);
    stream.close();
    other.close();
  });

  it('keeps subscriptions for one connection only', async () => {
    const [one, other] = [await StreamClient.of(service.trader), await StreamClient.of(service.trader)];
    await one.follow('balance');
    await one.frame('balance');
    expect(other.of('balance')).toEqual([]);
    one.close();
    other.close();
  });
});

describe('Market-data cap per connection (configurable): 7002', () => {
  it('counts all market topics together, frees ended subscriptions and does not count account topics', async () => {
    const stream = await StreamClient.of(service.trader);
    await stream.follow('ticker', { symbol: 'BTC/USDT' });
    await stream.follow('ohlcv', { symbol: 'BTC/USDT' });
    await stream.follow('open_interest', { symbol: 'BTC/USDT:USDT' });
    expect(await stream.ask({ ...ticker, symbol: 'ETH/USDT' })).toMatchObject({ code: 7002 });
    for (const topic of ACCOUNT_TOPICS) await stream.follow(topic);
    expect(await stream.ask({ ...ticker, method: 'unsubscribe' })).toMatchObject({ code: 0 });
    await stream.follow('ticker', { symbol: 'ETH/USDT' });
    stream.close();
  });
});

describe('The WebSocket side is read-only', () => {
  it('refuses a create as an invalid request and places nothing', async () => {
    const stream = await StreamClient.of(service.trader);
    const answer = await stream.ask({ topic: 'order', exchange: 'BINANCE', method: 'create', quantity: '1' });
    expect(answer.code).toBe(7002);
    expect(await service.trader.list('find')).toEqual([]);
    stream.close();
  });
});
