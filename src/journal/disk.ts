import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

/** What an append asks of the file system: the seam at which tests let the disk fail. */
export interface JournalDisk {
  /** Opens an existing file for writing. */
  open(path: string): number;
  /** Bytes written, which may be fewer than asked for. */
  write(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  datasync(file: number): void;
  close(file: number): void;
}

export const nodeDisk: JournalDisk = {
  open: (path) => openSync(path, 'r+'),
  write: writeSync,
  datasync: fdatasyncSync,
  close: closeSync,
};
