import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { openDatabase, type KeyTable } from '../../src/keys/database.js';
import type { VenueCredentials, VenueKeyPlace } from '../../src/keys/port.js';
import { Vault } from '../../src/keys/vault.js';
import { checkVenueSecret } from '../../src/keys/venue-key-form.js';
import { openRow, rowKeyOf } from '../../src/keys/venue-key-row.js';
import type { ListedVenueKey } from '../../src/keys/venue-key-store.js';
import { StoredVenueKeys } from '../../src/keys/venue-keys.js';
import { openIdentity, type Identity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from './data-dir.js';

const NOW_MS = Date.now();
const DAY_MS = 86_400_000;
const MASTER_KEY = 'ab'.repeat(32);
const API_KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aPE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
const DESK: VenueKeyPlace = {
  account: 'desk' as AccountId,
  subaccount: null,
  venue: 'BINANCE',
  environment: 'testnet',
};
const OTHER_PLACES: readonly VenueKeyPlace[] = [
  { ...DESK, account: 'other' as AccountId },
  { ...DESK, subaccount: 'fund' },
  { ...DESK, venue: 'BYBIT' },
  { ...DESK, environment: 'live' },
];

let dataDir: string;
let identity: Identity;

beforeEach(() => {
  dataDir = temporaryDataDir();
  identity = openIdentity(dataDir, { masterKey: MASTER_KEY });
});
afterEach(() => identity.close());

interface Added {
  readonly place?: VenueKeyPlace;
  readonly apiKey?: string;
  readonly secret?: string;
  readonly passphrase?: string;
  readonly expiresAtMs?: number;
  readonly isReplacing?: boolean;
}

function add(added: Added = {}): ListedVenueKey | string {
  const {
    place = DESK,
    apiKey = API_KEY,
    secret = SECRET,
    passphrase,
    expiresAtMs = null,
    isReplacing = false,
  } = added;
  const phrase = passphrase === undefined ? null : Buffer.from(passphrase);
  const checked = checkVenueSecret(place.venue, apiKey, Buffer.from(secret), phrase);
  if (isRejected(checked)) return checked.rejection.message;
  const request = { place, apiKey, label: null, expiresAtMs };
  const key = identity.venueKeys.add(request, checked, { isReplacing, nowRealMs: NOW_MS });
  return isRejected(key) ? key.rejection.message : key;
}

/** Reads changes at once: the directory reads at most once a millisecond. */
async function found(place = DESK, keys = identity.venueKeyDirectory): Promise<VenueCredentials | string | null> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const key = keys.find(place);
  return key !== null && isRejected(key) ? key.rejection.message : key;
}

async function opened(place = DESK): Promise<VenueCredentials> {
  const key = await found(place);
  if (key === null || typeof key === 'string') throw new Error(`the key does not open: ${key}`);
  return key;
}

function table(): KeyTable {
  return openDatabase(dataDir).venueKeys;
}

/** Puts the row of one place at another place, as a change of the files would. */
function copyRow(from: VenueKeyPlace, to: VenueKeyPlace): void {
  const rows = table();
  rows.putSync(rowKeyOf(to), rows.get(rowKeyOf(from)) ?? Buffer.alloc(0));
}

