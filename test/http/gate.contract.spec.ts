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

const said = ({ status, text }: Answer): [number, unknown] => [
  status,
  (JSON.parse(text) as { error_code: unknown }).error_code,
];

describe('a 401', () => {
  beforeEach(() => running.start());

  it.each([
    ['X-API-KEY is missing', 'INVALID_API_KEY', { 'X-API-KEY': '' }],
    ['X-API-KEY is not a known key', 'INVALID_API_KEY', { 'X-API-KEY': 'NOBODY' }],
    ['X-SIGN is missing', 'INVALID_SIGNATURE', { 'X-SIGN': '' }],
    ['X-SIGN is not', 'INVALID_SIGNATURE', { 'X-SIGN': 'AAAA' }],
    ['X-TIMESTAMP is missing', 'INVALID_TIMESTAMP', { 'X-TIMESTAMP': '' }],
    ['lies 5001 ms in the past', 'INVALID_TIMESTAMP', { 'X-TIMESTAMP': '1799999994999' }],
    ['X-RECV-WINDOW is not', 'INVALID_TIMESTAMP', { 'X-RECV-WINDOW': '60001' }],
  ])('says "%s" and the time of the server', async (step, code, headers) => {
    const answer = await running.get(`${ORDER}/open`, '', { headers });
    expect(said(answer)).toEqual([401, code]);
    expect(answer.text).toContain(step);
    expect(answer.text).toContain(`; server time is ${running.realMs}"`);
  });

  it('to an unknown key says the same whatever else is wrong', async () => {
    const wrongs = [{}, { 'X-SIGN': '' }, { 'X-SIGN': 'AAAA' }, { 'X-TIMESTAMP': '1' }, { 'X-RECV-WINDOW': 'x' }];
    const answers = await Promise.all(
      wrongs.map((wrong) => running.get(`${ORDER}/open`, '', { key: 'NOBODY', headers: wrong })),
    );
    const messages = answers.map(({ text }) => (JSON.parse(text) as { message: string }).message);
    expect(new Set(messages)).toEqual(new Set([`X-API-KEY is not a known key; server time is ${running.realMs}`]));
  });

  it('tells the owner of an expired key, and nobody else, that it has expired', async () => {
    running.realMs = EXPIRES_AT_MS - 1;
    expect((await running.get(`${ORDER}/open`, '', { key: 'EXPIRING' })).status).toBe(200);
    running.realMs = EXPIRES_AT_MS;
    const owner = await running.get(`${ORDER}/open`, '', { key: 'EXPIRING' });
    expect(said(owner)).toEqual([401, 'INVALID_API_KEY']);
    expect(owner.text).toContain('X-API-KEY expired at 2027-01-15T08:00:00.500Z');
    const other = await running.get(`${ORDER}/open`, '', { key: 'EXPIRING', headers: { 'X-SIGN': 'AAAA' } });
    expect(said(other)).toEqual([401, 'INVALID_SIGNATURE']);
  });
});

describe('a key bound to networks', () => {
  beforeEach(() => running.start());

  it('is taken from there', async () => {
    expect((await running.get(`${ORDER}/open`, '', { key: 'HERE' })).status).toBe(200);
  });

  it('is refused from elsewhere with the address of the connection, never that of a header', async () => {
    const headers = { 'X-Forwarded-For': '10.1.2.3', 'X-Real-IP': '10.1.2.3' };
    const answer = await running.get(`${ORDER}/open`, '', { key: 'ELSEWHERE', headers });
    expect(said(answer)).toEqual([403, 'AUTHENTICATION_ERROR']);
    expect(answer.text).toContain('not allowed from the address 127.0.0.1');
  });

  it('tells nothing of it to who cannot sign', async () => {
    const answer = await running.get(`${ORDER}/open`, '', { key: 'ELSEWHERE', headers: { 'X-SIGN': 'AAAA' } });
    expect(said(answer)).toEqual([401, 'INVALID_SIGNATURE']);
  });
});

describe('the budgets of a key', () => {
  beforeEach(() => running.start({ orderRate: 2, readRate: 1 }));

  it('are told with every answer to a proven sender, refusals among them', async () => {
    const answers = [
      await running.get(`${ORDER}/open`),
      await running.get(`${ORDER}/find`, 'limit=0'),
      await running.post(`${ORDER}/create`, 'no JSON'),
      await running.post(`${ORDER}/create`, createBody(), { key: 'READER' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 403]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['1', '0', '3', '3']);
    const stranger = await running.get(`${ORDER}/open`, '', { key: 'NOBODY' });
    expect(stranger.headers).not.toHaveProperty('ratelimit-limit');
  });

  it('refuse with 429 and when to come back; a batch counts its members; each kind has its own', async () => {
    const orders = [createBody(), createBody(), createBody(), createBody()];
    expect((await running.post(`${ORDER}/createMany`, { orders })).status).toBe(201);
    const refused = await running.post(`${ORDER}/create`, createBody());
    expect(said(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '4',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
    });
    // Its orders are used up: it can still get out, and look.
    expect((await running.post(`${ORDER}/cancel`, { order_id: 1 })).status).toBe(200);
    expect((await running.get(`${ORDER}/open`)).status).toBe(200);
    expect((await running.post(`${ORDER}/create`, createBody(), { key: 'STRANGER' })).status).toBe(201);
    running.monotonicMs = 500;
    expect((await running.post(`${ORDER}/create`, createBody())).status).toBe(201);
  });

  it('count what they refuse, by kind', async () => {
    const cancels = { orders: Array.from({ length: 4 }, () => ({ order_id: 1 })) };
    await running.post(`${ORDER}/cancelMany`, cancels);
    await running.post(`${ORDER}/cancel`, { order_id: 1 });
    for (let count = 0; count < 4; count += 1) await running.get(`${ORDER}/open`);
    expect(running.refusals).toMatchObject({ key_orders: 0, key_cancels: 1, key_reads: 2, address: 0 });
  });
});

describe('the limit of bodies', () => {
  it('is configured, answered 413 and counted', async () => {
    await running.start({ bodyBytesMax: 1024 });
    const answer = await running.post(`${ORDER}/create`, `{"x":"${'y'.repeat(1024)}"}`);
    expect(said(answer)).toEqual([413, 'INVALID_REQUEST']);
    expect(answer.text).toContain('larger than 1024 bytes');
    expect(running.refusals.body_bytes).toBe(1);
    expect((await running.post(`${ORDER}/create`, createBody())).status).toBe(201);
  });
});
