import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BUILD_ATTEMPTS_COUNT_MAX } from '../domain/limits/process.js';
import { buildFolder, checkpointFolder, isMissing, replacedFolder, stateFolder } from '../storage/data-directory.js';
import { type Disk, replaceFile } from '../storage/disk.js';
import { type Checkpoint, isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { noSource } from './journal-damage.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segments.js';
import { openStateTables, type StateTables } from './state/state-tables.js';
import { writeStamp } from './trust-stamp.js';

/** Name of the journal as a source of a build. */
const FROM_JOURNAL = 'journal';

interface StateBuildOptions {
  readonly dataDir: string;
  readonly folder: SegmentFolder;
  readonly disk: Disk;
}

/**
 * Builds a state beside the present one. The present state stays until the new one is complete.
 *
 * The sources are the intact checkpoints, newest first, then the journal alone if it begins with the first event. The
 * build takes the source that the fewest starts have failed on.
 */
export class StateBuild {
  readonly tables: StateTables;
  /** null: the build starts from the journal alone. */
  readonly checkpoint: Checkpoint | null;
  /** The checkpoints, including damaged ones, prove that the journal was synced up to here. */
  readonly syncedSeq: number;
  readonly #options: StateBuildOptions;

  /** Throws JournalDamage when no source is left. Changes nothing before it has found a source. */
  constructor(options: StateBuildOptions) {
    const { dataDir, disk } = options;
    this.#options = options;
    const attempts = new BuildAttempts(dataDir, disk);
    const known = listCheckpoints(checkpointFolder(dataDir));
    this.syncedSeq = Math.max(0, ...known.map(({ head }) => head.lastSeq));
    this.checkpoint = chooseSource(known, options.folder, attempts);
    const path = buildFolder(dataDir);
    disk.removeTree(path);
    attempts.begin(nameOf(this.checkpoint));
    if (this.checkpoint !== null) placeCheckpoint(this.checkpoint, path, disk);
    this.tables = openStateTables(path);
  }

  /**
   * Replaces the present state with the built one. The environment stays open: only its path changes. The stamp marks
   * the state as opening, so a start that dies before its threads have read it builds again.
   */
  take(bootId: string): StateTables {
    const { dataDir, disk } = this.#options;
    const [path, replaced] = [stateFolder(dataDir), replacedFolder(dataDir)];
    writeStamp(this.tables.path, { bootId, isClean: false, isOpening: true }, disk);
    disk.removeTree(replaced);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) disk.rename(path, replaced);
    disk.rename(this.tables.path, path);
    disk.sync(dataDir);
    disk.removeTree(replaced);
    return { ...this.tables, path };
  }
}

function chooseSource(
  checkpoints: readonly Checkpoint[],
  folder: SegmentFolder,
  attempts: BuildAttempts,
): Checkpoint | null {
  const intact = checkpoints.filter(isIntact);
  const firstNumber = folder.numbers()[0] ?? FIRST_SEGMENT;
  // A journal without an event has one unused segment, the first.
  const firstSeq = folder.header(firstNumber)?.firstSeq ?? (firstNumber === FIRST_SEGMENT ? 1 : null);
  const sources = firstSeq === 1 ? [...intact, null] : intact;
  const countOf = (source: Checkpoint | null): number => attempts.countOf(nameOf(source));
  const [best] = sources
    .filter((source) => countOf(source) < BUILD_ATTEMPTS_COUNT_MAX)
    .sort((one, other) => countOf(one) - countOf(other));
  if (best !== undefined) return best;
  throw noSource({
    file: folder.fileOf(firstNumber),
    firstSeq,
    fatal: sources.map(nameOf),
    damaged: checkpoints.filter((one) => !intact.includes(one)).map(nameOf),
    attemptsFile: attempts.path,
  });
}

function nameOf(source: Checkpoint | null): string {
  return source === null ? FROM_JOURNAL : basename(source.folder);
}

export const ATTEMPTS_FILE = 'build-attempts.json';

/** Number of starts that began to build the state from each source since the last successful start. */
type Counts = Readonly<Record<string, number>>;

/**
 * Counts on the disk the starts that build the state, by source. LMDB can end the process on a damaged file, so a
 * start that dies leaves no other trace. The next start prefers a source without failed starts.
 */
export class BuildAttempts {
  readonly path: string;
  readonly #dataDir: string;
  readonly #disk: Disk;

  constructor(dataDir: string, disk: Disk) {
    this.path = join(dataDir, ATTEMPTS_FILE);
    this.#dataDir = dataDir;
    this.#disk = disk;
  }

  countOf(source: string): number {
    return this.#read()[source] ?? 0;
  }

  /** Counts one start, synced before the source is opened. */
  begin(source: string): void {
    const counts = this.#read();
    const text = JSON.stringify({ ...counts, [source]: (counts[source] ?? 0) + 1 });
    replaceFile(this.#disk, this.#dataDir, this.path, text);
  }

  /** Removes all counts after a successful start. */
  clear(): void {
    try {
      this.#disk.remove(this.path);
      this.#disk.sync(this.#dataDir);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #read(): Counts {
    try {
      return JSON.parse(readFileSync(this.path, 'utf8')) as Counts;
    } catch (error) {
      if (isMissing(error) || error instanceof SyntaxError) return {};
      throw error;
    }
  }
}
