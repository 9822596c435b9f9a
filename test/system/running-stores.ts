import { copyStoreOf } from '../../src/admin/admin-client.js';
import { backupData } from '../../src/journal/backup.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import type { StoreName } from '../../src/storage/format/format-steps.js';

/** Backs up a data directory as the command does: the service copies its stores when it runs. */
export function backUp(dataDir: string, target: string, withMasterKey = true): Promise<void> {
  return backupData(dataDir, target, { withMasterKey, copyStore: copierOf(dataDir) });
}

/** Verifies a data directory as the command does. */
export function verify(dataDir: string): ReturnType<typeof verifyJournal> {
  return verifyJournal(dataDir, foldEnvelope, { copyStore: copierOf(dataDir) });
}

function copierOf(dataDir: string) {
  return (store: StoreName, target: string) => copyStoreOf(dataDir, store, target);
}
