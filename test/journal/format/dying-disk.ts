import type { Disk } from '../../../src/storage/disk.js';
import { unsyncedDisk } from '../unsynced-disk.js';

/** The process dies: no later change happens. */
class ProcessDeath extends Error {
  override readonly name = 'ProcessDeath';
}

/** The real disk, until the process dies before a change. Counts the changes and syncs. */
export class DyingDisk {
  readonly disk: Disk;
  count = 0;

  /** `deathAt`: number of the change, from 0, that does not happen any more. */
  constructor(deathAt = Infinity) {
    const calls = Object.entries(unsyncedDisk) as [keyof Disk, (...args: unknown[]) => unknown][];
    const dying = calls.map(([name, call]) => [
      name,
      (...args: unknown[]): unknown => {
        if (this.count >= deathAt) throw new ProcessDeath(`the process died before change ${deathAt}, ${name}`);
        this.count += 1;
        return call(...args);
      },
    ]);
    this.disk = Object.fromEntries(dying) as Disk;
  }
}

/** The real disk, on which one change fails. Later ones work. */
export function failingOnce(failureAt: number): Disk {
  let count = 0;
  const calls = Object.entries(unsyncedDisk) as [keyof Disk, (...args: unknown[]) => unknown][];
  const failing = calls.map(([name, call]) => [
    name,
    (...args: unknown[]): unknown => {
      count += 1;
      if (count === failureAt + 1)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return call(...args);
    },
  ]);
  return Object.fromEntries(failing) as Disk;
}
