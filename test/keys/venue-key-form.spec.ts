import { generateKeyPairSync, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSubaccount } from '../../src/api/field/field-value.js';
import { VENUES, type Venue } from '../../src/domain/exchange.js';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { checkVenueSecret, hasPassphrase } from '../../src/keys/venue-key-form.js';
import { checkVenueKeyRequest, maskedApiKey, parseVenueKeyPlace } from '../../src/keys/venue-key-store.js';

const NOW_MS = Date.UTC(2026, 10, 24);
const NAMES = { account: 'desk', exchange: 'BINANCE', environment: 'live' };
const ALPHANUMERIC_64 = 'a1'.repeat(32);

function pemOf(type: 'ed25519' | 'rsa' | 'ec'): string {
  if (type === 'ec') return pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  return pem(type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync(type));
}

function pem({ privateKey }: ReturnType<typeof generateKeyPairSync>): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Kind and warnings of an accepted secret, or the reason of a refusal. */
function checked(venue: Venue, secret: string, passphrase?: string, apiKey = 'api-key'): string | readonly string[] {
  const phrase = passphrase === undefined ? null : Buffer.from(passphrase);
  const result = checkVenueSecret(venue, apiKey, Buffer.from(secret), phrase);
  return isRejected(result) ? result.rejection.message : [result.kind, ...result.warnings];
}

function requested(
  venue: Venue,
  apiKey: string,
  label: string | null = null,
  expiresAtMs: number | null = null,
): unknown {
  const place = { account: 'desk' as AccountId, subaccount: null, venue, environment: 'live' as const };
  const result = checkVenueKeyRequest({ place, apiKey, label, expiresAtMs }, NOW_MS);
  return isRejected(result) ? result.rejection.message : result;
}

function placed(names: Partial<typeof NAMES & { subaccount: string }>): unknown {
  const place = parseVenueKeyPlace({ ...NAMES, ...names });
  return isRejected(place) ? place.rejection.message : place;
}

describe('the place of a key', () => {
  it('is read from names in any letter case', () => {
    expect(placed({ exchange: 'binance', environment: 'LIVE', subaccount: 'fund/1' })).toEqual({
      account: 'desk',
      subaccount: 'fund/1',
      venue: 'BINANCE',
      environment: 'live',
    });
  });

  it('is refused with the field, the value and the rule', () => {
    expect(placed({ exchange: 'NYSE' })).toBe(`exchange "NYSE" is not one of ${VENUES.join(', ')}`);
    expect(placed({ exchange: 'LIGHTER' })).toContain('exchange "LIGHTER" is not one of');
    expect(placed({ environment: 'prod' })).toBe('environment "prod" is not testnet or live');
    expect(placed({ account: 'a/b' })).toContain('account "a/b" is not');
  });

  it('allows the sub-accounts that the API allows', () => {
    const names = [
      '',
      'fund',
      'fund 1',
      'a/b',
      'a,b',
      'é',
      '名',
      'a\nb',
      '\u2028',
      'x'.repeat(64),
      'x'.repeat(65),
      '\u{1F600}',
    ];
    for (const name of names) {
      const isAllowed = !isRejected(parseSubaccount(name)) && name !== '';
      expect(typeof placed({ subaccount: name }) === 'object', JSON.stringify(name)).toBe(isAllowed);
    }
  });
});

describe('the public part of a key', () => {
  it('is checked without repeating the API key', () => {
    expect(requested('BYBIT', 'good1')).toEqual([]);
    expect(requested('WOO', '')).toBe('the API key is empty');
    expect(requested('WOO', 'x'.repeat(257))).toBe('the API key is longer than 256 bytes');
    expect(requested('WOO', ' x')).toBe('the API key begins or ends with a space');
    for (const bad of ['a b', 'a\tb', 'a\u001bb', 'é'])
      expect(requested('WOO', bad)).toMatch(/^the API key has a character/);
    expect(requested('WOO', 'x', 'a\u001bb')).toContain('label "a\\u001bb" is not 1 to 64 printable characters');
    expect(requested('WOO', 'x', null, NOW_MS)).toContain('is not an instant after now');
  });

  it('has the form of the exchange, or a warning', () => {
    expect(requested('BINANCE', ALPHANUMERIC_64)).toEqual([]);
    expect(requested('BINANCE', 'short')).toEqual([
      'the API key of BINANCE usually has 64 letters and digits; this one has 5 characters',
    ]);
    expect(requested('BITGET', 'bg_0123456789abcdef')).toEqual([]);
    expect(requested('HYPERLIQUID', `0x${'ab'.repeat(20)}`)).toEqual([]);
    expect(requested('HYPERLIQUID', 'ab'.repeat(20))).toBe(
      'the API key does not have the form of HYPERLIQUID: 0x and 40 hexadecimal digits',
    );
  });

  it('is shown by its first and last characters', () => {
    expect(maskedApiKey(ALPHANUMERIC_64)).toBe('a1a1…a1a1');
    expect([1, 3, 4, 8, 15].map((length) => maskedApiKey('x'.repeat(length)))).toEqual([
      '…',
      '…',
      'x…x',
      'xx…xx',
      'xxx…xxx',
    ]);
  });
});

