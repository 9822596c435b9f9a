import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { JwtListenKeys } from '../../src/keys/listen-key.js';
import type { ApiKeyId } from '../../src/domain/ids.js';
import { DEMO } from '../http/orders.js';

const SECRET = new Uint8Array(32).fill(7);
const API_KEY = 'TRADER' as ApiKeyId;
const NOW_MS = 1_800_000_000_000;

function keysAt(nowMs: number, secret = SECRET): JwtListenKeys {
  return new JwtListenKeys({ secret, ttlS: 3600, realNowMs: () => nowMs });
}

/** A listen key that `change` modifies before it is signed. */
function forged(change: (jwt: SignJWT) => SignJWT, header: { alg?: string; typ?: string } = {}): Promise<string> {
  const jwt = new SignJWT({ api_key: API_KEY })
    .setProtectedHeader({ alg: 'HS256', typ: 'listen+jwt', ...header })
    .setIssuer('sluice')
    .setAudience('sluice-stream')
    .setSubject('demo')
    .setJti('1')
    .setExpirationTime(NOW_MS / 1000 + 60);
  return change(jwt).sign(new Uint8Array(64).fill(7).subarray(0, header.alg === 'HS512' ? 64 : 32));
}

describe('a listen key', () => {
  it('names its account until it expires', async () => {
    const listenKey = keysAt(NOW_MS).issue(DEMO, API_KEY);
    expect(keysAt(NOW_MS).verify(listenKey)).toEqual({ account: 'demo', apiKey: API_KEY });
    expect(keysAt(NOW_MS + 3_599_000).verify(listenKey)).toEqual({ account: 'demo', apiKey: API_KEY });
    expect(keysAt(NOW_MS + 3_600_000).verify(listenKey)).toBeNull();
  });

  it('is refused when the wall clock was four days ahead at its issue', () => {
    const fourDaysMs = 4 * 24 * 3_600_000;
    const listenKey = keysAt(NOW_MS + fourDaysMs).issue(DEMO, API_KEY);
    expect(keysAt(NOW_MS + fourDaysMs).verify(listenKey)).not.toBeNull();
    expect(keysAt(NOW_MS).verify(listenKey)).toBeNull();
  });

  it('differs from every other', async () => {
    expect(keysAt(NOW_MS).issue(DEMO, API_KEY)).not.toBe(keysAt(NOW_MS).issue(DEMO, API_KEY));
  });

  it.each([
    ['nothing', Promise.resolve('')],
    ['ten thousand characters', Promise.resolve('x'.repeat(10_000))],
    ['words', Promise.resolve('let me in')],
    ['no signature', Promise.resolve(new UnsecuredJWT({ sub: 'demo' }).encode())],
    ['another secret', keysAt(NOW_MS, new Uint8Array(32).fill(8)).issue(DEMO, API_KEY)],
    ['another algorithm', forged((jwt) => jwt, { alg: 'HS512' })],
    ['another type', forged((jwt) => jwt, { typ: 'JWT' })],
    ['another issuer', forged((jwt) => jwt.setIssuer('someone'))],
    ['another audience', forged((jwt) => jwt.setAudience('rest'))],
    ['an expiry that has passed', forged((jwt) => jwt.setExpirationTime(NOW_MS / 1000 - 1))],
  ])('is refused with %s', async (_name, listenKey) => {
    expect(keysAt(NOW_MS).verify(await listenKey)).toBeNull();
  });

  it('is accepted when the test makes it without a change, so each refusal has its own cause', async () => {
    expect(keysAt(NOW_MS).verify(await forged((jwt) => jwt))).toEqual({ account: 'demo', apiKey: API_KEY });
  });
});
