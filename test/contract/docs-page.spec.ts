import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SigningVector } from '../../src/contract/guide.js';
import { STANDARD_SECRET, URL_SAFE_SECRET } from '../http/keys.js';
import { createBody } from '../http/orders.js';
import { RunningServer } from '../http/running-server.js';

/** The page's scripts as a browser loads them: plain JavaScript without types. */
interface Signature {
  signatureOf(secret: string, message: string): Promise<string>;
  sortedQuery(query: string): string;
}

interface PageRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly loadSpec?: boolean;
}

interface SignedRequest {
  signedRequest(
    request: PageRequest,
    signing: { apiKey: string; secret: string; nowMs: number; origin: string },
  ): Promise<PageRequest>;
}

const PAGE = new URL('../../src/http/docs-page/', import.meta.url);
const { signatureOf, sortedQuery } = (await import(new URL('signature.js', PAGE).href)) as Signature;
const { signedRequest } = (await import(new URL('signed-request.js', PAGE).href)) as SignedRequest;

const VECTORS = JSON.parse(readFileSync(new URL('../auth/signing-vectors.json', PAGE), 'utf8')) as {
  readonly rsa_key: { readonly private_key: string };
  readonly vectors: readonly SigningVector[];
};

describe("the page's signature", () => {
  it.each(VECTORS.vectors.map((vector) => [vector.name, vector] as const))(
    'is the vector: %s',
    async (_name, vector) => {
      const secret = vector.secret.api_secret ?? VECTORS.rsa_key.private_key;
      expect(await signatureOf(secret, vector.signed_message)).toBe(vector.headers['X-SIGN']);
    },
  );

  it.each([
    ['', ''],
    ['b=2&a=1', 'a=1&b=2'],
    ['orderIds=2&limit=3&orderIds=1', 'limit=3&orderIds=2&orderIds=1'],
    ['a=x%3Dy', 'a=x%3Dy'],
  ])('is over the query %j as %j', (query, sorted) => {
    expect(sortedQuery(query)).toBe(sorted);
  });

  it('refuses a secret that is no Base64', async () => {
    await expect(signatureOf('not base64!', 'x')).rejects.toThrow();
  });
});

describe("the page's request", () => {
  const server = new RunningServer();
  beforeAll(() => server.start());
  afterAll(() => server.server.close());

  const signing = (apiKey: string, secret: string) => ({
    apiKey,
    secret,
    nowMs: server.realMs,
    origin: `http://127.0.0.1:${server.server.port}/docs`,
  });

  async function send(request: PageRequest): Promise<number> {
    const { pathname, search } = new URL(request.url, 'http://here');
    const body = typeof request.body === 'string' ? request.body : '';
    return (await server.send(request.method, pathname + search, body, { ...request.headers })).status;
  }

  it.each<[string, PageRequest, number]>([
    ['a create', { url: '/api/v2/trading/order/create', method: 'POST', headers: {}, body: createBody() }, 201],
    ['a text', { url: '/api/v2/trading/order/create', method: 'POST', headers: {}, body: '{ "side": "größer" }' }, 201],
    ['a GET', { url: '/api/v2/trading/order/find?startMs=1&endMs=2&limit=3', method: 'GET', headers: {} }, 200],
    ['a window', { url: '/api/v2/trading/order/open', method: 'GET', headers: { 'X-RECV-WINDOW': '100' } }, 200],
  ])('is accepted by the server: %s', async (_name, request, status) => {
    expect(await send(await signedRequest(request, signing('TRADER', STANDARD_SECRET)))).toBe(status);
  });

  it('is signed by a URL-safe secret too', async () => {
    const request = { url: '/api/v2/data/exchanges?all=true', method: 'GET', headers: {} };
    expect(await send(await signedRequest(request, signing('READER', URL_SAFE_SECRET)))).toBe(200);
  });

  it('is left alone when it needs no signature, or nothing is there to sign with', async () => {
    const ping = { url: '/status/ping', method: 'GET', headers: {} };
    expect(await signedRequest(ping, signing('TRADER', STANDARD_SECRET))).toBe(ping);
    const open = { url: '/api/v2/trading/order/open', method: 'GET', headers: {} };
    expect(await signedRequest(open, signing('', ''))).toBe(open);
  });
});

describe('the page', () => {
  const html = readFileSync(new URL('page.html', PAGE), 'utf8');

  it('loads nothing from elsewhere and keeps no key', () => {
    const scripts = ['page.js', 'signature.js', 'signed-request.js'].map((name) =>
      readFileSync(new URL(name, PAGE), 'utf8'),
    );
    const texts = [html, readFileSync(new URL('page.css', PAGE), 'utf8'), ...scripts].join('\n');
    expect(texts).not.toMatch(/https?:\/\//);
    expect(texts).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
  });
});
