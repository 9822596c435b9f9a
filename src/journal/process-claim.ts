import { readFileSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import { CLAIM_LOOK_MS, CLAIM_WAIT_MS_MAX } from '../model/limits.js';
import { claimFolder, isMissing, makeFolder } from './data-folder.js';
import { currentBootId } from './trust-stamp.js';

/** Another process serves this data folder. */
export class ClaimedFolder extends Error {
  override readonly name = 'ClaimedFolder';
}

interface Claimant {
  readonly pid: number;
  /** With the pid, names one process of one boot: pids are used again. */
  readonly startedAt: string;
  readonly bootId: string;
}

const ROW = 'claimant';
/** Zombie and dead, as the system writes them. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X']);

/**
 * A data folder has one service process at a time. The claim is a row in a small LMDB environment, whose writer lock
 * makes look-and-take one step and is given back by the system when its holder dies.
 */
export class ProcessClaim {
  readonly #root: RootDatabase<Claimant, string>;

  private constructor(root: RootDatabase<Claimant, string>) {
    this.#root = root;
  }

  /**
   * Throws ClaimedFolder while the process that holds the claim lives. One that was killed a moment ago takes time to end,
   * with its last write to the disk, so it is waited for, CLAIM_WAIT_MS_MAX at most; the thread sleeps meanwhile.
   */
  static take(dataDir: string): ProcessClaim {
    const path = claimFolder(dataDir);
    makeFolder(path);
    const root = open<Claimant, string>({ path, noSync: true, noSubdir: false, encoding: 'json' });
    const endMs = performance.now() + CLAIM_WAIT_MS_MAX;
    let holder = takeUnlessHeld(root);
    while (holder !== null && performance.now() < endMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLAIM_LOOK_MS);
      holder = takeUnlessHeld(root);
    }
    if (holder === null) return new ProcessClaim(root);
    void root.close();
    throw new ClaimedFolder(
      `${dataDir} is in use by the running process ${holder.pid}: stop it, or name another data folder in SLUICE_DATA_DIR`,
    );
  }

  release(): void {
    this.#root.removeSync(ROW);
    void this.#root.close();
  }
}

/** Who holds the claim; null: nobody did, and this process does now. */
function takeUnlessHeld(root: RootDatabase<Claimant, string>): Claimant | null {
  const self: Claimant = { pid: process.pid, startedAt: startOf(process.pid) ?? '', bootId: currentBootId() };
  return root.transactionSync(() => {
    const other = root.get(ROW);
    if (other !== undefined && isAlive(other)) return other;
    root.putSync(ROW, self);
    return null;
  });
}

function isAlive(other: Claimant): boolean {
  return other.bootId === currentBootId() && startOf(other.pid) === other.startedAt;
}

/**
 * Start of a process in clock ticks since boot; null when there is none. A zombie is none: it has ended, and waits only
 * for its parent to hear of it. One that has threads left has not ended, whatever its first one says.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold anything; the fields behind it begin with the third.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', threadCount, startedAt] = [fields[0], fields[17], fields[19]];
    return ENDED_STATES.has(state) && Number(threadCount) <= 1 ? null : (startedAt ?? null);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** A process may end between the opening of its file and the reading. */
function isGone(error: unknown): boolean {
  return isMissing(error) || (error as NodeJS.ErrnoException).code === 'ESRCH';
}
