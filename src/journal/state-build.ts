import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { BUILD_ATTEMPTS_COUNT_MAX } from '../model/limits.js';
import { allCheckpoints, COPY_KIND, isIntact, placeCheckpoint, type Checkpoint } from './checkpoint.js';
import { BuildAttempts } from './build-attempts.js';
import { buildFolder, checkpointFolder, replacedFolder, stateFolder } from './data-folder.js';
import type { JournalDisk } from './disk.js';
import { noSource } from './journal-damage.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segment-folder.js';
import { openStateTables, STATE_SCHEMA, type StateTables } from './state-tables.js';
import { writeStamp } from './trust-stamp.js';

/** The journal alone, among the names of the sources. */
const FROM_JOURNAL = 'journal';

export interface StateBuildOptions {
  readonly dataDir: string;
  readonly folder: SegmentFolder;
  readonly disk: JournalDisk;
}

/**
 * Builds a state beside the present one, which stays until the new one is complete.
 *
 * Sources are the intact checkpoints, newest first, then the journal alone when it reaches back to the first event.
 * Of these the build takes the one on which the fewest starts have died.
 */
export class StateBuild {
  readonly tables: StateTables;
  /** null: from the journal alone. */
  readonly checkpoint: Checkpoint | null;
  /** The checkpoints, also damaged and compacted ones, prove that the journal was synced up to here. */
  readonly syncedSeq: number;
  readonly #options: StateBuildOptions;

  /** Throws JournalDamage when there is no source left. Changes nothing before a source is found. */
  constructor(options: StateBuildOptions) {
    const { dataDir, disk } = options;
    this.#options = options;
    const attempts = new BuildAttempts(dataDir, disk);
    const known = allCheckpoints(checkpointFolder(dataDir)).filter(({ schema }) => schema === STATE_SCHEMA);
    this.syncedSeq = Math.max(0, ...known.map(({ head }) => head.lastSeq));
    this.checkpoint = chooseSource(known, options.folder, attempts);
    const path = buildFolder(dataDir);
    disk.removeTree(path);
    attempts.begin(nameOf(this.checkpoint));
    if (this.checkpoint !== null) placeCheckpoint(this.checkpoint, path, disk);
    this.tables = openStateTables(path);
  }

  /**
   * Puts the built state in the place of the present one. The environment stays open: its file only gets another path.
   * The stamp says that the state is being opened, so a start that dies before its threads have read it builds again.
   */
  take(bootId: string): StateTables {
    const { dataDir, disk } = this.#options;
    const [path, replaced] = [stateFolder(dataDir), replacedFolder(dataDir)];
    writeStamp(this.tables.path, { schema: STATE_SCHEMA, bootId, isClean: false, isOpening: true }, disk);
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
  const compacted = checkpoints.filter(({ copy }) => copy !== COPY_KIND);
  const intact = checkpoints.filter((checkpoint) => !compacted.includes(checkpoint) && isIntact(checkpoint));
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
    damaged: checkpoints.filter((one) => !intact.includes(one) && !compacted.includes(one)).map(nameOf),
    compacted: compacted.map(nameOf),
    attemptsFile: attempts.path,
  });
}

function nameOf(source: Checkpoint | null): string {
  return source === null ? FROM_JOURNAL : basename(source.folder);
}