describe('a secret', () => {
  it.each(VENUES)('of %s needs a passphrase exactly where the exchange has one', (venue) => {
    const isNeeded = ['KUCOIN', 'OKX', 'BITGET', 'COINBASE_PRIME', 'COINBASE_INTL'].includes(venue);
    expect(hasPassphrase(venue)).toBe(isNeeded);
    const secret = venue === 'HYPERLIQUID' ? 'ab'.repeat(32) : 'YWJj';
    const right = isNeeded ? 'a phrase' : undefined;
    const wrong = isNeeded ? undefined : 'a phrase';
    expect(typeof checked(venue, secret, right)).toBe('object');
    expect(checked(venue, secret, wrong)).toContain(`a key of ${venue} has`);
  });

  it('of the usual form has no warning', () => {
    expect(checked('BINANCE', ALPHANUMERIC_64)).toEqual(['HMAC']);
    expect(checked('BINANCE', 'abc')).toEqual(['HMAC', expect.stringContaining('this one has 3 characters')]);
    expect(checked('B2C2', 'abc')).toEqual(['TOKEN']);
  });

  it('that cannot sign is refused', () => {
    expect(checked('KRAKEN', 'not-base64')).toBe('the secret does not have the form of KRAKEN: Base64 characters');
    expect(checked('HYPERLIQUID', '0x12')).toBe(
      'the secret does not have the form of HYPERLIQUID: 64 hexadecimal digits',
    );
    expect(checked('WOO', 'same', undefined, 'same')).toBe('the secret equals the API key');
  });

  it('that is no text of one line is refused', () => {
    expect(checked('WOO', '')).toBe('the secret is empty');
    expect(checked('WOO', 'abc\n')).toBe('the secret has a line break');
    expect(checked('WOO', 'abc ')).toBe('the secret begins or ends with a space');
    expect(checked('WOO', 'x'.repeat(16 * 1024 + 1))).toContain('is longer than 16384 bytes');
    for (const bad of ['a b', 'a\0b', 'a\u007fb', 'aéb'])
      expect(checked('WOO', bad)).toMatch(/^the secret has a character/);
    expect(checked('OKX', 'x', 'a\tb')).toMatch(/^the passphrase has a character/);
    expect(checked('OKX', 'x', '')).toBe('the passphrase is empty');
  });

  it('in PEM is taken where the exchange has this kind of key', () => {
    expect(checked('BINANCE', pemOf('ed25519'))).toEqual(['ED25519']);
    expect(checked('BINANCE', pemOf('rsa').replaceAll('\n', '\r\n'))).toEqual(['RSA']);
    expect(checked('BITGET', pemOf('rsa'), 'a phrase')).toEqual(['RSA']);
    expect(checked('BYBIT', pemOf('ed25519'))).toBe('the private key is ED25519, but keys of BYBIT are HMAC, RSA');
    expect(checked('HYPERLIQUID', pemOf('rsa'))).toBe('the private key is RSA, but keys of HYPERLIQUID are WALLET');
    expect(checked('BINANCE', pemOf('ec'))).toBe('the private key is of type ec, not rsa or ed25519');
  });

  it('in PEM is refused when it is public, encrypted, small or damaged', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const encrypted = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
    const old = privateKey.export({ format: 'pem', type: 'pkcs1', cipher: 'aes-256-cbc', passphrase: 'x' });
    expect(checked('BINANCE', publicKey.export({ format: 'pem', type: 'spki' }).toString())).toContain(
      'this is a public key',
    );
    expect(checked('BINANCE', encrypted.toString())).toContain('is encrypted');
    expect(checked('BINANCE', old.toString())).toContain('is encrypted');
    expect(checked('BINANCE', privateKey.export({ format: 'pem', type: 'pkcs1' }).toString())).toContain(
      'has 1024 bits',
    );
    expect(checked('BINANCE', '-----BEGIN PRIVATE KEY-----\nabc\n')).toBe('the private key cannot be read as a PEM');
  });

  it('is in no message, and wiped on request', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...VENUES),
        fc.uint8Array({ minLength: 8, maxLength: 100 }),
        fc.boolean(),
        (venue, bytes, isPem) => {
          const secret = Buffer.concat([Buffer.from(isPem ? '-----BEGIN PRIVATE KEY-----\n' : ''), bytes]);
          const result = checkVenueSecret(
            venue,
            'api-key',
            secret,
            hasPassphrase(venue) ? Buffer.from('phrase') : null,
          );
          const texts = isRejected(result) ? [result.rejection.message] : result.warnings;
          const hidden = secret.subarray(-8).toString('latin1');
          expect(texts.every((text) => !text.includes(hidden))).toBe(true);
        },
      ),
    );
    const secret = checkVenueSecret('OKX', 'x', randomBytes(16).fill('A'), Buffer.from('phrase'));
    if (isRejected(secret)) throw new Error(secret.rejection.message);
    secret.wipe();
    expect([secret.bytes, secret.passphrase].map((bytes) => bytes?.every((byte) => byte === 0))).toEqual([true, true]);
  });
});
