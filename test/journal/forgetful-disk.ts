import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk, type Disk } from '../../src/storage/disk.js';
import { Random } from '../torture/random.js';

const SECTOR_BYTES = 512;
/** Begins the identity of a folder. */
const FOLDER = 'folder';

/** The power fails: later writes do not reach the disk. */
class PowerLoss extends Error {
  override readonly name = 'PowerLoss';
}

/** Names in a folder at its last sync, each with the identity of its file. */
type Names = ReadonlyMap<string, string>;

/** Draws an integer from 0 to limit - 1. */
type Below = (limit: number) => number;

/**
 * A disk that forgets what was not synced: bytes of files and names in folders. It works on the real file system, so
 * LMDB can work beside it, and remembers what each sync has made durable. `image` makes a folder as a power loss leaves
 * it. What was not synced is kept or lost at random, sector by sector and name by name.
 *
 * Files that others write past it, as LMDB does, are durable from the sync of their path on.
 */
export class ForgetfulDisk implements Disk {
  readonly #root: string;
  /** By identity of the file: its bytes at its last sync. */
  readonly #bytes = new Map<string, Buffer>();
  /** By identity of the folder. */
  readonly #names = new Map<string, Names>();
  readonly #paths = new Map<number, string>();
  /** Identity by inode number. */
  readonly #held = new Map<number, string>();
  readonly #files: number[] = [];
  /** Changes and syncs until now. */
  changesCount = 0;
  /** What another thread does before each change and sync. */
  meanwhile: () => void = () => undefined;
  #changesMax = Infinity;

  /** Takes the present content of the folder as durable. */
  constructor(root: string) {
    this.#root = root;
    this.#syncTree(root);
  }

  /** Lets the power fail after `changeCount` more changes and syncs. */
  failAfter(changeCount: number): void {
    this.#changesMax = this.changesCount + changeCount;
  }

  open(path: string): number {
    return this.#note(path, nodeDisk.open(path));
  }

  create(path: string): number {
    this.#change();
    return this.#note(path, nodeDisk.create(path));
  }

  write(...request: Parameters<Disk['write']>): number {
    this.#change();
    return nodeDisk.write(...request);
  }

  datasync(file: number): void {
    this.#change();
    this.#syncFile(this.#paths.get(file) as string);
  }

  close(file: number): void {
    this.#paths.delete(file);
    nodeDisk.close(file);
  }

  sync(path: string): void {
    this.#change();
    if (lstatSync(path).isDirectory()) this.#syncFolder(path);
    else this.#syncFile(path);
  }

  makeFolder(path: string): void {
    this.#change();
    nodeDisk.makeFolder(path);
  }

  copy(from: string, to: string): void {
    this.#change();
    nodeDisk.copy(from, to);
  }

  link(from: string, to: string): void {
    this.#change();
    nodeDisk.link(from, to);
  }

  rename(from: string, to: string): void {
    this.#change();
    nodeDisk.rename(from, to);
  }

  remove(path: string): void {
    this.#change();
    nodeDisk.remove(path);
  }

  removeTree(path: string): void {
    this.#change();
    nodeDisk.removeTree(path);
  }

  /** Fills an empty folder with the files that a power loss would leave now. */
  image(target: string, below: Below): void {
    // A lost name may leave its file under another name, so lost files are looked up by identity.
    const living = new Map<string, string>();
    this.#find(this.#root, living);
    this.#restore(this.#identityOf(this.#root), target, living, below);
  }

