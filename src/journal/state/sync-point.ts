import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/rejection.js';
import { crc32c } from '../../storage/crc32c.js';
import { isMissing } from '../../storage/data-directory.js';
import { type Disk, nodeDisk, replaceFile } from '../../storage/disk.js';
import { isEnvironmentFile, lastTransactionOf, readMetaPages } from '../../storage/environment-file.js';
import { type JournalHead, readCarriedTo, readHead, stateFile, type StateTables } from './state-tables.js';

const SYNC_POINT_FILE = 'sync-point.json';

/**
 * A version of the state file that is complete on the disk. LMDB never changes a page of a version in place. It uses
 * such a page again only when no reader holds that version or an older one. So the version survives a power loss as
 * long as a read transaction holds it (HeldVersions). Only the two meta pages are overwritten, so they are stored here.
 */
export interface SyncPoint {
  readonly head: JournalHead;
  /** The version contains the carried entries before this position. */
  readonly carriedTo: number;
  /** Inode of the state file. A copy of the file may mix pages of several versions. */
  readonly inode: string;
  /** LMDB's two meta pages. */
  readonly metas: Buffer;
}

/** The operating system could not write pages of the state to the disk. It does not report them a second time. */
export class StateSyncFailure extends Error {
  override readonly name = 'StateSyncFailure';
}

/**
 * Makes the present version of the state durable. Costs the pages that changed since the last sync. A read transaction
 * must hold this version or an older one from before the call until a later sync point is written. Other threads may
 * commit meanwhile. Returns null when the state has no event. Throws StateSyncFailure.
 */
export function writeSyncPoint(tables: StateTables, disk: Disk = nodeDisk): SyncPoint | null {
  const point = presentVersion(tables);
  if (point === null) return null;
  try {
    disk.sync(stateFile(tables.path));
  } catch (error) {
    throw new StateSyncFailure(`${stateFile(tables.path)} cannot be synced`, { cause: error });
  }
  replaceFile(disk, tables.path, syncPointFile(tables.path), encode(point));
  return point;
}

/** Returns null when the folder has no sync point, or a damaged one. */
export function readSyncPoint(folder: string): SyncPoint | null {
  try {
    return decode(readFileSync(syncPointFile(folder), 'utf8'));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Removes the sync point, so that no start uses it. */
export function removeSyncPoint(folder: string, disk: Disk = nodeDisk): void {
  disk.removeTree(syncPointFile(folder));
  disk.sync(folder);
}

/** True when the folder has the file of the sync point, and not a copy. */
export function hasFileOf({ inode }: SyncPoint, folder: string): boolean {
  const path = stateFile(folder);
  return isEnvironmentFile(path) && inodeOf(path) === inode;
}

/**
 * Makes the sync point's version the present one again. Synced when the call returns. A call after a call that was
 * interrupted gives the same result. No process may have the environment open.
 */
export function returnTo({ metas }: SyncPoint, folder: string, disk: Disk = nodeDisk): void {
  const file = disk.open(stateFile(folder));
  try {
    for (let done = 0; done < metas.length;) done += disk.write(file, metas, done, metas.length - done, done);
    disk.datasync(file);
  } finally {
    disk.close(file);
  }
  // The lock file lists readers of an earlier boot, and its bytes were never synced.
  disk.removeTree(join(folder, 'lock.mdb'));
}

/** In a transaction, because no commit may change the meta pages meanwhile. */
function presentVersion(tables: StateTables): SyncPoint | null {
  const path = stateFile(tables.path);
  return tables.root.transactionSync(() => {
    const head = readHead(tables);
    if (head === null) return null;
    const metas = readMetaPages(path);
    assert(metas !== null, 'an open environment has its meta pages');
    assert(lastTransactionOf(metas) === tables.root.getWriteTxnId() - 1, 'the meta pages name the last transaction');
    return { head, carriedTo: readCarriedTo(tables), inode: inodeOf(path), metas };
  });
}

function inodeOf(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}

function syncPointFile(folder: string): string {
  return join(folder, SYNC_POINT_FILE);
}

function encode(point: SyncPoint): string {
  const content = JSON.stringify({ ...point, metas: point.metas.toString('base64') });
  return JSON.stringify({ content, crc32c: checksumOf(content) });
}

function decode(text: string): SyncPoint | null {
  try {
    const { content, crc32c: expected } = JSON.parse(text) as { content: string; crc32c: number };
    if (checksumOf(content) !== expected) return null;
    const { metas, ...rest } = JSON.parse(content) as Omit<SyncPoint, 'metas'> & { metas: string };
    return { ...rest, metas: Buffer.from(metas, 'base64') };
  } catch {
    return null;
  }
}

function checksumOf(content: string): number {
  return crc32c(Buffer.from(content), 0, Buffer.byteLength(content));
}
