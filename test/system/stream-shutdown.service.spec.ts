import { once } from 'node:events';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { BATCH_ORDERS_MAX } from '../../src/domain/limits/clients.js';
import { SHUTDOWN_MS_MAX } from '../../src/domain/limits/process.js';
import { restingOrder } from './sample-orders.js';
import { newSite } from './site.js';

/** Megabytes of frames: the system's own buffers take some before the service notices. */
const ROUNDS_COUNT = 8;

const SPOT = { exchange: 'BINANCE', symbol: 'BTC/USDT' };
const FUTURE = { exchange: 'BINANCE', symbol: 'BTC/USDT:USDT' };

/** The kinds of connections, by their subscriptions. */
const SUBSCRIPTIONS: Readonly<Record<string, readonly object[]>> = {
  nothing: [],
  orders: [{ topic: 'order', exchange: 'BINANCE' }],
  'everything of the account': ['order', 'child_order', 'trade', 'balance', 'position', 'position_risk'].map(
    (topic) => ({
      topic,
      exchange: 'BINANCE',
    }),
  ),
  tickers: [{ topic: 'ticker', ...SPOT }],
  candles: [{ topic: 'ohlcv', ...SPOT }],
  'open interest': [{ topic: 'open_interest', ...FUTURE }],
  both: [
    { topic: 'order', exchange: 'OKX' },
    { topic: 'ticker', ...SPOT },
  ],
};

/** A connection with acknowledged subscriptions, its close code and its last message. */
async function followed(
  url: string,
  subscriptions: readonly object[],
): Promise<{ readonly ended: Promise<unknown[]> }> {
  const socket = new WebSocket(url);
  let last = '';
  let acknowledged = 0;
  socket.on('message', (data: Buffer) => {
    last = data.toString();
    if (last.startsWith('{"code":0')) acknowledged += 1;
  });
  const ended = once(socket, 'close').then(([code, reason]) => [last, code, String(reason)]);
  await once(socket, 'open');
  for (const subscription of subscriptions) socket.send(JSON.stringify({ ...subscription, method: 'subscribe' }));
  await expect.poll(() => acknowledged).toBe(subscriptions.length);
  return { ended };
}

it('a shutdown notifies every kind of connection and then closes it with 1001', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start();
  const port = await run.ready();
  const url = `ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await site.client(port, key).listenKey()}`;
  const streams = await Promise.all(
    Object.entries(SUBSCRIPTIONS).map(async ([kind, subscriptions]) => ({
      kind,
      ...(await followed(url, subscriptions)),
    })),
  );
  expect(await run.stop()).toEqual({ status: 0, signal: null });
  for (const { kind, ended } of streams) {
    expect(await ended, kind).toEqual(['{"topic":"server","message":"shutting down"}', 1001, 'shutting down']);
  }
});

it('a shutdown does not wait for a client that does not read', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start();
  const port = await run.ready();
  const client = site.client(port, key);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
  await once(socket, 'open');
  socket.send('{"topic":"order","exchange":"BINANCE","method":"subscribe"}');
  await once(socket, 'message');
  socket.pause();
  for (let round = 0; round < ROUNDS_COUNT; round += 1) {
    await client.createMany(Array.from({ length: BATCH_ORDERS_MAX }, () => restingOrder()));
    await client.cancelAll();
  }
  const startMs = Date.now();
  expect(await run.stop()).toEqual({ status: 0, signal: null });
  expect(Date.now() - startMs).toBeLessThan(SHUTDOWN_MS_MAX);
  socket.terminate();
});
