import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing, namesIn } from './data-folder.js';
import { FILE_MODE, FOLDER_MODE } from './disk.js';

const OTHERS = 0o077;

/** Takes the rights of group and others from a folder and all in it. Links are left as they are. */
export function tightenModes(path: string): void {
  try {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return;
    if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.isDirectory() ? FOLDER_MODE : FILE_MODE);
    if (entry.isDirectory()) for (const name of namesIn(path)) tightenModes(join(path, name));
  } catch (error) {
    // Another process may remove its files meanwhile.
    if (!isMissing(error)) throw error;
  }
}