describe('a key of an exchange', () => {
  it('opens with the secret that was sealed, and with its passphrase', async () => {
    const okx: VenueKeyPlace = { ...DESK, venue: 'OKX', subaccount: 'fund/1' };
    add({ expiresAtMs: NOW_MS + DAY_MS });
    add({ place: okx, apiKey: 'okx-key', secret: 'ABCDEF', passphrase: 'my phrase' });
    const binance = await opened();
    expect(binance).toMatchObject({ place: DESK, kind: 'HMAC', apiKey: API_KEY, passphrase: null });
    expect(binance.expiresAtMs).toBe(NOW_MS + DAY_MS);
    expect(binance.secret.export().toString()).toBe(SECRET);
    const withPhrase = await opened(okx);
    expect(withPhrase.secret.export().toString()).toBe('ABCDEF');
    expect(withPhrase.passphrase?.export().toString()).toBe('my phrase');
    expect(withPhrase.expiresAtMs).toBe(null);
  });

  it.each(['rsa', 'ed25519'] as const)('may be a private key in PEM: %s', async (type) => {
    const { privateKey } =
      type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync(type);
    add({ secret: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() });
    const key = await opened();
    expect(key.kind).toBe(type.toUpperCase());
    expect(key.secret.equals(privateKey)).toBe(true);
  });

  it('may be the private key of a wallet, with or without 0x', async () => {
    const place: VenueKeyPlace = { ...DESK, venue: 'HYPERLIQUID' };
    const address = `0x${'ab'.repeat(20)}`;
    for (const prefix of ['', '0x']) {
      add({ place, apiKey: address, secret: `${prefix}${'12'.repeat(32)}`, isReplacing: prefix === '0x' });
      expect((await opened(place)).secret.export().toString()).toBe('12'.repeat(32));
    }
  });

  it('shows nothing in JSON, inspection, text, spread and clones', async () => {
    const place: VenueKeyPlace = { ...DESK, venue: 'OKX' };
    add({ place, apiKey: 'okx-key', secret: 'ABCDEF', passphrase: 'my phrase' });
    const key = await opened(place);
    const shown = [
      JSON.stringify({ key }),
      JSON.stringify({ ...key }),
      inspect(key, { depth: 9, showHidden: true, getters: true }),
      inspect({ inner: [key] }, { depth: 9, showHidden: true }),
      inspect([key.secret, key.passphrase], { depth: 9, showHidden: true }),
      JSON.stringify([key.secret, key.passphrase]),
      format('%s %o %O %j', key, key, key, key),
      // The text of the object is what is tested.
      // oxlint-disable-next-line typescript/no-base-to-string, typescript/restrict-template-expressions
      `${key}`,
      inspect(structuredClone(key), { showHidden: true }),
    ].join('\n');
    for (const part of ['okx-key', 'ABCDEF', 'my phrase', 'desk']) expect(shown).not.toContain(part);
  });

  it('is not on disk in clear text', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const [, body = ''] = pem.split('\n');
    add({ place: { ...DESK, venue: 'KUCOIN' }, passphrase: 'my phrase' });
    add({ place: { ...DESK, environment: 'live' }, apiKey: 'pem', secret: pem });
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const bytes = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    const hidden = [SECRET, 'my phrase', body, Buffer.from(body, 'base64'), Buffer.from(body, 'base64').subarray(-32)];
    expect(bytes.some((file) => file.includes(API_KEY))).toBe(true);
    for (const part of hidden) expect(bytes.every((file) => !file.includes(part))).toBe(true);
  });
});

describe('the place of a key', () => {
  it('has one key: a second one is refused, and a replacement needs a first one', async () => {
    expect(add({ isReplacing: true })).toBe(
      'account desk at BINANCE testnet has no key to replace; add it without --replace',
    );
    add();
    expect(add({ apiKey: 'second' })).toBe(
      `account desk at BINANCE testnet has the key vmPU…Eh8A (since ${new Date(NOW_MS).toISOString()}); replace it with --replace`,
    );
    expect((await opened()).apiKey).toBe(API_KEY);
    add({ apiKey: 'second', secret: 'other-secret', isReplacing: true });
    expect(await opened()).toMatchObject({ apiKey: 'second' });
    expect(identity.venueKeys.list()).toHaveLength(1);
  });

  it('shares an API key with sub-accounts and environments, not with another account', () => {
    add();
    expect(add({ place: { ...DESK, subaccount: 'fund' } })).toMatchObject({ place: { subaccount: 'fund' } });
    expect(add({ place: { ...DESK, account: 'other' as AccountId, environment: 'live' } })).toMatchObject({});
    expect(add({ place: { ...DESK, account: 'other' as AccountId } })).toBe(
      'the API key is in use by account desk at BINANCE testnet',
    );
  });

  it.each(OTHER_PLACES)('opens no row of another place: $account $subaccount $venue $environment', async (other) => {
    add();
    copyRow(DESK, other);
    const reopened = new StoredVenueKeys(table(), vaultOf(MASTER_KEY), Date.now);
    expect(await found(other, reopened)).toMatch(/does not open: it was changed, copied from another place/);
    expect(await found(DESK, reopened)).toMatchObject({ apiKey: API_KEY });
  });

  it('opens no row that was swapped with the row of another account', () => {
    const other = OTHER_PLACES[0]!;
    add();
    add({ place: other, apiKey: 'other-key' });
    const rows = table();
    const [first, second] = [DESK, other].map((place) => Buffer.from(rows.get(rowKeyOf(place))!));
    rows.putSync(rowKeyOf(DESK), second!);
    rows.putSync(rowKeyOf(other), first!);
    expect(identity.venueKeyDirectory.check().map(({ problem }) => problem)).toEqual([
      expect.stringContaining('account desk at BINANCE testnet does not open'),
      expect.stringContaining('account other at BINANCE testnet does not open'),
    ]);
  });
});

