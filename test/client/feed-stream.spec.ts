import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderFrame } from '../../src/client/index.js';
import { FeedStream } from '../../src/client/feed-stream.js';
import { FakeSocket } from './fake-socket.js';

/* The parts of the stream that a page uses. stream.spec.ts has those of StreamClient, over real sockets. */

const ORDERS = { topic: 'order', exchange: 'BINANCE' } as const;

let sockets: FakeSocket[];
let events: string[];
let frames: number[];
let stream: FeedStream;
let read: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, events, frames] = [[], [], []];
  read = () => Promise.resolve();
  const note = (state: string, cause: unknown) =>
    events.push(cause instanceof Error ? `${state}: ${cause.message}` : state);
  stream = new FeedStream({
    openSocket: (_listenKey, listener) => {
      const socket = new FakeSocket(listener);
      sockets.push(socket);
      return socket;
    },
    listenKey: () => Promise.resolve('key'),
    onConnection: note,
    onReconnectFailed: (error) => note('FAILED', error),
    onFeedLost: ({ topic }, error) => note(`LOST ${topic}`, error),
    onFeedEnded: (error) => note('ENDED', error),
    onSubscribed: () => {
      events.push('SUBSCRIBED');
      return read();
    },
  });
  stream.follow(ORDERS, ({ seq }) => frames.push(seq));
  stream.start();
});
afterEach(() => {
  stream.close();
  vi.useRealTimers();
});

/** The next connection, open. */
async function connected(): Promise<FakeSocket> {
  await vi.advanceTimersByTimeAsync(sockets.length === 0 ? 0 : 5_000);
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  await settled();
  return socket;
}

async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

async function subscribed(): Promise<FakeSocket> {
  const socket = await connected();
  await socket.acknowledge();
  return socket;
}

const frame = (seq: number) => ({ topic: 'order', seq, exchange_id: 1 }) as OrderFrame;

describe('a stream of feeds', () => {
  it('reports the subscription of all feeds, and delivers frames', async () => {
    const socket = await connected();
    expect(events).toEqual(['UP']);
    await socket.acknowledge();
    socket.receive(frame(5));
    expect([events, frames]).toEqual([['UP', 'SUBSCRIBED'], [5]]);
  });

  it('connects again when the first attempt fails, and gives the cause', async () => {
    await settled();
    sockets[0]?.drop();
    await settled();
    await subscribed();
    expect(events).toEqual(['FAILED: the connection to the service is lost', 'UP', 'SUBSCRIBED']);
  });

  it('reports a resumed feed only when its missing frames are known', async () => {
    const first = await subscribed();
    first.receive(frame(5));
    first.drop();
    const second = await connected();
    expect(second.sent).toMatchObject([{ method: 'subscribe', resume_from: 5 }]);
    await second.acknowledge(7001);
    expect(second.sent[1]).not.toHaveProperty('resume_from');
    expect(events.slice(2)).toEqual(['DOWN: the connection to the service is lost', 'UP', 'LOST order: 7001']);
    await second.acknowledge();
    expect(events.at(-1)).toBe('SUBSCRIBED');
  });

  it('replaces the connection when the read after the subscription fails, each time after a longer delay', async () => {
    read = () => Promise.reject(new Error('no answer'));
    await subscribed();
    expect(events).toEqual(['UP', 'SUBSCRIBED', 'DOWN: no answer']);
    const delaysMs: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const beforeMs = Date.now();
      const known = sockets.length;
      while (sockets.length === known) await vi.advanceTimersByTimeAsync(10);
      delaysMs.push(Date.now() - beforeMs);
      sockets.at(-1)?.open();
      await settled();
      await sockets.at(-1)?.acknowledge();
    }
    expect(delaysMs[2]).toBeGreaterThan(delaysMs[0] ?? 0);
    read = () => Promise.resolve();
    const good = await subscribed();
    expect(events.at(-1)).toBe('SUBSCRIBED');
    const before = sockets.length;
    good.drop();
    await vi.advanceTimersByTimeAsync(100);
    expect(sockets).toHaveLength(before + 1);
  });

  it('replaces a connection without an answer to two pings, and keeps one that answers late', async () => {
    const socket = await subscribed();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(socket.sent.slice(1)).toEqual([{ topic: 'ping' }, { topic: 'ping' }]);
    socket.receive({ topic: 'pong' });
    expect(stream.heardAtMs).toBe(Date.now());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(socket.isOpen).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(events.at(-1)).toBe('DOWN: the service has gone silent');
  });

  it('replaces a connection after a missing frame', async () => {
    const socket = await subscribed();
    socket.receive(frame(5));
    socket.receive(frame(7));
    expect([frames, socket.isOpen]).toEqual([[5], false]);
    expect(events.at(-1)).toBe('DOWN: frames of order are missing');
  });

  it('subscribes again to a feed that the service has ended, and reports both', async () => {
    const socket = await subscribed();
    socket.receive(frame(5));
    socket.receive({ code: 7001, message: 'it has ended', ended: { topic: 'order', exchange: 'BINANCE' } });
    expect(events.at(-1)).toBe('ENDED: it has ended');
    await vi.advanceTimersByTimeAsync(200);
    expect(socket.sent[1]).toMatchObject({ method: 'subscribe', resume_from: 5 });
    await socket.acknowledge();
    expect(events.slice(-2)).toEqual(['ENDED: it has ended', 'SUBSCRIBED']);
  });

  it('reports a refused feed and keeps the others', async () => {
    const socket = await subscribed();
    stream.follow({ topic: 'balance', exchange: 'NASDAQ' }, () => undefined);
    await socket.acknowledge(8054);
    socket.receive(frame(5));
    expect([events.at(-1), frames]).toEqual(['LOST balance: 8054', [5]]);
  });

  it('reports no refusal of a feed that is not followed any more', async () => {
    const socket = await subscribed();
    const balances = { topic: 'balance', exchange: 'OKX' } as const;
    stream.follow(balances, () => undefined);
    stream.unfollow(balances);
    await socket.acknowledge(8054);
    await socket.acknowledge();
    expect(events.at(-1)).toBe('SUBSCRIBED');
  });

  it('waits longer after a close for too many messages', async () => {
    const socket = await subscribed();
    socket.drop(1008);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(sockets).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(sockets).toHaveLength(2);
  });

  it('ignores a connection that is lost as soon as it opens', async () => {
    await settled();
    sockets[0]?.open();
    sockets[0]?.drop();
    await settled();
    expect(events).toEqual(['DOWN: the connection to the service is lost']);
    await subscribed();
    expect(events.slice(1)).toEqual(['UP', 'SUBSCRIBED']);
  });

  it('delivers no frame and opens no connection after its close', async () => {
    const socket = await subscribed();
    stream.close();
    socket.receive(frame(5));
    socket.drop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([frames, sockets.length]).toEqual([[], 1]);
  });
});
