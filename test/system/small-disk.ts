import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Site } from './site.js';

/** A disk of its own for the data directory: a tmpfs of a bounded size. null where this user may not mount one. */
export function smallDisk(site: Site, megabytes: number): SmallDisk | null {
  const folder = join(site.folder, 'small-disk');
  mkdirSync(folder);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return new SmallDisk(folder);
}

export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, 'filler');
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Fills it with a file until so many bytes are free. */
  fill(freeBytes: number): void {
    this.clear();
    const chunk = Buffer.alloc(64 * 1024);
    let bytes = this.freeBytes - freeBytes;
    writeFileSync(this.#filler, '');
    while (bytes >= chunk.length) {
      writeFileSync(this.#filler, chunk, { flag: 'a' });
      bytes -= chunk.length;
    }
  }

  clear(): void {
    rmSync(this.#filler, { force: true });
  }
}
