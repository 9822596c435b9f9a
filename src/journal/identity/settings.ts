import { randomBytes } from 'node:crypto';
import { assert } from '../../model/assert.js';
import type { Table } from './database.js';
import type { Vault } from './vault.js';

const LISTEN_KEY_SECRET_BYTES = 32;
const LISTEN_KEY_SECRET = 'listen-key-secret';
const DEMO_KEY_PENDING = 'demo-key-pending';
const MASTER_KEY_PROBE = 'master-key-probe';

/** Secrets of the service itself, made on first use and sealed at rest. */
export class Settings {
  readonly #settings: Table;
  readonly #vault: Vault;

  constructor(settings: Table, vault: Vault) {
    this.#settings = settings;
    this.#vault = vault;
  }

  /** Signs listen keys: 32 bytes, the same for the life of the data directory, so listen keys survive a restart. */
  listenKeySecret(): Buffer {
    const secret = this.#remembered(LISTEN_KEY_SECRET, () => randomBytes(LISTEN_KEY_SECRET_BYTES));
    assert(secret !== null, 'the listen-key secret opens with the master key');
    return secret;
  }

  /** True while a demo key was made and not delivered. */
  isDemoKeyPending(): boolean {
    return this.#settings.get(DEMO_KEY_PENDING) !== undefined;
  }

  /** Synced to disk before it returns. */
  setDemoKeyPending(isPending: boolean): void {
    if (isPending) this.#settings.putSync(DEMO_KEY_PENDING, Buffer.of(1));
    else this.#settings.removeSync(DEMO_KEY_PENDING);
    this.#settings.resetReadTxn();
  }

  /** False when the directory's secrets were sealed by another master key. */
  acceptsMasterKey(): boolean {
    return this.#remembered(MASTER_KEY_PROBE, () => Buffer.from(MASTER_KEY_PROBE)) !== null;
  }

  /** Read and made in one transaction: two processes that start at once agree on one value. */
  #remembered(name: string, make: () => Buffer): Buffer | null {
    return this.#settings.transactionSync(() => {
      const sealed = this.#settings.get(name);
      if (sealed !== undefined) return this.#vault.open(sealed, name);
      const secret = make();
      this.#settings.putSync(name, this.#vault.seal(secret, name));
      return secret;
    });
  }
}
