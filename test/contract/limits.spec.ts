import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { BATCH_ORDERS_MAX, WS_MESSAGES_BURST_SECONDS } from '../../src/domain/limits/clients.js';
import { type LimitName, noRefusals } from '../../src/domain/rejection.js';
import type { Answer } from '../http/running-server.js';
import { createBody } from '../http/orders.js';
import { ELSEWHERE, LimitedService } from './limited-service.js';

const ORDER = '/api/v2/trading/order';
const PING = '{"topic":"ping"}';

interface LimitCase {
  /** The rule in the words of the contract. */
  readonly rule: string;
  /** The label in sluice_limit_refusals_total. */
  readonly limit: LimitName;
  readonly env: Readonly<Record<string, string>>;
  /** Uses the limit up, then exceeds it once. */
  readonly exceed: (service: LimitedService) => Promise<void>;
}

/** Expects 429 with the error body and Retry-After: the budget of 2 a second holds 4 and is empty. */
function expectBudgetUsedUp(answer: Answer): void {
  expect(answer.status, answer.text).toBe(429);
  expect(JSON.parse(answer.text)).toEqual({
    error_code: 'RATE_LIMIT_EXCEEDED',
    message: expect.stringMatching(/retry in 1 s$/) as string,
    request_id: answer.headers['x-request-id'],
  });
  expect(answer.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-limit': '2',
    'ratelimit-policy': '2;w=1;burst=4',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '2',
  });
}

function expectRefusedHandshake(answer: Answer, status: number, code: string): void {
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    status,
    { error_code: code, message: expect.any(String) as string, request_id: answer.headers['x-request-id'] },
  ]);
  expect(answer.headers['retry-after']).toBe('1');
}

