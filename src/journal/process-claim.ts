import { readFileSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
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

/**
 * A data folder has one service process at a time. The claim is a row in a small LMDB environment, whose writer lock
 * makes look-and-take one step and is given back by the system when its holder dies.
 */
export class ProcessClaim {
  readonly #root: RootDatabase<Claimant, string>;

  private constructor(root: RootDatabase<Claimant, string>) {
    this.#root = root;
  }

  /** Throws ClaimedFolder while the process that holds the claim lives. */
  static take(dataDir: string): ProcessClaim {
    const path = claimFolder(dataDir);
    makeFolder(path);
    const root = open<Claimant, string>({ path, noSync: true, noSubdir: false, encoding: 'json' });
    const self = claimant(process.pid);
    const holder = root.transactionSync(() => {
      const other = root.get(ROW);
      if (other !== undefined && isAlive(other)) return other;
      root.putSync(ROW, self);
      return null;
    });
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

function claimant(pid: number): Claimant {
  return { pid, startedAt: startedAt(pid) ?? '', bootId: currentBootId() };
}

function isAlive(other: Claimant): boolean {
  return other.bootId === currentBootId() && startedAt(other.pid) === other.startedAt;
}

/** Start of a process in clock ticks since boot; null when there is no such process. */
function startedAt(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold anything; the fields behind it begin with the third.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
