import { createPublicKey, randomBytes } from 'node:crypto';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import { ACCOUNT_CHARACTERS_MAX, API_KEY_CHARACTERS, API_SECRET_BYTES } from '../domain/limits/process.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { KeyTable } from './database.js';
import { parseNetworks, parseRsaPublicKey, rsaWeakness } from './key-request.js';
import type { Permission } from './port.js';
import type { Vault } from './vault.js';

export type KeyRequest = {
  readonly account: string;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds, later than now; absent: the key never expires. */
  readonly expiresAtMs?: number;
  /** IPv4 or IPv6 addresses and CIDR networks; absent or empty: any address. */
  readonly allowedNetworks?: readonly string[];
  /** True: only signature version 2 is accepted, which covers method and path; absent: both versions. */
  readonly needsSignV2?: boolean;
} & ({ readonly kind: 'HMAC' } | { readonly kind: 'RSA'; readonly publicKey: string });

/** Expiry, allowed networks and signature version of a key. */
type KeyBounds = Pick<KeyRow, 'expiresAtMs' | 'allowedNetworks' | 'needsSignV2'>;

/** A new key. The secret (standard Base64 of 32 bytes) is returned only here; an RSA key has none. */
export interface CreatedKey extends KeyBounds {
  readonly apiKey: ApiKeyId;
  readonly apiSecret: string | null;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
}

export type NewKey = Omit<CreatedKey, 'apiSecret'>;

export interface ListedKey extends KeyBounds {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  readonly kind: Credential['kind'];
  /** What of its public RSA key breaks the rules: the service refuses the key. null: nothing. */
  readonly weakness: string | null;
  /** Real time, epoch milliseconds. */
  readonly createdAtMs: number;
  /** Real time, epoch milliseconds; null while the key is not revoked. */
  readonly revokedAtMs: number | null;
  /** Real time, epoch milliseconds; null while the key is not suspended. */
  readonly suspendedAtMs: number | null;
}

