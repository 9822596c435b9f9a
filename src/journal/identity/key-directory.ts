import { createPublicKey, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { assert } from '../../model/assert.js';
import type { AccountId, ApiKeyId } from '../../model/ids.js';
import { API_KEY_CHARACTERS, API_KEYS_CACHED_MAX, IDENTITY_LOOK_MS } from '../../model/limits.js';
import type { Table } from './database.js';
import { decodeKeyRow, isActive } from './key-row.js';
import type { Permission } from './key-row.js';
import { secretPurpose } from './key-store.js';
import { NetworkList } from './network-list.js';
import type { Vault } from './vault.js';

/** A key that is not revoked, ready to verify a signature with. */
export type ApiKeyRecord = {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds, from which on it is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** null: from everywhere. */
  readonly allowedFrom: NetworkList | null;
  /** True: only the second way to sign is taken. */
  readonly needsSignV2: boolean;
} & ({ readonly kind: 'HMAC'; readonly secret: KeyObject } | { readonly kind: 'RSA'; readonly publicKey: KeyObject });

/**
 * Looks keys up for every request. Decrypted keys are kept, but each call reads the key's row in LMDB's memory map,
 * so that a key made or revoked by another process counts within a millisecond.
 */
export class KeyDirectory {
  readonly #keys: Table;
  readonly #vault: Vault;
  readonly #cache = new Map<string, ApiKeyRecord>();
  #snapshotAtMs = 0;

  constructor(keys: Table, vault: Vault) {
    this.#keys = keys;
    this.#vault = vault;
  }

  /** Null when the key is unknown or revoked; an expired one is found, for its caller has the time. */
  find(apiKey: string): ApiKeyRecord | null {
    if (apiKey.length !== API_KEY_CHARACTERS) return null;
    this.#refresh();
    const row = this.#keys.getBinaryFast(apiKey);
    if (row === undefined || !isActive(row)) return null;
    return this.#cache.get(apiKey) ?? this.#load(apiKey as ApiKeyId);
  }

  /** A snapshot of the table serves for a while: taking one costs four times as much as reading a row of it. */
  #refresh(): void {
    const nowMs = performance.now();
    if (nowMs - this.#snapshotAtMs < IDENTITY_LOOK_MS) return;
    this.#snapshotAtMs = nowMs;
    this.#keys.resetReadTxn();
  }

  /** All but its state of a row is constant, so a record that was loaded once stays right. */
  #load(apiKey: ApiKeyId): ApiKeyRecord {
    const bytes = this.#keys.get(apiKey);
    assert(bytes !== undefined, 'rows of API keys are never removed');
    const { account, permissions, expiresAtMs, allowedNetworks, needsSignV2, credential } = decodeKeyRow(bytes);
    const allowedFrom = allowedNetworks.length === 0 ? null : new NetworkList(allowedNetworks);
    const bounds = { apiKey, account, permissions, expiresAtMs, allowedFrom, needsSignV2 };
    const record: ApiKeyRecord =
      credential.kind === 'RSA'
        ? { ...bounds, kind: 'RSA', publicKey: createPublicKey(credential.publicKey) }
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
