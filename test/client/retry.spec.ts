import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_RETRY, SluiceClient, SluiceError } from '../../src/client/index.js';
import type { OrderRequest } from '../../src/client/index.js';
import { RETRY_DEFAULT, retried } from '../../src/client/retry.js';
import type { Waiting } from '../../src/client/retry.js';
import { API_KEY, API_SECRET, FakeService } from './fake-service.js';
import { PLAIN_REQUEST } from './plain-request.js';

const BUSY = failure(503, 'SYSTEM_BUSY');
const NEVER = new AbortController().signal;

function failure(status: number, code: string, retryAfterMs: number | null = null): SluiceError {
  return new SluiceError({ status, code, message: code, requestId: null, retryAfterMs });
}

/** A clock that only waits advance. */
class FakeWaiting implements Waiting {
  readonly pausesMs: number[] = [];
  #nowMs = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  chance(): number {
    return 0;
  }

  pause(waitMs: number): Promise<void> {
    this.pausesMs.push(waitMs);
    this.#nowMs += waitMs;
    return Promise.resolve();
  }
}

/** Fails a number of times, then answers the number of attempts. */
function failing(count: number, error: Error): () => Promise<number> {
  let tries = 0;
  return () => ((tries += 1) <= count ? Promise.reject(error) : Promise.resolve(tries));
}

describe('a request that fails', () => {
  it.each([
    [503, 'SYSTEM_BUSY'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [503, 'EMS_INSTANCES_DOWN'],
    [0, 'NETWORK_ERROR'],
    [502, 'OTHER'],
  ])('is retried with growing delays after a temporary failure (%i %s)', async (status, code) => {
    const waiting = new FakeWaiting();
    expect(await retried(failing(3, failure(status, code)), RETRY_DEFAULT, NEVER, waiting)).toBe(4);
    expect(waiting.pausesMs).toEqual([50, 100, 200]);
  });

  it.each([
    [400, 'INVALID_REQUEST'],
    [401, 'INVALID_SIGNATURE'],
    [503, 'EXCHANGE_NOT_AVAILABLE'],
    [500, 'SYSTEM_ERROR'],
  ])('is not retried after a permanent failure (%i %s)', async (status, code) => {
    const error = failure(status, code);
    await expect(retried(failing(1, error), RETRY_DEFAULT, NEVER, new FakeWaiting())).rejects.toBe(error);
  });

  it('is retried up to the maximum of the policy', async () => {
    const waiting = new FakeWaiting();
    await expect(retried(failing(8, BUSY), RETRY_DEFAULT, NEVER, waiting)).rejects.toBe(BUSY);
    expect(waiting.pausesMs).toEqual([50, 100, 200, 400, 800, 1600, 2500]);
    await expect(retried(failing(1, BUSY), NO_RETRY, NEVER, waiting)).rejects.toBe(BUSY);
  });

  it('waits for the time of Retry-After, up to its own maximum', async () => {
    const waiting = new FakeWaiting();
    const patient = { triesMax: 5, patienceMs: 5000 };
    expect(await retried(failing(2, failure(429, 'RATE_LIMIT_EXCEEDED', 2000)), patient, NEVER, waiting)).toBe(3);
    expect(waiting.pausesMs).toEqual([2000, 2000]);
    const late = failure(429, 'RATE_LIMIT_EXCEEDED', 6000);
    await expect(retried(failing(1, late), patient, NEVER, new FakeWaiting())).rejects.toBe(late);
  });
});

describe('the client', () => {
  let service: FakeService;
  let nowMs: number;
  let client: SluiceClient;
  const newClient = (retry = { triesMax: 3, patienceMs: 30_000 }): SluiceClient =>
    new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET, nowMs: () => (nowMs += 1), retry });

  beforeEach(async () => {
    nowMs = 1_800_000_000_000;
    service = await FakeService.start();
    client = newClient();
  });
  afterEach(async () => {
    client.close();
    await service.stop();
  });

  it('repeats a create without an answer with the same client order id and a new signature', async () => {
    const answers = [{ status: 'DROPPED' as const }, { status: 201, content: { order_id: 7 } }];
    service.on('POST /api/v2/trading/order/create', () => answers.shift() ?? {});
    expect(await client.create(PLAIN_REQUEST)).toEqual({ order_id: 7 });
    const [first, second] = service.asked;
    expect(first?.body).toEqual({
      ...PLAIN_REQUEST,
      client_order_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect(second?.body).toEqual(first?.body);
    expect(second?.timestamp).not.toBe(first?.timestamp);
  });

  it('adds a client order id to each batch member without one', async () => {
    service.on('POST /api/v2/trading/order/createMany', () => ({ status: 201, content: { orders: [] } }));
    await client.createMany([PLAIN_REQUEST, { ...PLAIN_REQUEST, client_order_id: 'mine' }, PLAIN_REQUEST]);
    const body = service.asked[0]?.body as { orders: OrderRequest[] } | undefined;
    const names = body?.orders.map((order) => order.client_order_id);

    expect(names?.[1]).toBe('mine');
    expect(new Set(names).size).toBe(3);
    expect(names).not.toContain(undefined);
  });

  it('adds no client order id to an order that has one in the other spelling', async () => {
    service.on('POST /api/v2/trading/order/create', () => ({ status: 201, content: { order_id: 7 } }));
    const order = { ...PLAIN_REQUEST, clientOrderId: 'mine' };
    await client.create(order);
    expect(service.asked[0]?.body).toEqual(order);
  });

  it('adds no client order id without retries', async () => {
    service.on('POST /api/v2/trading/order/create', () => ({ status: 503, content: { error_code: 'SYSTEM_BUSY' } }));
    const once = newClient(NO_RETRY);
    await expect(once.create(PLAIN_REQUEST)).rejects.toMatchObject({ code: 'SYSTEM_BUSY' });
    expect(service.asked.map(({ body }) => body)).toEqual([PLAIN_REQUEST]);
    once.close();
  });

  it('reports the delay of Retry-After', async () => {
    const content = { error_code: 'RATE_LIMIT_EXCEEDED', message: 'slow down' };
    service.on('GET /api/v2/trading/order/open', () => ({ status: 429, headers: { 'Retry-After': '31' }, content }));
    await expect(client.open()).rejects.toMatchObject({ status: 429, retryAfterMs: 31_000 });
    expect(service.asked).toHaveLength(1);
  });

  it('stops retrying when it is closed', async () => {
    let asked: () => void;
    const first = new Promise<void>((resolve) => (asked = resolve));
    service.on('GET /api/v2/trading/order/open', () => {
      asked();
      return { status: 429, headers: { 'Retry-After': '20' }, content: { error_code: 'RATE_LIMIT_EXCEEDED' } };
    });
    const refused = expect(client.open()).rejects.toBeInstanceOf(SluiceError);
    await first;
    client.close();
    await refused;
    expect(service.asked).toHaveLength(1);
  });
});
