import { createHash, createHmac, createPublicKey, createSecretKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeSecret, digestOf, requestText, signedMessage, signerOf } from '../../src/client/signature.js';
import { authenticate, type Credentials, type SignedPayload } from '../../src/http/auth/authenticate.js';
import type { ApiKeyRecord } from '../../src/keys/port.js';
import type { ApiKeyId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { DEMO } from './orders.js';

interface Vector {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<'X-API-KEY' | 'X-TIMESTAMP' | 'X-SIGN', string>> & {
    readonly [Name in 'X-RECV-WINDOW' | 'X-SIGN-VERSION' | 'X-NONCE']?: string;
  };
  readonly secret: { readonly kind: 'HMAC'; readonly api_secret: string } | { readonly kind: 'RSA' };
  readonly signed_message: string;
}

interface VectorFile {
  readonly rsa_key: { readonly public_key: string; readonly private_key: string };
  readonly vectors: readonly Vector[];
}

/**
 * Computed once with Python's hmac and with OpenSSL. They are published, so that clients can check their signatures.
 */
const FILE = join(import.meta.dirname, '../../src/http/auth/signing-vectors.json');
const { rsa_key: rsaKey, vectors } = JSON.parse(readFileSync(FILE, 'utf8')) as VectorFile;

function recordOf({ headers, secret }: Vector): ApiKeyRecord {
  const apiKey = headers['X-API-KEY'] as ApiKeyId;
  const bounds = {
    apiKey,
    account: DEMO,
    permissions: [],
    expiresAtMs: null,
    allowedFrom: null,
    needsSignV2: false,
    hasSigned: false,
  };
  return secret.kind === 'HMAC'
    ? { ...bounds, kind: 'HMAC', secret: createSecretKey(decodeSecret(secret.api_secret)) }
    : { ...bounds, kind: 'RSA', publicKey: createPublicKey(rsaKey.public_key), weakness: null };
}

function credentialsOf({ headers }: Vector): Credentials {
  const { 'X-API-KEY': apiKey, 'X-TIMESTAMP': timestamp, 'X-SIGN': signature } = headers;
  const recvWindow = headers['X-RECV-WINDOW'] ?? '';
  const [version, nonce] = [headers['X-SIGN-VERSION'] ?? '', headers['X-NONCE'] ?? ''];
  return { apiKey, timestamp, signature, recvWindow, version, nonce };
}

function payloadOf({ query, body }: Vector): SignedPayload {
  return body === undefined ? { kind: 'query', text: query ?? '' } : { kind: 'body', bytes: Buffer.from(body) };
}

function isAccepted(vector: Vector, credentials = credentialsOf(vector), payload = payloadOf(vector)): boolean {
  const keys = { find: () => recordOf(vector), findSuspended: () => null };
  const query = payload.kind === 'query' ? payload.text : (vector.query ?? '');
  const head = { credentials, path: vector.path, query };
  return !isRejected(authenticate(head, payload, keys, Number(vector.headers['X-TIMESTAMP'])));
}

/** The texts that the contract allows a client to sign. */
function textsOf({ method, path, query = '', body = '', headers }: Vector): string[] {
  const { 'X-TIMESTAMP': timestamp, 'X-API-KEY': apiKey, 'X-RECV-WINDOW': recvWindow = '5000' } = headers;
  if (headers['X-SIGN-VERSION'] === '2') {
    const digest = createHash('sha256').update(body).digest('hex');
    return [
      `2\n${method}\n${path}\n${query}\n${timestamp}\n${apiKey}\n${recvWindow}\n${headers['X-NONCE']}\n${digest}`,
    ];
  }
  const [start, payload] = [timestamp + apiKey + recvWindow, method === 'POST' ? body : query];
  return [start + payload, start + decodeURIComponent(payload)];
}

/** The text that the client signs for the vector's request. */
function clientText({ method, path, query = '', body = '', headers }: Vector): string {
  const timestampMs = Number(headers['X-TIMESTAMP']);
  const apiKey = headers['X-API-KEY'];
  const recvWindowMs = Number(headers['X-RECV-WINDOW'] ?? '5000');
  const nonce = headers['X-NONCE'];
  if (nonce === undefined) {
    return signedMessage({ timestampMs, apiKey, recvWindowMs, payload: method === 'POST' ? body : query });
  }
  return requestText({ method, path, query, timestampMs, apiKey, recvWindowMs, nonce, bodyDigest: digestOf(body) });
}

describe.each(vectors)('signing vector: $name', (vector) => {
  const { headers, secret, signed_message: message } = vector;
  const signature = headers['X-SIGN'];

  it('equals a signature that node:crypto computes by the contract', () => {
    expect(textsOf(vector)).toContain(message);
    if (secret.kind === 'RSA') {
      const bytes = Buffer.from(signature, 'base64');
      expect(verify('sha256', Buffer.from(message), rsaKey.public_key, bytes)).toBe(true);
    } else {
      const encoding = /[+/]|=$/.test(secret.api_secret) ? 'base64' : 'base64url';
      const hmac = createHmac('sha256', Buffer.from(secret.api_secret, encoding));
      expect(hmac.update(message).digest('base64')).toBe(signature);
    }
  });

  it('is accepted by the service', () => {
    expect(isAccepted(vector)).toBe(true);
  });

  it('equals the signature of the client', () => {
    const sign = signerOf(secret.kind === 'RSA' ? rsaKey.private_key : secret.api_secret);
    expect(sign(message)).toBe(signature);
    // A client may sign a query before it encodes it. This client does not.
    if (message !== textsOf(vector)[0]) return;
    expect(clientText(vector)).toBe(message);
  });

  it('is refused when any part of it changes', () => {
    const credentials = credentialsOf(vector);
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    const others: Partial<Credentials>[] = [
      { signature: flipped },
      { recvWindow: '4999' },
      { timestamp: String(Number(credentials.timestamp) + 1) },
      { apiKey: `${credentials.apiKey.slice(1)}0` },
    ];
    if (credentials.version === '2') {
      others.push({ nonce: `${credentials.nonce.slice(1)}0` }, { version: '' }, { version: '1' });
      expect(isAccepted({ ...vector, path: `${vector.path}s` })).toBe(false);
      expect(isAccepted({ ...vector, query: `${vector.query ?? ''}&x=1` })).toBe(false);
    }
    for (const other of others) expect(isAccepted(vector, { ...credentials, ...other })).toBe(false);
    expect(isAccepted(vector, credentials, { kind: 'query', text: `${vector.query ?? ''}&` })).toBe(false);
    expect(isAccepted(vector, credentials, { kind: 'body', bytes: Buffer.from(`${vector.body ?? ''}!`) })).toBe(false);
  });
});

describe('the signing vectors', () => {
  it('cover both kinds of keys, of payloads and of secrets, and the default window', () => {
    const versions = vectors.map(
      ({ secret, method, headers }) => `${secret.kind} ${method} ${headers['X-SIGN-VERSION']}`,
    );
    expect(versions).toEqual(expect.arrayContaining(['HMAC POST 2', 'HMAC GET 2', 'RSA POST 2']));
    const secrets = vectors.flatMap(({ secret }) => (secret.kind === 'HMAC' ? [secret.api_secret] : []));
    expect(
      new Set(vectors.map(({ secret, body }) => `${secret.kind} ${body === undefined ? 'GET' : 'POST'}`)).size,
    ).toBe(4);
    expect(secrets.some((secret) => /[+/]/.test(secret))).toBe(true);
    expect(secrets.some((secret) => /[-_]/.test(secret) && !secret.endsWith('='))).toBe(true);
    expect(vectors.some(({ headers }) => headers['X-RECV-WINDOW'] === undefined)).toBe(true);
  });
});
