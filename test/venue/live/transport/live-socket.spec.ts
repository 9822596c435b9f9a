import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { SOCKET_AGAIN_MS_MIN, SOCKET_OPEN_MS_MAX, SOCKET_STABLE_MS } from '../../../../src/domain/limits/live.js';
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

/** Opens a socket and cuts it after each of these times. Returns the waits before the next attempts, in milliseconds. */
async function waitsAfter(lifetimesMs: readonly number[]): Promise<number[]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
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
    const [accepted] = (await once(server, 'connection')) as [{ terminate: () => void }];
    await vi.waitUntil(() => socket.isOpen);
    nowMs += lifetimeMs;
    const set = vi.spyOn(globalThis, 'setTimeout');
    accepted.terminate();
    await vi.waitUntil(() => !socket.isOpen);
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
