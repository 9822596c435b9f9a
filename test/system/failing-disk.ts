import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreloadLibrary } from './preload-library.js';
import type { Site } from './site.js';

/** A fault of a disk: `full` refuses writes (ENOSPC), `broken` fails syncs (EIO). */
export type DiskFault = 'full' | 'broken';

/** Builds `test/system/<name>.c` as a library to load before the C library (LD_PRELOAD). Returns its path. */
export function preloadLibrary(site: Site, name: string): string {
  const library = join(site.folder, `${name}.so`);
  buildPreloadLibrary(`test/system/${name}.c`, library);
  return library;
}

/** Lets the journal's files fail under a running service, and work again. */
export class FailingDisk {
  /** The service must be started with it. */
  readonly env: Readonly<Record<string, string>>;
  readonly #switches: string;

  constructor(site: Site) {
    this.#switches = join(site.folder, 'switches');
    mkdirSync(this.#switches);
    this.env = {
      LD_PRELOAD: preloadLibrary(site, 'failing-disk'),
      FAILING_DISK_FOLDER: join(site.dataDir, 'journal'),
      FAILING_DISK_SWITCHES: this.#switches,
    };
  }

  fail(fault: DiskFault): void {
    writeFileSync(join(this.#switches, fault), '');
  }

  mend(): void {
    rmSync(this.#switches, { recursive: true });
  }
}
