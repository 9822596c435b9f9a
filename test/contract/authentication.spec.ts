import { generateKeyPairSync, constants, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SigningSamples, SigningVector } from '../../src/api/document/guide.js';
import { isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { openIdentity, type Identity, type KeyRequest } from '../../src/runtime/identity.js';
import { isRejected } from '../../src/domain/rejection.js';
import { createBody } from '../http/orders.js';
import { RunningServer, type Answer } from '../http/running-server.js';
import { temporaryDataDir } from '../keys/data-dir.js';
import { sendSigned, signatureOf, type SignedSending, type SigningKey } from './signed-client.js';

/*
 * Each point of decisions §4 about authentication, over HTTP, with keys that the operator's commands make. Quotations
 * come from decisions §4 and from "Authentication" in service.md.
 */

const ORDER = '/api/v2/trading/order';
const OPEN_ORDERS = `${ORDER}/open`;
const CREATE = `${ORDER}/create`;
const TRADER: KeyRequest = { account: 'desk', permissions: ['trade'], kind: 'HMAC' };
const READER: KeyRequest = { ...TRADER, permissions: ['read'] };
const BODY = JSON.stringify(createBody());

let server: RunningServer;
let identity: Identity;

beforeEach(async () => {
  identity = openIdentity(temporaryDataDir());
  server = new RunningServer();
  await server.start({ keys: identity.directory });
});
afterEach(async () => {
  await server.server.close();
  await identity.close();
});

function keyOf(request: KeyRequest = TRADER): SigningKey & { readonly secret: string } {
  const made = identity.keys.createKey(request, server.realMs);
  if (isRejected(made)) throw new Error(made.rejection.message);
  return { apiKey: made.apiKey, secret: made.apiSecret ?? '' };
}

function rsaKeyOf(modulusLength: number): SigningKey | string {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const made = identity.keys.createKey({ ...TRADER, kind: 'RSA', publicKey: pem }, server.realMs);
  return isRejected(made) ? made.rejection.message : { apiKey: made.apiKey, privateKey };
}

const ask = (key: SigningKey, sending: SignedSending = {}): Promise<Answer> =>
  sendSigned(server, key, sending.body === undefined ? OPEN_ORDERS : CREATE, sending);

/** The code and message of an error body, which must name its request. */
function errorOf({ status, text, headers }: Answer): string {
  const { error_code: code, message, request_id: requestId } = JSON.parse(text) as Record<string, string>;
  expect(requestId).toBe(headers['x-request-id']);
  return `${status} ${code}: ${message}`;
}

describe('"missing or unknown key; missing or bad signature; missing or unreadable time stamp …: 401"', () => {
  it.each<[string, SignedSending]>([
    ['401 INVALID_API_KEY: X-API-KEY is missing', { headers: { 'X-API-KEY': '' } }],
    ['401 INVALID_API_KEY: X-API-KEY is not a known key', { headers: { 'X-API-KEY': 'f'.repeat(32) } }],
    ['401 INVALID_SIGNATURE: X-SIGN is missing', { headers: { 'X-SIGN': '' } }],
    ['401 INVALID_SIGNATURE: X-SIGN is not the Base64 of HMAC-SHA256', { signed: 'something else' }],
    ['401 INVALID_SIGNATURE: X-SIGN is not the Base64', { headers: { 'X-SIGN': 'ab'.repeat(32) } }],
    ['401 INVALID_TIMESTAMP: X-TIMESTAMP is missing', { headers: { 'X-TIMESTAMP': '' } }],
    ['401 INVALID_TIMESTAMP: X-TIMESTAMP is not an integer', { headers: { 'X-TIMESTAMP': '2027-01-15T08:00:00Z' } }],
    ['401 INVALID_TIMESTAMP: X-RECV-WINDOW is not an integer from 1 to 60000', { recvWindow: '0' }],
    ['401 INVALID_TIMESTAMP: X-RECV-WINDOW is not an integer from 1 to 60000', { recvWindow: '60001' }],
    ['401 INVALID_TIMESTAMP: X-RECV-WINDOW is not an integer from 1 to 60000', { recvWindow: '5s' }],
  ])('the message contains "%s" and the server time', async (step, sending) => {
    for (const answer of [await ask(keyOf(), sending), await ask(keyOf(), { ...sending, body: BODY })]) {
      expect(errorOf(answer)).toContain(step);
      expect(errorOf(answer)).toContain(`; server time is ${server.realMs}`);
    }
    expect(server.book.placedCount).toBe(0);
  });

  it('"the server’s clock is in the timestamp of /status/ping"', async () => {
    const ping = await server.send('GET', '/status/ping', '', {});
    expect(JSON.parse(ping.text)).toMatchObject({ status: 'ok', timestamp: server.realMs });
  });
});

describe('"time stamp outside [now - recv_window, now + 1000 ms]"', () => {
  it.each<[number, string | undefined, boolean]>([
    [-5000, undefined, true],
    [-5001, undefined, false],
    [-5000, '5000', true],
    [-1, '1', true],
    [-2, '1', false],
    [-60_000, '60000', true],
    [-60_001, '60000', false],
    [1000, undefined, true],
    [1001, undefined, false],
    [1000, '1', true],
    [1001, '60000', false],
  ])('a time stamp %i ms from now with the window %s', async (aheadMs, recvWindow, isGood) => {
    const window = recvWindow === undefined ? {} : { recvWindow };
    const answer = await ask(keyOf(), { aheadMs, ...window });
    if (isGood) expect(answer.status).toBe(200);
    else expect(errorOf(answer)).toMatch(/^401 INVALID_TIMESTAMP: X-TIMESTAMP \d+ is \d+ ms in the (past|future)/);
  });

  it('"without X-RECV-WINDOW the signed text holds 5000": a signature over another window is refused', async () => {
    const answer = await ask(keyOf(), { recvWindow: '5000', headers: { 'X-RECV-WINDOW': '6000' } });
    expect(errorOf(answer)).toContain('401 INVALID_SIGNATURE');
  });

  it('"a replayed signature is not refused inside its window"', async () => {
    const key = keyOf();
    const sending = { body: JSON.stringify(createBody({ client_order_id: 'once' })) };
    const [first, again] = [await ask(key, sending), await ask(key, sending)];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(server.book.placedCount).toBe(1);
  });
});

describe('"HMAC-SHA256 …, compared in constant time over the exact bytes"', () => {
  it('covers the exact bytes of a body', async () => {
    const key = keyOf();
    expect((await ask(key, { body: BODY })).status).toBe(201);
    const spaced = ` ${BODY} `;
    expect((await ask(key, { body: spaced })).status).toBe(201);
    expect(errorOf(await ask(key, { body: spaced, signed: BODY }))).toContain('401 INVALID_SIGNATURE');
    const notText = Buffer.from([0xff, 0xfe, 0x00]);
    expect(errorOf(await ask(key, { body: notText }))).toMatch(/^400 INVALID_REQUEST/);
  });

  it('"if it contains + or / or ends with =, it is standard Base64; otherwise it is URL-safe Base64"', async () => {
    const { apiKey, secret } = keyOf();
    const urlSafe = Buffer.from(secret, 'base64').toString('base64url');
    expect(secret).toMatch(/=$/);
    expect(urlSafe).not.toMatch(/[+/=]/);
    for (const text of [secret, urlSafe]) expect((await ask({ apiKey, secret: text })).status).toBe(200);
  });

  it('"standard Base64 (not hex)": other texts of the same bytes are refused', async () => {
    const key = keyOf();
    const signature = signatureOf(key, Buffer.from(`${server.realMs}${key.apiKey}5000`));
    expect((await ask(key, { headers: { 'X-SIGN': signature } })).status).toBe(200);
    const hex = Buffer.from(signature, 'base64').toString('hex');
    for (const text of [hex, signature.replace(/=$/, ''), `${signature}=`]) {
      expect(errorOf(await ask(key, { headers: { 'X-SIGN': text } }))).toContain('401 INVALID_SIGNATURE');
    }
  });
});

describe('"RSA-SHA256 (PKCS#1 v1.5, SPKI PEM public key, 2048 bits or more)"', () => {
  it('accepts an RSA signature of a query and of a body', async () => {
    const key = rsaKeyOf(2048);
    if (typeof key === 'string') throw new Error(key);
    expect((await ask(key, { query: 'include_fees=true' })).status).toBe(200);
    expect((await ask(key, { body: BODY })).status).toBe(201);
    expect(errorOf(await ask(key, { body: BODY, signed: '{}' }))).toContain('401 INVALID_SIGNATURE: X-SIGN is not');
  });

  it('accepts the signature of the compact body with number texts as sent', async () => {
    const key = rsaKeyOf(2048);
    if (typeof key === 'string') throw new Error(key);
    const spaced = JSON.stringify({ ...createBody(), source: 'a  b', limit_price: 0 }, null, 2).replace(
      ': 0\n',
      ': 0.10\n',
    );
    const compact = JSON.stringify({ ...createBody(), source: 'a  b', limit_price: 0 }).replace(':0}', ':0.10}');
    expect((await ask(key, { body: spaced, signed: compact })).status).toBe(201);
    const rewritten = compact.replace('0.10', '0.1');
    expect(errorOf(await ask(key, { body: spaced, signed: rewritten }))).toContain(
      '401 INVALID_SIGNATURE: X-SIGN is not',
    );
  });

  it('refuses another padding and keys below 2048 bits', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const { apiKey } = keyOf({ ...TRADER, kind: 'RSA', publicKey: pem });
    const message = Buffer.from(`${server.realMs}${apiKey}5000`);
    const pss = sign('sha256', message, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING });
    const answer = await ask({ apiKey, privateKey }, { headers: { 'X-SIGN': pss.toString('base64') } });
    expect(errorOf(answer)).toContain('401 INVALID_SIGNATURE: X-SIGN is not the Base64 of RSA-SHA256');
    expect(rsaKeyOf(1024)).toContain('2048');
  });
});

