import { open, TransactionFlags, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { keepCommits } from '../../lmdb/kept-commits.js';
import type { Row, VenueStore } from '../port.js';

const SYNC_EVERY_MS = 1_000;
/** Behind every key that starts with a prefix. */
const KEY_END = '\uffff';
const TO_DISK = (TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT) as TransactionFlags;
const TO_CACHE = (TO_DISK | TransactionFlags.NO_SYNC_FLUSH) as TransactionFlags;
/** A commit reaches the disk only if it writes something. */
const LAST_ROW: Row = { key: 'closed', value: new Uint8Array(1) };

/**
 * The venues' memory in LMDB. A commit is in the system's cache when it returns, so a killed process loses nothing.
 * One commit a second and the last one go on to the disk, with all before them: a power loss may cost the simulation
 * its latest moments.
 */
export class LmdbVenueStore implements VenueStore {
  readonly #database: RootDatabase<Uint8Array, string>;
  readonly #monotonicMs: () => number;
  #syncedAtMs: number;

  /** `folder` is made when it does not exist. */
  constructor(folder: string, monotonicMs: () => number = () => performance.now()) {
    // The type leaves permissionsMode out, which lmdb-js knows.
    const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
      path: folder,
      permissionsMode: 0o600,
      noSubdir: false,
      encoding: 'binary',
      overlappingSync: false,
    };
    this.#database = open<Uint8Array, string>(options);
    // A backup opens it while the venues write to it.
    keepCommits(folder, [this.#database]);
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

  commit(rows: readonly Row[]): void {
    const nowMs = this.#monotonicMs();
    const isDue = nowMs - this.#syncedAtMs >= SYNC_EVERY_MS;
    this.#write(rows, isDue ? TO_DISK : TO_CACHE);
    if (isDue) this.#syncedAtMs = nowMs;
  }

  close(): void {
    this.#write([LAST_ROW], TO_DISK);
    void this.#database.close();
  }

  #write(rows: readonly Row[], flags: TransactionFlags): void {
    this.#database.transactionSync(() => {
      for (const { key, value } of rows) {
        if (value === null) this.#database.removeSync(key);
        else this.#database.putSync(key, value);
      }
    }, flags);
  }
}
