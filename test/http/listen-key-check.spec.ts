import { beforeEach, describe, expect, it } from 'vitest';
import { ListenKeyCheck } from '../../src/http/listen-key-check.js';
import { JwtListenKeys } from '../../src/http/listen-key.js';
import type { ApiKeyRecord } from '../../src/http/port.js';
import type { AccountId, ApiKeyId } from '../../src/model/ids.js';
import { KEYS } from './keys.js';
import { DEMO, OTHER } from './orders.js';

const NOW_MS = 1_800_000_000_000;
const TRADER = 'TRADER' as ApiKeyId;
const HERE = Uint8Array.of(10, 1, 2, 3).buffer;
const ELSEWHERE = Uint8Array.of(192, 0, 2, 7).buffer;

let nowMs: number;
let record: ApiKeyRecord | null;
beforeEach(() => {
  nowMs = NOW_MS;
  record = KEYS.find(TRADER);
});

const listenKeys = new JwtListenKeys({ secret: new Uint8Array(32), ttlS: 3600, realNowMs: () => nowMs });
const check = new ListenKeyCheck({
  verify: (listenKey) => listenKeys.verify(listenKey),
  keys: { find: (apiKey) => (apiKey === TRADER ? record : null) },
  realNowMs: () => nowMs,
});

function bind(bounds: Partial<Pick<ApiKeyRecord, 'account' | 'expiresAtMs' | 'allowedFrom'>>): void {
  record = record === null ? null : { ...record, ...bounds };
}

describe('a listen key', () => {
  it('opens the stream of its account while its API key is good', () => {
    expect(check.holderOf(listenKeys.issue(DEMO, TRADER), ELSEWHERE)).toMatchObject({
      account: DEMO,
      address: '192.0.2.7',
    });
  });

  it('ends with its API key: revoked, unknown, expired', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    bind({ expiresAtMs: NOW_MS + 10 });
    expect(check.holderOf(listenKey, HERE)).toMatchObject({ account: DEMO, apiKey: TRADER });
    nowMs += 10;
    expect(check.holderOf(listenKey, HERE)).toBeNull();
    record = null;
    expect(check.holderOf(listenKey, HERE)).toBeNull();
    expect(check.holderOf(listenKeys.issue(DEMO, 'ANOTHER' as ApiKeyId), HERE)).toBeNull();
  });

  it('is of use only where its API key is', () => {
    const listenKey = listenKeys.issue(DEMO, TRADER);
    bind({ allowedFrom: { includes: (address) => address === '10.1.2.3' } });
    expect(check.holderOf(listenKey, HERE)).toMatchObject({ account: DEMO, apiKey: TRADER });
    expect(check.holderOf(listenKey, ELSEWHERE)).toBeNull();
  });

  it('opens nothing when it names another account than its API key does, or is forged', () => {
    expect(check.holderOf(listenKeys.issue(OTHER, TRADER), HERE)).toBeNull();
    const forger = new JwtListenKeys({ secret: new Uint8Array(32).fill(1), ttlS: 3600, realNowMs: () => nowMs });
    expect(check.holderOf(forger.issue('demo' as AccountId, TRADER), HERE)).toBeNull();
    expect(check.holderOf('', HERE)).toBeNull();
  });
});
