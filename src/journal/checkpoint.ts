import { chmodSync, closeSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKPOINT_PART_BYTES, CHECKPOINT_PAUSE_MS } from '../domain/limits/process.js';
import { crc32c } from '../storage/crc32c.js';
import { isMissing, namesIn } from '../storage/data-directory.js';
import { FILE_MODE, makeDurableFolder, nodeDisk, writeSynced, type Disk } from '../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../storage/format/format-steps.js';
import { copyStore } from '../storage/format/store-copy.js';
import {
  type JournalHead,
  openStateTables,
  readCarriedTo,
  readHead,
  STATE_FILE,
  stateFile,
  type StateTables,
} from './state/state-tables.js';

const MANIFEST = 'manifest.json';
const LOCK_FILE = 'lock.mdb';
const DRAFT_SUFFIX = '.draft';
const SEQ_DIGITS = 16;

interface Manifest {
  /** Format of the rows. */
  readonly format: number;
  readonly head: JournalHead;
  /** The copy contains the carried entries before this position. */
  readonly carriedTo: number;
  readonly bytes: number;
  readonly crc32c: number;
}

/** A synced copy of the state after one event. */
export interface Checkpoint extends Manifest {
  readonly folder: string;
}

/**
 * Copies the present state into `<parent>/<seq>` while the service continues. A checkpoint with its final name is
 * complete and synced. It replaces those of the same seq. Returns null when the state has no event. The copy is not
 * compacted: LMDB can read a compacted copy but crashes when it writes to it (adr/0060).
 */
export async function writeCheckpoint(
  tables: StateTables,
  parent: string,
  disk: Disk = nodeDisk,
  format: DataFormat = PRESENT_FORMAT,
): Promise<Checkpoint | null> {
  makeDurableFolder(disk, parent);
  const draft = join(parent, `${process.pid}${DRAFT_SUFFIX}`);
  disk.removeTree(draft);
  disk.makeFolder(draft);
  await tables.root.backup(draft, false);
  const file = stateFile(draft);
  chmodSync(file, FILE_MODE);
  const found = await readCopy(draft);
  if (found === null) {
    disk.removeTree(draft);
    return null;
  }
  const [bytes, checksum] = [statSync(file).size, await slowChecksumOf(file)];
  const manifest: Manifest = { format: format.number, ...found, bytes, crc32c: checksum };
  disk.sync(file);
  writeSynced(disk, join(draft, MANIFEST), JSON.stringify(manifest));
  disk.sync(draft);
  const ofSameSeq = listCheckpoints(parent).filter(({ head }) => head.lastSeq === found.head.lastSeq);
  const folder = freeFolder(parent, found.head.lastSeq);
  disk.rename(draft, folder);
  disk.sync(parent);
  // They stay until the new one is durable: a power loss must not take one that was reported as made.
  for (const { folder: replaced } of ofSameSeq) {
    // Under this name a half removed one is not listed.
    disk.rename(replaced, `${replaced}${DRAFT_SUFFIX}`);
    disk.removeTree(`${replaced}${DRAFT_SUFFIX}`);
  }
  return { ...manifest, folder };
}

/** `<parent>/<seq>`, or with `-2`, `-3`, … when a checkpoint of the same seq has the name. */
function freeFolder(parent: string, seq: number): string {
  const first = join(parent, String(seq).padStart(SEQ_DIGITS, '0'));
  let folder = first;
  for (let count = 2; exists(folder); count += 1) folder = `${first}-${count}`;
  return folder;
}

/** Lists checkpoints with a readable manifest, newest first. Leaves out incomplete ones. */
export function listCheckpoints(parent: string): Checkpoint[] {
  return namesIn(parent)
    .filter((name) => !name.endsWith(DRAFT_SUFFIX))
    .flatMap((name) => readManifest(join(parent, name)) ?? [])
    .toReversed();
}

/** Reads the whole copy and compares its checksum. */
export function isIntact(checkpoint: Checkpoint): boolean {
  const file = stateFile(checkpoint.folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === checkpoint.bytes && checksumOf(file) === checkpoint.crc32c;
}

/** Copies the checkpoint into an empty build folder, in the present format. */
export function placeCheckpoint(
  checkpoint: Checkpoint,
  folder: string,
  disk: Disk = nodeDisk,
  format: DataFormat = PRESENT_FORMAT,
): void {
  const { format: from, folder: source } = checkpoint;
  if (format.changesRows('state', from)) {
    copyStore({ store: 'state', from, format, source, target: folder, disk });
    rmSync(join(source, LOCK_FILE), { force: true });
    return;
  }
  disk.makeFolder(folder);
  disk.copy(stateFile(checkpoint.folder), join(folder, STATE_FILE));
}

/** Removes all but the newest `keptCount` checkpoints, and all incomplete ones. */
export function removeOldCheckpoints(parent: string, keptCount: number, disk: Disk = nodeDisk): void {
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

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function readCopy(folder: string): Promise<Pick<Manifest, 'head' | 'carriedTo'> | null> {
  const copy = openStateTables(folder, { readOnly: true });
  const [head, carriedTo] = [readHead(copy), readCarriedTo(copy)];
  await copy.root.close();
  rmSync(join(folder, LOCK_FILE), { force: true });
  return head === null ? null : { head, carriedTo };
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

/** Computes the checksum with pauses, so that the thread shows its heartbeat and leaves the processor to others. */
async function slowChecksumOf(path: string): Promise<number> {
  let checksum = 0;
  for (checksum of checksumsOf(path)) {
    await new Promise((resolve) => {
      setTimeout(resolve, CHECKPOINT_PAUSE_MS);
    });
  }
  return checksum;
}

function checksumOf(path: string): number {
  let checksum = 0;
  for (checksum of checksumsOf(path));
  return checksum;
}

/** Yields the checksum of the file up to the end of each part. */
function* checksumsOf(path: string): Generator<number> {
  const file = openSync(path, 'r');
  const part = Buffer.allocUnsafe(CHECKPOINT_PART_BYTES);
  let checksum = 0;
  try {
    for (;;) {
      const read = readSync(file, part, 0, part.length, null);
      if (read === 0) return;
      checksum = crc32c(part, 0, read, checksum);
      yield checksum;
    }
  } finally {
    closeSync(file);
  }
}
