import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { ATTEMPTS_FILE } from './build-attempts.js';
import { COPY_KIND, isIntact, listCheckpoints, writeCheckpoint } from './checkpoint.js';
import {
  buildFolder,
  checkpointFolder,
  claimFolder,
  isEmptyFolder,
  isMissing,
  journalFolder,
  makeFolder,
  namesIn,
  replacedFolder,
  stateFolder,
  syncPath,
} from './data-folder.js';
import { RESERVE_FILE } from './disk-space.js';
import { MASTER_KEY_FILE } from './identity/master-key.js';
import { refuseOtherFormat } from './data-format.js';
import { FILE_MODE, FOLDER_MODE, nodeDisk } from './disk.js';
import type { JournalHead } from './journal-head.js';
import { markUnfinished } from './restore-mark.js';
import { SegmentFolder } from './segment-folder.js';
import { openStateTables, STATE_FILE } from './state-tables.js';

/** A backup or a restore cannot be done; the message is for the operator. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure';
}

export interface BackupOptions {
  /** Copies `master.key` too, which opens the sealed secrets. */
  readonly withMasterKey: boolean;
}

/** Written last: a backup without it was cut short. */
const MARKER = 'backup.json';
const LOCK_FILE = 'lock.mdb';
/** Scratch folders of a check. */
const SCRATCH_PREFIX = 'verify-';

/** What a backup copies in its own way, or leaves out. */
const OWN_FOLDERS = [stateFolder, buildFolder, replacedFolder, journalFolder, checkpointFolder, claimFolder];

interface Marker {
  readonly lastSeq: number;
  /** Real time, epoch milliseconds. */
  readonly takenAtMs: number;
  /** COPY_KIND; absent: made by a release that compacted its copies. */
  readonly copy?: string;
}

/**
 * Copies a data folder to an empty or absent one, also while the service runs: a checkpoint made now, the journal up
 * to it, then everything else. The other environments come last, so that a venue's own memory is never behind the
 * journal: what it knows beyond is asked for when orders are recovered. Rejects with BackupFailure.
 */
export async function backupData(dataDir: string, target: string, options: BackupOptions): Promise<void> {
  const takenAtMs = Date.now();
  if (namesIn(stateFolder(dataDir)).length === 0)
    throw new BackupFailure(`there is no data of the service in ${dataDir}`);
  refuseOtherFormat(dataDir);
  refuseFilled(target);
  makeFolder(target);
  chmodSync(target, FOLDER_MODE);
  const tables = openStateTables(stateFolder(dataDir), { readOnly: true });
  const checkpoint = await writeCheckpoint(tables, checkpointFolder(target));
  await tables.root.close();
  if (checkpoint !== null) copySegments(dataDir, target, checkpoint.head);

  const own = new Set(OWN_FOLDERS.map((folderOf) => folderOf(dataDir)));
  for (const name of namesIn(dataDir)) {
    if (own.has(join(dataDir, name)) || name.startsWith(SCRATCH_PREFIX)) continue;
    if (name === ATTEMPTS_FILE || name === RESERVE_FILE) continue;
    if (name === MASTER_KEY_FILE && !options.withMasterKey) continue;
    await copyTree(join(dataDir, name), join(target, name));
  }
  const marker: Marker = { lastSeq: checkpoint?.head.lastSeq ?? 0, takenAtMs, copy: COPY_KIND };
  writeFileSync(join(target, MARKER), JSON.stringify(marker), { mode: 0o600 });
  syncPath(join(target, MARKER));
  syncPath(target);
}

/**
 * Makes a data folder, empty or absent before, from a backup. No service starts on it before `markFinished`; the first
 * start builds the state from the backup's checkpoint and journal. Rejects with BackupFailure.
 */
export async function restoreData(source: string, dataDir: string): Promise<void> {
  const { lastSeq } = readMarker(source);
  refuseOtherFormat(source);
  refuseFilled(dataDir);
  const checkpoints = listCheckpoints(checkpointFolder(source));
  if (lastSeq > 0 && !checkpoints.some((checkpoint) => checkpoint.head.lastSeq === lastSeq && isIntact(checkpoint))) {
    throw new BackupFailure(`the checkpoint in ${source} is damaged`);
  }
  makeFolder(dataDir);
  chmodSync(dataDir, FOLDER_MODE);
  markUnfinished(dataDir);
  for (const name of namesIn(source)) {
    if (name !== MARKER) await copyTree(join(source, name), join(dataDir, name));
  }
  syncPath(dataDir);
}

/** When a backup was begun, real time. Throws BackupFailure when it is not complete or cannot be used. */
export function backupTakenAtMs(source: string): number {
  return readMarker(source).takenAtMs;
}

function refuseFilled(folder: string): void {
  if (!isEmptyFolder(folder)) throw new BackupFailure(`${folder} is not empty`);
}

function readMarker(source: string): Marker {
  const marker = parsedMarker(source);
  if (marker.copy === COPY_KIND) return marker;
  throw new BackupFailure(
    `the backup in ${source} was made by an earlier release that compacted its copies: a service that writes to such a ` +
      'copy crashes. Start this release on the data directory itself and make a new backup.',
  );
}

function parsedMarker(source: string): Marker {
  try {
    return JSON.parse(readFileSync(join(source, MARKER), 'utf8')) as Marker;
  } catch (error) {
    if (isMissing(error)) throw new BackupFailure(`${source} holds no complete backup: ${MARKER} is missing`);
    throw error;
  }
}

/** The journal up to the head. What a shard is writing behind it is left out. */
function copySegments(dataDir: string, target: string, head: JournalHead): void {
  const source = SegmentFolder.at(journalFolder(dataDir));
  const copy = new SegmentFolder(journalFolder(target), source.segmentBytes);
  makeFolder(copy.path);
  for (const number of source.numbers().filter((candidate) => candidate <= source.numberOf(head.end))) {
    try {
      copyFile(source.fileOf(number), copy.fileOf(number));
    } catch (error) {
      // Retention may take the oldest segments away meanwhile; the checkpoint covers them.
      if (!isMissing(error)) throw error;
    }
  }
  copy.cutAt(head.end);
}

/** Copies a file, or a folder with all in it; an LMDB environment consistently, also while others write to it. */
async function copyTree(source: string, target: string): Promise<void> {
  if (!statSync(source).isDirectory()) return copyFile(source, target);
  makeFolder(target);
  const names = namesIn(source);
  const isEnvironment = names.includes(LOCK_FILE) && names.includes(STATE_FILE);
  if (isEnvironment) await copyEnvironment(source, target);
  for (const name of names) {
    if (isEnvironment && (name === STATE_FILE || name === LOCK_FILE)) continue;
    await copyTree(join(source, name), join(target, name));
  }
  syncPath(target);
}

/** Never compacted: LMDB crashes when it writes to a compacted copy (adr/0025). */
async function copyEnvironment(source: string, target: string): Promise<void> {
  const root = open({ path: source, readOnly: true, noSubdir: false });
  await root.backup(target, false);
  chmodSync(join(target, STATE_FILE), FILE_MODE);
  await root.close();
  syncPath(join(target, STATE_FILE));
}

function copyFile(source: string, target: string): void {
  nodeDisk.copy(source, target);
  syncPath(target);
}
