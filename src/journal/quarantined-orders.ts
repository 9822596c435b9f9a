import { existsSync } from 'node:fs';
import type { OrderId } from '../model/ids.js';
import type { ParentState } from '../model/order.js';
import { decodeState } from '../wire/codec/index.js';
import { stateFolder } from './data-folder.js';
import { lastInteger, orderKey } from './row-key.js';
import { openStateTables, stateFile } from './state-tables.js';

/** An open order as the store has it. */
export interface StoredOrder {
  readonly orderId: OrderId;
  /** null: what is stored cannot be read. */
  readonly state: ParentState | null;
}

/** Open orders that are quarantined or unreadable, by ascending id. Reads the store of a running or stopped service. */
export async function readQuarantined(dataDir: string): Promise<readonly StoredOrder[]> {
  const path = stateFolder(dataDir);
  if (!existsSync(stateFile(path))) return [];
  const tables = openStateTables(path, { readOnly: true });
  try {
    const found: StoredOrder[] = [];
    for (const key of tables.table.open.getKeys()) {
      const orderId = lastInteger(key) as OrderId;
      const state = stateOf(tables.table.orders.get(orderKey(orderId)));
      if (state === null || state.quarantine !== null) found.push({ orderId, state });
    }
    return found.sort((one, other) => one.orderId - other.orderId);
  } finally {
    await tables.root.close();
  }
}

function stateOf(bytes: Buffer | undefined): ParentState | null {
  if (bytes === undefined) return null;
  try {
    return decodeState(bytes);
  } catch {
    return null;
  }
}
