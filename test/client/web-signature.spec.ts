import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmacSigner, signedMessage, webSigner } from '../../src/client/index.js';
import { sortedQuery } from '../../src/client/web-signature.js';
import type { SigningVector } from '../../src/api/document/guide.js';

const PUBLISHED = new URL('../../src/http/auth/signing-vectors.json', import.meta.url);
const { rsa_key: rsaKey, vectors } = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as {
  readonly rsa_key: { readonly private_key: string };
  readonly vectors: readonly SigningVector[];
};

describe('a signature by WebCrypto', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'equals the published signature: %s',
    async (_name, { secret, signed_message: message, headers }) => {
      const sign = await webSigner(secret.api_secret ?? rsaKey.private_key);
      expect(await sign(message)).toBe(headers['X-SIGN']);
    },
  );

  it('equals the signature of node:crypto for every secret and message', async () => {
    const secrets = fc.uint8Array({ minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(secrets, fc.string({ unit: 'grapheme' }), async (bytes, message) => {
        const expected = createHmac('sha256', bytes).update(message).digest('base64');
        for (const encoding of ['base64', 'base64url'] as const) {
          const secret = Buffer.from(bytes).toString(encoding);
          expect(await (await webSigner(secret))(message)).toBe(expected);
          expect(hmacSigner(secret)(message)).toBe(expected);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('verifies with the public key of a PKCS#8 private key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const sign = await webSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const message = signedMessage({ timestampMs: 1, apiKey: 'KEY', recvWindowMs: 5000, payload: '{"größe":"½"}' });
    const signature = Buffer.from(await sign(message), 'base64');
    expect(verify('sha256', Buffer.from(message), publicKey, signature)).toBe(true);
  });

  it('refuses a secret that is not Base64', async () => {
    await expect(webSigner('not base64!')).rejects.toThrow();
  });
});

describe('a query to be signed', () => {
  it.each([
    ['', ''],
    ['b=2&a=1', 'a=1&b=2'],
    ['orderIds=2&limit=3&orderIds=1', 'limit=3&orderIds=2&orderIds=1'],
    ['a=x%3Dy', 'a=x%3Dy'],
  ])('is sorted by key: %j becomes %j', (query, sorted) => {
    expect(sortedQuery(query)).toBe(sorted);
  });
});
