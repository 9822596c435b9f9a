import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SluiceClient, SluiceError, StreamClient } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { API_KEY, API_SECRET, FakeService } from './fake-service.js';

let service: FakeService;
let client: SluiceClient;
let stream: StreamClient;
let losses: string[];
let connections: string[];
/** Called at every change that a test can wait for. */
let onChange: () => void;

beforeEach(async () => {
  service = await FakeService.start();
  client = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET });
  const own: string[] = [];
  [losses, connections, onChange] = [[], own, () => undefined];
  stream = new StreamClient({
    url: service.url,
    listenKey: () => client.listenKey(),
    onConnection: (state) => {
      own.push(state);
      onChange();
    },
    onFeedLost: (request, error) => {
      losses.push(`${request.topic} ${error.code}`);
      onChange();
    },
  });
  await stream.connect();
});
afterEach(async () => {
  stream.close();
  client.close();
  await service.stop();
});

const order = (seq: number): object => ({ topic: 'order', seq, exchange_id: 1, exchange_name: 'BINANCE' });

/** Resolves when the condition holds. The condition is checked after each change. */
function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    onChange = () => {
      if (condition()) resolve();
    };
    onChange();
  });
}

async function followOrders(resumeFrom?: number): Promise<number[]> {
  const seen: number[] = [];
  const from = resumeFrom === undefined ? {} : { resumeFrom };
  await stream.subscribe({ topic: 'order', exchange: 'binance', ...from }, (frame) => {
    seen.push(frame.seq);
    onChange();
  });
  return seen;
}

