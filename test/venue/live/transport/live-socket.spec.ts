import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import {
  SOCKET_AGAIN_MS_MIN,
  SOCKET_OPEN_MS_MAX,
  SOCKET_PING_MS,
  SOCKET_SILENCE_MS_MAX,
  SOCKET_STABLE_MS,
} from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { ConnectAgent } from '../../../../src/venue/live/transport/connect-agent.js';
import { LiveSocket } from '../../../../src/venue/live/transport/live-socket.js';

const closings: (() => void)[] = [];

afterEach(() => {
  for (const close of closings.splice(0)) close();
  vi.useRealTimers();
});

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

it('dials an exchange that has banned this address after the end of the ban', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let [barredMs, dials] = [120_000, 0];
  const socket = new LiveSocket({
    url: () => {
      dials += 1;
      return `ws://127.0.0.1:${portOf(server)}`;
    },
    nowMs: () => 1_800_000_000_000 as EpochMs,
    random: () => 1,
    barredMs: () => barredMs,
    onOpen: () => undefined,
    onText: () => undefined,
    onCut: () => undefined,
  });
  closings.push(() => {
    socket.close();
    server.close();
  });
  vi.advanceTimersByTime(119_999);
  expect(dials).toBe(0);
  // The exchange has made it longer.
  barredMs = 60_000;
  vi.advanceTimersByTime(60_000);
  expect(dials).toBe(0);
  barredMs = 0;
  vi.advanceTimersByTime(1);
  expect(dials).toBe(1);
  while (!socket.isOpen) await setImmediate();
});

/**
 * Opens a socket and cuts it after each of these times. Returns the waits before the next attempts, in milliseconds.
 */
async function waitsAfter(lifetimesMs: readonly number[]): Promise<number[]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const waits: number[] = [];
  let nowMs = 1_800_000_000_000;
  const socket = new LiveSocket({
    url: () => `ws://127.0.0.1:${portOf(server)}`,
    nowMs: () => nowMs as EpochMs,
    // The whole bound.
    random: () => 1,
    onOpen: () => undefined,
    onText: () => undefined,
    onCut: () => undefined,
  });
  closings.push(() => {
    socket.close();
    server.close();
  });
  for (const lifetimeMs of lifetimesMs) {
    const connection = once(server, 'connection');
    vi.advanceTimersByTime(waits.at(-1) ?? 0);
    const [accepted] = (await connection) as [{ terminate: () => void }];
    while (!socket.isOpen) await setImmediate();
    nowMs += lifetimeMs;
    const set = vi.spyOn(globalThis, 'setTimeout');
    accepted.terminate();
    while (socket.isOpen) await setImmediate();
    waits.push(Math.max(...set.mock.calls.map(([, ms]) => ms ?? 0)));
    set.mockRestore();
  }
  return waits;
}

describe('a socket that is cut', () => {
  it('waits twice as long after each connection that ends at once', async () => {
    const first = SOCKET_AGAIN_MS_MIN;
    expect(await waitsAfter([0, 0, 0])).toEqual([first, 2 * first, 4 * first]);
  });

  it('takes the wait back step by step while a connection lives', async () => {
    const first = SOCKET_AGAIN_MS_MIN;
    const waits = await waitsAfter([0, 0, SOCKET_STABLE_MS, 2 * SOCKET_STABLE_MS, 2 * SOCKET_STABLE_MS]);
    expect(waits).toEqual([first, 2 * first, 2 * first, first, first]);
  });
});

