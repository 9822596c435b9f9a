import { closeSync, fsyncSync, openSync, statfsSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DISK_RESERVE_BYTES } from '../domain/limits/process.js';
import { isMissing } from './data-directory.js';

/** The file to remove when the disk is full. Its content is zeros. */
export const RESERVE_FILE = 'reserve';
const ZEROS = Buffer.alloc(1024 * 1024);

/** Free bytes for this user on the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Reserves disk space for a start and for cancels: a file of DISK_RESERVE_BYTES in the data folder. The file is
 * removed when less space is free, and created again when there is enough.
 */
export class DiskReserve {
  readonly #dataDir: string;
  readonly #file: string;
  readonly #bytes: number;

  constructor(dataDir: string, bytes = DISK_RESERVE_BYTES) {
    this.#dataDir = dataDir;
    this.#file = join(dataDir, RESERVE_FILE);
    this.#bytes = bytes;
  }

  /** Removes the file when less than its size is free. Returns true when it did. Needs no free byte itself. */
  releaseWhenFull(): boolean {
    if (freeBytesOf(this.#dataDir) >= this.#bytes) return false;
    try {
      unlinkSync(this.#file);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /**
   * Creates a missing file, or one that was not written to its end, if `freeBytesMin` stay free beside it. Writes all
   * its bytes: call it off the main thread.
   */
  restoreWhenRoomy(freeBytesMin: number): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size === this.#bytes) return;
    if (freeBytesOf(this.#dataDir) < freeBytesMin + this.#bytes) return;
    const file = openSync(this.#file, 'w', 0o600);
    try {
      for (let at = 0; at < this.#bytes;) at += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, this.#bytes - at), at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
