import { createHmac, createSecretKey, createSign, generateKeyPairSync } from 'node:crypto';
import { decodeSecret } from '../../src/client/index.js';
import type { ApiKeyRecord, KeyDirectory, Permission } from '../../src/keys/port.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { DEMO, OTHER } from './orders.js';

/** Contains `+` and `/`: standard Base64. */
export const STANDARD_SECRET = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index)).toString('base64');
/** Contains `-` and `_` without padding: URL-safe Base64. */
export const URL_SAFE_SECRET = Buffer.from(Array.from({ length: 32 }, (_, index) => 250 - index)).toString('base64url');

/** The time at which the key EXPIRING expires. */
export const EXPIRES_AT_MS = 1_800_000_000_500;

const UNBOUND = { expiresAtMs: null, allowedFrom: null, needsSignV2: false, hasSigned: false };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

function hmacKey(apiKey: string, account: AccountId, secret: string, permissions: readonly Permission[]): ApiKeyRecord {
  return {
    apiKey: apiKey as ApiKeyId,
    account,
    permissions,
    ...UNBOUND,
    kind: 'HMAC',
    secret: createSecretKey(decodeSecret(secret)),
  };
}

const RECORDS: readonly ApiKeyRecord[] = [
  hmacKey('TRADER', DEMO, STANDARD_SECRET, ['read', 'trade']),
  hmacKey('READER', DEMO, URL_SAFE_SECRET, ['read']),
  hmacKey('STRANGER', OTHER, STANDARD_SECRET, ['read', 'trade']),
  {
    apiKey: 'RSA' as ApiKeyId,
    account: DEMO,
    permissions: ['read', 'trade'],
    ...UNBOUND,
    kind: 'RSA',
    publicKey: rsa.publicKey,
    weakness: null,
  },
  {
    apiKey: 'WEAK' as ApiKeyId,
    account: DEMO,
    permissions: ['read', 'trade'],
    ...UNBOUND,
    kind: 'RSA',
    publicKey: rsa.publicKey,
    weakness: 'the public exponent 1',
  },
  { ...hmacKey('SECOND', DEMO, STANDARD_SECRET, ['read', 'trade']), needsSignV2: true },
  { ...hmacKey('EXPIRING', DEMO, STANDARD_SECRET, ['read']), expiresAtMs: EXPIRES_AT_MS },
  {
    ...hmacKey('ELSEWHERE', DEMO, STANDARD_SECRET, ['read']),
    allowedFrom: { includes: (from) => from === '10.1.2.3' },
  },
  { ...hmacKey('HERE', DEMO, STANDARD_SECRET, ['read']), allowedFrom: { includes: (from) => from === '127.0.0.1' } },
];

export const KEYS: KeyDirectory = {
  find: (apiKey) => RECORDS.find((record) => record.apiKey === apiKey) ?? null,
  findSuspended: () => null,
};

/** Written from the words of the contract, independent of the code under test. */
export function signHmac(secret: string, head: string, payload: string | Buffer): string {
  const isStandard = /[+/]|=$/.test(secret);
  const key = Buffer.from(secret, isStandard ? 'base64' : 'base64url');
  return createHmac('sha256', key).update(head).update(payload).digest('base64');
}

export function signRsa(head: string, payload: string | Buffer): string {
  return createSign('RSA-SHA256').update(head).update(payload).sign(rsa.privateKey).toString('base64');
}
