import { randomBytes } from 'node:crypto';
import type { OrderId } from '../domain/ids.js';
import { ORDER_ID_BLOCK_IDS_MAX } from '../domain/limits/process.js';
import { assert } from '../domain/rejection.js';
import type { KeyTable } from './database.js';
import type { Vault } from './vault.js';

const LISTEN_KEY_SECRET_BYTES = 32;
const LISTEN_KEY_SECRET = 'listen-key-secret';
const DEMO_KEY_PENDING = 'demo-key-pending';
const MASTER_KEY_PROBE = 'master-key-probe';

/** Secrets of the service, created on first use and sealed at rest. */
export class Settings {
  readonly #settings: KeyTable;
  readonly #vault: Vault;

  constructor(settings: KeyTable, vault: Vault) {
    this.#settings = settings;
    this.#vault = vault;
  }

  /**
   * Secret that signs listen keys: 32 bytes, constant for the data directory, so that listen keys survive a restart.
   */
  listenKeySecret(): Buffer {
    const secret = this.#remembered(LISTEN_KEY_SECRET, () => randomBytes(LISTEN_KEY_SECRET_BYTES));
    assert(secret !== null, 'the listen-key secret opens with the master key');
    return secret;
  }

  /** True while a demo key is created and not yet delivered. */
  isDemoKeyPending(): boolean {
    return this.#settings.get(DEMO_KEY_PENDING) !== undefined;
  }

  /** Synced to disk before it returns. */
  setDemoKeyPending(isPending: boolean): void {
    if (isPending) this.#settings.putSync(DEMO_KEY_PENDING, Buffer.of(1));
    else this.#settings.removeSync(DEMO_KEY_PENDING);
    this.#settings.resetReadTxn();
  }

  /** False when another master key sealed the secrets of the directory. */
  acceptsMasterKey(): boolean {
    return this.#remembered(MASTER_KEY_PROBE, () => Buffer.from(MASTER_KEY_PROBE)) !== null;
  }

  /** Reads or creates the value in one transaction: two processes that start at once use one value. */
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

/** The ids with from ≤ id < to. */
interface OrderIdBlock {
  readonly from: OrderId;
  readonly to: OrderId;
}

const HIGH_WATER = 'order-id-high-water';
const FLOOR_EPOCH_MS = Date.UTC(2025, 0, 1);
const FLOOR_IDS_PER_MS = 64;

/** Reserves blocks of order ids. A crash skips the rest of a block and never repeats an id. */
export class OrderIds {
  readonly #ids: KeyTable;

  constructor(ids: KeyTable) {
    this.#ids = ids;
  }

  /**
   * Reserves `count` ids (1 to 1,048,576), synced to disk before it returns. A block never starts below 64 ids for each
   * millisecond since 2025: a directory restored from an old backup lacks the ids used since, and the floor skips them.
   * 2^53 is reached after 4,000 years.
   */
  reserveOrderIds(count: number, nowRealMs: number): OrderIdBlock {
    assert(
      Number.isSafeInteger(count) && count >= 1 && count <= ORDER_ID_BLOCK_IDS_MAX,
      'a block has 1 to ORDER_ID_BLOCK_IDS_MAX ids',
    );
    return this.#ids.transactionSync(() => {
      const floor = Math.floor(nowRealMs - FLOOR_EPOCH_MS) * FLOOR_IDS_PER_MS;
      const from = Math.max(this.#highWater(), floor, 1);
      const to = from + count;
      assert(Number.isSafeInteger(to), 'order ids stay below 2^53');
      this.#ids.putSync(HIGH_WATER, Buffer.from(to.toString()));
      return { from: from as OrderId, to: to as OrderId };
    });
  }

  #highWater(): number {
    const bytes = this.#ids.get(HIGH_WATER);
    return bytes === undefined ? 0 : Number(bytes.toString());
  }
}
