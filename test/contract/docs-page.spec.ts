import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocsFiles } from '../../src/http/static-files.js';
import { STANDARD_SECRET, URL_SAFE_SECRET } from '../http/keys.js';
import { createBody } from '../http/orders.js';
import { RunningServer } from '../http/running-server.js';

interface PageRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly loadSpec?: boolean;
}

/** The page's script as a browser loads it. */
interface SignedRequest {
  signedRequest(
    request: PageRequest,
    signing: { apiKey: string; secret: string; nowMs: number; origin: string },
  ): Promise<PageRequest>;
}

const PAGE = new URL('../../src/http/docs-page/', import.meta.url);
const { signedRequest } = (await import(new URL('signed-request.js', PAGE).href)) as SignedRequest;

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

  it('is signed with a URL-safe secret too', async () => {
    const request = { url: '/api/v2/data/exchanges?all=true', method: 'GET', headers: {} };
    expect(await send(await signedRequest(request, signing('READER', URL_SAFE_SECRET)))).toBe(200);
  });

  it('is sent unsigned when it needs no signature or no key is entered', async () => {
    const ping = { url: '/status/ping', method: 'GET', headers: {} };
    expect(await signedRequest(ping, signing('TRADER', STANDARD_SECRET))).toBe(ping);
    const open = { url: '/api/v2/trading/order/open', method: 'GET', headers: {} };
    expect(await signedRequest(open, signing('', ''))).toBe(open);
  });
});

describe('the page', () => {
  const html = readFileSync(new URL('page.html', PAGE), 'utf8');

  it('loads no other origin and stores no key', () => {
    const scripts = ['page.js', 'signed-request.js'].map((name) => readFileSync(new URL(name, PAGE), 'utf8'));
    const texts = [html, readFileSync(new URL('page.css', PAGE), 'utf8'), ...scripts].join('\n');
    expect(texts).not.toMatch(/https?:\/\//);
    expect(texts).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
  });

  it('signs with the code of the client', () => {
    const served = new Map(readDocsFiles().map(({ path, bytes }) => [path, bytes.toString()]));
    const signing = readFileSync(new URL('../../client/web-signature.js', PAGE), 'utf8');
    expect(served.get('/docs/web-signature.js')).toBe(signing);
    expect(signing).not.toMatch(/^import /m);
    const imported = [...(served.get('/docs/signed-request.js') ?? '').matchAll(/from '(.+)'/g)].map(
      ([, from]) => from,
    );
    expect(imported).toEqual(['./web-signature.js']);
  });
});