describe('a stored row', () => {
  it('does not open after a change of any byte', () => {
    add({ place: { ...DESK, venue: 'OKX' }, passphrase: 'my phrase' });
    const rowKey = rowKeyOf({ ...DESK, venue: 'OKX' });
    const row = Buffer.from(table().get(rowKey)!);
    const vault = vaultOf(MASTER_KEY);
    expect(openRow(vault, rowKey, row)?.secret.toString()).toBe(SECRET);
    for (const [index, byte] of row.entries()) {
      const changed = Buffer.from(row);
      changed[index] = byte ^ (1 << (index % 8));
      expect(openRow(vault, rowKey, changed), `byte ${index}`).toBe(null);
    }
    for (const length of row.keys()) expect(openRow(vault, rowKey, row.subarray(0, length)), `${length}`).toBe(null);
    expect(openRow(vault, rowKey, Buffer.concat([row, Buffer.of(0)]))).toBe(null);
    expect(openRow(vaultOf('cd'.repeat(32)), rowKey, row)).toBe(null);
  });

  it('is listed as damaged when its public part cannot be read, and can be replaced or removed', () => {
    add();
    const broken = [
      Buffer.alloc(0),
      Buffer.of(0),
      Buffer.from('\0\x02{}'),
      Buffer.from('\0\x04null'),
      Buffer.alloc(80, 0xff),
    ];
    for (const row of broken) {
      table().putSync(rowKeyOf(DESK), row);
      expect(identity.venueKeys.list()).toEqual([{ place: DESK, header: null }]);
      expect(identity.venueKeyDirectory.check()[0]?.problem).toContain('does not open');
    }
    expect(add()).toContain('has a key (damaged)');
    expect(add({ isReplacing: true })).toMatchObject({ place: DESK });
    table().putSync(rowKeyOf(DESK), Buffer.alloc(0));
    expect(identity.venueKeys.remove(DESK)).toEqual({ place: DESK, header: null });
  });
});

describe('the read port', () => {
  it('lists the accounts of an exchange and an environment', async () => {
    const fund = { ...DESK, subaccount: 'fund' };
    add();
    add({ place: fund, apiKey: 'fund-key' });
    add({ place: { ...DESK, environment: 'live' } });
    await found();
    expect(identity.venueKeyDirectory.accounts('BINANCE', 'testnet')).toEqual([DESK, fund]);
    expect(identity.venueKeyDirectory.accounts('OKX', 'testnet')).toEqual([]);
  });

  it('notifies of each changed place once', async () => {
    const fund = { ...DESK, subaccount: 'fund' };
    const changed: VenueKeyPlace[] = [];
    identity.venueKeyDirectory.onChange((place) => changed.push(place));
    const changes = async (): Promise<VenueKeyPlace[]> => {
      await found();
      return changed.splice(0);
    };
    add();
    expect(await changes()).toEqual([DESK]);
    add({ place: fund, apiKey: 'fund-key' });
    expect(await changes()).toEqual([fund]);
    add({ isReplacing: true });
    expect(await changes()).toEqual([DESK]);
    expect(await changes()).toEqual([]);
    identity.venueKeys.remove(fund);
    expect(await changes()).toEqual([fund]);
    expect(await found(fund)).toBe(null);
  });

  it('ends a key at its expiry, and notifies of it', async () => {
    let nowMs = NOW_MS;
    const keys = new StoredVenueKeys(table(), vaultOf(MASTER_KEY), () => nowMs);
    const changed: VenueKeyPlace[] = [];
    keys.onChange((place) => changed.push(place));
    add({ expiresAtMs: NOW_MS + 1_000 });
    expect(await found(DESK, keys)).toMatchObject({ apiKey: API_KEY });
    nowMs += 999;
    expect(await found(DESK, keys)).not.toBe(null);
    nowMs += 1;
    expect(await found(DESK, keys)).toBe(null);
    expect(keys.accounts('BINANCE', 'testnet')).toEqual([]);
    expect(changed).toEqual([DESK, DESK]);
    expect(keys.check()).toEqual([{ place: DESK, problem: null }]);
  });
});

function vaultOf(masterKey: string): Vault {
  return new Vault(createSecretKey(Buffer.from(masterKey, 'hex')));
}
