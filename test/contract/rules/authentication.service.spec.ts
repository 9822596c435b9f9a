import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { RESTING } from './orders.js';
import type { ApiKey } from './signature.js';
import { useService } from './service-under-rules.js';
import { Trader, type Deviation } from './trader.js';

const OPEN = '/api/v2/trading/order/open';
const BY_ID = '/api/v2/trading/order/byId';
const CREATE = '/api/v2/trading/order/create';

const service = useService();

const ago = (ms: number): string => String(Date.now() - ms);

function rsaPair(modulusLength: number): { readonly publicKey: string; readonly privateKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

function register(publicKey: string): Promise<ApiKey> {
  const pem = join(service.folder, 'key.pem');
  writeFileSync(pem, publicKey);
  return service.createKey('--account', 'rsa', '--permissions', 'trade', '--rsa-public-key', pem);
}

describe('missing or unknown key; missing or bad signature; missing or unreadable time stamp …: 401', () => {
  it.each([
    ['no key', 'INVALID_API_KEY', () => ({ headers: { 'X-API-KEY': undefined } })],
    ['an unknown key', 'INVALID_API_KEY', () => ({ headers: { 'X-API-KEY': 'nobody' } })],
    ['no signature', 'INVALID_SIGNATURE', () => ({ headers: { 'X-SIGN': undefined } })],
    ['a signature of something else', 'INVALID_SIGNATURE', () => ({ signedPayload: 'else' })],
    ['a signature in hexadecimal', 'INVALID_SIGNATURE', () => ({ headers: { 'X-SIGN': 'ab'.repeat(32) } })],
    ['a signature that is no Base64', 'INVALID_SIGNATURE', () => ({ headers: { 'X-SIGN': '%%%' } })],
    ['no time stamp', 'INVALID_TIMESTAMP', () => ({ headers: { 'X-TIMESTAMP': undefined } })],
    ['an unreadable time stamp', 'INVALID_TIMESTAMP', () => ({ timestamp: 'now' })],
    ['a time stamp in seconds', 'INVALID_TIMESTAMP', () => ({ timestamp: String(Math.floor(Date.now() / 1000)) })],
    ['a fraction of a millisecond', 'INVALID_TIMESTAMP', () => ({ timestamp: `${Date.now()}.5` })],
    ['a time stamp before the window', 'INVALID_TIMESTAMP', () => ({ timestamp: ago(5500), recvWindow: null })],
    ['a time stamp before its own window', 'INVALID_TIMESTAMP', () => ({ timestamp: ago(1500), recvWindow: '1000' })],
    // Far ahead: a loaded machine may hold a request back. test/contract/authentication checks the edge.
    ['a time stamp after now + 1000 ms', 'INVALID_TIMESTAMP', () => ({ timestamp: ago(-30_000) })],
    ['a receive window of 0', 'INVALID_TIMESTAMP', () => ({ recvWindow: '0' })],
    ['a receive window of 60001', 'INVALID_TIMESTAMP', () => ({ recvWindow: '60001' })],
    ['a negative receive window', 'INVALID_TIMESTAMP', () => ({ recvWindow: '-5' })],
    ['an unreadable receive window', 'INVALID_TIMESTAMP', () => ({ recvWindow: 'wide' })],
  ] as [string, string, () => Deviation][])('refuses %s with %s', async (_, code, deviation) => {
    const read = await service.trader.get(OPEN, '', deviation());
    expect({ status: read.status, code: read.body.error_code }).toEqual({ status: 401, code });
    const create = await service.trader.post(CREATE, RESTING, deviation());
    expect({ status: create.status, code: create.body.error_code }).toEqual({ status: 401, code });
  });

  it('placed no order by the refused requests', async () => expect(await service.trader.list('find')).toEqual([]));
});

describe('Receive window: 1 to 60000 ms; without X-RECV-WINDOW the signed text holds `5000`', () => {
  it.each([
    ['the default', 1000, () => ({ timestamp: ago(4000), recvWindow: null })],
    ['60000', 5000, () => ({ timestamp: ago(55_000), recvWindow: '60000' })],
    ['5000 in the header', 1000, () => ({ timestamp: ago(4000), recvWindow: '5000' })],
    ['up to 1000 ms ahead', 60_000, () => ({ timestamp: ago(-500) })],
  ] as [string, number, () => Deviation][])(
    'accepts a time stamp within the window: %s',
    async (_, remainingMs, deviation) => {
      // A request that a loaded machine holds back until its window has passed proves nothing. It is sent again.
      const { status } = await eventually(
        async () => {
          const sentAtMs = performance.now();
          const answer = await service.trader.get(OPEN, '', deviation());
          return { status: answer.status, tookMs: performance.now() - sentAtMs };
        },
        ({ tookMs }) => tookMs < remainingMs,
      );
      expect(status).toBe(200);
    },
  );

  it('includes the receive window in the signed text', async () => {
    const deviation = { recvWindow: '6000', headers: { 'X-RECV-WINDOW': '7000' } };
    expect((await service.trader.get(OPEN, '', deviation)).body.error_code).toBe('INVALID_SIGNATURE');
  });
});

describe('For GET the raw query string as sent, then, if that fails, its percent-decoded form', () => {
  it.each([
    ['sorted, as sent', 'clientOrderIds=one&orderIds=1', undefined],
    ['not sorted, as sent: we do not re-sort', 'orderIds=1&clientOrderIds=one', undefined],
    ['encoded, signed as sent', 'clientOrderIds=one%20two%2Fthree', undefined],
    ['encoded, signed before encoding', 'clientOrderIds=one%20two%2Fthree', 'clientOrderIds=one two/three'],
    ['arrays, signed before encoding', 'orderIds=1%2C2', 'orderIds=1,2'],
  ])('accepts a signed query: %s', async (_, query, signedPayload) => {
    const deviation = signedPayload === undefined ? {} : { signedPayload };
    expect((await service.trader.get(BY_ID, query, deviation)).status).toBe(200);
  });

  it.each([
    ['in sorted order but sent unsorted', 'orderIds=1&clientOrderIds=one', 'clientOrderIds=one&orderIds=1'],
    ['with the question mark', 'orderIds=1', '?orderIds=1'],
    ['as an empty text', 'orderIds=1', ''],
  ])('refuses a query that was signed %s', async (_, query, signedPayload) => {
    const { status, body } = await service.trader.get(BY_ID, query, { signedPayload });
    expect([status, body.error_code]).toEqual([401, 'INVALID_SIGNATURE']);
  });
});

describe('The payload of a POST is the JSON body exactly as sent', () => {
  it('accepts a signed body with its blanks and line ends', async () => {
    const { trader } = service;
    const text = `\r\n${JSON.stringify({ ...RESTING, source: 'ärger €' }, null, 3)}\n`;
    expect((await trader.post<{ status: string }>(CREATE, text)).body.status).toBe('PENDING_NEW');
  });

  it('accepts the signature of the body without white space outside strings, with number texts unchanged', async () => {
    const { trader } = service;
    const text = `{ "source": "a b",  ${JSON.stringify({ ...RESTING, quantity: 0 }).slice(1)}`.replace(':0', ': 0.010');
    const compact = `{"source":"a b",${JSON.stringify({ ...RESTING, quantity: 0 }).slice(1)}`.replace(':0', ':0.010');
    const accepted = await trader.post<{ status: string }>(CREATE, text, { signedPayload: compact });
    expect(accepted.body.status).toBe('PENDING_NEW');
    const signedPayload = compact.replace('0.010', '0.01');
    expect((await trader.post(CREATE, text, { signedPayload })).body.error_code).toBe('INVALID_SIGNATURE');
  });
});

describe('Repeated signatures inside their window', () => {
  const refusal = { status: 401, body: { error_code: 'INVALID_SIGNATURE' } };

  it('accepts a signature once for creates without `client_order_id`, also as members of a batch', async () => {
    const { trader } = service;
    const before = (await trader.list('find')).length;
    for (const [path, content] of [
      [CREATE, RESTING],
      [`${CREATE}Many`, { orders: [RESTING, { ...RESTING, client_order_id: 'beside-unnamed' }] }],
    ] as const) {
      const deviation = { timestamp: ago(0) };
      expect((await trader.post(path, content, deviation)).status).toBe(201);
      const again = await trader.post(path, content, deviation);
      expect(again).toMatchObject(refusal);
      expect(again.body.message).toContain(`POST ${path}`);
    }
    expect(await trader.list('find')).toHaveLength(before + 3);
  });

  it('refuses a signature of another path for every create, resume and amend', async () => {
    const { trader } = service;
    const orderId = await trader.place(RESTING);
    const order = '/api/v2/trading/order';
    for (const [first, second, content] of [
      ['preview', 'create', { ...RESTING, client_order_id: 'previewed' }],
      ['pause', 'resume', { order_id: orderId }],
      ['cancel', 'amend', { order_id: orderId }],
    ] as const) {
      const deviation = { timestamp: ago(0) };
      expect((await trader.post(`${order}/${first}`, content, deviation)).status).toBe(200);
      const again = await trader.post(`${order}/${second}`, content, deviation);
      expect(again).toMatchObject(refusal);
      expect(again.body.message).toContain(`POST ${order}/${first}`);
    }
    expect(await trader.list('byId', 'clientOrderIds=previewed')).toEqual([]);
  });

  it('accepts repeated signatures for cancels, pauses and reads', async () => {
    const { trader } = service;
    const orderId = await trader.place(RESTING);
    const deviation = { timestamp: ago(0) };
    for (const which of ['pause', 'pause', 'cancel', 'cancel']) {
      const { status } = await trader.post(`/api/v2/trading/order/${which}`, { order_id: orderId }, deviation);
      expect([which, status]).toEqual([which, 200]);
    }
    for (let count = 0; count < 2; count += 1) expect((await trader.get(OPEN, '', deviation)).status).toBe(200);
  });

  it('accepts an unchanged create with `client_order_id` again and places one order', async () => {
    const deviation = { timestamp: ago(0) };
    const order = { ...RESTING, client_order_id: 'replayed' };
    const first = await service.trader.post<{ order_id: number }>(CREATE, order, deviation);
    const second = await service.trader.post<{ order_id: number }>(CREATE, order, deviation);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.order_id).toBe(first.body.order_id);
  });
});

