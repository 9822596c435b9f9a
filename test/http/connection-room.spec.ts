import type { TemplatedApp } from 'uWebSockets.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WS_END_MS } from '../../src/domain/limits/clients.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { ConnectionRoom } from '../../src/http/connections.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the room for connections', () => {
  it('counts a closed WebSocket for as long as its descriptor may be open', () => {
    const refusals = noRefusals();
    const room = new ConnectionRoom(2, refusals, () => true);
    const response = { close: () => undefined, getRemoteAddress: () => new ArrayBuffer(4) };
    const changed: ((res: typeof response, change: number) => void)[] = [];
    const filter = (onChange: (typeof changed)[0]): void => void changed.push(onChange);
    const connect = (): void => changed[0]?.(response, 1);
    room.watch({ filter } as unknown as TemplatedApp);
    connect();
    connect();
    room.webSocketClosed(false);
    expect(room.count).toBe(1);
    room.webSocketClosed(true);
    vi.advanceTimersByTime(WS_END_MS - 1);
    connect();
    expect([room.count, refusals.connections]).toEqual([2, 0]);
    vi.advanceTimersByTime(1);
    expect(room.count).toBe(1);
  });
});
