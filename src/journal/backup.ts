import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { SEGMENT_BYTES } from '../domain/limits/process.js';
import { type Checkpoint, isIntact, listCheckpoints, writeCheckpoint } from './checkpoint.js';
import { copyFile, copyParts } from './directory-parts.js';
import {
  BACKUP_FILE,
  checkpointFolder,
  isEmptyFolder,
  isMissing,
  journalFolder,
  makeFolder,
  markUnfinished,
  namesIn,
  noteBackup,
  stateFolder,
  syncPath,
} from '../storage/data-directory.js';
import { readFormat, recordFormat, refuseLaterFormat, refuseOtherFormat } from '../storage/data-format.js';
import { FOLDER_MODE, nodeDisk } from '../storage/disk.js';
import { upgradeDirectory } from '../storage/format/directory-upgrade.js';
import { type DataFormat, PRESENT_FORMAT } from '../storage/format/format-steps.js';
import { JournalDamage } from './journal-damage.js';
import { JournalScan } from './journal-scan.js';
import { FIRST_SEGMENT, SegmentFolder } from './segments.js';
import { emptyHead, type JournalHead, openStateTables } from './state/state-tables.js';
import type { StoreCopier } from './verification.js';

/** Holds the copied state in a backup that is under way. */
const COPIED_STATE = 'state.copy';

/** A backup or a restore is impossible. The message is for the operator. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure';
}

export interface BackupOptions {
  /** Copies `master.key` too, which decrypts the stored secrets. */
  readonly withMasterKey: boolean;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
  /** Default: no other process uses the directory, so its stores are opened. */
  readonly copyStore?: StoreCopier;
}

interface Marker {
  readonly lastSeq: number;
  /** Real time, epoch milliseconds. */
  readonly takenAtMs: number;
}

/**
 * Copies a data folder to an empty or missing folder, also while the service runs. Copies a new checkpoint first, then
 * the journal up to the last turn of that moment, then the other listed parts. The other environments come last, so the
 * store of the simulated exchanges is never older than the journal. Recovery of an order requests everything that is
 * newer at the exchange. Rejects with BackupFailure.
 */
export async function backupData(dataDir: string, target: string, options: BackupOptions): Promise<void> {
  const format = options.format ?? PRESENT_FORMAT;
  refuseOtherFormat(dataDir, format);
  const takenAtMs = Date.now();
  if (namesIn(stateFolder(dataDir)).length === 0)
    throw new BackupFailure(`there is no data of the service in ${dataDir}`);
  refuseFilled(target);
  refuseInside(target, dataDir);
  makeFolder(target);
  chmodSync(target, FOLDER_MODE);
  recordFormat(target, nodeDisk, format.number);
  const source = SegmentFolder.at(journalFolder(dataDir), SEGMENT_BYTES, nodeDisk, format);
  const checkpoint = await checkpointOf(dataDir, target, options);
  // The state of a new directory may lack its first turns, which are in the journal.
  copySegments(source, target, endOfTurns(source, checkpoint?.head ?? emptyHead(source.startOf(FIRST_SEGMENT))));

  await copyParts(dataDir, target, options);
  const marker: Marker = { lastSeq: checkpoint?.head.lastSeq ?? 0, takenAtMs };
  writeFileSync(join(target, BACKUP_FILE), JSON.stringify(marker), { mode: 0o600 });
  syncPath(join(target, BACKUP_FILE));
  syncPath(target);
  noteFinished(dataDir, takenAtMs);
}

/** Makes a checkpoint of the state in the backup. null: the state has no event. */
async function checkpointOf(dataDir: string, target: string, options: BackupOptions): Promise<Checkpoint | null> {
  const { copyStore, format = PRESENT_FORMAT } = options;
  const state = stateFolder(dataDir);
  const copy = join(target, COPIED_STATE);
  await copyStore?.('state', copy);
  const tables = openStateTables(copyStore === undefined ? state : copy, { readOnly: true, copyOf: state });
  try {
    return await writeCheckpoint(tables, checkpointFolder(target), nodeDisk, format);
  } finally {
    await tables.root.close();
    nodeDisk.removeTree(copy);
  }
}