  /** Gives the files back that it holds; after the last image. */
  end(): void {
    for (const file of this.#files) closeSync(file);
    this.#files.length = 0;
  }

  #restore(folder: string, target: string, living: ReadonlyMap<string, string>, below: Below): void {
    const durable = this.#names.get(folder) ?? new Map<string, string>();
    const path = living.get(folder);
    const present = path === undefined ? durable : this.#namesOf(path);
    for (const name of new Set([...durable.keys(), ...present.keys()])) {
      const [before, now] = [durable.get(name), present.get(name)];
      const chosen = before === now || below(2) === 0 ? before : now;
      if (chosen === undefined) continue;
      const [to, from] = [join(target, name), living.get(chosen)];
      if (chosen.startsWith(FOLDER)) {
        mkdirSync(to, { recursive: true, mode: 0o700 });
        this.#restore(chosen, to, living, below);
      } else {
        writeFileSync(to, this.#survivor(chosen, from, below), { mode: 0o600 });
      }
    }
  }

  /** Bytes of a file after the power loss: of each sector that was not synced, the old ones or the new ones. */
  #survivor(file: string, path: string | undefined, below: Below): Buffer {
    const durable = this.#bytes.get(file) ?? Buffer.alloc(0);
    if (path === undefined) return durable;
    const written = readFileSync(path);
    if (written.equals(durable)) return durable;
    const length = below(2) === 0 ? durable.length : written.length;
    const bytes = Buffer.alloc(length);
    durable.copy(bytes);
    for (let offset = 0; offset < length; offset += SECTOR_BYTES) {
      if (below(2) === 0) written.copy(bytes, offset, offset, Math.min(offset + SECTOR_BYTES, written.length, length));
    }
    return bytes;
  }

  #find(path: string, living: Map<string, string>): void {
    living.set(this.#identityOf(path), path);
    for (const name of readdirSync(path)) {
      const entry = join(path, name);
      if (lstatSync(entry).isDirectory()) this.#find(entry, living);
      else living.set(this.#identityOf(entry), entry);
    }
  }

  #syncTree(path: string): void {
    this.#syncFolder(path);
    for (const name of readdirSync(path)) {
      const entry = join(path, name);
      if (lstatSync(entry).isDirectory()) this.#syncTree(entry);
      else this.#syncFile(entry);
    }
  }

  #syncFile(path: string): void {
    this.#bytes.set(this.#identityOf(path), readFileSync(path));
  }

  #syncFolder(path: string): void {
    this.#names.set(this.#identityOf(path), this.#namesOf(path));
  }

  /**
   * Names a file or folder for its life. The system uses inode numbers again once nothing holds them, so every one that
   * was seen is held open.
   */
  #identityOf(path: string): string {
    const { ino } = lstatSync(path);
    const known = this.#held.get(ino);
    if (known !== undefined) return known;
    this.#files.push(openSync(path, 'r'));
    const identity = `${lstatSync(path).isDirectory() ? FOLDER : 'file'} ${ino}`;
    this.#held.set(ino, identity);
    return identity;
  }

  #namesOf(path: string): Map<string, string> {
    return new Map(readdirSync(path).map((name) => [name, this.#identityOf(join(path, name))]));
  }

  #note(path: string, file: number): number {
    this.#paths.set(file, path);
    return file;
  }

  #change(): void {
    this.meanwhile();
    if (this.changesCount >= this.#changesMax) throw new PowerLoss('the power has failed');
    this.changesCount += 1;
  }
}

/** Changes a data folder through the disk. */
type Work = (dataDir: string, disk: Disk) => void;

/** Does the work. Returns the number of its changes and syncs: before each of them the power may fail. */
export function countChanges(dataDir: string, work: Work): number {
  const disk = new ForgetfulDisk(dataDir);
  work(dataDir, disk);
  disk.end();
  return disk.changesCount;
}

/** When the power fails: after a number of changes. The seed chooses what is lost. */
interface Failure {
  readonly changes: number;
  readonly seed: number;
}

/** Does the work until the power fails. Fills the empty folder `image` with what is left. */
export function losePower(dataDir: string, image: string, work: Work, { changes, seed }: Failure): void {
  const disk = new ForgetfulDisk(dataDir);
  disk.failAfter(changes);
  try {
    work(dataDir, disk);
    throw new Error(`the work has only ${disk.changesCount} changes`);
  } catch (error) {
    if (!(error instanceof PowerLoss)) throw error;
  }
  const random = new Random(seed);
  disk.image(image, (limit) => random.below(limit));
  disk.end();
}