describe('"for GET the raw query string as sent, then, if that fails, its percent-decoded form"', () => {
  const encoded = 'clientOrderIds=a%20b%2Bc&orderIds=1%2C2';

  it.each([
    ['as sent', encoded, 200],
    ['decoded', 'clientOrderIds=a b+c&orderIds=1,2', 200],
    ['half decoded', 'clientOrderIds=a b%2Bc&orderIds=1,2', 401],
    ['without its second key', 'clientOrderIds=a%20b%2Bc', 401],
  ])('checks a query that was signed %s', async (_how, signed, status) => {
    expect((await sendSigned(server, keyOf(), `${ORDER}/byId`, { query: encoded, signed })).status).toBe(status);
  });

  it('"clients sort the keys; we do not re-sort"', async () => {
    const key = keyOf();
    const unsorted = 'startMs=1&endMs=2';
    expect((await sendSigned(server, key, `${ORDER}/find`, { query: unsorted })).status).toBe(200);
    const answer = await sendSigned(server, key, `${ORDER}/find`, { query: unsorted, signed: 'endMs=2&startMs=1' });
    expect(errorOf(answer)).toContain('401 INVALID_SIGNATURE');
  });

  it('a body is never decoded', async () => {
    expect(errorOf(await ask(keyOf(), { body: '%7B%7D', signed: '{}' }))).toContain('401 INVALID_SIGNATURE');
  });
});

