import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPreloadLibrary } from '../system/preload-library.js';
import type { Random } from './random.js';
import { readChanges, type NameChange, type Write } from './unsynced-changes.js';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
const PAGE_BYTES = 4096;

/** Number of pages and names lost in a power loss. */
export interface Loss {
  readonly pages: number;
  readonly names: number;
}

/**
 * The disk of a service's data folder, which loses unsynced data on request. Bytes of a file are lost page by page, in
 * any order; names are lost from the latest back. The exchange's data are on another machine and stay.
 */
export class LosingDisk {
  readonly #dataDir: string;
  readonly #library: string;
  readonly #log: string;
  readonly #keep: string;

  /** `folder`: for the disk's own files, on the file system of the data folder. */
  constructor(dataDir: string, folder: string) {
    this.#dataDir = dataDir;
    this.#library = join(folder, 'lost-writes.so');
    this.#log = join(folder, 'lost-writes.log');
    this.#keep = join(folder, 'kept');
    mkdirSync(folder, { recursive: true });
    buildPreloadLibrary('test/torture/lost-writes.c', this.#library);
  }

  /** Begins a run: all earlier writes are durable. Returns the environment for the service. */
  begin(): Readonly<Record<string, string>> {
    rmSync(this.#keep, { recursive: true, force: true });
    rmSync(this.#log, { force: true });
    mkdirSync(this.#keep);
    return {
      LD_PRELOAD: this.#library,
      LOST_WRITES_LOG: this.#log,
      LOST_WRITES_FOLDER: this.#dataDir,
      LOST_WRITES_KEEP: this.#keep,
    };
  }

  /** Simulates a power loss and a reboot. Call it after the service was killed. */
  losePower(random: Random): Loss {
    const { writes, names } = readChanges(readFileSync(this.#log));
    const paths = this.#pathsByInode();
    let pages = 0;
    for (const [inode, ofFile] of writes) {
      const path = paths.get(inode);
      if (path !== undefined) pages += loseBytes(path, ofFile, random);
    }
    const kept = random.pick([0, 0, names.length, random.below(names.length + 1)]);
    for (const change of names.slice(kept).toReversed()) loseName(change);
    this.#forgetBoot();
    return { pages, names: names.length - kept };
  }

  #pathsByInode(): Map<number, string> {
    const paths = new Map<number, string>();
    for (const folder of [this.#keep, this.#dataDir]) {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        paths.set(statSync(path).ino, path);
      }
    }
    return paths;
  }

  /** Replaces the boot id in the service's files, because the machine has rebooted. */
  #forgetBoot(): void {
    const bootId = readFileSync(BOOT_ID_FILE, 'utf8').trim();
    for (const entry of readdirSync(this.#dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || statSync(path).size > PAGE_BYTES) continue;
      const text = readFileSync(path, 'latin1');
      if (text.includes(bootId)) writeFileSync(path, text.replaceAll(bootId, '0'.repeat(bootId.length)), 'latin1');
    }
  }
}

/** Reverts some or all pages of a file to their bytes before the unsynced writes. Returns their number. */
function loseBytes(path: string, writes: readonly Write[], random: Random): number {
  const share = random.pick([1, 1, 0.5, 0]);
  const file = openSync(path, 'r+');
  try {
    const pages = new Map<number, Buffer>();
    const pageOf = (number: number): Buffer => {
      const known = pages.get(number);
      if (known !== undefined) return known;
      const bytes = Buffer.alloc(PAGE_BYTES);
      readSync(file, bytes, 0, PAGE_BYTES, number * PAGE_BYTES);
      pages.set(number, bytes);
      return bytes;
    };
    for (const { position, before } of writes.toReversed()) {
      for (let at = 0; at < before.length;) {
        const offset = (position + at) % PAGE_BYTES;
        const count = Math.min(PAGE_BYTES - offset, before.length - at);
        before.copy(pageOf(Math.floor((position + at) / PAGE_BYTES)), offset, at, at + count);
        at += count;
      }
    }
    const sizeBefore = writes[0]?.sizeBefore ?? 0;
    const isSizeLost = share === 1 || random.next() < share;
    const size = isSizeLost ? sizeBefore : Math.max(sizeBefore, fstatSync(file).size);
    let lost = 0;
    for (const [number, bytes] of pages) {
      if (random.next() >= share) continue;
      const count = Math.min(PAGE_BYTES, size - number * PAGE_BYTES);
      if (count > 0) writeSync(file, bytes, 0, count, number * PAGE_BYTES);
      lost += 1;
    }
    ftruncateSync(file, size);
    return lost;
  } finally {
    closeSync(file);
  }
}

function loseName(change: NameChange): void {
  switch (change.kind) {
    case 'create':
      return rmSync(change.path, { recursive: true, force: true });
    case 'remove':
      if (existsSync(change.path)) return;
      mkdirSync(dirname(change.path), { recursive: true });
      return linkSync(change.kept, change.path);
    case 'rename':
      // Its folder may be gone with a name that was lost before.
      if (existsSync(change.to)) renameSync(change.to, change.from);
      if (change.kept !== '') linkSync(change.kept, change.to);
  }
}
