import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveView, ServiceTime } from '../../src/cli/watch/live-view.js';
import { watchOrder } from '../../src/cli/watch/order-watch.js';
import { SluiceClient } from '../../src/client/index.js';
import { API_KEY, API_SECRET, FakeService } from '../client/fake-service.js';
import { type Outcome, sluice } from './command-line.js';
import { FakeTerminal } from './screen.js';

const HEAD = { exchange_id: 1, exchange_name: 'BINANCE' };
const NOW_MS = 1_795_262_400_000;
const DETAILS = {
  order_id: 7,
  symbol: 'BTC/USDT',
  exchange: 'BINANCE',
  strategy: 'TWAP',
  side: 'BUY',
  status: 'PENDING_NEW',
  filled_quantity: 0,
  leaves_quantity: 1,
  average_price: 0,
  start_time: NOW_MS,
  end_time: NOW_MS + 60_000,
};

let service: FakeService;
/** Reads of the order so far. The first one precedes the subscriptions. */
let reads: number;
let status: string;

beforeEach(async () => {
  service = await FakeService.start();
  reads = 0;
  status = 'PENDING_NEW';
  service.on('GET /status/ping', () => ({ content: { timestamp: 1, service_time: NOW_MS } }));
  service.on('GET /api/v2/trading/order/byId', () => {
    reads += 1;
    if (reads === 1) setTimeout(sendFrames, 50);
    return { content: { orders: [{ ...DETAILS, status }] } };
  });
});
afterEach(() => service.stop());

/** Sends the frames once all topics are subscribed. */
function sendFrames(): void {
  if (service.feedMessages.length < 4) return void setTimeout(sendFrames, 5);
  const child = {
    order_status: { client_order_id: '7-1', status: 'FILLED', filled_quantity: 1 },
    order: { parent_order_id: '7', quantity: 1, limit_price: 100 },
  };
  const state = { order_id: '7', status: 'FILLED', filled_quantity: 1, average_price: 100 };
  service.push('ticker BINANCE BTC/USDT', { topic: 'ticker', exchange: 1, symbol: 'BTC/USDT', bid: 99, ask: 101 });
  service.push('child_order BINANCE', { topic: 'child_order', seq: 1, ...HEAD, ...child });
  service.push('order BINANCE', { topic: 'order', seq: 1, ...HEAD, order_status: state, order: { order_id: '7' } });
}

const run = (...args: string[]): Promise<Outcome> =>
  sluice(['watch', '7', ...args], { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET });

describe('sluice watch --live', () => {
  it('prints the course of the order in lines where there is no terminal', async () => {
    const { status: exit, out, error } = await run('--live');
    expect({ exit, error }).toEqual({ exit: 0, error: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe('PENDING_NEW, filled 0 of 1 (0 %), schedule 0 %, 0 children, no quote yet, 60 s left');
    expect(lines.at(-1)).toMatch(
      /^FILLED, filled 1 of 1 \(100 %\), schedule 0 %, 1 children, bid 99 {2}ask 101 {2}average 100, ended$/,
    );
  });

  it('ends at once for an ended order, with status 1 when it is not filled', async () => {
    status = 'CANCELLED';
    expect(await run('--live')).toMatchObject({ status: 1, error: 'sluice: the order ended CANCELLED\n' });
  });

  it('is wrong usage beside --json', async () => {
    expect((await run('--live', '--json')).status).toBe(2);
  });
});

const client = (): SluiceClient => new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET });

describe('a followed order', () => {
  it('is drawn in place on a terminal', async () => {
    const [reader, terminal] = [client(), new FakeTerminal(80, 24)];
    const time = await ServiceTime.of(reader);
    const open = (order: ConstructorParameters<typeof LiveView>[0]): LiveView => new LiveView(order, terminal, time);
    expect(await watchOrder({ client: reader, url: service.url, id: 7, open })).toBe('FILLED');
    reader.close();
    expect(terminal.text[0]).toBe('TWAP BUY 1 BTC/USDT on BINANCE  FILLED');
    expect(terminal.text.at(-1)).toBe('1  FILLED         1    100       1');
  });

  it('is left at the abort signal, also one before the start', async () => {
    const reader = client();
    const time = await ServiceTime.of(reader);
    const open = (order: ConstructorParameters<typeof LiveView>[0]): LiveView =>
      new LiveView(order, { write: () => undefined }, time);
    const stopping = new AbortController();
    const { signal } = stopping;
    const followed = watchOrder({ client: reader, url: service.url, id: 7, open, signal });
    stopping.abort(new Error('enough'));
    await expect(followed).rejects.toThrow('enough');
    await expect(watchOrder({ client: reader, url: service.url, id: 7, open, signal })).rejects.toThrow('enough');
    reader.close();
  });

  it('has a service time that runs as fast as that of the service', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    try {
      const startedMs = performance.now();
      const ping = (): Promise<{ timestamp: number; service_time: number }> =>
        Promise.resolve({ timestamp: 1, service_time: NOW_MS + 10 * (performance.now() - startedMs) });
      const time = await ServiceTime.of({ ping } as Pick<SluiceClient, 'ping'>);
      time.start();
      await vi.advanceTimersByTimeAsync(1_500);
      expect(time.nowMs()).toBeCloseTo(NOW_MS + 15_000);
      time.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
