import { createHash, createHmac } from 'node:crypto';
import { decodeSecret } from '../../src/client/index.js';
import type { Random } from '../torture/random.js';

export interface Key {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export type Header = readonly [name: string, value: string];

/** A request before it is written as bytes. `target`: path and query, as sent. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

const RECV_WINDOW_MS = 5000;
const LONG_CHARACTERS = 8 * 1024;
const METHODS = ['HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'POST', 'GET', 'get', 'FUZZ'] as const;

/** Returns the bytes to send. Texts are encoded in UTF-8. */
export function bytesOf({ method, target, headers, body }: Request): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), body]);
}

/** Returns Host, and Content-Length for a request with a body. */
export function plainHeaders(body: Buffer, isPost: boolean): Header[] {
  return [['Host', 'localhost'], ...(isPost ? [['Content-Length', String(body.length)] as const] : [])];
}

/** Returns the headers of a version 1 signature over a query string or a body. */
export function signatureHeaders(
  { apiKey, apiSecret }: Key,
  payload: string | Buffer,
  nowMs: number,
  windowMs = RECV_WINDOW_MS,
): Header[] {
  const signature = createHmac('sha256', decodeSecret(apiSecret))
    .update(`${nowMs}${apiKey}${windowMs}`)
    .update(payload)
    .digest('base64');
  return [
    ['X-API-KEY', apiKey],
    ['X-TIMESTAMP', String(nowMs)],
    ['X-RECV-WINDOW', String(windowMs)],
    ['X-SIGN', signature],
  ];
}

/** Parts that a version 2 signature covers. */
export interface SignedParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly timestamp: string;
  readonly apiKey: string;
  readonly window: string;
  readonly nonce: string;
}

/** Returns the version 2 signature over these parts. */
export function secondSignature(secret: string, parts: SignedParts): string {
  const { method, path, query, body, timestamp, apiKey, window, nonce } = parts;
  const digest = createHash('sha256').update(body).digest('hex');
  const text = ['2', method, path, query, timestamp, apiKey, window, nonce, digest].join('\n');
  return createHmac('sha256', decodeSecret(secret)).update(text).digest('base64');
}

/** Returns the request with one flawed header. Its length stays unambiguous. */
export function withMutatedHeader(request: Request, random: Random): Request {
  const changeable = request.headers.filter(([name]) => name.startsWith('X-'));
  if (changeable.length === 0 || random.below(5) === 0) {
    return { ...request, headers: [...request.headers, random.pick(ODD_HEADERS)] };
  }
  const chosen = random.pick(changeable);
  const headers = request.headers.flatMap((header) => (header === chosen ? mutatedHeader(header, random) : [header]));
  return { ...request, headers };
}

/** Returns the request with a wrong path or method. */
export function withMutatedTarget(request: Request, random: Random): Request {
  if (random.below(2) === 0) return { ...request, method: random.pick(METHODS) };
  const { target } = request;
  const [path = '', query = ''] = target.split('?');
  const others = [
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.slice(0, -1),
    path.replace('order', '%6frder'),
    `${path}/../open`,
    `${path}%00`,
    `${path};x=1`,
    `${path}/${'x'.repeat(LONG_CHARACTERS)}`,
    '/',
    '/*',
    `${path}#fragment`,
    `http://localhost${path}`,
    '/api/v2/ws',
    '/docs/../../etc/passwd',
    '/docs/%2e%2e/%2e%2e/etc/passwd',
  ];
  return { ...request, target: random.pick(others) + (query === '' ? '' : `?${query}`) };
}

const ODD_HEADERS: readonly Header[] = [
  ['X-Forwarded-For', '10.0.0.1, 127.0.0.1'],
  ['Expect', '100-continue'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', ''],
  ['Accept', 'text/xml'],
  ['Accept-Encoding', 'gzip, br;q=1.0, *;q=0'],
  ['Cookie', 'a=b; __proto__=c'],
  ['Authorization', 'Bearer x'],
  ['Range', 'bytes=0-1,-1,5-'],
  ['If-None-Match', '*'],
  ['Connection', 'Upgrade, HTTP2-Settings'],
  ['Upgrade', 'h2c'],
  ['X-Pad', 'x'.repeat(LONG_CHARACTERS)],
  ['X-HTTP-Method-Override', 'DELETE'],
];

function mutatedHeader([name, value]: Header, random: Random): Header[] {
  const others = [
    '',
    '0',
    '-1',
    '1e3',
    'NaN',
    '99999999999999999999',
    value.slice(1),
    `${value}=`,
    `${value}0`,
    value.toLowerCase(),
    `${value}, ${value}`,
    `"${value}"`,
    'é🙂',
    '%00',
    '__proto__',
    'x'.repeat(LONG_CHARACTERS),
    String(Number(value) + 10_000_000),
    String(Number(value) - 10_000_000),
  ];
  switch (random.below(4)) {
    case 0:
      return [];
    case 1:
      return [
        [name, value],
        [name, random.pick(others)],
      ];
    default:
      return [[name, random.pick(others)]];
  }
}
