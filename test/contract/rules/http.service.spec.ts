import { describe, expect, it } from 'vitest';
import type { Summary } from './answers.js';
import { RESTING } from './orders.js';
import { useService } from './service-under-rules.js';

const CREATE = '/api/v2/trading/order/create';
const CREATE_MANY = '/api/v2/trading/order/createMany';
const CANCEL_MANY = '/api/v2/trading/order/cancelMany';
const OPEN = '/api/v2/trading/order/open';
const MIB = 1024 * 1024;
/** Service time agrees with the wall clock to a second. */
const SERVICE_TIME_ERROR_MS = 1_000;

const service = useService();

describe('body is not JSON, not an object, `orders` missing, empty or not an array: 400 INVALID_REQUEST', () => {
  it.each([
    [CREATE, ''],
    [CREATE, '{'],
    [CREATE, 'order'],
    [CREATE, '[]'],
    [CREATE, '"order"'],
    [CREATE, 'null'],
    [CREATE, '7'],
    ['/api/v2/trading/order/cancel', '[]'],
    ['/api/v2/trading/order/cancel', '{"order_id":'],
    ...[CREATE_MANY, CANCEL_MANY].flatMap((path) => [
      [path, '['],
      [path, '[]'],
      [path, '{}'],
      [path, '{"orders":null}'],
      [path, '{"orders":[]}'],
      [path, '{"orders":{}}'],
      [path, '{"orders":"all"}'],
    ]),
  ] as [string, string][])('refuses at %s the body %s', async (path, content) => {
    const { status, body } = await service.trader.post(path, content);
    expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(await service.trader.list('open')).toEqual([]);
  });
});

describe('body over 1 MiB: 413', () => {
  it('answers 413 to a body of 1 MiB and one byte', async () => {
    const { status, body } = await service.trader.post(CREATE, `"${'x'.repeat(MIB - 1)}"`);
    expect({ status, code: body.error_code }).toEqual({ status: 413, code: 'INVALID_REQUEST' });
  });

  it('reads a body of 1 MiB', async () => {
    const { status } = await service.trader.post(CREATE, `"${'x'.repeat(MIB - 2)}"`);
    expect(status).toBe(400);
  });
});

