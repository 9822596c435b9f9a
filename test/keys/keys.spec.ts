import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import type { CreatedKey, Identity, KeyRequest } from '../../src/runtime/identity.js';
import { warnOfWeakKeys } from '../../src/runtime/key-watch.js';
import { NetworkList } from '../../src/keys/key-request.js';
import { isRejected } from '../../src/domain/rejection.js';
import { temporaryDataDir } from './data-dir.js';
import { storeUnchecked } from './unchecked-key.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const TRADE: KeyRequest = { account: 'demo', permissions: ['trade'], kind: 'HMAC' };

let dataDir: string;
let identity: Identity;

beforeEach(() => {
  dataDir = temporaryDataDir();
  identity = openIdentity(dataDir);
});
afterEach(() => identity.close());

function created(request: KeyRequest = TRADE): CreatedKey {
  const key = identity.keys.createKey(request, NOW_MS);
  if (isRejected(key)) throw new Error(key.rejection.message);
  return key;
}

function rsaPem(bits: number): string {
  return generateKeyPairSync('rsa', { modulusLength: bits })
    .publicKey.export({ format: 'pem', type: 'spki' })
    .toString();
}

describe('an HMAC key', () => {
  it('is printed once with a standard Base64 secret of 32 bytes; trade implies read', () => {
    const key = created();
    expect(key.apiKey).toMatch(/^[0-9a-f]{32}$/);
    expect(key.apiSecret).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(key.permissions).toEqual(['read', 'trade']);
    expect(created({ ...TRADE, permissions: ['read'] }).permissions).toEqual(['read']);
  });

  it('is found with its decoded secret', () => {
    const key = created();
    const record = identity.directory.find(key.apiKey);
    expect(record).toMatchObject({ apiKey: key.apiKey, account: 'demo', permissions: ['read', 'trade'], kind: 'HMAC' });
    if (record?.kind !== 'HMAC') throw new Error('the key is not of kind HMAC');
    expect(record.secret.export().toString('base64')).toBe(key.apiSecret);
    expect(identity.directory.find(key.apiKey)).toBe(record);
  });

  it('is not on disk in clear text', () => {
    const key = created();
    const secret = Buffer.from(key.apiSecret ?? '', 'base64');
    const file = readFileSync(join(dataDir, 'identity', 'data.mdb'));
    expect(file.includes(Buffer.from(key.apiKey))).toBe(true);
    expect(file.includes(secret)).toBe(false);
    expect(file.includes(Buffer.from(key.apiSecret ?? ''))).toBe(false);
  });

  it('is refused for an invalid account name', () => {
    for (const account of ['', '-a', 'a b', 'a'.repeat(65), 'é', 'a\n']) {
      expect(identity.keys.createKey({ ...TRADE, account }, NOW_MS)).toMatchObject({
        rejection: { code: 'INVALID_PARAM', message: expect.stringContaining('account') as string },
      });
    }
  });
});

describe('an RSA key', () => {
  it('is found with its public key and has no secret', () => {
    const publicKey = rsaPem(2048);
    const key = created({ ...TRADE, kind: 'RSA', publicKey });
    expect(key.apiSecret).toBeNull();
    const record = identity.directory.find(key.apiKey);
    if (record?.kind !== 'RSA') throw new Error('the key is not of kind RSA');
    expect(record.publicKey.export({ format: 'pem', type: 'spki' })).toBe(publicKey);
  });

  it('is refused when it is short, of another kind, private or unreadable', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'pem', type: 'spki' });
    const priv = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    });
    const damaged = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
    for (const pem of [rsaPem(1024), ec.toString(), priv.toString(), damaged, '']) {
      expect(identity.keys.createKey({ ...TRADE, kind: 'RSA', publicKey: pem }, NOW_MS)).toMatchObject({
        rejection: { code: 'INVALID_PARAM', message: expect.stringContaining('rsa_public_key') as string },
      });
    }
  });
});

/** An RSA key that verifies without any secret, or with a weak one. */
function pemWithExponent(exponent: number): string {
  const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const bytes = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex');
  const e = bytes.subarray(bytes.findIndex((byte) => byte !== 0)).toString('base64url');
  return createPublicKey({ key: { kty: 'RSA', n: n!, e }, format: 'jwk' })
    .export({ format: 'pem', type: 'spki' })
    .toString();
}

function refusalOfExponent(exponent: number): string {
  const key = identity.keys.createKey({ ...TRADE, kind: 'RSA', publicKey: pemWithExponent(exponent) }, NOW_MS);
  return isRejected(key) ? `${key.rejection.code}: ${key.rejection.message}` : '';
}

async function storedUnchecked(publicKey: string): Promise<string> {
  const { apiKey } = created({ ...TRADE, kind: 'RSA', publicKey: rsaPem(2048) });
  await storeUnchecked(dataDir, apiKey, publicKey);
  return apiKey;
}

