import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { preloadLibrary } from './failing-disk.js';
import type { Site } from './site.js';

const MEGABYTE = 1024 * 1024;

/** A disk of bounded size for the data directory. */
export interface SmallDisk {
  readonly folder: string;
  /** The service must be started with it. */
  readonly env: Readonly<Record<string, string>>;
  readonly freeBytes: number;
  /** Uses the disk for another file until `freeBytes` are free. */
  fill(freeBytes: number): void;
  /** Removes the file of fill(). */
  clear(): void;
}

/**
 * Makes a bounded disk in the way that this machine allows: a tmpfs mounted by root, a tmpfs in a user namespace, or a
 * library that bounds the calls of the service.
 */
export async function smallDisk(site: Site, megabytes: number): Promise<SmallDisk> {
  const folder = join(site.folder, 'small-disk');
  mkdirSync(folder);
  const mounted = mountAsRoot(folder, megabytes) ? folder : await mountInNamespace(folder, megabytes);
  if (mounted !== null) return new MountedDisk(mounted);
  return new BoundedCalls(site, folder, megabytes);
}

function mountAsRoot(folder: string, megabytes: number): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (status === 0) onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return status === 0;
}

/** A process in a namespace of its own keeps the mount. Other processes of the user reach it through /proc. */
async function mountInNamespace(folder: string, megabytes: number): Promise<string | null> {
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && echo mounted && exec sleep infinity`;
  const keeper = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const mounted = once(keeper.stdout, 'data').then(() => true);
  const ended = Promise.race([once(keeper, 'exit'), once(keeper, 'error')]).then(() => false);
  if (!(await Promise.race([mounted, ended]))) return null;
  onTestFinished(() => void keeper.kill('SIGKILL'));
  return `/proc/${keeper.pid}/root${folder}`;
}

class MountedDisk implements SmallDisk {
  readonly folder: string;
  readonly env = {};
  readonly #filler: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, 'filler');
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

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

/** A folder of the usual disk. The service's own calls see a disk of the size in a file. */
class BoundedCalls implements SmallDisk {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #limitFile: string;
  readonly #bytes: number;
  #limitBytes = 0;

  constructor(site: Site, folder: string, megabytes: number) {
    this.folder = folder;
    this.#bytes = megabytes * MEGABYTE;
    this.#limitFile = join(site.folder, 'small-disk-limit');
    const library = preloadLibrary(site, 'small-disk');
    this.env = { LD_PRELOAD: library, SMALL_DISK_FOLDER: folder, SMALL_DISK_LIMIT: this.#limitFile };
    this.#limit(this.#bytes);
  }

  get freeBytes(): number {
    return Math.max(0, this.#limitBytes - this.#usedBytes());
  }

  fill(freeBytes: number): void {
    this.#limit(Math.min(this.#bytes, this.#usedBytes() + freeBytes));
  }

  clear(): void {
    this.#limit(this.#bytes);
  }

  #limit(bytes: number): void {
    this.#limitBytes = bytes;
    writeFileSync(this.#limitFile, String(bytes));
  }

  #usedBytes(): number {
    const names = readdirSync(this.folder, { recursive: true }) as string[];
    return ['.', ...names].reduce((sum, name) => sum + statSync(join(this.folder, name)).blocks * 512, 0);
  }
}
