import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing, journalFolder, namesIn } from './data-directory.js';
import { nodeDisk, replaceFile, writeSynced, type Disk } from './disk.js';
import { type DataFormat, PRESENT_FORMAT } from './format/format-steps.js';

const FORMAT_FILE = 'format.json';
/** First bytes of a used segment. The next 32 bits are its format number. */
export const SEGMENT_MAGIC = 'SLUICEJ\n';
const SEGMENT_NAME = /\.segment$/;

/** The data has a format that this release cannot read. The data is unchanged. The message names both formats. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

/** The record of a directory's format. */
export interface FormatRecord {
  /** Format of every store. Segments of the journal may have an earlier one. */
  readonly format: number;
  /** Present while an upgrade from this format is unfinished. */
  readonly from?: number;
}

/**
 * Throws OtherFormat unless the directory has exactly the given format, or no data. Changes nothing. Every program
 * that opens a data directory calls this first, except the start of the service, which upgrades earlier formats.
 */
export function refuseOtherFormat(path: string, format: DataFormat = PRESENT_FORMAT): void {
  const record = readFormat(path, format);
  if (record === null) return;
  const upgrade = 'Start the service of this release: it upgrades the data.';
  if (record.from !== undefined) {
    throw new OtherFormat(
      `the upgrade of ${path} from format ${record.from} to ${record.format} is unfinished. Nothing was changed. ` +
        upgrade,
    );
  }
  if (record.format < format.number) {
    throw new OtherFormat(
      `the data in ${path} has format ${record.format}; this release works with format ${format.number}. ` +
        `Nothing was changed. ${upgrade} Make a backup with the earlier release before.`,
    );
  }
}

/**
 * Returns the record of a directory's format, or null when the directory has no data. Throws OtherFormat when this
 * release cannot read the format. Changes nothing.
 */
export function readFormat(path: string, format: DataFormat = PRESENT_FORMAT): FormatRecord | null {
  const record = readRecord(join(path, FORMAT_FILE));
  if (record === null) {
    if (!hasData(path)) return null;
    throw unreadable(`has no record of its format (${FORMAT_FILE})`, path, format);
  }
  if (record === 'unreadable')
    throw unreadable(`has an unreadable record of its format (${FORMAT_FILE})`, path, format);
  const number = Math.max(record.format, latestSegment(path));
  if (number > format.number) throw unreadable(`has format ${number}`, path, format);
  return record;
}

/** Throws OtherFormat for data of a later format. Changes nothing. */
export function refuseLaterFormat(path: string, format: DataFormat = PRESENT_FORMAT): void {
  readFormat(path, format);
}

function unreadable(found: string, path: string, { number }: DataFormat): OtherFormat {
  const readable = number === 1 ? 'format 1' : `formats 1 to ${number}`;
  return new OtherFormat(
    `the data in ${path} ${found}; this release reads ${readable}. Nothing was changed. ` +
      'Start the release that wrote the data, or restore a backup that this release can read.',
  );
}

/** Records a format, synced, unless one is recorded. Several processes may call this at once. */
export function recordFormat(path: string, disk: Disk = nodeDisk, number: number = PRESENT_FORMAT.number): void {
  const file = join(path, FORMAT_FILE);
  if (namesIn(path).includes(FORMAT_FILE)) return;
  const draft = `${file}.${process.pid}.draft`;
  writeSynced(disk, draft, JSON.stringify({ format: number } satisfies FormatRecord));
  disk.rename(draft, file);
  disk.sync(path);
}

/** Replaces the record, synced. Only an upgrade calls this. */
export function replaceFormat(path: string, disk: Disk, record: FormatRecord): void {
  replaceFile(disk, path, join(path, FORMAT_FILE), JSON.stringify(record));
}

/** Returns null when the file is missing. */
function readRecord(file: string): FormatRecord | 'unreadable' | null {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<FormatRecord> | null;
    const isRecord = isNumber(record?.format) && (record?.from === undefined || isNumber(record.from));
    return isRecord ? (record as FormatRecord) : 'unreadable';
  } catch (error) {
    if (isMissing(error)) return null;
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * False when the directory is missing or has no folder but `lost+found`. Each release keeps its data in folders. Files
 * may exist before the first start: the master key, or a log that an operator writes here.
 */
function hasData(path: string): boolean {
  try {
    return readdirSync(path, { withFileTypes: true }).some((entry) => !entry.isFile() && entry.name !== 'lost+found');
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Latest format of a used segment. Returns 0 when there is none. */
function latestSegment(path: string): number {
  const folder = journalFolder(path);
  const names = namesIn(folder).filter((name) => SEGMENT_NAME.test(name));
  return Math.max(0, ...names.map((name) => segmentFormat(join(folder, name)) ?? 0));
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
