import { chmodSync, closeSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from './crc32c.js';
import { isMissing, namesIn } from './data-folder.js';
import { FILE_MODE, makeDurableFolder, nodeDisk, writeSynced, type JournalDisk } from './disk.js';
import type { JournalHead } from './journal-head.js';
import { openStateTables, readHead, stateFile, STATE_FILE, STATE_SCHEMA, type StateTables } from './state-tables.js';

const MANIFEST = 'manifest.json';
const DRAFT_SUFFIX = '.draft';
const CHUNK_BYTES = 1024 * 1024;

/** How the copies of this release are made: page by page. LMDB crashes when it writes to a compacted one (adr/0025). */
export const COPY_KIND = 'PAGES';

interface Manifest {
  readonly schema: number;
  /** COPY_KIND; absent: made by a release that compacted its copies. */
  readonly copy?: string;
  readonly head: JournalHead;
  readonly bytes: number;
  readonly crc32c: number;
}

/** A synced copy of the state at a seq. */
export interface Checkpoint extends Manifest {
  readonly folder: string;
}

/**
 * Copies the state as it is now, while shards go on, into `<parent>/<seq>`. Under its final name a checkpoint is whole
 * and on the disk. null when the state has no event yet. The copy is never compacted: LMDB can read a compacted copy
 * but crashes when it writes to it (adr/0025).
 */
export async function writeCheckpoint(
  tables: StateTables,
  parent: string,
  disk: JournalDisk = nodeDisk,
): Promise<Checkpoint | null> {
  makeDurableFolder(disk, parent);
  const draft = join(parent, `${process.pid}${DRAFT_SUFFIX}`);
  disk.removeTree(draft);
  disk.makeFolder(draft);
  await tables.root.backup(draft, false);
  const file = stateFile(draft);
  chmodSync(file, FILE_MODE);
  const head = await headOfCopy(draft);
  if (head === null) {
    disk.removeTree(draft);
    return null;
  }
  const [bytes, checksum] = [statSync(file).size, checksumOf(file)];
  const manifest: Manifest = { schema: STATE_SCHEMA, copy: COPY_KIND, head, bytes, crc32c: checksum };
  disk.sync(file);
  writeSynced(disk, join(draft, MANIFEST), JSON.stringify(manifest));
  disk.sync(draft);
  const folder = join(parent, String(head.lastSeq).padStart(16, '0'));
  // One of the same seq has the same content; it makes place, and leaves once the new one is on the disk.
  const replaced = `${folder}${DRAFT_SUFFIX}`;
  if (isThere(folder)) disk.rename(folder, replaced);
  disk.rename(draft, folder);
  disk.sync(parent);
  disk.removeTree(replaced);
  return { ...manifest, folder };
}

/**
 * Checkpoints from which a state can be built, newest first. What is half written, compacted, of another schema or
 * without a readable manifest is left out.
 */
export function listCheckpoints(parent: string): Checkpoint[] {
  return allCheckpoints(parent).filter(({ schema, copy }) => schema === STATE_SCHEMA && copy === COPY_KIND);
}

/** All checkpoints with a readable manifest, newest first. */
export function allCheckpoints(parent: string): Checkpoint[] {
  return namesIn(parent)
    .filter((name) => !name.endsWith(DRAFT_SUFFIX))
    .flatMap((name) => readManifest(join(parent, name)) ?? [])
    .toReversed();
}

/** Reads the whole copy to see that it is as it was written. */
export function isIntact(checkpoint: Checkpoint): boolean {
  const file = stateFile(checkpoint.folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === checkpoint.bytes && checksumOf(file) === checkpoint.crc32c;
}

/** Copies the checkpoint into a folder where the state is built; nothing else is there. */
export function placeCheckpoint(checkpoint: Checkpoint, folder: string, disk: JournalDisk = nodeDisk): void {
  disk.makeFolder(folder);
  disk.copy(stateFile(checkpoint.folder), join(folder, STATE_FILE));
}

/** Removes all but the newest `keptCount`, and what was left half written. */
export function removeOldCheckpoints(parent: string, keptCount: number, disk: JournalDisk = nodeDisk): void {
  const kept = new Set(
    listCheckpoints(parent)
      .slice(0, keptCount)
      .map(({ folder }) => folder),
  );
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    if (!kept.has(folder)) disk.removeTree(folder);
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function headOfCopy(folder: string): Promise<JournalHead | null> {
  const copy = openStateTables(folder, { readOnly: true });
  const head = readHead(copy);
  await copy.root.close();
  rmSync(join(folder, 'lock.mdb'), { force: true });
  return head;
}

function readManifest(folder: string): Checkpoint | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
    return { ...manifest, folder };
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

function checksumOf(path: string): number {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let checksum = 0;
  try {
    for (;;) {
      const read = readSync(file, chunk, 0, chunk.length, null);
      if (read === 0) return checksum;
      checksum = crc32c(chunk, 0, read, checksum);
    }
  } finally {
    closeSync(file);
  }
}
