import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing, journalFolder, namesIn } from './data-directory.js';
import { nodeDisk, writeSynced, type Disk } from './disk.js';

/**
 * Formats that this release reads and writes, one number for each kind. Every change of the stored data raises the
 * number of its kind. This release reads no earlier number.
 */
export const DATA_FORMATS = { journal: 5, state: 5, venue: 3, identity: 3 } as const;
/** A backup has a layout of its own for the same data. */
export const BACKUP_FORMATS = { ...DATA_FORMATS, backup: 2 } as const;

/** Format number by kind. A record of another release may have other kinds. */
type Formats = Readonly<Record<string, number>>;

const FORMAT_FILE = 'format.json';
/** First bytes of a used segment. The next 32 bits are its format number. */
export const SEGMENT_MAGIC = 'SLUICEJ\n';
const SEGMENT_NAME = /\.segment$/;

/** The data has a format that this release cannot read. The data is unchanged. The message names both formats. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

/**
 * Throws OtherFormat unless the directory has exactly the given formats, or no data. Changes nothing. Every program
 * that opens a data directory or a backup calls this first.
 */
export function refuseOtherFormat(path: string, formats: Formats = DATA_FORMATS): void {
  const found = describeFormats(path, formats);
  if (found === null) return;
  throw new OtherFormat(
    `the data in ${path} ${found}; this release reads ${text(formats)}. ` +
      'Nothing was changed. Start the release that wrote the data, or restore a backup that this release made.',
  );
}

/** Records the formats, synced, unless they are already recorded. Several processes may call this at once. */
export function recordFormats(path: string, disk: Disk = nodeDisk, formats: Formats = DATA_FORMATS): void {
  const file = join(path, FORMAT_FILE);
  if (namesIn(path).includes(FORMAT_FILE)) return;
  const draft = `${file}.${process.pid}.draft`;
  writeSynced(disk, draft, JSON.stringify(formats));
  disk.rename(draft, file);
  disk.sync(path);
}

/** True for the record of formats and its drafts. A copy of a directory writes its own record. */
export function isFormatRecord(name: string): boolean {
  return name.startsWith(FORMAT_FILE);
}

/**
 * Describes the formats of a directory that differ from the given ones. Returns null when they are equal, or without
 * data.
 */
function describeFormats(path: string, formats: Formats): string | null {
  const record = readRecord(join(path, FORMAT_FILE));
  if (record === null) return hasData(path) ? `has no record of its formats (${FORMAT_FILE})` : null;
  if (record === 'unreadable') return `has an unreadable record of its formats (${FORMAT_FILE})`;
  if (text(record) !== text(formats)) return `has the formats ${text(record)}`;
  const segment = otherSegment(path);
  return segment === null ? null : `has the formats ${text({ ...record, journal: segment })}`;
}

/** Returns null when the file is missing. */
function readRecord(file: string): Formats | 'unreadable' | null {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
    return isRecord && Object.values(record).every(Number.isSafeInteger) ? (record as Formats) : 'unreadable';
  } catch (error) {
    if (isMissing(error)) return null;
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

/**
 * False when the directory is missing or has no folder but `lost+found`. Each release keeps its data in folders. Files may
 * exist before the first start: the master key, or a log that an operator writes here.
 */
function hasData(path: string): boolean {
  try {
    return readdirSync(path, { withFileTypes: true }).some((entry) => !entry.isFile() && entry.name !== 'lost+found');
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Format of the first segment that this release cannot read. Returns null when it can read all. */
function otherSegment(path: string): number | null {
  const folder = journalFolder(path);
  for (const name of namesIn(folder)) {
    if (!SEGMENT_NAME.test(name)) continue;
    const version = segmentFormat(join(folder, name));
    if (version !== null && version !== DATA_FORMATS.journal) return version;
  }
  return null;
}

/** Returns null for a segment that is not used yet. */
function segmentFormat(file: string): number | null {
  const bytes = Buffer.alloc(SEGMENT_MAGIC.length + 4);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const isUsed = bytes.toString('latin1', 0, SEGMENT_MAGIC.length) === SEGMENT_MAGIC;
  return isUsed ? bytes.readUInt32LE(SEGMENT_MAGIC.length) : null;
}

/** Sorts the kinds by name, so that equal formats have equal texts. */
function text(formats: Formats): string {
  return Object.keys(formats)
    .sort()
    .map((kind) => `${kind} ${formats[kind]}`)
    .join(', ');
}