const CASES: readonly LimitCase[] = [
  {
    rule: 'Budgets: orders (create*, amend, pause, resume; a batch counts its members)',
    limit: 'key_orders',
    env: { SLUICE_RATE_LIMIT_ORDERS: '2' },
    exceed: async ({ rest }) => {
      const batch = await rest.post(`${ORDER}/createMany`, { orders: [createBody(), createBody(), createBody()] });
      expect(batch.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
      const last = await rest.post(`${ORDER}/create`, createBody());
      expect(last.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '0' });
      expectBudgetUsedUp(await rest.post(`${ORDER}/create`, createBody()));
      expect(rest.book.placedCount).toBe(4);
      expect((await rest.post(`${ORDER}/create`, createBody(), { key: 'STRANGER' })).status).toBe(201);
      rest.monotonicMs += 500;
      expect((await rest.post(`${ORDER}/create`, createBody())).status).toBe(201);
    },
  },
  {
    rule: 'Budgets: cancels (cancel*; same size, of their own)',
    limit: 'key_cancels',
    env: { SLUICE_RATE_LIMIT_ORDERS: '2' },
    exceed: async ({ rest }) => {
      const orders = Array.from({ length: 4 }, () => createBody());
      expect((await rest.post(`${ORDER}/createMany`, { orders })).headers['ratelimit-remaining']).toBe('0');
      // The budget of orders is used up, and cancels still work.
      const cancelled = await rest.post(`${ORDER}/cancel`, { order_id: 1 });
      expect(JSON.parse(cancelled.text)).toMatchObject({ order_id: 1, status: 'PENDING_CANCEL' });
      const many = { orders: [{ order_id: 2 }, { order_id: 3 }] };
      expect((await rest.post(`${ORDER}/cancelMany`, many)).headers['ratelimit-remaining']).toBe('1');
      expect((await rest.get(`${ORDER}/cancelAll`)).headers['ratelimit-remaining']).toBe('0');
      expectBudgetUsedUp(await rest.post(`${ORDER}/cancel`, { order_id: 4 }));
    },
  },
  {
    rule: 'Budgets: reads (the rest)',
    limit: 'key_reads',
    env: { SLUICE_RATE_LIMIT_READS: '2' },
    exceed: async ({ rest }) => {
      const reads = [`${ORDER}/open`, `${ORDER}/find`, '/api/v2/data/instruments', '/api/v2/trading/listenKey'];
      for (const [index, path] of reads.entries()) {
        expect((await rest.get(path)).headers['ratelimit-remaining']).toBe(String(3 - index));
      }
      expectBudgetUsedUp(await rest.get(`${ORDER}/open`));
      expect((await rest.post(`${ORDER}/create`, createBody())).status).toBe(201);
    },
  },
  {
    rule: 'rate limit: 429; per address before authentication',
    limit: 'address',
    env: { SLUICE_RATE_LIMIT_IP: '2' },
    exceed: async ({ rest }) => {
      rest.clientAddress = ELSEWHERE;
      for (let count = 0; count < 3; count += 1) expect((await rest.get(`${ORDER}/open`)).status).toBe(200);
      expect((await rest.send('GET', `${ORDER}/open`, '', {})).status).toBe(401);
      // The server checks neither key nor path.
      const flood = await rest.send('GET', '/nowhere', '', {});
      expectBudgetUsedUp(flood);
      expect(flood.text).toContain('from this address');
      rest.clientAddress = '127.0.0.1';
      expect((await rest.get(`${ORDER}/open`)).status).toBe(200);
    },
  },
  {
    rule: 'rate limit: 429; per address before the handshake',
    limit: 'address',
    env: { SLUICE_RATE_LIMIT_IP: '2' },
    exceed: async (service) => {
      service.rest.clientAddress = ELSEWHERE;
      for (let count = 0; count < 4; count += 1) expect((await service.refused('forged')).status).toBe(401);
      expectRefusedHandshake(await service.refused('forged'), 429, 'RATE_LIMIT_EXCEEDED');
    },
  },
  {
    rule: 'body over 1 MiB: 413',
    limit: 'body_bytes',
    env: {},
    exceed: async ({ rest }) => {
      const order = JSON.stringify(createBody());
      const bodyOf = (bytes: number): string => order.replace('{', `{${' '.repeat(bytes - order.length)}`);
      expect((await rest.post(`${ORDER}/create`, bodyOf(1024 * 1024))).status).toBe(201);
      const answer = await rest.post(`${ORDER}/create`, bodyOf(1024 * 1024 + 1));
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        413,
        { error_code: 'INVALID_REQUEST', request_id: answer.headers['x-request-id'] },
      ]);
      expect(rest.book.placedCount).toBe(1);
    },
  },
  {
    rule: 'a body limit that is configured',
    limit: 'body_bytes',
    env: { SLUICE_BODY_BYTES_MAX: '2048' },
    exceed: async ({ rest }) => {
      expect((await rest.post(`${ORDER}/create`, ' '.repeat(2048))).status).toBe(400);
      expect((await rest.post(`${ORDER}/create`, ' '.repeat(2049))).status).toBe(413);
    },
  },
  {
    rule: 'connections of all accounts: 503, SYSTEM_BUSY, Retry-After',
    limit: 'stream_connections',
    env: { SLUICE_WS_CONNECTIONS: '2' },
    exceed: async (service) => {
      const [one, other] = [await service.listenKey(), await service.listenKey('STRANGER')];
      const first = await service.connect(one);
      await service.connect(other);
      expectRefusedHandshake(await service.refused(one), 503, 'SYSTEM_BUSY');
      first.socket.close();
      await first.closed;
      await service.connect(one);
    },
  },
  {
    rule: 'connections of one account: 429, RATE_LIMIT_EXCEEDED, Retry-After',
    limit: 'stream_account_connections',
    env: { SLUICE_WS_ACCOUNT_CONNECTIONS: '1' },
    exceed: async (service) => {
      const [one, other] = [await service.listenKey(), await service.listenKey('STRANGER')];
      await service.connect(one);
      expectRefusedHandshake(await service.refused(one), 429, 'RATE_LIMIT_EXCEEDED');
      await service.connect(other);
    },
  },
  {
    rule: 'Codes: 7002 cap reached; Market-data cap per connection 20 by default',
    limit: 'stream_subscriptions',
    env: { SLUICE_MARKET_DATA_CAP: '2' },
    exceed: async (service) => {
      const client = await service.connect(await service.listenKey());
      client.subscribe('ticker', { symbol: 'BTC/USDT' });
      client.subscribe('ohlcv', { symbol: 'BTC/USDT' });
      client.subscribe('ticker', { symbol: 'ETH/USDT' });
      client.subscribe('ticker', { symbol: 'btc/usdt' });
      client.subscribe('order');
      const answers = (await client.settle()).filter((frame) => 'code' in frame);
      expect(answers.map(({ code }) => code)).toEqual([0, 0, 7002, 0, 0]);
      const { text } = await service.rest.send('GET', '/metrics', '', {});
      expect(text).toContain('sluice_open_streams 1\n');
      for (const topic of ['ticker', 'ohlcv', 'order']) {
        expect(text).toContain(`sluice_stream_subscriptions{topic="${topic}"} 1\n`);
      }
    },
  },
  {
    rule: 'more messages a second than allowed: closed with 1008',
    limit: 'stream_messages',
    env: { SLUICE_WS_MESSAGE_RATE: '2' },
    exceed: async (service) => {
      const client = await service.connect(await service.listenKey());
      const allowed = 2 * WS_MESSAGES_BURST_SECONDS;
      for (let count = 0; count < allowed; count += 1) client.send({ topic: 'ping' });
      expect(await client.take(allowed)).toHaveLength(allowed);
      client.send({ topic: 'ping' });
      expect(await client.closed).toEqual({ code: 1008, reason: 'too many messages' });
    },
  },
  {
    rule: 'a frame larger than allowed ends its connection',
    limit: 'stream_frame_bytes',
    env: { SLUICE_WS_FRAME_BYTES_MAX: '1024' },
    exceed: async (service) => {
      const key = await service.listenKey();
      const [client, bystander] = [await service.connect(key), await service.connect(key)];
      client.send(PING.padEnd(1024));
      expect(await client.next()).toEqual({ topic: 'pong' });
      client.send(PING.padEnd(1025));
      expect([1006, 1009]).toContain((await client.closed).code);
      expect(await bystander.settle()).toEqual([]);
    },
  },
];

