import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { identityFolder, stateFolder, upgradeFolder, venueFolder } from '../data-directory.js';
import { type FormatRecord, readFormat, replaceFormat } from '../data-format.js';
import type { Disk } from '../disk.js';
import { isEnvironmentFile } from '../environment-file.js';
import { type DataFormat, type StoreName, STORES } from './format-steps.js';
import { copyStore } from './store-copy.js';

const DATA_FILE = 'data.mdb';
/** Second name of a store's new file, until it replaces the old one. */
const NEW_FILE = 'data.mdb.new';
/** Name of an untrusted state's file until the start has built the state. */
const UNTRUSTED_FILE = 'data.mdb.untrusted';

/** The folder of each store. A folder without a store is no error. */
const FOLDER_OF: Readonly<Record<StoreName, (dataDir: string) => string>> = {
  identity: identityFolder,
  state: stateFolder,
  venue: venueFolder,
};

/** The folder of a store of a data directory. */
export function storeFolder(dataDir: string, store: StoreName): string {
  return FOLDER_OF[store](dataDir);
}

interface DirectoryUpgrade {
  readonly dataDir: string;
  readonly format: DataFormat;
  readonly disk: Disk;
  /** False: the state is put aside, and the start builds it from a checkpoint. */
  readonly isStateTrusted: boolean;
}

/**
 * Brings the stores of a data directory to the format of this release. No other process may use the directory.
 *
 *   1. copy each store beside itself in the new form, synced
 *   2. record the new format, and that the upgrade from the old one is unfinished
 *   3. replace the file of each store by its copy, with one rename
 *   4. record the new format alone
 *
 * A process that ends before step 2 leaves the old data as it was. After step 2 the copies are complete, so the next
 * call repeats step 3, which changes nothing in a store that has its new file. Earlier releases refuse the data from
 * step 2 on. The journal needs no upgrade: its entries are lifted when they are read.
 */
export function upgradeDirectory(upgrade: DirectoryUpgrade): void {
  const { dataDir, format, disk } = upgrade;
  let record = readFormat(dataDir, format);
  if (record === null) return;
  if (record.from === undefined && record.format < format.number) record = begin(upgrade, record.format);
  if (record.from === undefined) return;
  for (const folder of allFolders(dataDir)) install(disk, folder);
  replaceFormat(dataDir, disk, { format: record.format });
  // An earlier release began this upgrade.
  if (record.format < format.number) upgradeDirectory(upgrade);
}

/** Copies the stores and records the unfinished upgrade. An error before the record leaves no copy. */
function begin(upgrade: DirectoryUpgrade, from: number): FormatRecord {
  const { dataDir, format, disk } = upgrade;
  const record = { format: format.number, from };
  removeCopies(upgrade);
  try {
    copyStores(upgrade, from);
    replaceFormat(dataDir, disk, record);
    return record;
  } catch (error) {
    // A full disk is the likely cause, so the copies must not keep it full. A record that has its name needs them.
    if (readFormat(dataDir, format)?.from === undefined) removeCopies(upgrade);
    throw error;
  }
}

function copyStores({ dataDir, format, disk, isStateTrusted }: DirectoryUpgrade, from: number): void {
  const changed = STORES.filter((store) => format.changesRows(store, from));
  if (changed.includes('state') && !isStateTrusted) putAside(stateFolder(dataDir), disk);
  for (const store of changed) {
    const source = FOLDER_OF[store](dataDir);
    if (!isEnvironmentFile(join(source, DATA_FILE))) continue;
    copyStore({ store, from, format, source, target: upgradeFolder(source), disk });
  }
  disk.sync(dataDir);
}

function removeCopies({ dataDir, disk }: DirectoryUpgrade): void {
  for (const folder of allFolders(dataDir)) disk.removeTree(upgradeFolder(folder));
}

function allFolders(dataDir: string): readonly string[] {
  return STORES.map((store) => FOLDER_OF[store](dataDir));
}

function putAside(folder: string, disk: Disk): void {
  const file = join(folder, DATA_FILE);
  if (!existsSync(file)) return;
  disk.rename(file, join(folder, UNTRUSTED_FILE));
  disk.sync(folder);
}

/** Replaces the file of a store. The copy keeps its own name until the new name is synced. */
function install(disk: Disk, folder: string): void {
  const copy = upgradeFolder(folder);
  if (existsSync(join(copy, DATA_FILE))) {
    const file = join(folder, NEW_FILE);
    disk.removeTree(file);
    disk.link(join(copy, DATA_FILE), file);
    disk.rename(file, join(folder, DATA_FILE));
    disk.removeTree(file);
    disk.sync(folder);
  }
  disk.removeTree(copy);
  disk.sync(dirname(folder));
}
