import { LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { ALL_ORDERS_MAX, ALL_ORDERS_PERIOD_MS, type ListRange } from '../dialect/binance-orders.js';
import type { OrderRecord } from '../normal/records.js';

/**
 * Reads all orders of one symbol that were placed since a time: period after period until one has an order, then page after
 * page by the ids of the exchange, which grow. null: a page was not read, or there are more than LIST_PAGES_MAX.
 */
export async function placedSince(
  read: (range: ListRange) => Promise<readonly OrderRecord[] | null>,
  sinceMs: EpochMs,
  nowMs: () => EpochMs,
): Promise<readonly OrderRecord[] | null> {
  const found: OrderRecord[] = [];
  let range: ListRange | null = { fromMs: sinceMs, toMs: sinceMs + ALL_ORDERS_PERIOD_MS };
  for (let page = 0; page < LIST_PAGES_MAX; page += 1) {
    // Each page begins where the one before ends.
    // oxlint-disable-next-line no-await-in-loop
    const records: readonly OrderRecord[] | null = await read(range);
    if (records === null) return null;
    found.push(...records);
    const last = records.at(-1);
    if ('firstId' in range && records.length < ALL_ORDERS_MAX) return found;
    if (last !== undefined) range = { firstId: (BigInt(last.venueOrderId) + 1n).toString() };
    else if ('toMs' in range && range.toMs <= nowMs()) {
      range = { fromMs: range.toMs, toMs: range.toMs + ALL_ORDERS_PERIOD_MS };
    } else return found;
  }
  return null;
}
