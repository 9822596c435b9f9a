import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryString } from '../../src/client/wire.js';
import { decodeSecret, hmacSigner, rsaSigner, signedMessage, signerOf } from '../../src/client/signature.js';

describe('the signed message', () => {
  it('is time stamp, key, receive window and payload without separators', () => {
    const parts = { timestampMs: 1_700_000_000_000, apiKey: 'KEY', recvWindowMs: 5000, payload: 'a=1&b=2' };
    expect(signedMessage(parts)).toBe('1700000000000KEY5000a=1&b=2');
  });
});

describe('a secret', () => {
  it('is read as standard Base64 with +, / or a final =, and as URL-safe Base64 otherwise', () => {
    const bytes = Buffer.from('fbefbe', 'hex');
    expect(decodeSecret('++++')).toEqual(bytes);
    expect(decodeSecret('----')).toEqual(bytes);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (secret) => {
        expect(decodeSecret(Buffer.from(secret).toString('base64'))).toEqual(Buffer.from(secret));
        expect(decodeSecret(Buffer.from(secret).toString('base64url'))).toEqual(Buffer.from(secret));
      }),
    );
  });

  it('signs as HMAC-SHA256 in standard Base64', () => {
    // RFC 4231, test case 2: key "Jefe".
    const secret = Buffer.from('Jefe').toString('base64');
    const digest = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    expect(hmacSigner(secret)('what do ya want for nothing?')).toBe(Buffer.from(digest, 'hex').toString('base64'));
    expect(signerOf(secret)('x')).toBe(createHmac('sha256', 'Jefe').update('x').digest('base64'));
  });
});

describe('an RSA key', () => {
  it('signs as RSA-SHA256 with PKCS#1 v1.5 padding', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const sign of [rsaSigner(pem), signerOf(pem)]) {
      const signature = Buffer.from(sign('message'), 'base64');
      expect(verify('sha256', Buffer.from('message'), publicKey, signature)).toBe(true);
    }
  });
});

describe('a query string', () => {
  it('sorts its keys, joins lists by commas and omits undefined values', () => {
    expect(queryString({ b: 'x/y z', a: [1, 2], d: undefined, c: true, e: [] })).toBe('a=1,2&b=x%2Fy%20z&c=true');
    expect(queryString({})).toBe('');
  });

  it('decodes to the same values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string({ unit: 'grapheme' })), (values) => {
        expect(new Map(new URLSearchParams(queryString(values)))).toEqual(new Map(Object.entries(values)));
      }),
    );
  });
});
