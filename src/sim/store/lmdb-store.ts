import { open, TransactionFlags, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import type { VenueRow, VenueStore } from '../../venue/port.js';

const SYNC_EVERY_MS = 1_000;
/** Sorts after every key with the prefix. */
const KEY_END = '\uffff';
const TO_DISK = (TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT) as TransactionFlags;
const TO_CACHE = (TO_DISK | TransactionFlags.NO_SYNC_FLUSH) as TransactionFlags;
/** A commit reaches the disk only when it writes a row. */
const LAST_ROW: VenueRow = { key: 'closed', value: new Uint8Array(1) };

/**
 * The durable store of the simulated venues in LMDB. A commit reaches the system cache, so a killed process loses
 * nothing. One commit a second, and the last one, flush to the disk. A power loss can lose the simulation's last
 * second.
 */
export class LmdbVenueStore implements VenueStore {
  readonly #database: RootDatabase<Uint8Array, string>;
  readonly #monotonicMs: () => number;
  #syncedAtMs: number;

  /** Creates `folder` when it does not exist. */
  constructor(folder: string, monotonicMs: () => number = () => performance.now()) {
    // The type lacks permissionsMode, which lmdb-js accepts.
    const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
      path: folder,
      permissionsMode: 0o600,
      noSubdir: false,
      encoding: 'binary',
      overlappingSync: false,
    };
    this.#database = open<Uint8Array, string>(options);
    this.#monotonicMs = monotonicMs;
    this.#syncedAtMs = monotonicMs();
  }

  get(key: string): Uint8Array | undefined {
    return this.#database.getBinary(key);
  }

  *range(prefix: string, after = ''): Generator<{ key: string; value: Uint8Array }> {
    const start = after > prefix ? after : prefix;
    for (const { key, value } of this.#database.getRange({ start, end: prefix + KEY_END })) {
      if (key !== after) yield { key, value };
    }
  }

  commit(rows: readonly VenueRow[]): void {
    const nowMs = this.#monotonicMs();
    const isDue = nowMs - this.#syncedAtMs >= SYNC_EVERY_MS;
    this.#write(rows, isDue ? TO_DISK : TO_CACHE);
    if (isDue) this.#syncedAtMs = nowMs;
  }

  close(): void {
    this.#write([LAST_ROW], TO_DISK);
    void this.#database.close();
  }

  #write(rows: readonly VenueRow[], flags: TransactionFlags): void {
    this.#database.transactionSync(() => {
      for (const { key, value } of rows) {
        if (value === null) this.#database.removeSync(key);
        else this.#database.putSync(key, value);
      }
    }, flags);
  }
}