/** A socket that counts its cuts, on a clock that `pass` advances. */
function openSocket(port: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const state = { nowMs: 1_800_000_000_000, cuts: 0 };
  const socket = new LiveSocket({
    url: () => `ws://127.0.0.1:${port}`,
    nowMs: () => state.nowMs as EpochMs,
    random: () => 0,
    onOpen: () => undefined,
    onText: () => undefined,
    onCut: () => (state.cuts += 1),
  });
  closings.push(() => socket.close());
  const pass = async (ms: number): Promise<void> => {
    state.nowMs += ms;
    vi.advanceTimersByTime(ms);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  return { socket, state, pass };
}

/** Longest silence that a trader should not notice: Binance pings every 20 s. */
const DEAD_MS_MAX = 45_000;

describe('a socket whose other end is silent', () => {
  it('is cut long before the ping of the exchange is late, and opened again', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
    await once(server, 'listening');
    closings.push(() => server.close());
    const { socket, state, pass } = openSocket(portOf(server));
    while (!socket.isOpen) await setImmediate();
    let silentMs = 0;
    for (; state.cuts === 0 && silentMs < DEAD_MS_MAX; silentMs += SOCKET_PING_MS) await pass(SOCKET_PING_MS);
    expect(state.cuts).toBe(1);
    expect(silentMs).toBeLessThanOrEqual(SOCKET_SILENCE_MS_MAX + 2 * SOCKET_PING_MS);
    await pass(SOCKET_AGAIN_MS_MIN);
    while (!socket.isOpen) await setImmediate();
  });

  it.each([
    ['refuses the connection', (peer: Socket) => peer.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')],
    ['sends what is no answer', (peer: Socket) => peer.end('<html></html>')],
    ['resets the connection', (peer: Socket) => peer.resetAndDestroy()],
  ])('is tried again when its other end %s, and throws nothing', async (_name, answer) => {
    const dials: Socket[] = [];
    const server = createServer((peer) => {
      dials.push(peer);
      peer.on('error', () => undefined);
      answer(peer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closings.push(() => server.close());
    const { state, pass } = openSocket(portOf(server));
    while (dials.length === 0) await setImmediate();
    for (let tries = 0; dials.length < 3 && tries < 100; tries += 1) await pass(2 * SOCKET_AGAIN_MS_MIN);
    expect(dials.length).toBeGreaterThanOrEqual(3);
    expect(state.cuts).toBe(0);
  });
});

/** What a proxy gets first from an agent, and how the dial has failed. */
async function dialThrough(urlOf: (port: number) => string, answer: string) {
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      received.push(chunk);
      socket.end(answer);
    });
  });
  const received: Buffer[] = [];
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closings.push(() => proxy.close());
  const agent = new ConnectAgent(urlOf(portOf(proxy)));
  const error = await new Promise<Error | null>((resolve) => {
    agent.createConnection({ host: 'exchange.test', port: 443 }, resolve);
  });
  return { first: received[0]!, message: error?.message };
}

describe('a proxy of a socket', () => {
  it('gets the user and password of its URL, and its refusal is stated', async () => {
    const refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';
    const { first, message } = await dialThrough((port) => `http://me:pa%40ss@127.0.0.1:${port}`, refusal);
    expect(first.toString()).toMatch(
      /^CONNECT exchange\.test:443 HTTP\/1\.1\r\n[^]*^proxy-authorization: Basic bWU6cGFAc3M=\r$/im,
    );
    expect(message).toBe(
      'the proxy refuses the connection with 407: its URL needs a user and a password that it knows',
    );
  });

  it('is dialled by TLS when its URL says so', async () => {
    const { first } = await dialThrough((port) => `https://127.0.0.1:${port}`, '');
    // A handshake of TLS.
    expect(first[0]).toBe(22);
  });
});

describe('a proxy that accepts a connection and does not answer', () => {
  it('fails the connection in time, so that another attempt follows', async () => {
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => sockets.push(socket));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closings.push(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const agent = new ConnectAgent(`http://127.0.0.1:${portOf(proxy)}`);
    const failed = new Promise<Error | null>((resolve) => {
      agent.createConnection({ host: 'exchange.test', port: 443 }, resolve);
    });
    await once(proxy, 'connection');
    vi.advanceTimersByTime(SOCKET_OPEN_MS_MAX);
    expect((await failed)?.message).toBe('the proxy has not connected to exchange.test:443 within 10000 ms');
  });
});
