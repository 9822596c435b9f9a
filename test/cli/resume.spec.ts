import { afterAll, expect, it } from 'vitest';
import { operate } from '../../src/admin/admin-client.js';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { type AccountReconciliation, restoreRecord } from '../../src/domain/restore.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { Folders, JournalWorld } from '../journal/journal-world.js';
import { ScriptedOrders } from '../journal/scripted-orders.js';

const folders = new Folders();
afterAll(() => folders.removeAll());

function accountOf(account: string, isComplete: boolean): AccountReconciliation {
  const waitingOrders = isComplete ? 0 : 3;
  return { account: account as AccountId, isComplete, openOrders: 3, waitingOrders, waitingVenues: [] };
}

it('ends a halt after the reconciliation only, for an account that was reconciled', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  orders.create();
  world.commit(orders);
  await world.close();
  const identity = openIdentity(world.dataDir);
  const record = restoreRecord(null, { nowMs: 1_000, backupAtMs: 1, backupServiceMs: 1 });
  identity.trading.begin(record);
  const report = (accounts: readonly AccountReconciliation[], isComplete: boolean): void =>
    identity.trading.writeReport({
      epoch: record.epoch,
      atMs: 1_000,
      isComplete,
      accounts,
      adoptedCount: 0,
      orphanCount: 0,
      openOrphanCount: 0,
      orphans: [],
    });
  const resume = async (account?: string): Promise<string> => {
    const result = await operate({ path: world.dataDir, masterKey: undefined }, 'trading.resume', { account });
    return isRejected(result) ? `${result.rejection.code} ${result.rejection.message}` : `halted: ${result.isHalted}`;
  };

  // A service that starts writes this before it is ready.
  report([], false);
  expect(await resume()).toContain('SYSTEM_BUSY the reconciliation has not begun');
  expect(await resume('desk')).toContain('SYSTEM_BUSY the reconciliation has not begun');
  report([accountOf('desk', true), accountOf('other', false)], false);
  expect(await resume()).toContain('SYSTEM_BUSY the reconciliation waits for account other: 3 of 3 orders');
  expect(await resume('unknown')).toContain('INVALID_REQUEST account unknown');
  expect(await resume('desk')).toBe('halted: true');
  expect(identity.trading.restore()?.exempt).toEqual(['desk']);
  report([accountOf('desk', true), accountOf('other', true)], true);
  expect(await resume()).toBe('halted: false');
  await identity.close();
});
