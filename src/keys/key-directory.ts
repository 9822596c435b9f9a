import { createPublicKey, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { assert } from '../domain/rejection.js';
import type { ApiKeyId } from '../domain/ids.js';
import { API_KEY_CHARACTERS, API_KEYS_CACHED_MAX } from '../domain/limits/process.js';
import { IDENTITY_READ_MS } from '../domain/limits/trading.js';
import type { KeyTable } from './database.js';
import { decodeKeyRow, isActive, isSuspended, secretPurpose } from './key-store.js';
import { NetworkList, rsaWeakness } from './key-request.js';
import type { ApiKeyRecord } from './port.js';
import type { Vault } from './vault.js';

/**
 * Finds the API key of a request. It keeps decrypted keys. A call reads the key's row in LMDB's memory map, unless the
 * same snapshot has shown it last. A key that this process creates or revokes takes effect at once.
 */
export class StoredKeyDirectory {
  readonly #keys: KeyTable;
  readonly #vault: Vault;
  readonly #cache = new Map<string, ApiKeyRecord>();
  #snapshotAtMs = 0;
  /** The key that the present snapshot has shown last as active. null: none yet. */
  #latest: ApiKeyRecord | null = null;

  constructor(keys: KeyTable, vault: Vault) {
    this.#keys = keys;
    this.#vault = vault;
  }

  /** Call it before this process changes a row. The next `find` reads the row again. */
  forgetLatest(): void {
    this.#latest = null;
  }

  /** Null when the key is unknown, revoked or suspended. Returns an expired key: the caller has the time. */
  find(apiKey: string): ApiKeyRecord | null {
    if (apiKey.length !== API_KEY_CHARACTERS) return null;
    this.#refresh();
    // The snapshot shows the same row as before.
    if (apiKey === this.#latest?.apiKey) return this.#latest;
    const row = this.#keys.getBinaryFast(apiKey);
    if (row === undefined || !isActive(row)) return null;
    this.#latest = this.#cache.get(apiKey) ?? this.#load(apiKey as ApiKeyId);
    return this.#latest;
  }

  /**
   * The record of a suspended key; null: the key is not suspended. Called only for keys that `find` does not return.
   */
  findSuspended(apiKey: string): ApiKeyRecord | null {
    if (apiKey.length !== API_KEY_CHARACTERS) return null;
    this.#refresh();
    const row = this.#keys.getBinaryFast(apiKey);
    if (row === undefined || !isSuspended(row)) return null;
    return this.#cache.get(apiKey) ?? this.#load(apiKey as ApiKeyId);
  }

  /** True when a request or a session of this process has proven the key. */
  hasSigned(apiKey: string): boolean {
    return this.#cache.get(apiKey)?.hasSigned === true;
  }

  /** Keeps one read snapshot for IDENTITY_READ_MS: a new snapshot costs four times as much as a row read. */
  #refresh(): void {
    const nowMs = performance.now();
    if (nowMs - this.#snapshotAtMs < IDENTITY_READ_MS) return;
    this.#snapshotAtMs = nowMs;
    this.#latest = null;
    this.#keys.resetReadTxn();
  }

  /** Only the state of a row ever changes, so a loaded record stays valid. */
  #load(apiKey: ApiKeyId): ApiKeyRecord {
    const bytes = this.#keys.get(apiKey);
    assert(bytes !== undefined, 'rows of API keys are never removed');
    const { account, permissions, expiresAtMs, allowedNetworks, needsSignV2, credential } = decodeKeyRow(bytes);
    const allowedFrom = allowedNetworks.length === 0 ? null : new NetworkList(allowedNetworks);
    const bounds = { apiKey, account, permissions, expiresAtMs, allowedFrom, needsSignV2, hasSigned: false };
    const record: ApiKeyRecord =
      credential.kind === 'RSA'
        ? { ...bounds, ...rsaProof(credential.publicKey) }
        : { ...bounds, kind: 'HMAC', secret: this.#secret(apiKey, credential.sealedSecret) };
    if (this.#cache.size >= API_KEYS_CACHED_MAX) this.#cache.clear();
    this.#cache.set(apiKey, record);
    return record;
  }

  #secret(apiKey: ApiKeyId, sealed: string): KeyObject {
    const secret = this.#vault.open(Buffer.from(sealed, 'base64'), secretPurpose(apiKey));
    assert(secret !== null, `the sealed secret of API key ${apiKey} opens with the master key`);
    return createSecretKey(secret);
  }
}

function rsaProof(pem: string): { kind: 'RSA'; publicKey: KeyObject; weakness: string | null } {
  const publicKey = createPublicKey(pem);
  return { kind: 'RSA', publicKey, weakness: rsaWeakness(publicKey) };
}
