import { RETENTION_PAGE_ORDERS } from '../model/limits.js';
import type { ParentState } from '../model/order.js';
import { decodeState } from '../wire/codec/index.js';
import { accountTimeKey, clientIdKey, integersAfter, orderKey } from './row-key.js';
import type { RowAddress } from './row-removal.js';
import { decodeClientIdEntry } from './row-value.js';
import type { StateTables, Table } from './state-tables.js';

const FIRST_KEY = Buffer.alloc(8);

/**
 * Orders that were created before an instant, in pages that no cursor outlives, so that their rows may be removed in
 * between. Order ids increase in time: the walk ends with the first younger order.
 */
export function* oldOrders({ table }: StateTables, createdBeforeMs: number): Generator<ParentState[]> {
  let start: Buffer = FIRST_KEY;
  for (;;) {
    const rows = [...table.orders.getRange({ start, exclusiveStart: true, limit: RETENTION_PAGE_ORDERS })];
    const states = rows.map(({ value }) => decodeState(value));
    const young = states.findIndex(({ order }) => order.createdAtMs >= createdBeforeMs);
    yield young === -1 ? states : states.slice(0, young);
    const last = rows.at(-1);
    if (young !== -1 || last === undefined) return;
    start = last.key;
  }
}

/** Every row of an order, except those of frames: they leave with their segment. */
export function rowsOf({ table }: StateTables, { order }: ParentState): RowAddress[] {
  const { orderId, account, clientOrderId, createdAtMs } = order;
  const key = orderKey(orderId);
  const rows: RowAddress[] = [
    ...rowsBehind(table.by_order, key),
    ...rowsBehind(table.trades, key),
    { table: table.by_time, key: accountTimeKey(account, createdAtMs, orderId) },
    { table: table.orders, key },
  ];
  if (clientOrderId === null) return rows;
  const clientKey = clientIdKey(account, clientOrderId);
  const entry = table.by_client_id.get(clientKey);
  // The client may have used the id again for another order since.
  const isOwn = entry !== undefined && decodeClientIdEntry(entry).orderId === orderId;
  return isOwn ? [...rows, { table: table.by_client_id, key: clientKey }] : rows;
}

function rowsBehind(table: Table, prefix: Buffer): RowAddress[] {
  const range = integersAfter(prefix, 1, Number.MAX_SAFE_INTEGER - 1);
  return [...table.getKeys(range)].map((key) => ({ table, key }));
}
