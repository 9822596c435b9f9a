import { chmodSync } from 'node:fs';
import { basename, join } from 'node:path';
import { open } from 'lmdb';
import { isAuditFile } from '../storage/audit-log.js';
import { CLOCK_FILE } from '../storage/clock-record.js';
import {
  identityFolder,
  isMissing,
  isSignatureFile,
  makeFolder,
  MASTER_KEY_FILE,
  namesIn,
  signatureFolder,
  syncPath,
  venueFolder,
} from '../storage/data-directory.js';
import { isEnvironmentFile } from '../storage/environment-file.js';
import { FILE_MODE, nodeDisk } from '../storage/disk.js';
import type { StoreName } from '../storage/format/format-steps.js';
import { STATE_FILE } from './state/state-tables.js';

const LOCK_FILE = 'lock.mdb';

/** A part of a data directory that a backup copies as it is. */
interface DirectoryPart {
  readonly isNamed: (name: string) => boolean;
  readonly copy: (source: string, target: string) => Promise<void> | void;
  /** Present: the part is a store, which a running service copies itself. */
  readonly store?: StoreName;
}

interface CopyOptions {
  readonly withMasterKey: boolean;
  /** Default: no other process uses the directory, so its stores are opened. */
  readonly copyStore?: (store: StoreName, target: string) => Promise<void>;
}

/**
 * Everything that a backup and a restore copy besides journal and checkpoint. A file that is not listed stays where it
 * is: it may be a secret in plain text, or of another program. The order counts: the identity store numbers the
 * instruments of real exchanges, and no other copy may name an instrument that its copy lacks.
 */
const DIRECTORY_PARTS: readonly DirectoryPart[] = [
  { isNamed: isAuditFile, copy: copyFile },
  { isNamed: (name) => name === CLOCK_FILE, copy: copyFile },
  { isNamed: isOf(signatureFolder), copy: copySignatures },
  { isNamed: isOf(venueFolder), copy: copyStore, store: 'venue' },
  { isNamed: isOf(identityFolder), copy: copyStore, store: 'identity' },
];

/** Named like the folder that `folderOf` returns. */
function isOf(folderOf: (dataDir: string) => string): (name: string) => boolean {
  const wanted = basename(folderOf(''));
  return (name) => name === wanted;
}

const MASTER_KEY: DirectoryPart = { isNamed: (name) => name === MASTER_KEY_FILE, copy: copyFile };

/** Copies the listed parts of a data directory, also while the service runs. Each copy is synced. */
export async function copyParts(
  source: string,
  target: string,
  { withMasterKey, copyStore: copyServed }: CopyOptions,
): Promise<void> {
  const names = namesIn(source);
  for (const { isNamed, copy, store } of withMasterKey ? [MASTER_KEY, ...DIRECTORY_PARTS] : DIRECTORY_PARTS) {
    for (const name of names.filter(isNamed)) {
      if (store !== undefined && copyServed !== undefined) await copyServed(store, join(target, name));
      else await copy(join(source, name), join(target, name));
    }
  }
}

/** Copies a file and syncs the copy. */
export function copyFile(source: string, target: string): void {
  nodeDisk.copy(source, target);
  syncPath(target);
}

function copySignatures(source: string, target: string): void {
  makeFolder(target);
  for (const name of namesIn(source).filter(isSignatureFile)) {
    try {
      copyFile(join(source, name), join(target, name));
    } catch (error) {
      // The service removes files whose signatures have expired.
      if (!isMissing(error)) throw error;
    }
  }
  syncPath(target);
}

/** Copies an LMDB environment consistently, also during writes to it. */
export async function copyStore(source: string, target: string): Promise<void> {
  const names = namesIn(source);
  // LMDB ends the process when it reads a file that is empty or has other bytes.
  if (!isEnvironmentFile(join(source, STATE_FILE))) return;
  makeFolder(target);
  // An environment without lock file is a copy: no process has opened it.
  if (names.includes(LOCK_FILE)) await copyEnvironment(source, target);
  else copyFile(join(source, STATE_FILE), join(target, STATE_FILE));
  syncPath(target);
}

/** Copies an environment without compaction: LMDB crashes when it writes to a compacted copy (adr/0060). */
export async function copyEnvironment(source: string, target: string): Promise<void> {
  const root = open({ path: source, readOnly: true, noSubdir: false });
  await root.backup(target, false);
  chmodSync(join(target, STATE_FILE), FILE_MODE);
  await root.close();
  syncPath(join(target, STATE_FILE));
}
