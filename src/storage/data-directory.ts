import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FILE_MODE, FOLDER_MODE, nodeDisk } from './disk.js';

/** The file that holds the generated master key. */
export const MASTER_KEY_FILE = 'master.key';

/** Exists from the start of a restore until the restore is complete. */
const UNFINISHED_FILE = 'restore-unfinished';
/** Has the time of the last backup of this directory. */
const LAST_BACKUP_FILE = 'last-backup';
/** Describes a backup. It is written last: a backup without it is incomplete. */
export const BACKUP_FILE = 'backup.json';

/** Records that a backup has been finished. `takenAtMs`: its begin, real time. */
export function noteBackup(dataDir: string, takenAtMs: number): void {
  const path = join(dataDir, LAST_BACKUP_FILE);
  // A reader sees the old text or the new one.
  writeFileSync(`${path}.new`, String(takenAtMs), { mode: FILE_MODE });
  renameSync(`${path}.new`, path);
}

/**
 * Begin of the last finished backup, epoch milliseconds; null: there was none, or this process may not read its note.
 */
export function lastBackupAtMs(dataDir: string): number | null {
  try {
    const takenAtMs = Number(readFileSync(join(dataDir, LAST_BACKUP_FILE), 'utf8'));
    return Number.isSafeInteger(takenAtMs) ? takenAtMs : null;
  } catch {
    return null;
  }
}

export function journalFolder(dataDir: string): string {
  return join(dataDir, 'journal');
}

export function stateFolder(dataDir: string): string {
  return join(dataDir, 'state');
}

/** Holds a state during its build. A rename then makes it the state. */
export function buildFolder(dataDir: string): string {
  return join(dataDir, 'state.build');
}

/** Holds the old state until the new one is in place. */
export function replacedFolder(dataDir: string): string {
  return join(dataDir, 'state.replaced');
}

/** Holds a store in a later format, until it replaces the store in `folder`. */
export function upgradeFolder(folder: string): string {
  return `${folder}.upgrade`;
}

export function checkpointFolder(dataDir: string): string {
  return join(dataDir, 'checkpoint');
}

/** The store of the simulated exchanges. */
export function venueFolder(dataDir: string): string {
  return join(dataDir, 'venue');
}

/** Holds the simulated wallets of the paper mode of release 0.1.0. Nothing reads them. */
export function paperFolder(dataDir: string): string {
  return join(dataDir, 'paper');
}

export function identityFolder(dataDir: string): string {
  return join(dataDir, 'identity');
}

/** Holds the signatures that were used within their window. */
export function signatureFolder(dataDir: string): string {
  return join(dataDir, 'signatures');
}

/** True for the name of a file in a signatureFolder. */
export function isSignatureFile(name: string): boolean {
  return /^\d{10,}\.log$/.test(name);
}

export function claimFolder(dataDir: string): string {
  return join(dataDir, 'claim');
}

/** Makes a folder that only its owner can read. An existing one stays as it is. */
export function makeFolder(path: string): void {
  nodeDisk.makeFolder(path);
}

/** Syncs a file's bytes, or the names in a folder. */
export function syncPath(path: string): void {
  nodeDisk.sync(path);
}

export function isEmptyFolder(path: string): boolean {
  return namesIn(path).length === 0;
}

/** Names in a folder, sorted; none when the folder is absent. */
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

/** The text of a file; null: there is none. Throws when it cannot be read. */
export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The directory holds an incomplete restore, or a backup. The message is for the operator. */
class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
}

/** Marks an existing directory as the target of a restore that is under way. Synced when the call returns. */
export function markUnfinished(dataDir: string): void {
  const path = join(dataDir, UNFINISHED_FILE);
  writeFileSync(path, '', { mode: FILE_MODE });
  syncPath(path);
  syncPath(dataDir);
}

/** Removes the mark. Call it after everything restored is synced. */
export function markFinished(dataDir: string): void {
  rmSync(join(dataDir, UNFINISHED_FILE));
  syncPath(dataDir);
}

/** Throws UnfinishedRestore for an interrupted restore and for a backup. */
export function refuseUnfinished(dataDir: string): void {
  if (existsSync(join(dataDir, UNFINISHED_FILE))) {
    throw new UnfinishedRestore(`the restore of ${dataDir} was cut short; empty the directory and restore again`);
  }
  if (existsSync(join(dataDir, BACKUP_FILE))) {
    throw new UnfinishedRestore(`${dataDir} is a backup; make a data directory of it with: sluice restore ${dataDir}`);
  }
}

/** Permission bits of the group and of others. */
const OTHERS = 0o077;

/** Removes the permissions of the group and of others from a folder and everything in it. Skips symbolic links. */
export function tightenModes(path: string): void {
  try {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return;
    if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.isDirectory() ? FOLDER_MODE : FILE_MODE);
    if (entry.isDirectory()) for (const name of namesIn(path)) tightenModes(join(path, name));
  } catch (error) {
    // Another process may remove its files at the same time.
    if (!isMissing(error)) throw error;
  }
}
