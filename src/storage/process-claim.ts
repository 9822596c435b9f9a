import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CLAIM_CHECK_MS, CLAIM_WAIT_MS_MAX, COMMAND_CLAIM_WAIT_MS_MAX } from '../domain/limits/process.js';
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
/** The first words of the holder's name when a command holds the claim. */
const COMMAND = 'command of ';

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
   * CLAIM_WAIT_MS_MAX, and for a command of the operator up to COMMAND_CLAIM_WAIT_MS_MAX. The thread sleeps during the
   * wait. Throws ClaimedFolder when another process still holds the claim.
   */
  static take(dataDir: string): ProcessClaim {
    const folder = claimFolder(dataDir);
    makeFolder(folder);
    const path = join(folder, LOCK_FILE);
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    const beganMs = performance.now();
    try {
      while (!tryLock(file)) {
        const isCommand = readFileSync(path, 'utf8').startsWith(COMMAND);
        const waitMs = isCommand ? COMMAND_CLAIM_WAIT_MS_MAX : CLAIM_WAIT_MS_MAX;
        if (performance.now() - beganMs >= waitMs) throw claimed(dataDir, path);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLAIM_CHECK_MS);
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return ProcessClaim.#of(file, '');
  }

  /** Takes the claim for a command of the operator. null: another process holds it. Does not wait. */
  static takeForCommand(dataDir: string): ProcessClaim | null {
    const folder = claimFolder(dataDir);
    makeFolder(folder);
    const file = openSync(join(folder, LOCK_FILE), constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    if (tryLock(file)) return ProcessClaim.#of(file, COMMAND);
    closeSync(file);
    return null;
  }

  /** Writes the holder of the locked file into it. */
  static #of(file: number, prefix: string): ProcessClaim {
    ftruncateSync(file);
    writeSync(file, `${prefix}process ${process.pid} on ${hostname()}`, 0);
    return new ProcessClaim(file);
  }

  /** Names the process that holds the claim, or held it last. */
  static holderOf(dataDir: string): string {
    return holderIn(join(claimFolder(dataDir), LOCK_FILE));
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
  return new ClaimedFolder(
    `${dataDir} is in use by the running ${holderIn(path)}: stop it, or name another data folder in SLUICE_DATA_DIR`,
  );
}

function holderIn(path: string): string {
  return readFileSync(path, 'utf8') || 'another process';
}
