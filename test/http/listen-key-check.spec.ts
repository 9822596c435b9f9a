import { beforeEach, describe, expect, it } from 'vitest';
import { ListenKeyCheck } from '../../src/http/gate.js';
import { JwtListenKeys } from '../../src/keys/listen-key.js';
import type { ApiKeyRecord } from '../../src/keys/port.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { KEYS } from './keys.js';
import { DEMO, OTHER } from './orders.js';

const NOW_MS = 1_800_000_000_000;
const TRADER = 'TRADER' as ApiKeyId;
const HERE = Uint8Array.of(10, 1, 2, 3).buffer;
const ELSEWHERE = Uint8Array.of(192, 0, 2, 7).buffer;

let nowMs: number;
let record: ApiKeyRecord | null;
let isSuspended: boolean;
beforeEach(() => {
  nowMs = NOW_MS;
  isSuspended = false;
  record = KEYS.find(TRADER);
});

const listenKeys = new JwtListenKeys({ secret: new Uint8Array(32), ttlS: 3600, realNowMs: () => nowMs });
const check = new ListenKeyCheck({
  verify: (listenKey) => listenKeys.verify(listenKey),
  keys: {
    find: (apiKey) => (apiKey === TRADER && !isSuspended ? record : null),
    findSuspended: (apiKey) => (apiKey === TRADER && isSuspended ? record : null),
  },
  realNowMs: () => nowMs,
});

function bind(bounds: Partial<Pick<ApiKeyRecord, 'account' | 'expiresAtMs' | 'allowedFrom'>>): void {
  record = record === null ? null : { ...record, ...bounds };
}

describe('a listen key', () => {
  it('opens the stream of its account while its API key is valid', () => {
    expect(check.holderOf(listenKeys.issue(DEMO, TRADER), ELSEWHERE)).toMatchObject({
      account: DEMO,
      address: '192.0.2.7',
    });
  });

  it('is refused when its API key is revoked, unknown or expired', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    bind({ expiresAtMs: NOW_MS + 10 });
    expect(check.holderOf(listenKey, HERE)).toMatchObject({ account: DEMO, apiKey: TRADER });
    nowMs += 10;
    expect(check.holderOf(listenKey, HERE)).toMatchObject({
      rejection: { code: 'INVALID_API_KEY', message: 'the API key has expired', reason: 'KEY_EXPIRED' },
    });
    record = null;
    expect(check.holderOf(listenKey, HERE)).toBeNull();
    expect(check.holderOf(listenKeys.issue(DEMO, 'ANOTHER' as ApiKeyId), HERE)).toBeNull();
  });

  it('is refused when the RSA key of its API key is too weak', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    const weak = KEYS.find('WEAK');
    record = weak === null ? null : { ...weak, apiKey: TRADER };
    expect(check.holderOf(listenKey, HERE)).toBeNull();
    expect(check.failureOf({ account: DEMO, apiKey: TRADER, address: '10.1.2.3' })).toContain('too weak');
  });

  it('is refused with the reason while its API key is suspended', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    isSuspended = true;
    expect(check.holderOf(listenKey, HERE)).toMatchObject({
      rejection: { code: 'INVALID_API_KEY', message: expect.stringContaining('suspended'), reason: 'KEY_SUSPENDED' },
    });
    expect(check.failureOf({ account: DEMO, apiKey: TRADER, address: '10.1.2.3' })).toContain('is suspended');
    expect(check.holderOf(listenKeys.issue(OTHER, TRADER), HERE)).toBeNull();
    isSuspended = false;
    expect(check.holderOf(listenKey, HERE)).toMatchObject({ account: DEMO });
  });

  it('is refused from an address outside the networks of its API key', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    bind({ allowedFrom: { includes: (address) => address === '10.1.2.3' } });
    expect(check.holderOf(listenKey, HERE)).toMatchObject({ account: DEMO, apiKey: TRADER });
    expect(check.holderOf(listenKey, ELSEWHERE)).toBeNull();
  });

  it('is refused when it is forged or names another account than its API key', () => {
    expect(check.holderOf(listenKeys.issue(OTHER, TRADER), HERE)).toBeNull();
    const forger = new JwtListenKeys({ secret: new Uint8Array(32).fill(1), ttlS: 3600, realNowMs: () => nowMs });
    expect(check.holderOf(forger.issue('demo' as AccountId, TRADER), HERE)).toBeNull();
    expect(check.holderOf('', HERE)).toBeNull();
  });
});
