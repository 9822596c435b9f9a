import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../storage/data-directory.js';
import { nodeDisk, replaceFile, type Disk } from '../storage/disk.js';

/**
 * States whether the state folder is trusted. LMDB writes without syncing. So its newest version is complete only in
 * the boot that wrote it, or after a clean end, which synced it. The stamp is a separate file, because reading a torn
 * LMDB file may crash.
 */
export interface TrustStamp {
  /** Boot of the machine that wrote the state. */
  readonly bootId: string;
  /** True when the state was synced and closed. */
  readonly isClean: boolean;
  /**
   * True from before the open until every thread has read its part. When it is still true at a start, reading the
   * state ended a process.
   */
  readonly isOpening: boolean;
}

function stampFile(folder: string): string {
  return join(folder, 'stamp.json');
}

export function readStamp(folder: string): TrustStamp | null {
  try {
    return JSON.parse(readFileSync(stampFile(folder), 'utf8')) as TrustStamp;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function writeStamp(folder: string, stamp: TrustStamp, disk: Disk = nodeDisk): void {
  replaceFile(disk, folder, stampFile(folder), JSON.stringify(stamp));
}

/** Marks the state as trusted in this boot while it is written. */
export function trustState(folder: string, bootId: string, disk: Disk = nodeDisk): void {
  writeStamp(folder, { bootId, isClean: false, isOpening: false }, disk);
}

/** Marks the state so that the next start builds it anew. */
export function distrustState(folder: string, bootId: string, disk: Disk = nodeDisk): void {
  writeStamp(folder, { bootId, isClean: false, isOpening: true }, disk);
}

export function isTrusted(stamp: TrustStamp | null, bootId: string): boolean {
  if (stamp === null || stamp.isOpening) return false;
  return stamp.isClean || (bootId !== '' && stamp.bootId === bootId);
}
