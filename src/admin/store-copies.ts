import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type OrRejection, reject } from '../domain/rejection.js';
import { copyEnvironment } from '../journal/directory-parts.js';
import { STATE_FILE } from '../journal/state/state-tables.js';
import { namesIn } from '../storage/data-directory.js';
import { freeBytesOf } from '../storage/disk-reserve.js';
import { nodeDisk } from '../storage/disk.js';
import { storeFolder } from '../storage/format/directory-upgrade.js';
import { type StoreName, STORES } from '../storage/format/format-steps.js';
import { adminFolder } from './admin-address.js';

const COPY_NAME = /^copy-\d+$/;

/** A copied store: the name of its folder in the admin folder. null: the data directory has no such store. */
export type CopiedStore = { readonly name: string } | null;

/**
 * Copies stores of the running service for commands. LMDB copies in a thread of its own, and writers go on. One copy is
 * made at a time: it takes as much of the disk as the store.
 */
export class StoreCopies {
  readonly #dataDir: string;
  readonly #freeBytesMin: number;
  #count = 0;
  #isCopying = false;

  /** Removes what an earlier process has left. `freeBytesMin`: a copy leaves so much of the disk free. */
  constructor(dataDir: string, freeBytesMin: number) {
    this.#dataDir = dataDir;
    this.#freeBytesMin = freeBytesMin;
    for (const name of namesIn(adminFolder(dataDir)).filter((one) => COPY_NAME.test(one))) this.remove(name);
  }

  async make(params: unknown): Promise<OrRejection<CopiedStore>> {
    const { store } = params as { readonly store: StoreName };
    if (!STORES.includes(store)) return reject('INVALID_PARAM', `there is no store ${JSON.stringify(store)}`);
    const source = storeFolder(this.#dataDir, store);
    const file = join(source, STATE_FILE);
    if (!existsSync(file)) return null;
    if (this.#isCopying) return reject('SYSTEM_BUSY', 'another command copies a store; try again later');
    const bytes = statSync(file).size;
    if (freeBytesOf(this.#dataDir) - bytes < this.#freeBytesMin) {
      return reject(
        'SYSTEM_BUSY',
        `the disk of ${this.#dataDir} has too little room for a copy of the store ${store}, ${bytes} bytes; free some space`,
      );
    }
    this.#count += 1;
    const name = `copy-${this.#count}`;
    const target = join(adminFolder(this.#dataDir), name);
    this.#isCopying = true;
    try {
      nodeDisk.makeFolder(target);
      await copyEnvironment(source, target);
      return { name };
    } catch (error) {
      this.remove(name);
      throw error;
    } finally {
      this.#isCopying = false;
    }
  }

  remove(name: string): void {
    nodeDisk.removeTree(join(adminFolder(this.#dataDir), name));
  }
}
