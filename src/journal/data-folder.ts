import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from './disk.js';

/** Where the parts of a data folder lie. */
export function journalFolder(dataDir: string): string {
  return join(dataDir, 'journal');
}

export function stateFolder(dataDir: string): string {
  return join(dataDir, 'state');
}

/** A state that is being built; it becomes the state by its new name. */
export function buildFolder(dataDir: string): string {
  return join(dataDir, 'state.build');
}

/** A state that a built one has replaced. */
export function replacedFolder(dataDir: string): string {
  return join(dataDir, 'state.replaced');
}

export function checkpointFolder(dataDir: string): string {
  return join(dataDir, 'checkpoint');
}

/** The simulated exchanges keep their memory here; the journal only makes the folder, for its owner alone. */
export function venueFolder(dataDir: string): string {
  return join(dataDir, 'venue');
}

export function claimFolder(dataDir: string): string {
  return join(dataDir, 'claim');
}

/** Makes a folder that only its owner can read; one that is there is left as it is. */
export function makeFolder(path: string): void {
  nodeDisk.makeFolder(path);
}

/** Brings a file's bytes, or a folder's names, to the disk. */
export function syncPath(path: string): void {
  nodeDisk.sync(path);
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