describe('The API secret is Base64: standard with `+`, `/` or `=` at its end, otherwise URL-safe', () => {
  it('decodes generated secrets by that rule', async () => {
    for (let count = 0; count < 3; count += 1) {
      expect((await (await service.client('other', 'read')).get(OPEN)).status).toBe(200);
    }
  });
});

describe('Keys generated by the user sign with RSA-SHA256 (PKCS#1 v1.5, SPKI PEM public key, 2048 bits or more)', () => {
  it('accepts an RSA key and prints no secret', async () => {
    const { publicKey, privateKey } = rsaPair(2048);
    const printed = await register(publicKey);
    expect(printed).not.toHaveProperty('api_secret');
    const trader = new Trader(service.port, { ...printed, api_secret: privateKey });
    expect(await trader.create(RESTING)).toMatchObject({ status: 'PENDING_NEW' });
    const stranger = new Trader(service.port, { ...printed, api_secret: rsaPair(2048).privateKey });
    expect((await stranger.get(OPEN)).body.error_code).toBe('INVALID_SIGNATURE');
  });

  it('refuses an RSA key of 1024 bits', async () => {
    await expect(register(rsaPair(1024).publicKey)).rejects.toThrow('2048');
  });
});

describe('a key without the permission: 403, AUTHENTICATION_ERROR', () => {
  it('refuses every request that places or cancels', async () => {
    const reader = await service.client('trader', 'read');
    for (const path of ['create', 'createMany', 'cancel', 'cancelMany']) {
      const { status, body } = await reader.post(`/api/v2/trading/order/${path}`, RESTING);
      expect([path, status, body.error_code]).toEqual([path, 403, 'AUTHENTICATION_ERROR']);
    }
    const { status, body } = await reader.get('/api/v2/trading/order/cancelAll');
    expect([status, body.error_code]).toEqual([403, 'AUTHENTICATION_ERROR']);
  });

  it('gives a listen key and every query to a read-only key', async () => {
    const reader = await service.client('trader', 'read');
    for (const [path, query] of [
      ['/api/v2/trading/listenKey', ''],
      [OPEN, ''],
      ['/api/v2/trading/balance', 'exchange=BINANCE'],
      ['/api/v2/data/exchanges', ''],
    ] as const) {
      expect((await reader.get(path, query)).status).toBe(200);
    }
  });
});

