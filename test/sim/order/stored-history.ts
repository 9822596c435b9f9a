import { FORGET_PAUSE_MS, ORDER_HISTORY_MS } from '../../../src/domain/limits/trading.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import { OrderHistory } from '../../../src/sim/order/order-history.js';
import type { VenueOrder } from '../../../src/sim/order/venue-order.js';
import type { VenueRow, VenueStore } from '../../../src/venue/port.js';

const ROW = Buffer.from('row');

export function historyOf(store: VenueStore): OrderHistory {
  return new OrderHistory(store, () => ORDER_HISTORY_MS as DurationMs);
}

/** Stores an ended order with that many fill rows. */
export function storeEnded(store: VenueStore, clientId: string, endedAtMs: number, fills: number): void {
  const key = `alice/BINANCE/${clientId}`;
  const rows: VenueRow[] = [{ key: `done/${key}`, value: ROW }];
  for (let fill = 0; fill < fills; fill += 1) {
    rows.push({ key: `fill/${key}/${String(fill).padStart(9, '0')}`, value: ROW });
  }
  const order = { key, changedAtMs: endedAtMs, submission: { venue: 'BINANCE' } } as unknown as VenueOrder;
  historyOf(store).note(order, rows);
  store.commit(rows);
}

/** Removes what is due at a time with at most that many commits. Returns the number of rows of each commit. */
export function removeForgotten(store: VenueStore, nowMs: number, commits = Infinity): number[] {
  const history = historyOf(store);
  const counts: number[] = [];
  for (let atMs = nowMs; counts.length < commits; atMs += FORGET_PAUSE_MS) {
    const rows: VenueRow[] = [];
    history.takeRows(rows, atMs as EpochMs);
    if (rows.length === 0) return counts;
    store.commit(rows);
    counts.push(rows.length);
  }
  return counts;
}

/** The keys of the rows under the prefixes. */
export function keysOf(store: VenueStore, ...prefixes: string[]): string[] {
  return prefixes.flatMap((prefix) => [...store.range(prefix)].map(({ key }) => key));
}
