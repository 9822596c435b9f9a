import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './service-run.js';

/**
 * Builds a C source of the repository as a library that a process loads before the C library (LD_PRELOAD). Throws when
 * the compiler is missing or fails: a test that needs a faulty disk never passes without one.
 */
export function buildPreloadLibrary(source: string, library: string): void {
  const flags = ['-shared', '-fPIC', '-O1', '-o', library, join(ROOT, source), '-ldl'];
  const { status, stderr, error } = spawnSync('gcc', flags, { encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error(`gcc cannot run (${error.message}): install the Debian packages gcc and libc6-dev`);
  }
  if (status !== 0) throw new Error(`gcc cannot build ${source}: ${stderr}`);
}
