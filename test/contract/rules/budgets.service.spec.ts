import { describe, expect, it } from 'vitest';
import { RESTING } from './orders.js';
import { useService } from './service-under-rules.js';
import type { Answer } from './trader.js';

const CREATE = '/api/v2/trading/order/create';
const OPEN = '/api/v2/trading/order/open';
const RATE = 5;
const BURST = 2 * RATE;

/** A budget refills slightly while a test runs: the next request of a used-up budget comes within milliseconds. */
const service = useService({ env: { SLUICE_RATE_LIMIT_ORDERS: String(RATE), SLUICE_RATE_LIMIT_READS: String(RATE) } });

interface Refusal {
  /** Accepted requests before the refusal. */
  readonly count: number;
  /** Highest number of further requests that the refill of the budget allows. */
  readonly refilled: number;
  readonly last: Answer<unknown>;
}

async function untilRefused(ask: () => Promise<Answer<unknown>>): Promise<Refusal> {
  const startMs = performance.now();
  for (let count = 0; count < 20 * BURST; count += 1) {
    const last = await ask();
    const refilled = Math.ceil(((performance.now() - startMs) / 1000) * RATE) + 1;
    if (last.status === 429) return { count, refilled, last };
  }
  throw new Error('no request was refused');
}

describe('rate limit: 429, RATE_LIMIT_EXCEEDED, `Retry-After`, and `RateLimit-Limit/-Remaining/-Reset`', () => {
  it('accepts a burst of twice the requests a second', async () => {
    const reader = await service.client('reader', 'read');
    const { count, refilled, last } = await untilRefused(() => reader.get(OPEN));
    expect(count).toBeGreaterThanOrEqual(BURST);
    expect(count).toBeLessThanOrEqual(BURST + refilled);
    expect(last.body).toMatchObject({ error_code: 'RATE_LIMIT_EXCEEDED' });
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(last.headers.get('ratelimit-remaining'))).toBe(0);
  });

  it('sends `RateLimit-*` headers with every authenticated answer while limits are on', async () => {
    const { trader } = service;
    for (const answer of [
      await trader.get('/api/v2/data/exchanges'),
      await trader.get('/api/v2/trading/order/byId', 'orderIds=nothing'),
      await trader.post(CREATE, { ...RESTING, side: 'UP' }),
      await trader.post('/api/v2/trading/order/cancel', {}),
      await (await service.client('trader', 'read')).post(CREATE, RESTING),
    ]) {
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
        expect(answer.headers.get(name), `${name} with ${answer.status}`).toMatch(/^\d+$/);
    }
  });

  it('gives each key its own budget', async () => {
    const [one, other] = [await service.client('trader'), await service.client('trader')];
    await untilRefused(() => one.get(OPEN));
    expect((await other.get(OPEN)).status).toBe(200);
  });
});

describe('Budgets: orders (create*, amend, pause, resume; a batch counts its members), cancels (cancel*; same size, of their own), reads (the rest)', () => {
  it('accepts cancels and reads of a client at its limit of orders', async () => {
    const trader = await service.client('busy');
    const { last } = await untilRefused(() => trader.post(CREATE, RESTING));
    expect(last.body).toMatchObject({ error_code: 'RATE_LIMIT_EXCEEDED' });
    expect((await trader.get(OPEN)).status).toBe(200);
    expect(await trader.list('cancelAll')).not.toEqual([]);
  });

  it('counts the members of a create batch', async () => {
    const trader = await service.client('batch');
    const orders = Array.from({ length: BURST }, () => RESTING);
    const { status, headers } = await trader.post('/api/v2/trading/order/createMany', { orders });
    expect(status).toBe(201);
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThanOrEqual(1);
    const { count, refilled } = await untilRefused(() => trader.post(CREATE, RESTING));
    expect(count).toBeLessThanOrEqual(1 + refilled);
  });

  it('counts the members of cancelMany', async () => {
    const trader = await service.client('canceller');
    const orders = Array.from({ length: BURST }, () => ({ order_id: 1 }));
    expect((await trader.post('/api/v2/trading/order/cancelMany', { orders })).status).toBe(200);
    const cancel = () => trader.post('/api/v2/trading/order/cancel', { order_id: 1 });
    const { count, refilled } = await untilRefused(cancel);
    expect(count).toBeLessThanOrEqual(1 + refilled);
    expect((await trader.post(CREATE, RESTING)).status).toBe(201);
  });
});
