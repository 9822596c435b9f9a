import type { ParentState } from '../../domain/order-state.js';
import { RETENTION_BATCH_ROWS, RETENTION_PAUSE_MS } from '../../domain/limits/process.js';
import {
  accountTimeKey,
  clientIdKey,
  decodeClientIdEntry,
  integersAfter,
  orderKey,
  positionKey,
} from '../state/rows.js';
import { eventPlaces } from '../state/order-row.js';
import type { StateTables, Table } from '../state/state-tables.js';

export interface RowAddress {
  readonly table: Table;
  readonly key: Buffer;
}

/**
 * Removes rows in small transactions with a pause after each, because the projector needs the same lock.
 */
export async function removeRows({ root }: StateTables, rows: readonly RowAddress[]): Promise<void> {
  await inBatches(root, rows, ({ table, key }) => table.removeSync(key));
}

/** Calls `write` for each item, in small transactions with a pause after each. */
export async function inBatches<Item>(
  root: StateTables['root'],
  items: readonly Item[],
  write: (item: Item) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += RETENTION_BATCH_ROWS) {
    root.transactionSync(() => {
      for (const item of items.slice(from, from + RETENTION_BATCH_ROWS)) write(item);
    });
    // Each batch follows the one before.
    await pause();
  }
}

/** Lets the projector and the heartbeat of the thread go on. */
export async function pause(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, RETENTION_PAUSE_MS);
  });
}

/** Every row of an order except its frames. These are removed with their segment. `carriedTo`: a position. */
export function rowsOf({ table }: StateTables, { order }: ParentState, carriedTo: number): RowAddress[] {
  const { orderId, account, clientOrderId, createdAtMs } = order;
  const key = orderKey(orderId);
  const carried = eventPlaces({ table }, orderId).filter(({ position }) => position < carriedTo);
  const rows: RowAddress[] = [
    ...carried.map(({ position }) => ({ table: table.carried, key: positionKey(position) })),
    ...rowsWithPrefix(table.by_order, key),
    ...rowsWithPrefix(table.trades, key),
    { table: table.ended, key: accountTimeKey(account, createdAtMs, orderId) },
    { table: table.orders, key },
  ];
  if (clientOrderId === null) return rows;
  const clientKey = clientIdKey(account, clientOrderId);
  const entry = table.by_client_id.get(clientKey);
  // The client may have used the id again for another order.
  const isOwn = entry !== undefined && decodeClientIdEntry(entry).orderId === orderId;
  return isOwn ? [...rows, { table: table.by_client_id, key: clientKey }] : rows;
}

function rowsWithPrefix(table: Table, prefix: Buffer): RowAddress[] {
  const range = integersAfter(prefix, 1, Number.MAX_SAFE_INTEGER - 1);
  return [...table.getKeys(range)].map((key) => ({ table, key }));
}
