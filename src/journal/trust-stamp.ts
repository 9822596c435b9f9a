import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from './data-folder.js';
import { nodeDisk, replaceFile, type JournalDisk } from './disk.js';
import { STATE_SCHEMA } from './state-tables.js';

/**
 * Says whether the state folder may be believed. LMDB is written without syncing, so its file is whole only as long
 * as the machine has not lost what was in its memory: in the boot in which it was written, or after a clean end,
 * which synced it. It is a file of its own, for a torn LMDB cannot be asked, and reading it may crash.
 */
export interface TrustStamp {
  readonly schema: number;
  /** Boot of the machine in which the state was written. */
  readonly bootId: string;
  /** True when the state was synced and closed. */
  readonly isClean: boolean;
  /** True from before it is opened until every thread has read what it needs: left true, that has killed a process. */
  readonly isOpening: boolean;
}

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

function stampFile(folder: string): string {
  return join(folder, 'stamp.json');
}

/** Identifies the machine's boot; '' where the system tells none: then only a clean end is trusted. */
export function currentBootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim();
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

export function readStamp(folder: string): TrustStamp | null {
  try {
    return JSON.parse(readFileSync(stampFile(folder), 'utf8')) as TrustStamp;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function writeStamp(folder: string, stamp: TrustStamp, disk: JournalDisk = nodeDisk): void {
  replaceFile(disk, folder, stampFile(folder), JSON.stringify(stamp));
}

/** The state that is being written may be believed in this boot. */
export function trustState(folder: string, bootId: string, disk: JournalDisk = nodeDisk): void {
  writeStamp(folder, { schema: STATE_SCHEMA, bootId, isClean: false, isOpening: false }, disk);
}

export function isTrusted(stamp: TrustStamp | null, schema: number, bootId: string): boolean {
  if (stamp === null || stamp.schema !== schema || stamp.isOpening) return false;
  return stamp.isClean || (bootId !== '' && stamp.bootId === bootId);
}