describe('"a key without the permission: 403, AUTHENTICATION_ERROR"', () => {
  const signed = OPERATIONS.filter(isSigned);

  it.each(signed.map((operation) => [operation.needs, operation.path, operation] as const))(
    'checks a key that may only read where %s is needed: %s',
    async (needs, path, { method }) => {
      const answer = await sendSigned(server, keyOf(READER), path, method === 'POST' ? { body: '{}' } : {});
      if (needs === 'trade') expect(errorOf(answer)).toMatch(/^403 AUTHENTICATION_ERROR: .*no permission to trade/);
      else expect([200, 400]).toContain(answer.status);
    },
  );

  it('"a read-only API key suffices to obtain" a listen key', async () => {
    expect((await sendSigned(server, keyOf(READER), '/api/v2/trading/listenKey')).status).toBe(200);
  });

  it('"no key needed: /status/*, /openapi.json, /asyncapi.json, /docs, /console"', async () => {
    for (const operation of OPERATIONS.filter((one) => !isSigned(one))) {
      expect((await server.send('GET', operation.path, '', {})).status, operation.path).toBe(200);
    }
  });
});

describe('the keys of an account', () => {
  it('are as many as it wants, each with its own permissions; revoking takes effect at once and ends one alone', async () => {
    const [trader, other, reader] = [keyOf(), keyOf(), keyOf(READER)];
    expect((await ask(trader, { body: JSON.stringify(createBody({ client_order_id: 'shared' })) })).status).toBe(201);
    for (const key of [other, reader]) expect((await ask(key)).text).toContain('"client_order_id":"shared"');
    expect((await ask(keyOf({ ...TRADER, account: 'someone-else' }))).text).not.toContain('shared');

    identity.keys.revoke(trader.apiKey, server.realMs);
    expect(errorOf(await ask(trader))).toContain('401 INVALID_API_KEY: X-API-KEY is not a known key');
    for (const key of [other, reader]) expect((await ask(key)).status).toBe(200);
  });

  it('are good until they expire', async () => {
    const expiresAtMs = server.realMs + 3_600_000;
    const key = keyOf({ ...TRADER, expiresAtMs });
    server.realMs = expiresAtMs - 1;
    expect((await ask(key)).status).toBe(200);
    server.realMs = expiresAtMs;
    expect(errorOf(await ask(key))).toMatch(/^401 INVALID_API_KEY: X-API-KEY expired at 2027-01-15T09:00:00\.000Z/);
  });

  it('may be bound to networks, which are compared with the address of the connection', async () => {
    const key = keyOf({ ...TRADER, allowedNetworks: ['127.0.0.8/29', '2001:db8::/32'] });
    const headers = { 'X-Forwarded-For': '127.0.0.9', Forwarded: 'for=127.0.0.9', 'X-Real-IP': '127.0.0.9' };
    const elsewhere = await ask(key, { headers });
    expect(errorOf(elsewhere)).toMatch(/^403 AUTHENTICATION_ERROR: .*not allowed from the address 127\.0\.0\.1/);
    server.clientAddress = '127.0.0.9';
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key, { body: BODY })).status).toBe(201);
  });
});

