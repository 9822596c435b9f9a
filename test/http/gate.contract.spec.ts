import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXPIRES_AT_MS } from './keys.js';
import { createBody } from './orders.js';
import { RunningServer, type Answer } from './running-server.js';

const ORDER = '/api/v2/trading/order';

let running: RunningServer;
beforeEach(() => {
  running = new RunningServer();
});
afterEach(() => running.server.close());

const statusAndCode = ({ status, text }: Answer): [number, unknown] => [
  status,
  (JSON.parse(text) as { error_code: unknown }).error_code,
];

describe('a 401', () => {
  beforeEach(() => running.start());

  it('has the same message for an unknown key, whatever else is wrong', async () => {
    const wrongs = [{}, { 'X-SIGN': '' }, { 'X-SIGN': 'AAAA' }, { 'X-TIMESTAMP': '1' }, { 'X-RECV-WINDOW': 'x' }];
    const answers = await Promise.all(
      wrongs.map((wrong) => running.get(`${ORDER}/open`, '', { key: 'UNKNOWN', headers: wrong })),
    );
    const messages = answers.map(({ text }) => (JSON.parse(text) as { message: string }).message);
    expect(new Set(messages)).toEqual(new Set([`X-API-KEY is not a known key; server time is ${running.realMs}`]));
  });

  it('names the expiry of a key only to a client that can sign with it', async () => {
    running.realMs = EXPIRES_AT_MS - 1;
    expect((await running.get(`${ORDER}/open`, '', { key: 'EXPIRING' })).status).toBe(200);
    running.realMs = EXPIRES_AT_MS;
    const owner = await running.get(`${ORDER}/open`, '', { key: 'EXPIRING' });
    expect(statusAndCode(owner)).toEqual([401, 'INVALID_API_KEY']);
    expect(owner.text).toContain('X-API-KEY expired at 2027-01-15T08:00:00.500Z');
    const other = await running.get(`${ORDER}/open`, '', { key: 'EXPIRING', headers: { 'X-SIGN': 'AAAA' } });
    expect(statusAndCode(other)).toEqual([401, 'INVALID_SIGNATURE']);
  });
});

describe('a key bound to networks', () => {
  beforeEach(() => running.start());

  it('is accepted from an address of the networks', async () => {
    expect((await running.get(`${ORDER}/open`, '', { key: 'HERE' })).status).toBe(200);
  });

  it('is refused from another address; the message names the address of the connection, not of a header', async () => {
    const headers = { 'X-Forwarded-For': '10.1.2.3', 'X-Real-IP': '10.1.2.3' };
    const answer = await running.get(`${ORDER}/open`, '', { key: 'ELSEWHERE', headers });
    expect(statusAndCode(answer)).toEqual([403, 'AUTHENTICATION_ERROR']);
    expect(answer.text).toContain('not allowed from the address 127.0.0.1');
  });

  it('does not show the networks to a client that cannot sign', async () => {
    const answer = await running.get(`${ORDER}/open`, '', { key: 'ELSEWHERE', headers: { 'X-SIGN': 'AAAA' } });
    expect(statusAndCode(answer)).toEqual([401, 'INVALID_SIGNATURE']);
  });
});

describe('the budgets of a key', () => {
  beforeEach(() => running.start({ orderRate: 2, readRate: 1 }));

  it('are in the headers of every answer to an authenticated client, refusals included', async () => {
    const answers = [
      await running.get(`${ORDER}/open`),
      await running.get(`${ORDER}/find`, 'limit=0'),
      await running.post(`${ORDER}/create`, 'no JSON'),
      await running.post(`${ORDER}/create`, createBody(), { key: 'READER' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 403]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['1', '0', '3', '3']);
    const stranger = await running.get(`${ORDER}/open`, '', { key: 'UNKNOWN' });
    expect(stranger.headers).not.toHaveProperty('ratelimit-limit');
  });

  it('answer 429 with Retry-After; a batch counts its members; orders, cancels and reads are separate', async () => {
    const orders = [createBody(), createBody(), createBody(), createBody()];
    expect((await running.post(`${ORDER}/createMany`, { orders })).status).toBe(201);
    const refused = await running.post(`${ORDER}/create`, createBody());
    expect(statusAndCode(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '2',
      'ratelimit-policy': '2;w=1;burst=4',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
    });
    // The budget of orders is used up: cancels and reads still work.
    expect((await running.post(`${ORDER}/cancel`, { order_id: 1 })).status).toBe(200);
    expect((await running.get(`${ORDER}/open`)).status).toBe(200);
    expect((await running.post(`${ORDER}/create`, createBody(), { key: 'STRANGER' })).status).toBe(201);
    running.monotonicMs = 500;
    expect((await running.post(`${ORDER}/create`, createBody())).status).toBe(201);
  });

  it('count their refusals by kind', async () => {
    const cancels = { orders: Array.from({ length: 4 }, () => ({ order_id: 1 })) };
    await running.post(`${ORDER}/cancelMany`, cancels);
    await running.post(`${ORDER}/cancel`, { order_id: 1 });
    for (let count = 0; count < 4; count += 1) await running.get(`${ORDER}/open`);
    expect(running.refusals).toMatchObject({ key_orders: 0, key_cancels: 1, key_reads: 2, address: 0 });
  });
});
