import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from './data-folder.js';

const UNFINISHED = 'restore-unfinished';
const BACKUP = 'backup.json';

/** The folder is no data directory that a service may start on; the message is for the operator. */
export class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
}

/** Marks the folder, which is there, as being made from a backup. On disk when it returns. */
export function markUnfinished(dataDir: string): void {
  const path = join(dataDir, UNFINISHED);
  writeFileSync(path, '', { mode: 0o600 });
  syncPath(path);
  syncPath(dataDir);
}

/** The restore is complete, and all of it is on disk. */
export function markFinished(dataDir: string): void {
  rmSync(join(dataDir, UNFINISHED));
  syncPath(dataDir);
}

/** Throws UnfinishedRestore for a restore that was cut short, and for a backup itself: neither is to be traded on. */
export function refuseUnfinished(dataDir: string): void {
  if (existsSync(join(dataDir, UNFINISHED))) {
    throw new UnfinishedRestore(`the restore of ${dataDir} was cut short; empty the folder and restore again`);
  }
  if (existsSync(join(dataDir, BACKUP))) {
    throw new UnfinishedRestore(`${dataDir} is a backup; make a data directory of it with: sluice restore ${dataDir}`);
  }
}
