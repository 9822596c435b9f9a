import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BUILD_ATTEMPTS_COUNT_MAX } from '../domain/limits/process.js';
import { buildFolder, checkpointFolder, isMissing, replacedFolder, stateFolder } from '../storage/data-directory.js';
import { type Disk, replaceFile } from '../storage/disk.js';
import { type Checkpoint, isIntact, listCheckpoints, placeCheckpoint } from './checkpoint.js';
import { noSource } from './journal-damage.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segments.js';
import { type JournalHead, openStateTables, readHead, type StateTables } from './state/state-tables.js';
import { HeldVersion } from './state/held-versions.js';
import {
  hasFileOf,
  readSyncPoint,
  removeSyncPoint,
  returnTo,
  type SyncPoint,
  writeSyncPoint,
} from './state/sync-point.js';
import { distrustState } from './trust-stamp.js';

/** Names of the sources that are no checkpoint. */
const FROM_JOURNAL = 'journal';
const FROM_SYNC_POINT = 'sync-point';

interface StateBuildOptions {
  readonly dataDir: string;
  readonly folder: SegmentFolder;
  readonly disk: Disk;
}

type Source =
  | { readonly kind: 'sync point'; readonly point: SyncPoint }
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'nothing' };

/** A complete state and the holder of its sync point's version. */
interface BuiltState {
  readonly tables: StateTables;
  readonly held: HeldVersion;
}

/**
 * Builds a state in place of one that is not trusted.
 *
 * The sources are the sync point of the present state, the intact checkpoints, newest first, then the journal alone if
 * it begins with the first event. The build takes the source that the fewest starts have failed on. It works beside
 * the present state, unless it continues the sync point of that state.
 */
export class StateBuild {
  readonly tables: StateTables;
  /** The sync point and the checkpoints, including damaged ones, prove that the journal was synced up to here. */
  readonly syncedSeq: number;
  readonly #options: StateBuildOptions;
  readonly #source: Source;
  /** Holds the version of the sync point; null for another source. */
  readonly #held: HeldVersion | null;

  /** Throws JournalDamage when no source is left. Changes nothing before it has found a source. */
  static begin(options: StateBuildOptions): StateBuild {
    const point = readSyncPoint(stateFolder(options.dataDir));
    const build = new StateBuild(options, point);
    if (point === null || build.#source.kind !== 'sync point') return build;
    if (isSameHead(readHead(build.tables), point.head)) return build;
    // The file is not the one of the sync point.
    build.abandon();
    removeSyncPoint(build.tables.path, options.disk);
    return new StateBuild(options, null);
  }

  private constructor(options: StateBuildOptions, point: SyncPoint | null) {
    const { dataDir, disk } = options;
    this.#options = options;
    const attempts = new BuildAttempts(dataDir, disk);
    const known = listCheckpoints(checkpointFolder(dataDir));
    this.syncedSeq = Math.max(point?.head.lastSeq ?? 0, ...known.map(({ head }) => head.lastSeq));
    this.#source = chooseSource(point, known, options, attempts);
    attempts.begin(this.name);
    if (this.#source.kind === 'sync point') {
      const path = stateFolder(dataDir);
      returnTo(this.#source.point, path, disk);
      ({ tables: this.tables, held: this.#held } = openHeld(path));
      return;
    }
    const path = buildFolder(dataDir);
    disk.removeTree(path);
    if (this.#source.kind === 'checkpoint') {
      placeCheckpoint(this.#source.checkpoint, path, disk, options.folder.format);
    }
    this.tables = openStateTables(path);
    this.#held = null;
  }

  get origin(): Source['kind'] {
    return this.#source.kind;
  }

  /** Name of the source. */
  get name(): string {
    return nameOf(this.#source);
  }

  /**
   * Makes the built state the present one. The environment stays open: only its path changes. The stamp marks the
   * state as opening, so a start that dies before its threads have read it builds again.
   */
  take(bootId: string): BuiltState {
    const { disk } = this.#options;
    distrustState(this.tables.path, bootId, disk);
    if (this.#held !== null) return { tables: this.tables, held: this.#held };
    const held = new HeldVersion(this.tables.root);
    writeSyncPoint(this.tables, disk);
    return { tables: this.#swap(), held };
  }

  abandon(): void {
    this.#held?.release();
    void this.tables.root.close();
  }

  #swap(): StateTables {
    const { dataDir, disk } = this.#options;
    const [path, replaced] = [stateFolder(dataDir), replacedFolder(dataDir)];
    disk.removeTree(replaced);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) disk.rename(path, replaced);
    disk.rename(this.tables.path, path);
    disk.sync(dataDir);
    disk.removeTree(replaced);
    return { ...this.tables, path };
  }
}

/** Opens a state and holds its version before anything is written. */
export function openHeld(path: string): BuiltState {
  let held: HeldVersion | null = null;
  const tables = openStateTables(path, { beforeWrites: (root) => (held = new HeldVersion(root)) });
  return { tables, held: held! };
}

function isSameHead(one: JournalHead | null, other: JournalHead): boolean {
  return one !== null && one.lastSeq === other.lastSeq && one.end === other.end;
}

function chooseSource(
  point: SyncPoint | null,
  checkpoints: readonly Checkpoint[],
  { dataDir, folder }: StateBuildOptions,
  attempts: BuildAttempts,
): Source {
  const firstNumber = folder.numbers()[0] ?? FIRST_SEGMENT;
  // A journal without an event has one unused segment, the first.
  const firstSeq = folder.header(firstNumber)?.firstSeq ?? (firstNumber === FIRST_SEGMENT ? 1 : null);
  const isUsable =
    point !== null && point.head.turnPosition >= folder.startOf(firstNumber) && hasFileOf(point, stateFolder(dataDir));
  const sources: Source[] = [
    ...(isUsable ? [{ kind: 'sync point', point } as const] : []),
    ...checkpoints.map((checkpoint) => ({ kind: 'checkpoint', checkpoint }) as const),
    ...(firstSeq === 1 ? [{ kind: 'nothing' } as const] : []),
  ];
  const countOf = (source: Source): number => attempts.countOf(nameOf(source));
  const damaged: string[] = [];
  for (const source of sources.toSorted((one, other) => countOf(one) - countOf(other))) {
    // A checkpoint is read as a whole, so only those are checked that may be used.
    if (source.kind === 'checkpoint' && !isIntact(source.checkpoint)) damaged.push(nameOf(source));
    else if (countOf(source) < BUILD_ATTEMPTS_COUNT_MAX) return source;
  }
  const fatal = sources.map(nameOf).filter((name) => !damaged.includes(name));
  throw noSource({ file: folder.fileOf(firstNumber), firstSeq, fatal, damaged, attemptsFile: attempts.path });
}

function nameOf(source: Source): string {
  switch (source.kind) {
    case 'sync point':
      return FROM_SYNC_POINT;
    case 'checkpoint':
      return basename(source.checkpoint.folder);
    case 'nothing':
      return FROM_JOURNAL;
  }
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