describe('a stored RSA key that breaks the rules', () => {
  it.each([
    ['the public exponent 1, which is not an odd number of at least 65537', () => pemWithExponent(1)],
    ['the public exponent 65538, which is not an odd number of at least 65537', () => pemWithExponent(65_538)],
    ['1024 bits; the allowed range is 2048 to 8192', () => rsaPem(1024)],
  ])('is listed and found with its weakness: %s', async (weakness, pem) => {
    const apiKey = await storedUnchecked(pem());
    const sound = created({ ...TRADE, kind: 'RSA', publicKey: rsaPem(2048) });
    expect(identity.directory.find(apiKey)).toMatchObject({ kind: 'RSA', weakness });
    expect(identity.directory.find(sound.apiKey)).toMatchObject({ kind: 'RSA', weakness: null });
    const weaknesses = Object.fromEntries(identity.keys.list().map((key) => [key.apiKey, key.weakness]));
    expect(weaknesses).toEqual({ [apiKey]: weakness, [sound.apiKey]: null });
  });

  it('is warned of at a start, until it is revoked', async () => {
    const apiKey = await storedUnchecked(rsaPem(1024));
    created();
    const warned: object[] = [];
    const log = { warn: (context: object) => void warned.push(context) };
    warnOfWeakKeys(identity, log);
    identity.keys.revoke(apiKey, NOW_MS);
    warnOfWeakKeys(identity, log);
    expect(warned).toEqual([
      { key: apiKey, account: 'demo', weakness: expect.stringContaining('1024 bits') as string },
    ]);
  });
});

describe('the public exponent of an RSA key', () => {
  it.each([1, 3, 17, 65_535, 65_538])('may not be %d', (exponent) => {
    const rule = 'which is not an odd number of at least 65537';
    expect(refusalOfExponent(exponent)).toBe(
      `INVALID_PARAM: rsa_public_key has the public exponent ${exponent}, ${rule}`,
    );
  });

  it.each([65_537, 65_539])('may be %d', (exponent) => expect(refusalOfExponent(exponent)).toBe(''));
});