/** The last instant with a year of four digits. */
const INSTANT_MS_MAX = Date.UTC(9999, 11, 31);
const ACCOUNT = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,${ACCOUNT_CHARACTERS_MAX - 1}}$`);

/** Additional authenticated data of a sealed secret. */
export function secretPurpose(apiKey: string): string {
  return `api-secret:${apiKey}`;
}

/** Creates, lists and revokes API keys. Every change is synced to disk before it returns, and all threads see it. */
export class KeyStore {
  readonly #keys: KeyTable;
  readonly #vault: Vault;
  readonly #onWrite: () => void;

  /** `onWrite` is called before each change of a row. */
  constructor(keys: KeyTable, vault: Vault, onWrite: () => void = () => undefined) {
    this.#keys = keys;
    this.#vault = vault;
    this.#onWrite = onWrite;
  }

  /**
   * An account may have any number of keys. An invalid request is refused with the reason, and nothing is stored.
   * `beforeStored` gets the key without its secret; when it throws, nothing is stored.
   */
  createKey(
    request: KeyRequest,
    nowRealMs: number,
    beforeStored: (key: NewKey) => void = () => undefined,
  ): OrRejection<CreatedKey> {
    const account = parseAccount(request.account);
    if (isRejected(account)) return account;
    const bounds = boundsOf(request, nowRealMs);
    if (isRejected(bounds)) return bounds;
    const apiKey = randomBytes(API_KEY_CHARACTERS / 2).toString('hex') as ApiKeyId;
    const secret = randomBytes(API_SECRET_BYTES);
    const credential = request.kind === 'HMAC' ? this.#hmac(apiKey, secret) : rsa(request.publicKey);
    if (isRejected(credential)) return credential;
    const holder = { account, permissions: withImplied(request.permissions), ...bounds };
    beforeStored({ apiKey, ...holder });
    this.#put(apiKey, { ...holder, createdAtMs: nowRealMs, revokedAtMs: null, suspendedAtMs: null, credential });
    const apiSecret = credential.kind === 'HMAC' ? secret.toString('base64') : null;
    return { apiKey, apiSecret, ...holder };
  }

  /** Every key ever created, the oldest first. */
  list(): ListedKey[] {
    this.#keys.resetReadTxn();
    return [...this.#keys.getRange()]
      .map(({ key, value }) => listed(key as ApiKeyId, decodeKeyRow(value)))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.apiKey < b.apiKey ? -1 : 1));
  }

  /** Revokes a key for ever. A second call changes nothing; an unknown key is refused. */
  revoke(apiKey: string, nowRealMs: number): OrRejection<ListedKey> {
    return this.#keys.transactionSync(() => {
      const bytes = apiKey.length === API_KEY_CHARACTERS ? this.#keys.get(apiKey) : undefined;
      if (bytes === undefined) return reject('INVALID_API_KEY', `there is no API key ${JSON.stringify(apiKey)}`);
      const row = decodeKeyRow(bytes);
      const revoked = { ...row, revokedAtMs: row.revokedAtMs ?? nowRealMs };
      this.#put(apiKey, revoked);
      return listed(apiKey as ApiKeyId, revoked);
    });
  }

  /** Suspends every key that is not revoked until the operator confirms it. */
  suspendAll(nowRealMs: number): void {
    this.#keys.transactionSync(() => {
      const rows = Array.from(this.#keys.getRange());
      for (const { key, value } of rows) {
        const row = decodeKeyRow(value);
        if (row.revokedAtMs === null) this.#put(key, { ...row, suspendedAtMs: row.suspendedAtMs ?? nowRealMs });
      }
    });
  }

  /** Allows a suspended key again. A key that is not suspended stays as it is; a revoked or unknown one is refused. */
  confirm(apiKey: string): OrRejection<ListedKey> {
    return this.#keys.transactionSync(() => {
      const bytes = apiKey.length === API_KEY_CHARACTERS ? this.#keys.get(apiKey) : undefined;
      if (bytes === undefined) return reject('INVALID_API_KEY', `there is no API key ${JSON.stringify(apiKey)}`);
      const row = decodeKeyRow(bytes);
      if (row.revokedAtMs !== null) return reject('INVALID_API_KEY', `API key ${apiKey} is revoked for ever`);
      const confirmed = { ...row, suspendedAtMs: null };
      this.#put(apiKey, confirmed);
      return listed(apiKey as ApiKeyId, confirmed);
    });
  }

  /** Later reads of this process include the row. */
  #put(apiKey: string, row: KeyRow): void {
    this.#onWrite();
    this.#keys.putSync(apiKey, encodeKeyRow(row));
    this.#keys.resetReadTxn();
  }

  #hmac(apiKey: ApiKeyId, secret: Buffer): Credential {
    return { kind: 'HMAC', sealedSecret: this.#vault.seal(secret, secretPurpose(apiKey)).toString('base64') };
  }
}

function boundsOf(request: KeyRequest, nowRealMs: number): OrRejection<KeyBounds> {
  const expiresAtMs = parseExpiry(request.expiresAtMs ?? null, nowRealMs);
  if (isRejected(expiresAtMs)) return expiresAtMs;
  const allowedNetworks = parseNetworks(request.allowedNetworks ?? []);
  const { needsSignV2 = false } = request;
  return isRejected(allowedNetworks) ? allowedNetworks : { expiresAtMs, allowedNetworks, needsSignV2 };
}

/** An account name: letters, digits, dots, dashes and underscores. */
export function parseAccount(name: string): OrRejection<AccountId> {
  if (ACCOUNT.test(name)) return name as AccountId;
  const rule = `1 to ${ACCOUNT_CHARACTERS_MAX} letters, digits, dots, dashes and underscores`;
  return reject('INVALID_PARAM', `account ${JSON.stringify(name)} is not ${rule}`);
}

/** An expiry in epoch milliseconds, later than now; null: never. */
export function parseExpiry(epochMs: number | null, nowRealMs: number): OrRejection<number | null> {
  if (epochMs === null) return null;
  if (Number.isSafeInteger(epochMs) && epochMs > nowRealMs && epochMs <= INSTANT_MS_MAX) return epochMs;
  return reject('INVALID_PARAM', `expires ${epochMs} is not an instant after now, ${nowRealMs} (epoch ms)`);
}

function rsa(pem: string): OrRejection<Credential> {
  const publicKey = parseRsaPublicKey(pem);
  return isRejected(publicKey) ? publicKey : { kind: 'RSA', publicKey };
}

function withImplied(permissions: readonly Permission[]): Permission[] {
  return permissions.includes('trade') ? ['read', 'trade'] : ['read'];
}

function listed(apiKey: ApiKeyId, { credential, ...row }: KeyRow): ListedKey {
  const weakness = credential.kind === 'RSA' ? rsaWeakness(createPublicKey(credential.publicKey)) : null;
  return { apiKey, ...row, kind: credential.kind, weakness };
}

/** The proof of a key: our sealed secret (Base64), or the client's public key (SPKI PEM). */
type Credential =
  | { readonly kind: 'HMAC'; readonly sealedSecret: string }
  | { readonly kind: 'RSA'; readonly publicKey: string };

/** One row of the table of keys. Rows are never removed: a revoked key stays for the record. */
interface KeyRow {
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds. */
  readonly createdAtMs: number;
  /** Real time, epoch milliseconds; null while the key is not revoked. */
  readonly revokedAtMs: number | null;
  /**
   * Real time, epoch milliseconds; null while the key is not suspended. A restore suspends keys until the operator
   * confirms them.
   */
  readonly suspendedAtMs: number | null;
  /** Real time, epoch milliseconds, from which on the key is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** Addresses and CIDR networks that the key may be used from; empty: any address. */
  readonly allowedNetworks: readonly string[];
  /** True: only signature version 2 is accepted. */
  readonly needsSignV2: boolean;
  readonly credential: Credential;
}

const ACTIVE = 1;
const REVOKED = 2;
const SUSPENDED = 3;

/** Encodes a row. The first byte is the state, so that a request can check it without parsing the row. */
function encodeKeyRow(row: KeyRow): Buffer {
  return Buffer.concat([Buffer.of(stateOf(row)), Buffer.from(JSON.stringify(row))]);
}

function stateOf({ revokedAtMs, suspendedAtMs }: KeyRow): number {
  if (revokedAtMs !== null) return REVOKED;
  return suspendedAtMs === null ? ACTIVE : SUSPENDED;
}

/** Decodes a row of encodeKeyRow. */
export function decodeKeyRow(bytes: Buffer): KeyRow {
  return JSON.parse(bytes.toString('utf8', 1)) as KeyRow;
}

export function isActive(bytes: Uint8Array): boolean {
  return bytes[0] === ACTIVE;
}

export function isSuspended(bytes: Uint8Array): boolean {
  return bytes[0] === SUSPENDED;
}
