import { createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticate, type Credentials, type SignedPayload } from '../../src/http/auth/authenticate.js';
import { isHmac } from '../../src/http/auth/signature.js';
import { isRejected } from '../../src/domain/rejection.js';
import { KEYS, STANDARD_SECRET, URL_SAFE_SECRET, signHmac, signRsa } from './keys.js';

const NOW_MS = 1_800_000_000_000;

interface Attempt extends Partial<Credentials> {
  readonly payload?: SignedPayload;
  /** This text is signed instead of the payload. */
  readonly signed?: string;
}

/** Signs correctly with the default window. Credentials of the attempt then replace the correct ones. */
function attempt({ payload = { kind: 'query', text: '' }, signed, ...given }: Attempt): string {
  const apiKey = given.apiKey ?? 'TRADER';
  const timestamp = given.timestamp ?? String(NOW_MS);
  const secret = apiKey === 'READER' ? URL_SAFE_SECRET : STANDARD_SECRET;
  const head =
    timestamp + apiKey + (given.recvWindow === undefined || given.recvWindow === '' ? '5000' : given.recvWindow);
  const content = signed ?? (payload.kind === 'query' ? payload.text : payload.bytes);
  const signature = apiKey === 'RSA' || apiKey === 'WEAK' ? signRsa(head, content) : signHmac(secret, head, content);
  const credentials = { apiKey, timestamp, signature, recvWindow: '', version: '', nonce: '', ...given };
  const result = authenticate({ credentials, path: '/x', query: '' }, payload, KEYS, NOW_MS);
  return isRejected(result) ? `${result.rejection.code}: ${result.rejection.message}` : result.record.account;
}

function withHighBit(text: string, at: number): string {
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) + 0x100) + text.slice(at + 1);
}

describe('authenticate', () => {
  it('accepts a signature that OpenSSL computed', () => {
    // printf '1800000000000TRADER5000{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:fffe…e0 -binary | base64
    const signature = 'DDpsgww7cdjcMyHyjtOftvkZxxLgHQ4mvWsSa3U3uag=';
    const payload: SignedPayload = { kind: 'body', bytes: Buffer.from('{"a":1}') };
    expect(attempt({ payload, signature })).toBe('demo');
  });

  it.each([
    ['a standard secret', 'TRADER'],
    ['a URL-safe secret', 'READER'],
    ['an RSA key', 'RSA'],
  ])('accepts signatures by %s of a body, a query and an empty payload', (_name, apiKey) => {
    expect(attempt({ apiKey })).toBe('demo');
    expect(attempt({ apiKey, payload: { kind: 'query', text: 'b=2&a=%20' } })).toBe('demo');
    expect(attempt({ apiKey, payload: { kind: 'body', bytes: Buffer.from([0xff, 0x00, 0x7b]) } })).toBe('demo');
  });

  it('accepts the signature of a decoded query, but not of a decoded body', () => {
    expect(attempt({ payload: { kind: 'query', text: 'a=1%2C2' }, signed: 'a=1,2' })).toBe('demo');
    expect(attempt({ payload: { kind: 'query', text: 'a=%zz' }, signed: 'a=1' })).toMatch(/^INVALID_SIGNATURE/);
    const payload: SignedPayload = { kind: 'body', bytes: Buffer.from('%41') };
    expect(attempt({ payload, signed: 'A' })).toMatch(/^INVALID_SIGNATURE/);
  });

  it.each([
    ['a time stamp in words', { timestamp: 'now' }, 'INVALID_TIMESTAMP'],
    ['a negative time stamp', { timestamp: '-1' }, 'INVALID_TIMESTAMP'],
    ['a fraction', { timestamp: '1800000000000.5' }, 'INVALID_TIMESTAMP'],
    [
      'a wrong RSA signature',
      { apiKey: 'RSA', signed: 'x' },
      'INVALID_SIGNATURE: X-SIGN is not the Base64 of RSA-SHA256',
    ],
    ['a short signature', { signature: 'AAAA' }, 'INVALID_SIGNATURE'],
    ['a signature of non-ASCII', { signature: 'é'.repeat(44) }, 'INVALID_SIGNATURE'],
    [
      'a right signature of a weak RSA key',
      { apiKey: 'WEAK' },
      'INVALID_API_KEY: X-API-KEY is refused: its RSA public key has the public exponent 1',
    ],
    ['a wrong signature of a weak RSA key', { apiKey: 'WEAK', signed: 'x' }, 'INVALID_SIGNATURE'],
    ['an RSA signature that is no Base64', { apiKey: 'RSA', signature: '*' }, 'INVALID_SIGNATURE'],
  ])('refuses %s', (_name, given, expected) => {
    expect(attempt(given)).toContain(expected);
  });

  it('accepts only the canonical Base64 of a signature', () => {
    const signature = signHmac(STANDARD_SECRET, `${NOW_MS}TRADER5000`, '');
    const urlSafe = signature.replaceAll('+', '-').replaceAll('/', '_');
    const variants = [signature.slice(0, -1), ` ${signature}`, `${signature}=`, urlSafe === signature ? '' : urlSafe];
    expect(attempt({ signature })).toBe('demo');
    // Characters with the same lowest eight bits.
    variants.push(...[0, 20, 43].map((at) => withHighBit(signature, at)));
    for (const variant of variants) expect(attempt({ signature: variant })).toMatch(/^INVALID_SIGNATURE/);
  });
});

describe('isHmac', () => {
  const secretBytes = fc.uint8Array({ minLength: 1, maxLength: 100 });
  // Around the size from which messages are not copied, and anywhere below it.
  const payloadBytes = fc.oneof(fc.nat(300), fc.integer({ min: 16_200, max: 16_500 }));
  const payloads = fc
    .tuple(fc.string({ unit: 'binary', maxLength: 40 }), payloadBytes, fc.boolean())
    .map(([text, length, isText]) => (isText ? text.repeat(1 + (length % 500)) : Buffer.alloc(length, text || 'x')));

  it('accepts what HMAC of OpenSSL gives, for any secret and message, and nothing else', () => {
    fc.assert(
      fc.property(secretBytes, fc.string({ unit: 'binary' }), payloads, (bytes, head, payload) => {
        const secret = createSecretKey(Buffer.from(bytes));
        const signature = createHmac('sha256', secret).update(head).update(payload).digest('base64');
        const other = createHmac('sha256', secret).update(`${head}x`).update(payload).digest('base64');
        expect([signature, other].map((text) => isHmac(secret, head, payload, text))).toEqual([true, false]);
      }),
      { numRuns: 1_000 },
    );
  });
});
