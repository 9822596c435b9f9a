import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMIT_WAIT_MS_MAX } from '../../src/domain/limits/process.js';
import { NO_RETRY, SluiceClient } from '../../src/client/index.js';
import { onceStored } from '../system/eventually.js';
import { STANDARD_SECRET } from './keys.js';
import { restingOrder } from '../system/sample-orders.js';
import { createBody } from './orders.js';
import { RunningServer } from './running-server.js';

const ORDER = '/api/v2/trading/order';
const NAME = { client_order_id: 'one' };
const BUSY = { error_code: 'SYSTEM_BUSY', message: expect.stringContaining('still being stored') as string };

describe('while the state lacks the turn of an acknowledged order', () => {
  let running: RunningServer;
  /** Lets each wait for the store reach its longest time. */
  let passing: NodeJS.Timeout;
  beforeAll(async () => {
    running = new RunningServer();
    await running.start();
    expect((await running.post(`${ORDER}/create`, { ...createBody(), ...NAME })).status).toBe(201);
    running.book.isBehind = true;
    passing = setInterval(() => (running.monotonicMs += COMMIT_WAIT_MS_MAX), 1);
  });
  afterAll(() => {
    clearInterval(passing);
    return running.server.close();
  });

  it.each([
    ['byId', 'clientOrderIds=one'],
    ['open', ''],
    ['find', ''],
    ['timeline', 'clientOrderId=one'],
    ['tca', 'clientOrderId=one'],
  ])('answers SYSTEM_BUSY to GET %s instead of an unknown order', async (name, query) => {
    const { status, headers, text } = await running.get(`${ORDER}/${name}`, query);
    expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining(BUSY)]);
    expect(headers['retry-after']).toBe('1');
  });

  it.each(['cancel', 'pause', 'resume', 'amend'])('answers SYSTEM_BUSY to POST %s', async (name) => {
    const terms = name === 'amend' ? { quantity: '2' } : {};
    const { status, text } = await running.post(`${ORDER}/${name}`, { ...NAME, ...terms });
    expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining(BUSY)]);
  });

  it('answers SYSTEM_BUSY for one cancel of several', async () => {
    const { text } = await running.post(`${ORDER}/cancelMany`, { orders: [NAME] });
    const [summary] = JSON.parse(text) as object[];
    expect(summary).toMatchObject({ status: 'CANCEL_REJECTED', error_code: 'SYSTEM_BUSY' });
  });

  it('refuses nothing to a client of the system tests, which waits until the turn is stored', async () => {
    const url = `http://127.0.0.1:${running.server.port}`;
    const key = { apiKey: 'TRADER', apiSecret: STANDARD_SECRET };
    const client = onceStored(new SluiceClient({ url, ...key, nowMs: () => running.realMs, retry: NO_RETRY }));
    const asked = Promise.all([client.open(), client.cancelMany([{ order_id: -1 }, NAME])]);
    await client.ping();
    running.book.isBehind = false;
    const [open, [invalid, summary]] = await asked;
    expect(open).toMatchObject([NAME]);
    expect(invalid).toMatchObject({ error_code: 'INVALID_PARAM' });
    expect(summary).toMatchObject({ ...NAME, status: 'PENDING_CANCEL' });
    running.book.refusal = { code: 'SYSTEM_BUSY', message: 'the mailbox is full; nothing was placed' };
    await expect(client.create(restingOrder())).rejects.toMatchObject({ code: 'SYSTEM_BUSY' });
    client.close();
    running.book.refusal = null;
  });

  it('shows the order when its turn is stored', async () => {
    const { status, text } = await running.get(`${ORDER}/byId`, 'clientOrderIds=one');
    expect([status, JSON.parse(text)]).toMatchObject([200, { orders: [{ client_order_id: 'one' }] }]);
  });
});
