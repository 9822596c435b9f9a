import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountId, OrderId } from '../../domain/ids.js';
import type { ParentState } from '../../domain/order-state.js';
import { listCheckpoints, placeCheckpoint } from '../checkpoint.js';
import { checkpointFolder, stateFolder } from '../../storage/data-directory.js';
import { refuseOtherFormat } from '../../storage/data-format.js';
import { nodeDisk } from '../../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../../storage/format/format-steps.js';
import { stateIn } from './order-row.js';
import { firstAccount, lastInteger, orderKey } from './rows.js';
import { openStateTables, stateFile, type StateTables } from './state-tables.js';

/** An open order in the store. */
interface StoredOrder {
  readonly orderId: OrderId;
  /** null: the stored bytes are unreadable. */
  readonly state: ParentState | null;
}

/** Open orders that are read in one turn of the event loop: about a millisecond. */
const ORDERS_PER_TURN_MAX = 128;

/**
 * Lists open orders that are quarantined or unreadable, by ascending id, as of one instant. Called in the process that
 * holds the claim of the directory. It reads every open order, and lets the event loop turn meanwhile.
 */
export function readQuarantined(dataDir: string): Promise<readonly StoredOrder[]> {
  return readTables(dataDir, [], async ({ root, table }) => {
    const found: StoredOrder[] = [];
    const transaction = root.useReadTransaction();
    try {
      let count = 0;
      for (const key of table.open.getKeys({ transaction })) {
        count += 1;
        // Each turn follows from the one before.
        // oxlint-disable-next-line no-await-in-loop
        if (count % ORDERS_PER_TURN_MAX === 0) await new Promise(setImmediate);
        const orderId = lastInteger(key) as OrderId;
        const state = stateOf(table.orders.get(orderKey(orderId), { transaction }));
        if (state === null || state.quarantine !== null) found.push({ orderId, state });
      }
    } finally {
      transaction.done();
    }
    return found.sort((one, other) => one.orderId - other.orderId);
  });
}

/** A stored order; null: there is none with the id. Called in the process that holds the claim of the directory. */
export function readStoredOrder(dataDir: string, orderId: OrderId): Promise<StoredOrder | null> {
  return readTables(dataDir, null, ({ table }) => {
    const bytes = table.orders.get(orderKey(orderId));
    return bytes === undefined ? null : { orderId, state: stateOf(bytes) };
  });
}

/** `none`: the result for a directory without orders. */
async function readTables<Found>(
  dataDir: string,
  none: Found,
  read: (tables: StateTables) => Found | Promise<Found>,
): Promise<Found> {
  refuseOtherFormat(dataDir);
  const path = stateFolder(dataDir);
  if (!existsSync(stateFile(path))) return none;
  const tables = openStateTables(path, { readOnly: true });
  try {
    return await read(tables);
  } finally {
    await tables.root.close();
  }
}

function stateOf(bytes: Buffer | undefined): ParentState | null {
  if (bytes === undefined) return null;
  try {
    return stateIn(bytes);
  } catch {
    return null;
  }
}

/** Orders in the checkpoint of a backup. */
interface BackupOrders {
  /** Service time of the checkpoint's last event; 0 without events. */
  readonly serviceMs: number;
  /** Open orders by account. */
  readonly openCounts: ReadonlyMap<AccountId, number>;
}

/** The checkpoint may have an earlier format: the first start upgrades it. */
export async function readBackupOrders(folder: string, format: DataFormat = PRESENT_FORMAT): Promise<BackupOrders> {
  const openCounts = new Map<AccountId, number>();
  const [checkpoint] = listCheckpoints(checkpointFolder(folder));
  if (checkpoint === undefined) return { serviceMs: 0, openCounts };
  // A large checkpoint is copied only when its rows have another format.
  const isOlder = format.changesRows('state', checkpoint.format);
  const path = isOlder ? mkdtempSync(join(folder, 'restore-')) : checkpoint.folder;
  try {
    if (isOlder) placeCheckpoint(checkpoint, path, nodeDisk, format);
    const tables = openStateTables(path, { readOnly: true });
    for (const key of tables.table.open.getKeys()) {
      const account = firstAccount(key);
      openCounts.set(account, (openCounts.get(account) ?? 0) + 1);
    }
    await tables.root.close();
  } finally {
    rmSync(isOlder ? path : join(path, 'lock.mdb'), { recursive: true, force: true });
  }
  return { serviceMs: checkpoint.head.recordedAtMs, openCounts };
}
