import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderFrame } from '../../src/client/wire.js';
import { LiveStream, type LiveSocket } from '../../src/console/network/live-stream.js';
import { orderFrame } from './orders.js';

type Listener = (event: { readonly data?: unknown }) => void;

/** A socket that the test drives from the side of the service. */
class FakeSocket implements LiveSocket {
  readonly sent: Record<string, unknown>[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.#listeners.get('open')?.({});
  }

  receive(message: object): void {
    this.#listeners.get('message')?.({ data: JSON.stringify(message) });
  }

  acknowledge(code = 0): void {
    this.receive({ code, message: 'said so' });
  }

  drop(): void {
    this.#listeners.get('close')?.({});
  }
}

const ORDERS = { topic: 'order', exchange: 'BINANCE' } as const;

let sockets: FakeSocket[];
let events: string[];
let frames: OrderFrame[];
let stream: LiveStream;
let catchUp: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, events, frames] = [[], [], []];
  catchUp = () => Promise.resolve();
  stream = new LiveStream({
    openSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    listenKey: () => Promise.resolve('key'),
    nowMs: Date.now,
    chance: () => 0,
    onUp: () => {
      events.push('up');
      return catchUp();
    },
    onDown: (why) => events.push(`down: ${why}`),
    onRefused: ({ topic }, why) => events.push(`refused ${topic}: ${why}`),
  });
  stream.follow(ORDERS, (frame) => frames.push(frame));
  stream.start();
});
afterEach(() => {
  stream.close();
  vi.useRealTimers();
});

/** The latest connection, once the stream opens it. */
async function connected(): Promise<FakeSocket> {
  const before = sockets.length;
  await vi.advanceTimersByTimeAsync(before === 0 ? 0 : 10_000);
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  return socket;
}

const frame = (seq: number): OrderFrame => ({ ...orderFrame(7, seq), seq });

describe('the live stream', () => {
  it('is up after the acknowledgement of every feed, then delivers frames', async () => {
    const socket = await connected();
    expect(events).toEqual([]);
    socket.acknowledge();
    socket.receive(frame(5));
    expect(events).toEqual(['up']);
    expect(frames.map(({ seq }) => seq)).toEqual([5]);
  });

  it('resumes after the last frame on a new connection and delivers each frame once', async () => {
    const first = await connected();
    first.acknowledge();
    first.receive(frame(5));
    first.drop();
    expect(events.at(-1)).toBe('down: the connection to the service is lost');
    const second = await connected();
    expect(second.sent[0]).toMatchObject({ topic: 'order', method: 'subscribe', resume_from: 5 });
    second.acknowledge();
    second.receive(frame(5));
    second.receive(frame(6));
    expect(frames.map(({ seq }) => seq)).toEqual([5, 6]);
    expect(events.at(-1)).toBe('up');
  });

  it('subscribes from the present where the service cannot resume', async () => {
    (await connected()).acknowledge();
    sockets[0]?.receive(frame(5));
    sockets[0]?.drop();
    const second = await connected();
    second.acknowledge(7001);
    expect(second.sent[1]).not.toHaveProperty('resume_from');
    expect(events.filter((word) => word === 'up')).toHaveLength(1);
    second.acknowledge();
    expect(events.filter((word) => word === 'up')).toHaveLength(2);
  });

  it('connects again when a feed has ended while another one waits for its answer', async () => {
    const first = await connected();
    first.acknowledge();
    first.receive(frame(5));
    stream.follow({ topic: 'order', exchange: 'OKX' }, () => undefined);
    const ended = { topic: 'order', exchange: 'BINANCE' };
    first.receive({ code: 7001, message: 'stream order of BINANCE has ended', ended });
    expect(events.at(-1)).toBe('down: stream order of BINANCE has ended');
    const second = await connected();
    expect(second.sent).toMatchObject([{ exchange: 'BINANCE', resume_from: 5 }, { exchange: 'OKX' }]);
  });

  it('drops a connection after a missing frame or a long silence', async () => {
    const first = await connected();
    first.acknowledge();
    first.receive(frame(5));
    first.receive(frame(7));
    expect(events.at(-1)).toBe('down: frames of order are missing');
    expect(first.isClosed).toBe(true);
    const second = await connected();
    second.acknowledge();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(second.sent.at(-1)).toEqual({ topic: 'ping' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(events.at(-1)).toBe('down: the service has gone silent');
  });

  it('connects again when the first read of the orders fails', async () => {
    catchUp = () => Promise.reject(new Error('the open orders did not come'));
    (await connected()).acknowledge();
    await vi.advanceTimersByTimeAsync(0);
    expect(events.at(-1)).toBe('down: the open orders did not come');
    catchUp = () => Promise.resolve();
    (await connected()).acknowledge();
    expect(events.at(-1)).toBe('up');
  });

  it('reports a refused feed and keeps the others', async () => {
    const socket = await connected();
    stream.follow({ topic: 'balance', exchange: 'NASDAQ' }, () => undefined);
    socket.acknowledge();
    socket.acknowledge(8054);
    expect(events).toEqual(['refused balance: said so', 'up']);
  });

  it('ignores a dropped connection and opens no connection after its close', async () => {
    const socket = await connected();
    socket.acknowledge();
    stream.close();
    socket.receive(frame(5));
    socket.drop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(frames).toEqual([]);
    expect(sockets).toHaveLength(1);
  });
});
