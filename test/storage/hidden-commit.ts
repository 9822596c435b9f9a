import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Takes one from the number of the last transaction: 64 bits at byte 8 of the memory that all processes share. */
const HIDER = `
  const { closeSync, openSync, readSync, writeSync } = require('node:fs');
  const file = openSync(process.argv[1], 'r+');
  const bytes = Buffer.alloc(8);
  readSync(file, bytes, 0, 8, 8);
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE() - 1n);
  writeSync(file, bytes, 0, 8, 8);
  closeSync(file);
`;

/**
 * Does what a process does that opens the environment at the moment of its last commit. In another process, because a
 * process that closes the lock file loses its locks on it.
 */
export function hideLastCommit(path: string): void {
  execFileSync(process.execPath, ['-e', HIDER, join(path, 'lock.mdb')]);
}
