import { expect, it } from 'vitest';
import type { Frame } from '../stream/stream-rig.js';
import { restingOrder } from './sample-orders.js';
import { sessionAt } from './session-client.js';
import { newSite } from './site.js';

const ORDERS_COUNT = 500;

it('orders that a session has acknowledged survive a SIGKILL, in the order sent', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start();
  const { client: session } = await sessionAt(await run.ready(), key);
  const names = Array.from({ length: ORDERS_COUNT }, (_, index) => `order-${index}`);
  for (const id of names) session.send({ id, op: 'order.create', args: restingOrder(id) });
  const answers = await session.take(ORDERS_COUNT);
  await run.kill();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const orderIds = new Map(answers.map(({ id, data }) => [id, Number((data as Frame)['order_id'])]));
  const inOrder = names.map((name) => orderIds.get(name) ?? 0);
  expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
  const again = site.start();
  const port = await again.ready();
  const stored = await site.client(port, key).open();
  expect(stored.map(({ order_id: orderId }) => orderId).toSorted((one, other) => one - other)).toEqual(inOrder);
  const { client: next } = await sessionAt(port, key);
  next.send({ id: 'again', op: 'order.create', args: restingOrder('order-0') });
  expect(await next.next()).toMatchObject({ status: 201, data: { order_id: inOrder[0] } });
});

it('a shutdown answers the requests of a session, then closes it with 1001', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start();
  const { client: session } = await sessionAt(await run.ready(), key);
  session.send({ id: 'a', op: 'order.create', args: restingOrder('a') });
  expect(await session.next()).toMatchObject({ id: 'a', status: 201 });
  expect(await run.stop()).toEqual({ status: 0, signal: null });
  expect(await session.closed).toEqual({ code: 1001, reason: 'shutting down' });
  expect(session.frames).toEqual([{ topic: 'server', message: 'shutting down' }]);
});
