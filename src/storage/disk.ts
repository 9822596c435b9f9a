import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Mode of every data file and folder: only the owner has access. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Every change that the journal and its checkpoints make to the file system. Tests replace it with a disk that fails,
 * and with one that loses unsynced writes. LMDB writes its own files without it. Calls throw the system's errors.
 */
export interface Disk {
  /** Opens an existing file for writing. */
  open(path: string): number;
  /** Creates an empty file, or empties an existing one, and opens it for writing. */
  create(path: string): number;
  /** Returns the number of bytes written, which may be less than `length`. */
  write(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Syncs the bytes of an open file. */
  datasync(file: number): void;
  close(file: number): void;
  /** Syncs the bytes of a file, or the names in a folder. */
  sync(path: string): void;
  /** Creates a folder and its parents. An existing folder stays unchanged. */
  makeFolder(path: string): void;
  /** Copies a file; the copy has FILE_MODE. */
  copy(from: string, to: string): void;
  /** Gives a file a second name. Throws EEXIST when the name is taken. */
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Removes a folder and everything in it. A missing folder is no error. */
  removeTree(path: string): void;
}

export const nodeDisk: Disk = {
  open: (path) => openSync(path, 'r+'),
  create: (path) => openSync(path, 'w', FILE_MODE),
  write: writeSync,
  datasync: fdatasyncSync,
  close: closeSync,
  sync(path) {
    const file = openSync(path, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: FOLDER_MODE }),
  copy(from, to) {
    copyFileSync(from, to);
    chmodSync(to, FILE_MODE);
  },
  link: linkSync,
  rename: renameSync,
  remove: unlinkSync,
  removeTree: (path) => rmSync(path, { recursive: true, force: true }),
};

/** Creates a folder and syncs its name in the parent folder. An existing folder stays unchanged. */
export function makeDurableFolder(disk: Disk, path: string): void {
  if (existsSync(path)) return;
  disk.makeFolder(path);
  disk.sync(dirname(path));
}

/** Replaces a file atomically: after a crash it has the old content or the new one. Synced when the call returns. */
export function replaceFile(disk: Disk, folder: string, path: string, text: string): void {
  const draft = `${path}.draft`;
  writeSynced(disk, draft, text);
  disk.rename(draft, path);
  disk.sync(folder);
}

/** Writes a new file and syncs its bytes, but not its name. */
export function writeSynced(disk: Disk, path: string, text: string): void {
  const bytes = Buffer.from(text);
  const file = disk.create(path);
  try {
    for (let done = 0; done < bytes.length;) done += disk.write(file, bytes, done, bytes.length - done, done);
    disk.datasync(file);
  } finally {
    disk.close(file);
  }
}
