import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderFrame } from '../../src/client/frames.js';
import { LiveStream, type Socket } from '../../src/console/live-stream.js';
import { orderFrame } from './orders.js';

type Listener = (event: { readonly data?: unknown }) => void;

/** The other end of a connection. */
class FakeSocket implements Socket {
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

  tell(message: object): void {
    this.#listeners.get('message')?.({ data: JSON.stringify(message) });
  }

  acknowledge(code = 0): void {
    this.tell({ code, message: 'said so' });
  }

  drop(): void {
    this.#listeners.get('close')?.({});
  }
}

const ORDERS = { topic: 'order', exchange: 'BINANCE' } as const;

let sockets: FakeSocket[];
let said: string[];
let frames: OrderFrame[];
let stream: LiveStream;
let catchUp: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, said, frames] = [[], [], []];
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
      said.push('up');
      return catchUp();
    },
    onDown: (why) => said.push(`down: ${why}`),
    onRefused: ({ topic }, why) => said.push(`refused ${topic}: ${why}`),
  });
  stream.follow(ORDERS, (frame) => frames.push(frame));
  stream.start();
});
afterEach(() => {
  stream.close();
  vi.useRealTimers();
});

/** The latest connection, once it is asked for. */
async function connected(): Promise<FakeSocket> {
  const before = sockets.length;
  await vi.advanceTimersByTimeAsync(before === 0 ? 0 : 10_000);
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  return socket;
}

const frame = (seq: number): OrderFrame => ({ ...orderFrame(7, seq), seq });

describe('the live stream', () => {
  it('is up when every feed is acknowledged, and delivers', async () => {
    const socket = await connected();
    expect(said).toEqual([]);
    socket.acknowledge();
    socket.tell(frame(5));
    expect(said).toEqual(['up']);
    expect(frames.map(({ seq }) => seq)).toEqual([5]);
  });

  it('goes on behind the last frame on a new connection, and tells each frame once', async () => {
    const first = await connected();
    first.acknowledge();
    first.tell(frame(5));
    first.drop();
    expect(said.at(-1)).toBe('down: the connection to the service is lost');
    const second = await connected();
    expect(second.sent[0]).toMatchObject({ topic: 'order', method: 'subscribe', resume_from: 5 });
    second.acknowledge();
    second.tell(frame(5));
    second.tell(frame(6));
    expect(frames.map(({ seq }) => seq)).toEqual([5, 6]);
    expect(said.at(-1)).toBe('up');
  });

  it('begins with what is new where the service cannot go on', async () => {
    (await connected()).acknowledge();
    sockets[0]?.tell(frame(5));
    sockets[0]?.drop();
    const second = await connected();
    second.acknowledge(7001);
    expect(second.sent[1]).not.toHaveProperty('resume_from');
    expect(said.filter((word) => word === 'up')).toHaveLength(1);
    second.acknowledge();
    expect(said.filter((word) => word === 'up')).toHaveLength(2);
  });

  it('gives up a connection on which a frame is missing, or nothing is heard', async () => {
    const first = await connected();
    first.acknowledge();
    first.tell(frame(5));
    first.tell(frame(7));
    expect(said.at(-1)).toBe('down: frames of order are missing');
    expect(first.isClosed).toBe(true);
    const second = await connected();
    second.acknowledge();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(second.sent.at(-1)).toEqual({ topic: 'ping' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(said.at(-1)).toBe('down: the service has gone silent');
  });

  it('tries again when the listen key or the first look fails', async () => {
    catchUp = () => Promise.reject(new Error('the open orders did not come'));
    (await connected()).acknowledge();
    await vi.advanceTimersByTimeAsync(0);
    expect(said.at(-1)).toBe('down: the open orders did not come');
    catchUp = () => Promise.resolve();
    (await connected()).acknowledge();
    expect(said.at(-1)).toBe('up');
  });

  it('tells of a feed that is refused and goes on with the others', async () => {
    const socket = await connected();
    stream.follow({ topic: 'balance', exchange: 'NASDAQ' }, () => undefined);
    socket.acknowledge();
    socket.acknowledge(8054);
    expect(said).toEqual(['refused balance: said so', 'up']);
  });

  it('hears nothing of a connection that it has given up, and none follows when it is closed', async () => {
    const socket = await connected();
    socket.acknowledge();
    stream.close();
    socket.tell(frame(5));
    socket.drop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(frames).toEqual([]);
    expect(sockets).toHaveLength(1);
  });
});