describe('unknown path / wrong method: 404 / 405 (with `Allow`)', () => {
  it.each([
    '/',
    '/api',
    '/api/v2',
    '/api/v1/trading/order/open',
    '/api/v2/trading/order',
    '/api/v2/trading/order/open/',
  ])('answers 404 to GET %s', async (path) => expect(await service.trader.get(path)).toMatchObject({ status: 404 }));

  it.each([
    ['GET', CREATE, 'POST'],
    ['DELETE', CREATE, 'POST'],
    ['PUT', CREATE_MANY, 'POST'],
    ['POST', OPEN, 'GET'],
    ['POST', '/status/ping', 'GET'],
    ['PATCH', '/api/v2/trading/order/cancelAll', 'GET'],
  ])('answers 405 to %s %s', async (method, path, allowed) => {
    const response = await fetch(service.trader.url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ')).toContain(allowed);
  });
});

describe('Error body: {"error_code": "...", "message": "...", "request_id": "..."}; every response carries X-Request-Id', () => {
  it.each([
    [400, 'POST', CREATE, '{'],
    [401, 'GET', OPEN, undefined],
    [404, 'GET', '/nowhere', undefined],
    [405, 'DELETE', OPEN, undefined],
    [413, 'POST', CREATE, 'x'.repeat(MIB + 1)],
  ])('has that form with status %i', async (status, method, path, content) => {
    const { trader } = service;
    const answer =
      status === 400
        ? await trader.post(path, content)
        : await fetch(trader.url + path, { method, ...(content === undefined ? {} : { body: content }) }).then(
            async (response) => ({ status: response.status, headers: response.headers, body: await response.json() }),
          );
    expect(answer.status).toBe(status);
    const { error_code: code, message, request_id: requestId, ...rest } = answer.body as Record<string, unknown>;
    expect([typeof code, typeof message, typeof requestId]).toEqual(['string', 'string', 'string']);
    expect(rest).toEqual({});
    expect(requestId).toBe(answer.headers.get('x-request-id'));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('sends a different X-Request-Id with each successful answer too', async () => {
    const ids = new Set<string | null>();
    for (const path of [
      '/status/ping',
      '/status/health',
      '/status/ready',
      '/openapi.json',
      '/asyncapi.json',
      '/docs',
    ]) {
      ids.add((await fetch(service.trader.url + path)).headers.get('x-request-id'));
    }
    ids.add((await service.trader.get(OPEN)).headers.get('x-request-id'));
    ids.add((await service.trader.post(CREATE, { ...RESTING, side: 'UP' })).headers.get('x-request-id'));
    expect(ids.size).toBe(8);
    expect(ids).not.toContain(null);
  });
});

describe("one order's field is missing or wrong: 201, that summary REJECTED with `message` naming the field and the exact `error_code`", () => {
  it('stores no order and answers without `order_id`, with the time of the answer as created_at', async () => {
    const askedAtMs = Date.now();
    const { status, body } = await service.trader.post<Record<string, string>>(CREATE, { ...RESTING, side: 'UP' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_PARAM' });
    expect(body['message']).toContain('side');
    expect(body).not.toHaveProperty('order_id');
    const createdAtMs = Date.parse(body['created_at'] as string);
    expect(createdAtMs).toBeGreaterThan(askedAtMs - SERVICE_TIME_ERROR_MS);
    expect(createdAtMs).toBeLessThan(Date.now() + SERVICE_TIME_ERROR_MS);
    expect(await service.trader.list('open')).toEqual([]);
    expect(await service.trader.list('find')).toEqual([]);
  });
});

describe('No key needed: `/status/*`, `/openapi.json`, `/asyncapi.json`, `/docs`, `/console`', () => {
  it.each(['/status/ping', '/status/health', '/status/ready', '/openapi.json', '/asyncapi.json', '/docs', '/console'])(
    '%s answers 200',
    async (path) => expect((await fetch(service.trader.url + path)).status).toBe(200),
  );

  it('`/metrics` answers on loopback', async () => {
    const response = await fetch(`${service.trader.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toMatch(/^sluice_\w+(\{.*\})? \d/m);
  });

  it('answers {"status":"ok","timestamp":<ms>}, and `service_time` at `/status/ping`', async () => {
    const askedAtMs = Date.now();
    const pong = (await (await fetch(`${service.trader.url}/status/ping`)).json()) as Record<string, unknown>;
    const answeredAtMs = Date.now();
    expect(pong['status']).toBe('ok');
    for (const time of ['timestamp', 'service_time']) {
      expect(pong[time]).toBeGreaterThan(askedAtMs - SERVICE_TIME_ERROR_MS);
      expect(pong[time]).toBeLessThan(answeredAtMs + SERVICE_TIME_ERROR_MS);
    }
  });

  it('serves an OpenAPI document labelled 2.0 and an AsyncAPI document labelled 2.0.0', async () => {
    const rest = (await (await fetch(`${service.trader.url}/openapi.json`)).json()) as Described;
    const stream = (await (await fetch(`${service.trader.url}/asyncapi.json`)).json()) as Described;
    expect(rest.openapi).toMatch(/^3\./);
    expect(rest.info.version).toMatch(/^2\.0/);
    expect(stream.asyncapi).toMatch(/^[23]\./);
    expect(stream.info.version).toBe('2.0.0');
  });
});

interface Described {
  readonly openapi?: string;
  readonly asyncapi?: string;
  readonly info: { readonly version: string };
}

describe('Members that the service does not know are refused; source, and parameters of a query, are ignored', () => {
  it('ignores them in a query, and never stores source', async () => {
    const { trader } = service;
    const orderId = await trader.place({ ...RESTING, source: 'desk' });
    const details = await trader.details(orderId, 'flavour=sour&');
    expect(JSON.stringify(details)).not.toMatch(/source|desk/);
    await trader.list('cancelAll');
    await trader.reaches(orderId, 'CANCELLED');
  });
});

describe('Any other unknown member is refused with INVALID_PARAM: the message names it and the nearest known field', () => {
  it('places nothing for a misspelt limit, and keeps a limit in camelCase', async () => {
    const { trader } = service;
    const { limit_price: limitPrice, ...order } = RESTING;
    const misspelt = await trader.post<Summary & { reason: string }>(CREATE, { ...RESTING, limitprice: '1' });
    expect(misspelt).toMatchObject({
      status: 201,
      body: { status: 'REJECTED', error_code: 'INVALID_PARAM', reason: 'UNKNOWN_FIELD' },
    });
    expect(misspelt.body.message).toContain('limitprice is not a known field');
    expect(misspelt.body.message).toContain('limit_price');
    expect(await trader.list('open')).toEqual([]);
    const orderId = await trader.place({ ...order, limitPrice });
    // A buy at once would fill far above this limit.
    expect(await trader.details(orderId)).toMatchObject({ filled_quantity: 0 });
    await trader.list('cancelAll');
    await trader.reaches(orderId, 'CANCELLED');
  });

  it.each([
    ['{"order_id":1,"order_id":2}', 'is given twice'],
    ['['.repeat(65) + ']'.repeat(65), 'deeper than 64 levels'],
  ])('answers 400 INVALID_REQUEST to %s', async (content, why) => {
    const { status, body } = await service.trader.post('/api/v2/trading/order/cancel', content);
    expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(body.message).toContain(why);
  });
});

describe('All request and response bodies are JSON', () => {
  it('accepts an order of 100 kB with blanks and a long text without effect', async () => {
    const content = JSON.stringify({ ...RESTING, source: 'x'.repeat(50_000) }) + ' '.repeat(50_000);
    const { status, body } = await service.trader.post<Summary>(CREATE, content);
    expect([status, body.status]).toEqual([201, 'PENDING_NEW']);
    await service.trader.list('cancelAll');
    await service.trader.reaches(body.order_id as number, 'CANCELLED');
  });
});
