import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountId } from '../model/ids.js';
import { listCheckpoints } from './checkpoint.js';
import { checkpointFolder } from './data-folder.js';
import { firstAccount } from './row-key.js';
import { openStateTables } from './state-tables.js';

/** What a backup's checkpoint holds of orders. */
export interface BackupOrders {
  /** Service time of its last event; 0: it has none. */
  readonly serviceMs: number;
  /** Open orders by account. */
  readonly openCounts: ReadonlyMap<AccountId, number>;
}

export async function readBackupOrders(folder: string): Promise<BackupOrders> {
  const openCounts = new Map<AccountId, number>();
  const [checkpoint] = listCheckpoints(checkpointFolder(folder));
  if (checkpoint === undefined) return { serviceMs: 0, openCounts };
  const tables = openStateTables(checkpoint.folder, { readOnly: true });
  for (const key of tables.table.open.getKeys()) {
    const account = firstAccount(key);
    openCounts.set(account, (openCounts.get(account) ?? 0) + 1);
  }
  await tables.root.close();
  rmSync(join(checkpoint.folder, 'lock.mdb'), { force: true });
  return { serviceMs: checkpoint.head.recordedAtMs, openCounts };
}
