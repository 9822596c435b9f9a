import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CONNECTION_MS_MAX, CONNECTION_OVERLAP_MS } from '../../../../src/domain/limits/live.js';
import { type ConnectionEvents, RenewedConnection } from '../../../../src/venue/live/transport/renewed-connection.js';

const DAY_MS = 86_400_000;

class FakeConnection {
  readonly events: ConnectionEvents;
  isClosed = false;

  constructor(events: ConnectionEvents) {
    this.events = events;
  }

  close(): void {
    this.isClosed = true;
  }
}

function opened() {
  const all: FakeConnection[] = [];
  const seen: string[] = [];
  const renewed = new RenewedConnection({
    open: (events) => {
      const connection = new FakeConnection(events);
      all.push(connection);
      return connection;
    },
    onReady: () => seen.push('ready'),
    onCut: () => seen.push('cut'),
  });
  const closed = (): boolean[] => all.map(({ isClosed }) => isClosed);
  return { all, seen, renewed, closed };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('is replaced before a day has passed, and the old one ends after the new one is ready', () => {
  const { all, seen, renewed, closed } = opened();
  all[0]!.events.onReady();
  vi.advanceTimersByTime(CONNECTION_MS_MAX);
  expect(CONNECTION_MS_MAX).toBeLessThan(DAY_MS - 1_800_000);
  expect([all.length, renewed.current === all[0]]).toEqual([2, true]);
  // The exchange may take minutes: the old one goes on.
  vi.advanceTimersByTime(600_000);
  expect([closed(), renewed.current === all[0]]).toEqual([[false, false], true]);
  all[1]!.events.onReady();
  expect(renewed.current).toBe(all[1]);
  vi.advanceTimersByTime(CONNECTION_OVERLAP_MS - 1);
  expect([closed(), renewed.replacedMs(all[0]!)]).toEqual([[false, false], CONNECTION_OVERLAP_MS - 1]);
  vi.advanceTimersByTime(1);
  expect(closed()).toEqual([true, false]);
  expect(seen).toEqual(['ready']);
  vi.advanceTimersByTime(CONNECTION_MS_MAX);
  expect(all).toHaveLength(3);
});

it('counts the age from the latest opening, and opens one connection at a time', () => {
  const { all, seen, renewed } = opened();
  all[0]!.events.onReady();
  vi.advanceTimersByTime(CONNECTION_MS_MAX - 1);
  all[0]!.events.onCut();
  all[0]!.events.onReady();
  vi.advanceTimersByTime(CONNECTION_MS_MAX - 1);
  expect(all).toHaveLength(1);
  renewed.renew();
  renewed.renew();
  vi.advanceTimersByTime(1);
  expect(all).toHaveLength(2);
  expect(seen).toEqual(['ready', 'cut', 'ready']);
});

it('is cut when the exchange ends it before its successor is ready, and up with the first one that is', () => {
  const { all, seen, renewed } = opened();
  all[0]!.events.onReady();
  renewed.renew();
  all[0]!.events.onCut();
  all[1]!.events.onCut();
  all[1]!.events.onReady();
  expect(seen).toEqual(['ready', 'cut', 'ready']);
  expect(renewed.current).toBe(all[1]);
});

it('is not cut by the end of the replaced one, which is not opened again', () => {
  const { all, seen, renewed, closed } = opened();
  all[0]!.events.onReady();
  renewed.renew();
  all[1]!.events.onReady();
  all[0]!.events.onCut();
  expect([closed(), seen]).toEqual([[true, false], ['ready']]);
  renewed.renew();
  renewed.close();
  expect(closed()).toEqual([true, true, true]);
  expect(vi.getTimerCount()).toBe(0);
});