function recomputed(samples: SigningSamples, { secret, headers, signed_message: message }: SigningVector): string {
  const apiKey = headers['X-API-KEY'] ?? '';
  if (secret.kind === 'HMAC') return signatureOf({ apiKey, secret: secret.api_secret ?? '' }, Buffer.from(message));
  return sign('sha256', Buffer.from(message), samples.rsa_key.private_key).toString('base64');
}

describe('the published signing vectors', () => {
  interface Document {
    readonly info: { readonly description: string };
    readonly 'x-signing-vectors': SigningSamples;
  }

  const documentOf = async (): Promise<Document> =>
    JSON.parse((await server.send('GET', '/openapi.json', '', {})).text) as Document;

  it('are correct in /openapi.json, with the signed text', async () => {
    const { 'x-signing-vectors': samples } = await documentOf();
    expect(new Set(samples.vectors.map(({ secret }) => secret.kind))).toEqual(new Set(['HMAC', 'RSA']));
    for (const vector of samples.vectors) {
      const { headers, signed_message: message } = vector;
      expect(recomputed(samples, vector), vector.name).toBe(headers['X-SIGN']);
      const parts = [headers['X-TIMESTAMP'], headers['X-API-KEY'], headers['X-RECV-WINDOW'] ?? '5000'];
      if (headers['X-SIGN-VERSION'] === '2') expect(message.split('\n').slice(4, 7), vector.name).toEqual(parts);
      else expect(message, vector.name).toContain(parts.join(''));
    }
  });

  it('are correct and equal in the guide of /docs', async () => {
    const { info, 'x-signing-vectors': samples } = await documentOf();
    const blocks = [...info.description.matchAll(/^key +(\S+)\nsecret +(\S+)\nmessage +([^]*?)\nX-SIGN +(\S+)$/gm)];
    expect(blocks.length).toBe(samples.vectors.filter(({ secret }) => secret.kind === 'HMAC').length);
    for (const [, apiKey = '', secret = '', message = '', signature] of blocks) {
      expect(signatureOf({ apiKey, secret }, Buffer.from(message))).toBe(signature);
      expect(message).toContain(apiKey);
    }
  });
});
