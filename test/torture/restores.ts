import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../system/running-stores.js';
import { finishRestore, restoreBackup } from '../../src/cli/operator/restored-data.js';
import { resumed, type RestoredService } from '../system/resumed.js';

const KEPT = { keys: 'keep', killSwitches: 'keep', timers: 'drop' } as const;
const EXCHANGE_FOLDER = 'venue';

/** Takes backups of a data directory in use and restores them, without changing the exchange's data. */
export class Restores {
  readonly #dataDir: string;
  readonly #copy: string;
  readonly #restored: string;
  /** Children known to the exchange but not to the backup, over all restores. */
  adopted = 0;
  orphans = 0;
  count = 0;

  /** `folder`: for files outside the data directory. */
  constructor(dataDir: string, folder: string) {
    this.#dataDir = dataDir;
    this.#copy = join(folder, 'backup');
    this.#restored = join(folder, 'restored');
  }

  /** Backs up while the service runs. */
  async backUp(): Promise<void> {
    rmSync(this.#copy, { recursive: true, force: true });
    await backUp(this.#dataDir, this.#copy);
  }

  /** Restores the backup, except for the exchange's data. No service may run. */
  async restore(): Promise<void> {
    await restoreBackup(this.#copy, this.#restored);
    await finishRestore(this.#copy, this.#restored, KEPT);
    rmSync(join(this.#restored, EXCHANGE_FOLDER), { recursive: true });
    cpSync(join(this.#dataDir, EXCHANGE_FOLDER), join(this.#restored, EXCHANGE_FOLDER), { recursive: true });
    rmSync(this.#dataDir, { recursive: true });
    renameSync(this.#restored, this.#dataDir);
    this.count += 1;
  }

  /** Waits until the halted service has reconciled, and resumes trading. */
  async resume(service: RestoredService): Promise<void> {
    const { report } = await resumed(service, this.#dataDir);
    this.adopted += report?.adoptedCount ?? 0;
    this.orphans += report?.orphans.length ?? 0;
  }
}
