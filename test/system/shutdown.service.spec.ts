import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { OrderRequest, SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { acknowledgedCount, placeUntilRefused } from './placing-client.js';
import { MortalThreads } from './mortal-threads.js';
import { marketOrder, restingOrder } from './sample-orders.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';
import { missingOrders } from './soundness.js';

const SHUTDOWN_MS_MAX = 10_000;
const CLIENTS_COUNT = 8;
const OPEN_COUNT = Number(process.env['SHUTDOWN_ORDERS'] ?? 2000);
const BATCH_COUNT = 250;
const ENDED_WELL = { status: 0, signal: null };

describe('SIGTERM', () => {
  it('under load: refuses creates, notifies streams, exits 0 in time, and loses no acknowledged order', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start();
    const port = await run.ready();
    const client = site.client(port, key, CLIENTS_COUNT);
    const stream = await openStream(port, client);
    const idle = connect(port, '127.0.0.1');
    await once(idle, 'connect');
    const idleClosed = once(idle, 'close');

    const placing = Array.from({ length: CLIENTS_COUNT }, (_, index) => placeUntilRefused(client, `load-${index}`));
    await eventually(
      () => acknowledgedCount(placing),
      (count) => count > 100,
    );
    const startMs = Date.now();
    const ended = run.stop();
    const refusals = await Promise.all(placing.map(({ refusal }) => refusal));
    expect(await ended).toEqual(ENDED_WELL);
    expect(Date.now() - startMs).toBeLessThan(SHUTDOWN_MS_MAX);
    await idleClosed;

    expect(refusals).toContainEqual(expect.objectContaining({ status: 503, code: 'SYSTEM_BUSY' }));
    for (const { status } of refusals) expect([0, 503]).toContain(status);
    expect(await stream.closed).toEqual([1001, 'shutting down']);
    expect(stream.messages.at(-1)).toBe('{"topic":"server","message":"shutting down"}');

    const next = site.start();
    const orderIds = placing.flatMap((placed) => placed.orderIds);
    expect(await missingOrders(site.client(await next.ready(), key), orderIds)).toEqual([]);
    expect(await next.line('journal recovered')).toMatchObject({ origin: 'state', replayedCount: 0 });
  });

  it(`exits 0 in time and loses no order while a cancelAll ends ${OPEN_COUNT} open orders`, async () => {
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } });
    const client = site.client(await run.ready(), key);
    const orderIds: number[] = [];
    while (orderIds.length < OPEN_COUNT) {
      const orders = Array.from({ length: BATCH_COUNT }, (_, index) => smallOrder(`open-${orderIds.length + index}`));
      for (const { order_id: orderId } of await client.createMany(orders)) orderIds.push(orderId as number);
    }
    const cancelled = client.cancelAll().catch((error: unknown) => error);
    await eventually(
      async () => (await client.byId({ orderIds: orderIds.slice(0, 1) }))[0]?.status,
      (status) => status === 'PENDING_CANCEL' || status === 'CANCELLED',
    );
    const startMs = Date.now();
    expect(await run.stop(), run.output).toEqual(ENDED_WELL);
    expect(Date.now() - startMs).toBeLessThan(SHUTDOWN_MS_MAX);
    await cancelled;

    const next = site.start({ env: { SLUICE_SHARDS: '2' } });
    expect(await missingOrders(site.client(await next.ready(), key), orderIds)).toEqual([]);
    expect(await next.line('journal recovered')).toMatchObject({ origin: 'state', replayedCount: 0 });
  });
});

// These wait for starts and ends of the service most of the time.
describe.concurrent('SIGTERM of a service without load', () => {
  it('ends well and logs no error while a report of execution cost is under way', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const threads = new MortalThreads(site);
    const run = site.start(threads.options());
    const client = site.client(await run.ready(), key);
    const { order_id: orderId = 0 } = await client.create(marketOrder());
    await client.orderCost({ orderId });
    // The thread of the pool, which is there by now, hangs: so the questions wait.
    threads.doom('worker', 'hang');
    await eventually(
      () => threads.hangs('worker'),
      (hangs) => hangs,
    );
    const asked = Array.from({ length: 8 }, () => client.orderCost({ orderId }).catch((error: unknown) => error));
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${await run.listening()}/metrics`)).text(),
      (text) => /\nsluice_thread_silence_seconds\{thread="analyst"\} 0*\.?0*[1-9]/.test(text),
    );
    expect(await run.stop(), run.output).toEqual(ENDED_WELL);
    expect(run.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    for (const failure of await Promise.all(asked)) {
      expect(failure).toMatchObject({ status: 503, code: 'SYSTEM_BUSY', message: 'the service is shutting down' });
    }
  });

  it('reaches the service through npm start', async (test) => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
    expect(scripts.start).toContain('exec node');
    const run = newSite(test).start({ command: ['npm', 'start'] });
    await run.ready();
    expect((await run.stop()).status).toBe(0);
    await run.line('stopped');
  });

  it.for([
    ['journal recovered', 'while it starts'],
    ['listening', 'as soon as it listens'],
  ])('ends well also after the line %j: %s', async ([message = ''], test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const first = site.start();
    const { order_id: orderId } = await site.client(await first.ready(), key).create(restingOrder());
    await first.kill();

    const run = site.start();
    await run.line(message);
    expect(await run.stop()).toEqual(ENDED_WELL);
    const next = site.start();
    const client = site.client(await next.ready(), key);
    const ask = () => client.byId({ orderIds: [orderId as number] });
    await eventually(ask, ([order]) => order?.status === 'ACCEPTED');
  });

  it('a second time, or with SIGINT, has no effect', async (test) => {
    const run = newSite(test).start();
    await run.ready();
    run.signal('SIGTERM');
    run.signal('SIGINT');
    expect(await run.stop()).toEqual(ENDED_WELL);
    expect(run.lines.filter(({ msg }) => msg === 'shutting down')).toHaveLength(1);
  });
});

/** An order so small that the first balance of an account covers thousands of them. */
function smallOrder(clientOrderId: string): OrderRequest {
  return { ...restingOrder(clientOrderId), quantity: '0.001', limit_price: '30000' };
}

async function openStream(
  port: number,
  client: SluiceClient,
): Promise<{ readonly messages: string[]; readonly closed: Promise<unknown> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
  const messages: string[] = [];
  const closed = once(socket, 'close').then(([code, reason]) => [code as number, String(reason)]);
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  await once(socket, 'open');
  socket.send('{"method":"subscribe","topic":"order","exchange":"BINANCE"}');
  await once(socket, 'message');
  return { messages, closed };
}
