import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { SEGMENT_BYTES } from '../model/limits.js';
import { allCheckpoints, listCheckpoints } from './checkpoint.js';
import { checkpointFolder, isEmptyFolder, isMissing, journalFolder, stateFolder } from './data-folder.js';
import { nodeDisk, writeSynced, type JournalDisk } from './disk.js';
import { FIRST_SEGMENT, SegmentFolder } from './segment-folder.js';
import { SEGMENT_VERSION, segmentVersion } from './segment-header.js';
import { STATE_SCHEMA } from './state-tables.js';
import { readStamp } from './trust-stamp.js';

/** The formats of a data directory's parts. Each number grows when an older release cannot read the part any more. */
export interface DataFormats {
  readonly journal: number;
  readonly state: number;
  readonly identity: number;
  readonly venue: number;
}

/** What this release reads and writes. */
export const DATA_FORMATS: DataFormats = { journal: SEGMENT_VERSION, state: STATE_SCHEMA, identity: 1, venue: 1 };

const FORMAT_FILE = 'format.json';
/** Data without a format file is of the releases that did not write one yet. */
const FIRST_FORMATS: DataFormats = { journal: 1, state: 1, identity: 1, venue: 1 };

/** The data is of a release that this one cannot follow. Nothing was changed; the message names both formats. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

/**
 * Throws OtherFormat when this release cannot read the data. Changes nothing, and must be called before anything else
 * does. A state of another format is accepted when it can be built anew: from a checkpoint of this release's format, or
 * from a journal that reaches back to its first event.
 */
export function refuseOtherFormat(dataDir: string): void {
  if (isEmptyFolder(dataDir)) return;
  const found = formatsOf(dataDir);
  const { journal, identity, venue } = DATA_FORMATS;
  const isReadable = found.journal === journal && found.identity === identity && found.venue === venue;
  if (isReadable && (found.state === STATE_SCHEMA || canBuildState(dataDir))) return;
  throw new OtherFormat(
    `the data in ${dataDir} has the formats ${text(found)}; this release reads ${text(DATA_FORMATS)}. ` +
      'Nothing was changed. Start the release that wrote the data, or restore a backup that this release made.',
  );
}

/** Writes this release's formats down, synced, unless they are there. Several processes may do it at once. */
export function recordFormats(dataDir: string, disk: JournalDisk = nodeDisk): void {
  const path = join(dataDir, FORMAT_FILE);
  if (readFormats(path) !== null) return;
  const { journal, identity, venue } = DATA_FORMATS;
  const draft = `${path}.${process.pid}.draft`;
  writeSynced(disk, draft, JSON.stringify({ journal, identity, venue }));
  disk.rename(draft, path);
  disk.sync(dataDir);
}

/** The state's format is in its stamp and in the checkpoints, which can differ from it while a release is changed. */
function formatsOf(dataDir: string): DataFormats {
  const written = readFormats(join(dataDir, FORMAT_FILE)) ?? FIRST_FORMATS;
  const journal = otherSegmentVersion(dataDir) ?? written.journal;
  const [newest] = allCheckpoints(checkpointFolder(dataDir));
  const state = readStamp(stateFolder(dataDir))?.schema ?? newest?.schema ?? STATE_SCHEMA;
  return { ...written, journal, state };
}

function readFormats(path: string): DataFormats | null {
  try {
    return { ...FIRST_FORMATS, ...(JSON.parse(readFileSync(path, 'utf8')) as Partial<DataFormats>) };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Version of a segment that this release cannot read; null when there is none. */
function otherSegmentVersion(dataDir: string): number | null {
  const folder = new SegmentFolder(journalFolder(dataDir), SEGMENT_BYTES);
  for (const number of folder.numbers()) {
    const bytes = Buffer.alloc(16);
    const file = openSync(folder.fileOf(number), 'r');
    readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
    const version = segmentVersion(bytes);
    if (version !== null && version !== SEGMENT_VERSION) return version;
  }
  return null;
}

function canBuildState(dataDir: string): boolean {
  if (listCheckpoints(checkpointFolder(dataDir)).length > 0) return true;
  const folder = SegmentFolder.at(journalFolder(dataDir));
  const [first = FIRST_SEGMENT] = folder.numbers();
  return folder.header(first)?.firstSeq === 1;
}

function text({ journal, state, identity, venue }: DataFormats): string {
  return `journal ${journal}, state ${state}, identity ${identity}, venue ${venue}`;
}