describe('Every endpoint except `GET /status/ping` requires the authentication headers', () => {
  it.each([
    ['POST', 'trading/order/create'],
    ['POST', 'trading/order/createMany'],
    ['POST', 'trading/order/cancel'],
    ['POST', 'trading/order/cancelMany'],
    ['GET', 'trading/order/cancelAll'],
    ['GET', 'trading/order/open'],
    ['GET', 'trading/order/find'],
    ['GET', 'trading/order/byId'],
    ['GET', 'trading/userTrades'],
    ['GET', 'trading/position'],
    ['GET', 'trading/balance'],
    ['GET', 'trading/listenKey'],
    ['GET', 'data/exchanges'],
    ['GET', 'data/instruments'],
    ['GET', 'data/fundingRateHistory'],
    ['GET', 'data/lastFundingRates'],
  ])('refuses %s /api/v2/%s without headers', async (method, path) => {
    const init = method === 'POST' ? { method, body: '{}' } : {};
    const response = await fetch(`${service.trader.url}/api/v2/${path}`, init);
    const { error_code: code } = (await response.json()) as { error_code: string };
    expect([response.status, code]).toEqual([401, 'INVALID_API_KEY']);
  });
});

describe('Accounts are separate', () => {
  it('does not show an order of one account to another', async () => {
    const orderId = await service.trader.place({ ...RESTING, client_order_id: 'mine' });
    const other = await service.client('other');
    expect(await other.list('byId', `clientOrderIds=mine&orderIds=${orderId}`)).toEqual([]);
    expect(await other.cancel({ order_id: orderId })).toMatchObject({ status: 'CANCEL_REJECTED' });
    expect(await other.list('cancelAll')).toEqual([]);
    expect(await other.create({ ...RESTING, client_order_id: 'mine', quantity: '0.02' })).toMatchObject({
      status: 'PENDING_NEW',
    });
    expect((await service.trader.details(orderId)).status).toBe('ACCEPTED');
  });
});

describe('The memory of used signatures survives a restart within the window', () => {
  it('refuses the signatures of an unnamed create and of a preview after a kill', async () => {
    const timestamp = String(Date.now());
    const deviation = { timestamp, recvWindow: '60000' };
    const previewed = { ...RESTING, client_order_id: 'previewed-before' };
    expect((await service.trader.post(CREATE, RESTING, deviation)).status).toBe(201);
    expect((await service.trader.post('/api/v2/trading/order/preview', previewed, deviation)).status).toBe(200);
    const before = (await service.trader.list('find')).length;
    await service.run.kill();
    await service.start();
    for (const content of [RESTING, previewed]) {
      const { status, body } = await service.trader.post(CREATE, content, deviation);
      expect([status, body.error_code]).toEqual([401, 'INVALID_SIGNATURE']);
    }
    expect(await service.trader.list('find')).toHaveLength(before);
    expect((await service.trader.post(CREATE, RESTING)).status).toBe(201);
  });
});
