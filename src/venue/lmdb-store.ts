import { closeSync, fdatasyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { VenueStore } from './port.js';

const SYNC_EVERY_MS = 1_000;
/** Behind every key that starts with a prefix. */
const KEY_END = '\uffff';

/**
 * The venues' memory in LMDB. A commit is in the system's cache when it returns, so a killed process loses nothing.
 * The disk is brought up to date about once a second and at close: the venue is a simulation, and a power loss may
 * cost it its last second.
 */
export class LmdbVenueStore implements VenueStore {
  readonly #database: RootDatabase<Uint8Array, string>;
  readonly #file: number;
  readonly #monotonicMs: () => number;
  #syncedAtMs: number;

  /** `folder` is made when it does not exist. */
  constructor(folder: string, monotonicMs: () => number = () => performance.now()) {
    mkdirSync(folder, { recursive: true });
    this.#database = open<Uint8Array, string>({ path: folder, noSubdir: false, encoding: 'binary', noSync: true });
    this.#file = openSync(join(folder, 'data.mdb'), 'r+');
    this.#monotonicMs = monotonicMs;
    this.#syncedAtMs = monotonicMs();
  }

  get(key: string): Uint8Array | undefined {
    return this.#database.getBinary(key);
  }

  *range(prefix: string): Generator<{ key: string; value: Uint8Array }> {
    for (const { key, value } of this.#database.getRange({ start: prefix, end: prefix + KEY_END }))
      yield { key, value };
  }

  commit(rows: readonly { readonly key: string; readonly value: Uint8Array | null }[]): void {
    this.#database.transactionSync(() => {
      for (const { key, value } of rows) {
        if (value === null) this.#database.removeSync(key);
        else this.#database.putSync(key, value);
      }
    });
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#syncedAtMs < SYNC_EVERY_MS) return;
    fdatasyncSync(this.#file);
    this.#syncedAtMs = nowMs;
  }

  close(): void {
    fdatasyncSync(this.#file);
    closeSync(this.#file);
    void this.#database.close();
  }
}
