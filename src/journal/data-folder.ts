import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the parts of a data folder lie. */
export function journalFolder(dataDir: string): string {
  return join(dataDir, 'journal');
}

export function stateFolder(dataDir: string): string {
  return join(dataDir, 'state');
}

export function checkpointFolder(dataDir: string): string {
  return join(dataDir, 'checkpoint');
}

export function claimFolder(dataDir: string): string {
  return join(dataDir, 'claim');
}

/** Makes a folder that only its owner can read; one that is there is left as it is. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Brings a file's bytes, or a folder's names, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function isEmptyFolder(path: string): boolean {
  return namesIn(path).length === 0;
}

/** Names in a folder, sorted; none when there is no folder. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
