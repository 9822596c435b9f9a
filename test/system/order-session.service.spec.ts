import { describe, expect, it } from 'vitest';
import {
  BURST_SECONDS,
  KEY_UNPAID_FRAMES_PER_SECOND,
  SESSION_UNPAID_FRAMES_PER_SECOND,
} from '../../src/domain/limits/clients.js';
import type { Frame, StreamClient } from '../stream/stream-rig.js';
import { eventually } from './eventually.js';
import { restingOrder } from './sample-orders.js';
import { sessionAt } from './session-client.js';
import { newSite } from './site.js';

const ORDERS_COUNT = 500;
const ROUNDS = 20;
const READ_RATE = 50;
const FLOODING_COUNT = 10;
const VICTIM_ORDERS_COUNT = 50;
/** What each flooding session sends at once, every few milliseconds, while no more than some of it waits. */
const FLOOD = Array.from({ length: 200 }, (_, index) =>
  JSON.stringify({ id: 'a', op: index % 2 ? 'ping' : 'order.open' }),
);
const FLOOD_BYTES = 1024 * 1024;
const FLOOD_EVERY_MS = 5;

// These wait for starts and ends of the service most of the time.
describe.concurrent('the order session of a running service', () => {
  it('orders that a session has acknowledged survive a SIGKILL, in the order sent', async (test) => {
    const site = newSite(test);
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

  it('a shutdown answers the requests of a session, then closes it with 1001', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start();
    const { client: session } = await sessionAt(await run.ready(), key);
    session.send({ id: 'a', op: 'order.create', args: restingOrder('a') });
    expect(await session.next()).toMatchObject({ id: 'a', status: 201 });
    expect(await run.stop()).toEqual({ status: 0, signal: null });
    expect(await session.closed).toEqual({ code: 1001, reason: 'shutting down' });
    expect(session.frames).toEqual([{ topic: 'server', message: 'shutting down' }]);
  });

  it('ten flooding sessions of one key have one bound together, and other clients go on', async (test) => {
    const site = newSite(test);
    const [greedy, key] = [await site.issueKey('greedy', 'read'), await site.issueKey()];
    const port = await site.start({ env: { SLUICE_RATE_LIMIT_READS: String(READ_RATE) } }).ready();
    const victim = site.client(port, key);
    const { client: quiet } = await sessionAt(port, greedy);
    const flooding: StreamClient[] = [];
    while (flooding.length < FLOODING_COUNT) flooding.push((await sessionAt(port, greedy)).client);
    const beganMs = performance.now();
    const flood = setInterval(() => {
      for (const { socket } of flooding)
        if (socket.bufferedAmount < FLOOD_BYTES) FLOOD.forEach((one) => socket.send(one));
    }, FLOOD_EVERY_MS);
    test.onTestFinished(() => clearInterval(flood));
    const ended = Promise.all(flooding.map(({ closed }) => closed));
    const created = Array.from({ length: VICTIM_ORDERS_COUNT }, (_, index) => restingOrder(`victim-${index}`));
    for (const order of created) expect(await victim.create(order)).toMatchObject({ status: 'PENDING_NEW' });
    for (const end of await ended)
      expect(end).toEqual({ code: 1008, reason: expect.stringContaining('refused') as string });
    const seconds = (performance.now() - beganMs) / 1000;
    const answered = flooding.reduce((sum, { frames }) => sum + frames.length, 0);
    const perSecond = KEY_UNPAID_FRAMES_PER_SECOND + READ_RATE + FLOODING_COUNT * SESSION_UNPAID_FRAMES_PER_SECOND;
    expect(answered).toBeLessThanOrEqual((BURST_SECONDS + seconds) * perSecond);
    quiet.send({ id: 'p', op: 'ping' });
    expect(await quiet.next()).toMatchObject({ op: 'pong' });
  });

  it('a cancel covers the creates that were sent before it, and no later one', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const port = await site.start().ready();
    const { client: session } = await sessionAt(port, key);
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
    for (const round of rounds) {
      const [all, one, later] = ['all', 'one', 'later'].map((name) => `${name}-${round}`) as [string, string, string];
      session.send({ id: all, op: 'order.create', args: restingOrder(all) });
      session.send({ id: `cancel-${all}`, op: 'order.cancelAll' });
      session.send({ id: one, op: 'order.create', args: restingOrder(one) });
      session.send({ id: `cancel-${one}`, op: 'order.cancel', args: { client_order_id: one } });
      session.send({ id: later, op: 'order.create', args: restingOrder(later) });
    }
    const answers = await session.take(5 * ROUNDS);
    const cancelled = answers.filter(({ id }) => String(id).startsWith('cancel-one'));
    expect(cancelled.map(({ data }) => (data as Frame)['status'])).toEqual(rounds.map(() => 'PENDING_CANCEL'));
    const left = await eventually(
      () => site.client(port, key).open(),
      (orders) => orders.length <= 1,
    );
    // Each later cancelAll covers the orders of the rounds before it.
    expect(left.map(({ client_order_id: id }) => id)).toEqual([`later-${ROUNDS - 1}`]);
  });
});
