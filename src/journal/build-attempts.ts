import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from './data-folder.js';
import { replaceFile, type JournalDisk } from './disk.js';

export const ATTEMPTS_FILE = 'build-attempts.json';

/** Number of starts that have begun to build the state from a source since the last one that succeeded. */
type Counts = Readonly<Record<string, number>>;

/**
 * Remembers on the disk which starts build the state, and from what. LMDB can kill the process when a file is bad, so a
 * start that dies leaves no other trace. The next start prefers a source that no start has died on.
 */
export class BuildAttempts {
  readonly path: string;
  readonly #dataDir: string;
  readonly #disk: JournalDisk;

  constructor(dataDir: string, disk: JournalDisk) {
    this.path = join(dataDir, ATTEMPTS_FILE);
    this.#dataDir = dataDir;
    this.#disk = disk;
  }

  countOf(source: string): number {
    return this.#read()[source] ?? 0;
  }

  /** Synced before the source is opened. */
  begin(source: string): void {
    const counts = this.#read();
    const text = JSON.stringify({ ...counts, [source]: (counts[source] ?? 0) + 1 });
    replaceFile(this.#disk, this.#dataDir, this.path, text);
  }

  /** Forgets all attempts: a start has succeeded. */
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
