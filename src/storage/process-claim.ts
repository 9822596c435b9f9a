import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CLAIM_CHECK_MS, CLAIM_WAIT_MS_MAX } from '../domain/limits/process.js';
import { claimFolder, isMissing, makeFolder } from './data-directory.js';
import { FILE_MODE } from './disk.js';

/** Another process uses this data folder. */
export class ClaimedFolder extends Error {
  override readonly name = 'ClaimedFolder';
}

const LOCK_FILE = 'lock';
/** Descriptor of the open file in the process that takes the lock. */
const LOCK_DESCRIPTOR = 3;
const TAKEN_BY_ANOTHER = 1;

/**
 * Limits a data folder to one service process. The claim is an exclusive lock of the operating system (flock) on an
 * open file. The kernel releases it when the process ends for any reason, and checks it across PID namespaces
 * (adr/0026).
 */
export class ProcessClaim {
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /**
   * Takes the claim. A killed process needs time to end, with its last write to the disk, so the call waits up to
   * CLAIM_WAIT_MS_MAX. The thread sleeps during the wait. Throws ClaimedFolder when another process still holds the
   * claim.
   */
  static take(dataDir: string): ProcessClaim {
    const folder = claimFolder(dataDir);
    makeFolder(folder);
    const path = join(folder, LOCK_FILE);
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    const endMs = performance.now() + CLAIM_WAIT_MS_MAX;
    try {
      while (!tryLock(file)) {
        if (performance.now() >= endMs) throw claimed(dataDir, path);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLAIM_CHECK_MS);
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    ftruncateSync(file);
    writeSync(file, `process ${process.pid} on ${hostname()}`, 0);
    return new ProcessClaim(file);
  }

  /** True while a process uses the data folder. Changes nothing there. */
  static isHeld(dataDir: string): boolean {
    const path = join(claimFolder(dataDir), LOCK_FILE);
    if (!existsSync(path)) return false;
    const file = openSync(path, constants.O_RDONLY);
    try {
      return !tryLock(file);
    } finally {
      closeSync(file);
    }
  }

  release(): void {
    closeSync(this.#file);
  }
}

/** Runs flock on the open file. The lock belongs to the open file, so it outlives the flock process. */
function tryLock(file: number): boolean {
  const { status, error, stderr } = spawnSync('flock', ['-x', '-n', String(LOCK_DESCRIPTOR)], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  });
  if (error !== undefined) {
    const reason = isMissing(error) ? 'there is no program flock (package util-linux)' : error.message;
    throw new Error(`the data folder cannot be locked: ${reason}`, { cause: error });
  }
  if (status === 0) return true;
  if (status === TAKEN_BY_ANOTHER && stderr === '') return false;
  throw new Error(`the data folder cannot be locked: flock ended with status ${status}: ${stderr.trim()}`);
}

function claimed(dataDir: string, path: string): ClaimedFolder {
  const holder = readFileSync(path, 'utf8') || 'another process';
  return new ClaimedFolder(
    `${dataDir} is in use by the running ${holder}: stop it, or name another data folder in SLUICE_DATA_DIR`,
  );
}
