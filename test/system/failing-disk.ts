import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './service-run.js';
import type { Site } from './site.js';

/** What a disk can do to its writers: refuse bytes (ENOSPC), or fail to sync them (EIO). */
export type DiskFault = 'full' | 'broken';

const SOURCE = join(ROOT, 'test/system/failing-disk.c');

/** Whether a C compiler is there to build what lets a disk fail. */
export const HAS_COMPILER = spawnSync('gcc', ['--version']).status === 0;

/** Lets the journal's files fail under a running service, and work again. */
export class FailingDisk {
  /** The service must be started with it. */
  readonly env: Readonly<Record<string, string>>;
  readonly #switches: string;

  constructor(site: Site) {
    this.#switches = join(site.folder, 'switches');
    mkdirSync(this.#switches);
    const library = join(site.folder, 'failing-disk.so');
    const compiler = spawnSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
    if (compiler.status !== 0) throw new Error(`gcc: ${compiler.stderr}`);
    this.env = {
      LD_PRELOAD: library,
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
