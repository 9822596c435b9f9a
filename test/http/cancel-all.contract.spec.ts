import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { createBody, DEMO, parentState } from './orders.js';
import { RunningServer } from './running-server.js';

const PATH = '/api/v2/trading/order/cancelAll';

describe('cancelAll by POST', () => {
  let running: RunningServer;
  beforeEach(async () => {
    running = new RunningServer();
    await running.start();
    for (const id of [7, 8]) running.book.put(parentState({ orderId: id as OrderId, account: DEMO }));
  });
  afterEach(() => running.server.close());

  it.each([
    ['no body', ''],
    ['an empty object', '{}'],
    ['a member without effect', '{"source":"bot"}'],
  ])('with %s is answered like the GET', async (_name, body) => {
    const answer = await running.post(PATH, body);
    expect(answer.status).toBe(200);
    const { orders } = JSON.parse(answer.text) as { orders: { order_id: number; status: string }[] };
    expect(orders.map(({ order_id: id, status }) => [id, status])).toEqual([
      [7, 'PENDING_CANCEL'],
      [8, 'PENDING_CANCEL'],
    ]);
    const byGet = await running.get(PATH);
    expect(JSON.parse(byGet.text)).toEqual({ orders });
  });

  it.each([
    ['an exchange', '{"exchange":"BINANCE"}', 'INVALID_PARAM', 'exchange is not a known field'],
    ['a list', '[]', 'INVALID_REQUEST', 'not an object'],
    ['a text that is not JSON', 'all', 'INVALID_REQUEST', 'JSON'],
  ])('with %s is refused and cancels nothing', async (_name, body, code, message) => {
    const answer = await running.post(PATH, body);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      400,
      { error_code: code, message: expect.stringContaining(message) as string },
    ]);
    expect((await running.get('/api/v2/trading/order/open')).text).not.toContain('PENDING_CANCEL');
  });

  it('needs the permission to trade and takes from the budget of cancels', async () => {
    expect((await running.post(PATH, '', { key: 'READER' })).status).toBe(403);
    await running.server.close();
    running = new RunningServer();
    await running.start({ orderRate: 1 });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await running.post(PATH, '')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('covers an earlier create whose signature is not on disk yet', async () => {
    running.signatures.held = [];
    const created = running.post('/api/v2/trading/order/create', createBody());
    await vi.waitFor(() => expect(running.signatures.held).toHaveLength(1));
    const cancelled = running.get(PATH);
    await running.get('/api/v2/trading/order/open');
    for (const end of running.signatures.held) end();
    const { order_id: createdId } = JSON.parse((await created).text) as { order_id: number };
    const { orders } = JSON.parse((await cancelled).text) as { orders: { order_id: number }[] };
    expect(orders.map(({ order_id: id }) => id)).toContain(createdId);
  });

  it('is one of two methods of its path', async () => {
    const answer = await running.send('DELETE', PATH, '', {});
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, POST']);
  });
});
