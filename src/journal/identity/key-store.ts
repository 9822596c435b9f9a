import { randomBytes } from 'node:crypto';
import type { AccountId, ApiKeyId } from '../../model/ids.js';
import { ACCOUNT_CHARACTERS_MAX, API_KEY_CHARACTERS, API_SECRET_BYTES } from '../../model/limits.js';
import { isRejected, reject } from '../../model/rejection.js';
import type { OrRejection } from '../../model/rejection.js';
import type { Table } from './database.js';
import { decodeKeyRow, encodeKeyRow } from './key-row.js';
import type { Credential, KeyRow, Permission } from './key-row.js';
import { parseNetworks } from './network-list.js';
import { parseRsaPublicKey } from './public-key.js';
import type { Vault } from './vault.js';

export type KeyRequest = {
  readonly account: string;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds, ahead of now; absent: it never expires. */
  readonly expiresAtMs?: number;
  /** IPv4 or IPv6 addresses and CIDR networks; absent or empty: it may be used from everywhere. */
  readonly allowedNetworks?: readonly string[];
  /** Only the second way to sign is taken, which covers method and path; absent: both. */
  readonly needsSignV2?: boolean;
} & ({ readonly kind: 'HMAC' } | { readonly kind: 'RSA'; readonly publicKey: string });

/** When a key ends, where it may be used, and how it must sign. */
type KeyBounds = Pick<KeyRow, 'expiresAtMs' | 'allowedNetworks' | 'needsSignV2'>;

/** A new key. The secret (standard Base64 of 32 bytes) is told this once and never again; an RSA key has none. */
export interface CreatedKey extends KeyBounds {
  readonly apiKey: ApiKeyId;
  readonly apiSecret: string | null;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
}

export interface ListedKey extends KeyBounds {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  readonly kind: Credential['kind'];
  /** Real time, epoch milliseconds. */
  readonly createdAtMs: number;
  /** Real time, epoch milliseconds; null while the key is good. */
  readonly revokedAtMs: number | null;
  /** Real time, epoch milliseconds; null while the key is confirmed. */
  readonly suspendedAtMs: number | null;
}

/** The last one that can be written as a date of four digits. */
const INSTANT_MS_MAX = Date.UTC(9999, 11, 31);
const ACCOUNT = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,${ACCOUNT_CHARACTERS_MAX - 1}}$`);

/** What the AES-GCM tag binds a sealed secret to. */
export function secretPurpose(apiKey: string): string {
  return `api-secret:${apiKey}`;
}

/** Makes, lists and revokes API keys. Every change is synced to disk before it returns, and seen by all processes. */
export class KeyStore {
  readonly #keys: Table;
  readonly #vault: Vault;

  constructor(keys: Table, vault: Vault) {
    this.#keys = keys;
    this.#vault = vault;
  }

  /** An account may have any number of keys. What is wrong with a request is said; nothing is kept of it. */
  createKey(request: KeyRequest, nowRealMs: number): OrRejection<CreatedKey> {
    if (!ACCOUNT.test(request.account)) {
      const rule = `1 to ${ACCOUNT_CHARACTERS_MAX} letters, digits, dots, dashes and underscores`;
      return reject('INVALID_PARAM', `account ${JSON.stringify(request.account)} is not ${rule}`);
    }
    const bounds = boundsOf(request, nowRealMs);
    if (isRejected(bounds)) return bounds;
    const apiKey = randomBytes(API_KEY_CHARACTERS / 2).toString('hex') as ApiKeyId;
    const secret = randomBytes(API_SECRET_BYTES);
    const credential = request.kind === 'HMAC' ? this.#hmac(apiKey, secret) : rsa(request.publicKey);
    if (isRejected(credential)) return credential;
    const holder = { account: request.account as AccountId, permissions: withImplied(request.permissions), ...bounds };
    this.#put(apiKey, { ...holder, createdAtMs: nowRealMs, revokedAtMs: null, suspendedAtMs: null, credential });
    const apiSecret = credential.kind === 'HMAC' ? secret.toString('base64') : null;
    return { apiKey, apiSecret, ...holder };
  }

  /** Every key ever made, the oldest first. */
  list(): ListedKey[] {
    this.#keys.resetReadTxn();
    return [...this.#keys.getRange()]
      .map(({ key, value }) => listed(key as ApiKeyId, decodeKeyRow(value)))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.apiKey < b.apiKey ? -1 : 1));
  }

  /** Revokes for ever. Revoking again changes nothing; an unknown key is refused. */
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

  /** Every key that is good is refused until it is confirmed. */
  suspendAll(nowRealMs: number): void {
    this.#keys.transactionSync(() => {
      const rows = Array.from(this.#keys.getRange());
      for (const { key, value } of rows) {
        const row = decodeKeyRow(value);
        if (row.revokedAtMs === null) this.#put(key, { ...row, suspendedAtMs: row.suspendedAtMs ?? nowRealMs });
      }
    });
  }

  /** Lets a suspended key be used again. Confirming a good one changes nothing; a revoked or unknown one is refused. */
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

  /** What this process reads from here on includes the row. */
  #put(apiKey: string, row: KeyRow): void {
    this.#keys.putSync(apiKey, encodeKeyRow(row));
    this.#keys.resetReadTxn();
  }

  #hmac(apiKey: ApiKeyId, secret: Buffer): Credential {
    return { kind: 'HMAC', sealedSecret: this.#vault.seal(secret, secretPurpose(apiKey)).toString('base64') };
  }
}

function boundsOf(request: KeyRequest, nowRealMs: number): OrRejection<KeyBounds> {
  const { expiresAtMs = null } = request;
  if (expiresAtMs !== null && !isAhead(expiresAtMs, nowRealMs)) {
    return reject('INVALID_PARAM', `expires ${expiresAtMs} is not an instant ahead of now, ${nowRealMs} (epoch ms)`);
  }
  const allowedNetworks = parseNetworks(request.allowedNetworks ?? []);
  const { needsSignV2 = false } = request;
  return isRejected(allowedNetworks) ? allowedNetworks : { expiresAtMs, allowedNetworks, needsSignV2 };
}

function isAhead(epochMs: number, nowRealMs: number): boolean {
  return Number.isSafeInteger(epochMs) && epochMs > nowRealMs && epochMs <= INSTANT_MS_MAX;
}

function rsa(pem: string): OrRejection<Credential> {
  const publicKey = parseRsaPublicKey(pem);
  return isRejected(publicKey) ? publicKey : { kind: 'RSA', publicKey };
}

function withImplied(permissions: readonly Permission[]): Permission[] {
  return permissions.includes('trade') ? ['read', 'trade'] : ['read'];
}

function listed(apiKey: ApiKeyId, { credential, ...row }: KeyRow): ListedKey {
  return { apiKey, ...row, kind: credential.kind };
}
