import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backupData } from '../../src/journal/index.js';
import { finishRestore, restoreBackup } from '../../src/operator/restore.js';
import { resumed, type RestoredService } from '../system/resumed.js';

const KEPT = { keys: 'keep', killSwitches: 'keep', timers: 'drop' } as const;
const EXCHANGE_FOLDER = 'venue';

/** Takes backups of a data directory at work, and puts one in its place while the exchange stays as it is. */
export class Restores {
  readonly #dataDir: string;
  readonly #copy: string;
  readonly #restored: string;
  /** Children that the exchange knew and the backup did not, over all restores. */
  adopted = 0;
  orphans = 0;
  count = 0;

  /** `folder` is for files beside the data directory. */
  constructor(dataDir: string, folder: string) {
    this.#dataDir = dataDir;
    this.#copy = join(folder, 'backup');
    this.#restored = join(folder, 'restored');
  }

  /** While the service runs. */
  async backUp(): Promise<void> {
    rmSync(this.#copy, { recursive: true, force: true });
    await backupData(this.#dataDir, this.#copy, { withMasterKey: true });
  }

  /** While no service runs: the directory is what it was at the backup, but for the exchange. */
  async restore(): Promise<void> {
    await restoreBackup(this.#copy, this.#restored);
    await finishRestore(this.#copy, this.#restored, KEPT);
    rmSync(join(this.#restored, EXCHANGE_FOLDER), { recursive: true });
    cpSync(join(this.#dataDir, EXCHANGE_FOLDER), join(this.#restored, EXCHANGE_FOLDER), { recursive: true });
    rmSync(this.#dataDir, { recursive: true });
    renameSync(this.#restored, this.#dataDir);
    this.count += 1;
  }

  /** While the halted service runs: waits until all is reconciled, and resumes trading. */
  async resume(service: RestoredService): Promise<void> {
    const { report } = await resumed(service, this.#dataDir);
    this.adopted += report?.adoptedCount ?? 0;
    this.orphans += report?.orphans.length ?? 0;
  }
}
