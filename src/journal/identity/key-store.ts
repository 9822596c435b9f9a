import { randomBytes } from 'node:crypto';
import type { AccountId, ApiKeyId } from '../../model/ids.js';
import { ACCOUNT_CHARACTERS_MAX, API_KEY_CHARACTERS, API_SECRET_BYTES } from '../../model/limits.js';
import { isRejected, reject } from '../../model/rejection.js';
import type { OrRejection } from '../../model/rejection.js';
import type { Table } from './database.js';
import { decodeKeyRow, encodeKeyRow } from './key-row.js';
import type { Credential, KeyRow, Permission } from './key-row.js';
import { parseRsaPublicKey } from './public-key.js';
import type { Vault } from './vault.js';

export type KeyRequest = { readonly account: string; readonly permissions: readonly Permission[] } & (
  { readonly kind: 'HMAC' } | { readonly kind: 'RSA'; readonly publicKey: string }
);

/** A new key. The secret (standard Base64 of 32 bytes) is told this once and never again; an RSA key has none. */
export interface CreatedKey {
  readonly apiKey: ApiKeyId;
  readonly apiSecret: string | null;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
}

export interface ListedKey {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  readonly kind: Credential['kind'];
  /** Real time, epoch milliseconds. */
  readonly createdAtMs: number;
  /** Real time, epoch milliseconds; null while the key is good. */
  readonly revokedAtMs: number | null;
}

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

  createKey(request: KeyRequest, nowRealMs: number): OrRejection<CreatedKey> {
    if (!ACCOUNT.test(request.account)) {
      const rule = `1 to ${ACCOUNT_CHARACTERS_MAX} letters, digits, dots, dashes and underscores`;
      return reject('INVALID_PARAM', `account ${JSON.stringify(request.account)} is not ${rule}`);
    }
    const apiKey = randomBytes(API_KEY_CHARACTERS / 2).toString('hex') as ApiKeyId;
    const secret = randomBytes(API_SECRET_BYTES);
    const credential = request.kind === 'HMAC' ? this.#hmac(apiKey, secret) : rsa(request.publicKey);
    if (isRejected(credential)) return credential;
    const account = request.account as AccountId;
    const permissions = withImplied(request.permissions);
    const row: KeyRow = { account, permissions, createdAtMs: nowRealMs, revokedAtMs: null, credential };
    this.#put(apiKey, row);
    const apiSecret = credential.kind === 'HMAC' ? secret.toString('base64') : null;
    return { apiKey, apiSecret, account, permissions };
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

  /** What this process reads from here on includes the row. */
  #put(apiKey: string, row: KeyRow): void {
    this.#keys.putSync(apiKey, encodeKeyRow(row));
    this.#keys.resetReadTxn();
  }

  #hmac(apiKey: ApiKeyId, secret: Buffer): Credential {
    return { kind: 'HMAC', sealedSecret: this.#vault.seal(secret, secretPurpose(apiKey)).toString('base64') };
  }
}

function rsa(pem: string): OrRejection<Credential> {
  const publicKey = parseRsaPublicKey(pem);
  return isRejected(publicKey) ? publicKey : { kind: 'RSA', publicKey };
}

function withImplied(permissions: readonly Permission[]): Permission[] {
  return permissions.includes('trade') ? ['read', 'trade'] : ['read'];
}

function listed(apiKey: ApiKeyId, row: KeyRow): ListedKey {
  const { account, permissions, createdAtMs, revokedAtMs, credential } = row;
  return { apiKey, account, permissions, kind: credential.kind, createdAtMs, revokedAtMs };
}