/** A full disk has no room for the note: the backup is complete all the same, and its age seems larger than it is. */
function noteFinished(dataDir: string, takenAtMs: number): void {
  try {
    noteBackup(dataDir, takenAtMs);
  } catch (error) {
    if (!/ENOSPC|EDQUOT|EROFS/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Creates a data folder from a backup of this or an earlier format. The folder must be empty or missing. A service
 * starts on it only after `markFinished`. The first start builds the state from the backup's checkpoint and journal.
 * Rejects with BackupFailure.
 */
export async function restoreData(source: string, dataDir: string, format: DataFormat = PRESENT_FORMAT): Promise<void> {
  const { lastSeq } = readMarker(source, format);
  refuseFilled(dataDir);
  refuseInside(dataDir, source);
  const checkpoints = listCheckpoints(checkpointFolder(source));
  if (lastSeq > 0 && !checkpoints.some((checkpoint) => checkpoint.head.lastSeq === lastSeq && isIntact(checkpoint))) {
    throw new BackupFailure(`the checkpoint in ${source} is damaged`);
  }
  makeFolder(dataDir);
  chmodSync(dataDir, FOLDER_MODE);
  markUnfinished(dataDir);
  recordFormat(dataDir, nodeDisk, readFormat(source, format)?.format);
  for (const folderOf of [journalFolder, checkpointFolder]) copyTree(folderOf(source), folderOf(dataDir));
  // Backups of earlier releases also contain files that are not listed.
  await copyParts(source, dataDir, { withMasterKey: true });
  syncPath(dataDir);
  // The state is absent: the first start builds it from the checkpoint.
  upgradeDirectory({ dataDir, format, disk: nodeDisk, isStateTrusted: false });
}

/** Real time at which a backup began. Throws BackupFailure for an incomplete or unusable backup. */
export function backupTakenAtMs(source: string): number {
  return readMarker(source, PRESENT_FORMAT).takenAtMs;
}

function refuseFilled(folder: string): void {
  if (!isEmptyFolder(folder)) throw new BackupFailure(`${folder} is not empty`);
}

/** The copy of a folder into itself would have no end. */
function refuseInside(target: string, source: string): void {
  const way = relative(realPathOf(source), realPathOf(target));
  if (way === '..' || way.startsWith(`..${sep}`)) return;
  throw new BackupFailure(`${target} is inside of ${source}`);
}

/** The path without symbolic links. Its last parts need not exist. */
function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), basename(path));
}

function readMarker(source: string, format: DataFormat): Marker {
  const path = join(source, BACKUP_FILE);
  if (!existsSync(path)) throw new BackupFailure(`${source} holds no complete backup: ${BACKUP_FILE} is missing`);
  refuseLaterFormat(source, format);
  return JSON.parse(readFileSync(path, 'utf8')) as Marker;
}

/**
 * The end of the last complete turn in the journal. The state follows the journal, so turns that were acknowledged
 * before the backup may be only there.
 */
function endOfTurns(folder: SegmentFolder, { turnPosition: position, turnSeq: seq, end: known }: JournalHead): number {
  let end = known;
  try {
    for (const turn of new JournalScan(folder, { position, seq, syncedSeq: 0 }).turns()) end = turn.end;
  } catch (error) {
    // A turn that is being written looks like damage when a later one is there already. It is not acknowledged yet.
    if (!(error instanceof JournalDamage)) throw error;
  }
  return Math.max(end, known);
}

/** Copies the journal up to a position. Leaves out entries that are written after it. */
function copySegments(source: SegmentFolder, target: string, end: number): void {
  const copy = new SegmentFolder(journalFolder(target), source.segmentBytes);
  makeFolder(copy.path);
  for (const number of source.numbers().filter((candidate) => candidate <= source.numberOf(end))) {
    try {
      copyFile(source.fileOf(number), copy.fileOf(number));
    } catch (error) {
      // Retention may remove the oldest segments meanwhile. The checkpoint covers them.
      if (!isMissing(error)) throw error;
    }
  }
  copy.cutAt(end);
}

/** Copies a folder of a backup with its files and folders. A missing one is no error. */
function copyTree(source: string, target: string): void {
  if (!existsSync(source)) return;
  makeFolder(target);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const copy = entry.isDirectory() ? copyTree : copyFile;
    copy(join(source, entry.name), join(target, entry.name));
  }
  syncPath(target);
}