describe('the stream client', () => {
  it('delivers only frames of its subscriptions', async () => {
    const seen = await followOrders();
    service.broadcast({ topic: 'order', seq: 1, exchange_id: 5 });
    service.push('order BINANCE', order(1));
    service.push('order BINANCE', order(2));
    await until(() => seen.length === 2);
    expect(seen).toEqual([1, 2]);
  });

  it('matches market data by exchange id and symbol', async () => {
    const bids: (number | undefined)[] = [];
    await stream.subscribe({ topic: 'ticker', exchange: 'OKX', symbol: 'BTC/USDT' }, (frame) => {
      bids.push(frame.bid);
      onChange();
    });
    service.broadcast({ topic: 'ticker', exchange: 5, symbol: 'ETH/USDT', bid: 1 });
    service.broadcast({ topic: 'ticker', exchange: 1, symbol: 'BTC/USDT', bid: 2 });
    service.broadcast({ topic: 'ticker', exchange: 5, symbol: 'BTC/USDT', bid: 3 });
    await until(() => bids.length > 0);
    expect(bids).toEqual([3]);
  });

  it('sends the candle interval and separates candles from tickers of the same symbol', async () => {
    const closes: number[] = [];
    const request = { topic: 'ohlcv', exchange: 'OKX', symbol: 'BTC/USDT', interval: 'ONE_HOUR' } as const;
    await stream.subscribe(request, (frame) => {
      closes.push(frame.close);
      onChange();
    });
    service.broadcast({ topic: 'ticker', exchange: 5, symbol: 'BTC/USDT', bid: 2 });
    service.broadcast({ topic: 'ohlcv', exchange: 5, symbol: 'BTC/USDT', interval: 'ONE_HOUR', close: 3 });
    await until(() => closes.length > 0);
    expect(closes).toEqual([3]);
    expect(service.feedMessages.at(-1)).toMatchObject({ topic: 'ohlcv', interval: 'ONE_HOUR' });
  });

  it('rejects a subscription with the code of the service', async () => {
    const refused = stream.subscribe({ topic: 'order', exchange: 'NOWHERE' }, () => undefined);
    await expect(refused).rejects.toMatchObject({ code: '8054' });
  });

  it('answers a ping with a pong', async () => {
    const answer = service.received();
    service.broadcast({ topic: 'ping' });
    expect(JSON.parse(await answer)).toEqual({ topic: 'pong' });
  });

  it('reconnects with a new listen key and delivers each frame once', async () => {
    const seen = await followOrders(0);
    service.push('order BINANCE', order(1));
    await until(() => seen.length === 1);
    service.dropStreams();
    service.push('order BINANCE', order(2));
    service.push('order BINANCE', order(3));
    await until(() => seen.length === 3);
    expect(seen).toEqual([1, 2, 3]);
    expect(service.listenKeys).toBe(2);
    expect(connections).toEqual(['UP', 'DOWN', 'UP']);
    expect(service.feedMessages.map((message) => message.resume_from)).toEqual([0, 1]);
  });

  it('asks for a snapshot once, and again when the connection is lost in the middle of it', async () => {
    const subscriptions = (count: number): Promise<number> =>
      eventually(
        () => service.feedMessages.length,
        (length) => length === count,
      );
    const seen: (readonly [seq: number, isSnapshot: boolean])[] = [];
    await stream.subscribe({ topic: 'order', exchange: 'BINANCE', snapshot: true }, ({ seq, snapshot = false }) => {
      seen.push([seq, snapshot]);
      onChange();
    });
    const part = { ...order(7), snapshot: true };
    service.broadcast(part);
    await until(() => seen.length === 1);
    service.dropStreams();
    await subscriptions(2);
    service.broadcast(part);
    service.broadcast({ ...part, snapshot_end: true });
    await until(() => seen.length === 3);
    service.dropStreams();
    await subscriptions(3);
    expect(seen).toEqual([
      [7, true],
      [7, true],
      [7, true],
    ]);
    expect(service.feedMessages.map((message) => [message.snapshot, message.resume_from])).toEqual([
      [true, undefined],
      [true, undefined],
      [undefined, 7],
    ]);
  });

  it('reports a failed reconnect and retries', async () => {
    let isRevoked = false;
    const reasons: unknown[] = [];
    const other = new StreamClient({
      url: service.url,
      listenKey: () => (isRevoked ? Promise.resolve('revoked') : client.listenKey()),
      onConnection: () => onChange(),
      onReconnectFailed: (error) => {
        reasons.push(error);
        isRevoked = false;
      },
    });
    // Only the latest listen key counts, because one stream requests them.
    stream.close();
    await other.connect();
    isRevoked = true;
    service.dropStreams();
    const keysBefore = service.listenKeys;
    await until(() => reasons.length > 0 && service.listenKeys > keysBefore);
    expect(reasons).toMatchObject([{ status: 401, code: 'AUTHENTICATION_ERROR' }]);
    other.close();
  });

  it('drops repeated frames and reconnects over a gap', async () => {
    const seen = await followOrders(0);
    for (const seq of [1, 1, 2]) service.push('order BINANCE', order(seq));
    service.broadcast(order(9));
    for (let seq = 3; seq <= 9; seq += 1) service.push('order BINANCE', order(seq));
    await until(() => seen.length === 9);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('reports a feed that cannot resume and continues with new frames', async () => {
    const seen = await followOrders(0);
    service.push('order BINANCE', order(1));
    await until(() => seen.length === 1);
    service.forgotten.add('order BINANCE');
    service.dropStreams();
    await until(() => service.feedMessages.length === 3 || losses.length === 1);
    expect(losses).toEqual(['order 7001']);
  });

  it('follows a feed again that the service has ended, and keeps the other feeds', async () => {
    const positions: number[] = [];
    await stream.subscribe({ topic: 'position', exchange: 'BINANCE' }, (frame) => {
      positions.push(frame.seq);
      onChange();
    });
    const orders = await followOrders(0);
    service.push('order BINANCE', order(1));
    await until(() => orders.length === 1);
    service.ending.add('position BINANCE');
    service.dropStreams();
    await until(() => connections.length === 3);
    await eventually(
      () => service.feedMessages.length,
      (count) => count === 5,
    );
    service.push('position BINANCE', { topic: 'position', seq: 1, exchange_id: 1 });
    service.push('order BINANCE', order(2));
    await until(() => positions.length === 1 && orders.length === 2);
    expect([positions, orders, losses]).toEqual([[1], [1, 2], []]);
    expect(connections).toEqual(['UP', 'DOWN', 'UP']);
  });

  it('delivers a snapshot and then later frames', async () => {
    const seen: string[] = [];
    await stream.subscribe({ topic: 'balance', exchange: 'BINANCE' }, (frame) => {
      seen.push(`${frame.snapshot === true ? 'snapshot' : 'update'} ${frame.seq}`);
      onChange();
    });
    const balance = { topic: 'balance', exchange_id: 1 };
    for (const symbol of ['BTC', 'USDT']) service.broadcast({ ...balance, symbol, seq: 4, snapshot: true });
    service.broadcast({ ...balance, seq: 4 });
    service.broadcast({ ...balance, seq: 5 });
    await until(() => seen.length === 3);
    expect(seen).toEqual(['snapshot 4', 'snapshot 4', 'update 5']);
  });

  it('is refused with 401 for a wrong listen key', async () => {
    const stranger = new StreamClient({ url: service.url, listenKey: () => Promise.resolve('wrong') });
    await expect(stranger.connect()).rejects.toMatchObject({ status: 401, code: 'AUTHENTICATION_ERROR' });
    await expect(stranger.subscribe({ topic: 'order', exchange: 'OKX' }, () => undefined)).rejects.toThrow(SluiceError);
    stranger.close();
  });

  it('is refused with code, message and reason of the service', async () => {
    const message = 'the API key has expired';
    service.handshakeRefusal = { error_code: 'INVALID_API_KEY', message, reason: 'KEY_EXPIRED', request_id: 'r-2' };
    const stranger = new StreamClient({ url: service.url, listenKey: () => Promise.resolve('expired') });
    const refusal = { status: 401, code: 'INVALID_API_KEY', message, reason: 'KEY_EXPIRED' };
    await expect(stranger.connect()).rejects.toMatchObject(refusal);
    stranger.close();
  });

  it('stops delivering after unsubscribe and does not reconnect after close', async () => {
    const seen = await followOrders();
    await stream.unsubscribe({ topic: 'order', exchange: 'BINANCE' });
    service.broadcast(order(1));
    stream.close();
    await until(() => connections.includes('DOWN'));
    expect(seen).toEqual([]);
    expect(service.listenKeys).toBe(1);
  });
});
