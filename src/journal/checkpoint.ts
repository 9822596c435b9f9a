import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32c } from './crc32c.js';
import { isMissing, makeFolder, namesIn, syncPath } from './data-folder.js';
import type { JournalHead } from './journal-head.js';
import { openStateTables, readHead, stateFile, STATE_FILE, STATE_SCHEMA, type StateTables } from './state-tables.js';

const MANIFEST = 'manifest.json';
const DRAFT_SUFFIX = '.draft';
const CHUNK_BYTES = 1024 * 1024;

interface Manifest {
  readonly schema: number;
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
 * and on the disk. null when the state has no event yet.
 */
export async function writeCheckpoint(tables: StateTables, parent: string): Promise<Checkpoint | null> {
  makeFolder(parent);
  const draft = join(parent, `${process.pid}${DRAFT_SUFFIX}`);
  rmSync(draft, { recursive: true, force: true });
  makeFolder(draft);
  await tables.root.backup(draft, true);
  const head = await headOfCopy(draft);
  if (head === null) {
    rmSync(draft, { recursive: true });
    return null;
  }
  const file = stateFile(draft);
  const manifest: Manifest = { schema: STATE_SCHEMA, head, bytes: statSync(file).size, crc32c: checksumOf(file) };
  writeFileSync(join(draft, MANIFEST), JSON.stringify(manifest), { mode: 0o600 });
  syncPath(file);
  syncPath(join(draft, MANIFEST));
  syncPath(draft);
  const folder = join(parent, String(head.lastSeq).padStart(16, '0'));
  // The same seq, so the same content.
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  syncPath(parent);
  return { ...manifest, folder };
}

/** Newest first; what is half written, of another schema or without a readable manifest is left out. */
export function listCheckpoints(parent: string): Checkpoint[] {
  return namesIn(parent)
    .filter((name) => !name.endsWith(DRAFT_SUFFIX))
    .flatMap((name) => readManifest(join(parent, name)) ?? [])
    .filter(({ schema }) => schema === STATE_SCHEMA)
    .toReversed();
}

/** Reads the whole copy to see that it is as it was written. */
export function isIntact(checkpoint: Checkpoint): boolean {
  const file = stateFile(checkpoint.folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === checkpoint.bytes && checksumOf(file) === checkpoint.crc32c;
}

/** Puts the copy where the state lies; nothing else is there. */
export function placeCheckpoint(checkpoint: Checkpoint, folder: string): void {
  makeFolder(folder);
  copyFileSync(stateFile(checkpoint.folder), join(folder, STATE_FILE));
}

/** Removes all but the newest `keptCount`, and what was left half written. */
export function removeOldCheckpoints(parent: string, keptCount: number): void {
  const kept = new Set(
    listCheckpoints(parent)
      .slice(0, keptCount)
      .map(({ folder }) => folder),
  );
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    if (!kept.has(folder)) rmSync(folder, { recursive: true });
  }
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