function privatePem(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

describe('the file of an RSA key', () => {
  it.each([
    ['two public keys', () => rsaPem(2048) + rsaPem(2048)],
    ['a public key and a private one', () => rsaPem(2048) + privatePem()],
    ['text before the key', () => `comment\n${rsaPem(2048)}`],
    ['text after the key', () => `${rsaPem(2048)}comment`],
  ])('is refused with %s', (_what, pem) => {
    expect(identity.keys.createKey({ ...TRADE, kind: 'RSA', publicKey: pem() }, NOW_MS)).toMatchObject({
      rejection: { code: 'INVALID_PARAM', message: expect.stringContaining('is not one SPKI PEM') as string },
    });
  });

  it('may have line breaks of Windows and blanks around it', () => {
    const publicKey = rsaPem(2048);
    const key = created({ ...TRADE, kind: 'RSA', publicKey: `\r\n ${publicKey.replaceAll('\n', '\r\n')}\r\n` });
    const record = identity.directory.find(key.apiKey);
    if (record?.kind !== 'RSA') throw new Error('the key is not of kind RSA');
    expect(record.publicKey.export({ format: 'pem', type: 'spki' })).toBe(publicKey);
  });
});

/** True when a new key that is bound to these networks may be used from the address. */
function allowedFrom(...allowedNetworks: string[]): (address: string) => boolean {
  const record = identity.directory.find(created({ ...TRADE, allowedNetworks }).apiKey);
  return (address) => record?.allowedFrom?.includes(address) ?? true;
}

function dotted(bits: number): string {
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

describe('a key bound to networks', () => {
  it('is found with a check of its networks, and without a check when it is bound to none', () => {
    const isAllowed = allowedFrom('10.1.0.0/16', '192.0.2.7', '2001:db8::/32', '::1');
    for (const inside of ['10.1.255.255', '192.0.2.7', '::ffff:10.1.2.3', '2001:db8:0:0:0:0:0:1', '0:0:0:0:0:0:0:1']) {
      expect(isAllowed(inside), inside).toBe(true);
    }
    for (const outside of ['10.2.0.0', '192.0.2.8', '::ffff:10.2.0.0', '2001:db9::1', '::2', '127.0.0.1']) {
      expect(isAllowed(outside), outside).toBe(false);
    }
    expect(allowedFrom('0.0.0.0/0')('8.8.8.8')).toBe(true);
    expect(identity.directory.find(created().apiKey)?.allowedFrom).toBeNull();
  });

  it('accepts an address exactly when its first bits are those of a network', () => {
    const address = fc.nat(0xffff_ffff);
    fc.assert(
      fc.property(address, address, fc.nat(31), fc.integer({ min: 1, max: 32 }), (network, noise, shift, prefix) => {
        // Shares its first bits with the network more often than a random address.
        const peer = (network ^ (noise >>> shift)) >>> 0;
        const isInside = network >>> (32 - prefix) === peer >>> (32 - prefix);
        expect(new NetworkList([`${dotted(network)}/${prefix}`]).includes(dotted(peer))).toBe(isInside);
      }),
    );
  });

  it('is refused with more networks than the maximum', () => {
    const allowedNetworks = Array.from({ length: 65 }, (_, index) => `10.0.0.${index}`);
    expect(identity.keys.createKey({ ...TRADE, allowedNetworks }, NOW_MS)).toMatchObject({
      rejection: { code: 'INVALID_PARAM', message: expect.stringContaining('the maximum is 64') as string },
    });
  });
});

describe('a key with an expiry', () => {
  it('is found with its expiry, also after a restart', async () => {
    const key = created({ ...TRADE, expiresAtMs: NOW_MS + 1 });
    await identity.close();
    identity = openIdentity(dataDir);
    expect(identity.directory.find(key.apiKey)?.expiresAtMs).toBe(NOW_MS + 1);
    expect(identity.keys.list()).toMatchObject([{ expiresAtMs: NOW_MS + 1, allowedNetworks: [] }]);
  });

  it('is refused when the expiry is past or no instant', () => {
    for (const expiresAtMs of [NOW_MS, 0, Number.NaN, NOW_MS + 0.5, Number.MAX_SAFE_INTEGER]) {
      expect(identity.keys.createKey({ ...TRADE, expiresAtMs }, NOW_MS)).toMatchObject({
        rejection: { code: 'INVALID_PARAM', message: expect.stringContaining('expires') as string },
      });
    }
    expect(identity.keys.list()).toEqual([]);
  });
});

describe('several keys of one account', () => {
  it('have their own secrets, permissions and expiries', () => {
    const [trader, reader] = [created(), created({ ...TRADE, permissions: ['read'] })];
    expect(trader.apiSecret).not.toBe(reader.apiSecret);
    identity.keys.revoke(trader.apiKey, NOW_MS);
    expect(identity.directory.find(trader.apiKey)).toBeNull();
    expect(identity.directory.find(reader.apiKey)).toMatchObject({ account: 'demo', permissions: ['read'] });
  });
});

describe('the key directory', () => {
  it('finds no key for any other text', () => {
    for (const text of [
      '',
      'x',
      '0'.repeat(32),
      '\u0000'.repeat(32),
      '\ud800'.repeat(32),
      'é'.repeat(32),
      'x'.repeat(5000),
    ]) {
      expect(identity.directory.find(text)).toBeNull();
    }
  });

  it('refuses a revoked key at once, also after reopening, and lists it as revoked', async () => {
    const [kept, revoked] = [created(), created()];
    expect(identity.directory.find(revoked.apiKey)).not.toBeNull();
    expect(identity.keys.revoke(revoked.apiKey, NOW_MS + 5)).toMatchObject({ revokedAtMs: NOW_MS + 5 });
    expect(identity.keys.revoke(revoked.apiKey, NOW_MS + 9)).toMatchObject({ revokedAtMs: NOW_MS + 5 });
    expect(identity.directory.find(revoked.apiKey)).toBeNull();
    await identity.close();
    identity = openIdentity(dataDir);
    expect(identity.directory.find(revoked.apiKey)).toBeNull();
    expect(identity.directory.find(kept.apiKey)).not.toBeNull();
    expect(identity.keys.list()).toHaveLength(2);
    expect(identity.keys.list().find((key) => key.apiKey === revoked.apiKey)?.revokedAtMs).toBe(NOW_MS + 5);
  });

  it('shows each change of this process within the time of one snapshot', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const [first, second] = [created(), created()];
      const isFound = (): boolean[] => [first, second].map(({ apiKey }) => identity.directory.find(apiKey) !== null);
      for (const key of [first, first, second, first]) {
        expect(identity.directory.find(key.apiKey)?.apiKey).toBe(key.apiKey);
      }
      identity.keys.revoke(first.apiKey, NOW_MS);
      expect(isFound()).toEqual([false, true]);
      identity.keys.suspendAll(NOW_MS);
      expect(isFound()).toEqual([false, false]);
      identity.keys.confirm(second.apiKey);
      expect(isFound()).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('refuses to revoke an unknown key', () => {
    expect(identity.keys.revoke('nobody', NOW_MS)).toMatchObject({ rejection: { code: 'INVALID_API_KEY' } });
  });
});

describe('the identity store', () => {
  it('gives its folders permissions for their owner only', () => {
    expect(statSync(join(dataDir, 'identity')).mode & 0o777).toBe(0o700);
  });

  it('keeps one listen-key secret over restarts', async () => {
    const secret = identity.settings.listenKeySecret();
    expect(secret).toHaveLength(32);
    await identity.close();
    identity = openIdentity(dataDir);
    expect(identity.settings.listenKeySecret()).toEqual(secret);
  });

  it('does not open with another master key', async () => {
    created();
    await identity.close();
    expect(() => openIdentity(dataDir, { masterKey: '00'.repeat(32) })).toThrow(/sealed by another master key/);
    identity = openIdentity(dataDir);
  });
});
