import { closeSync, fsyncSync, openSync, statfsSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DISK_RESERVE_BYTES } from '../model/limits.js';
import { isMissing } from './data-folder.js';

/** The file that is given up when the disk is full. It holds nothing. */
export const RESERVE_FILE = 'reserve';
const ZEROS = Buffer.alloc(1024 * 1024);

/** Bytes that the disk of a folder has left for this user. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Room on the disk that is kept for a start and for cancels: a file of DISK_RESERVE_BYTES in the data folder. It is
 * removed when less is free, and made again when there is plenty.
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

  /** Removes the file when less than its size is free; true when that has made room. Needs no free byte itself. */
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

  /** Makes the file where it is missing and `freeBytesMin` remain free with it. Writes it whole: call it off the main thread. */
  restoreWhenRoomy(freeBytesMin: number): void {
    if (statSync(this.#file, { throwIfNoEntry: false }) !== undefined) return;
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