describe('every limit is enforced, counted and configurable', () => {
  it.each(CASES.map((one) => [one.rule, Object.keys(one.env).join(), one] as const))(
    '%s (%s)',
    async (_rule, _variable, { limit, env, exceed }) => {
      const service = await LimitedService.start({
        SLUICE_RATE_LIMIT_ORDERS: '0',
        SLUICE_RATE_LIMIT_READS: '0',
        SLUICE_RATE_LIMIT_IP: '0',
        ...env,
      });
      expect(await service.refusals()).toEqual({});
      await exceed(service);
      expect(await service.refusals()).toEqual({ [limit]: 1 });
    },
  );

  it('has a case above, or its own spec when it needs raw sockets', () => {
    const elsewhere = { body_room: 'http/body-flood', body_time: 'http/body-flood', connections: 'http/body-flood' };
    for (const [limit, file] of Object.entries(elsewhere)) {
      const text = readFileSync(new URL(`../${file}.contract.spec.ts`, import.meta.url), 'utf8');
      expect(text, `${file} counts ${limit}`).toContain(`refusals.${limit}`);
    }
    const covered = new Set([...CASES.map(({ limit }) => limit), ...Object.keys(elsewhere)]);
    expect(covered).toEqual(new Set(Object.keys(noRefusals())));
  });

  it('excludes the size of a batch, which the contract fixes: BATCH_OVERSIZE, nothing placed', async () => {
    const { rest } = await LimitedService.start({});
    const orders = Array.from({ length: BATCH_ORDERS_MAX + 1 }, () => createBody());
    const answer = await rest.post(`${ORDER}/createMany`, { orders });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error_code: 'BATCH_OVERSIZE' }]);
    expect(rest.book.placedCount).toBe(0);
  });
});

// decisions §4: "RateLimit-* headers on every authenticated answer while limits are on." The policy names the refill
// rate. RateLimit-Limit is that rate: with the burst there, a client that paces by it would be refused.
describe('RateLimit headers', () => {
  const signed = OPERATIONS.filter(isSigned);
  const NAMES = ['ratelimit-limit', 'ratelimit-policy', 'ratelimit-remaining', 'ratelimit-reset'];

  it.each(signed.map((operation) => [operation.path, operation] as const))(
    'are in every answer of %s',
    async (path, { method }) => {
      const { rest } = await LimitedService.start({ SLUICE_RATE_LIMIT_ORDERS: '3', SLUICE_RATE_LIMIT_READS: '3' });
      const ask = (key: string): Promise<Answer> =>
        method === 'POST' ? rest.post(path, {}, { key }) : rest.get(path, 'exchange=NOWHERE', { key });
      for (const answer of [await ask('TRADER'), await ask('READER')]) {
        expect([200, 201, 400, 403]).toContain(answer.status);
        expect(answer.headers).toMatchObject({
          'ratelimit-limit': '3',
          'ratelimit-policy': '3;w=1;burst=6',
          'ratelimit-remaining': '5',
        });
        expect(answer.headers['ratelimit-reset']).toBe('1');
      }
      const unknown = await ask('UNKNOWN');
      expect(unknown.status).toBe(401);
      for (const name of NAMES) expect(unknown.headers).not.toHaveProperty(name);
    },
  );

  it('are absent while limits are off', async () => {
    const { rest } = await LimitedService.start({ SLUICE_RATE_LIMIT_ORDERS: '0', SLUICE_RATE_LIMIT_READS: '0' });
    const answer = await rest.get(`${ORDER}/open`);
    for (const name of NAMES) expect(answer.headers).not.toHaveProperty(name);
  });
});
