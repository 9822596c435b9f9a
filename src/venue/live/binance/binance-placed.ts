import { LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { ALL_ORDERS_MAX, ALL_ORDERS_PERIOD_MS, type ListRange } from '../dialect/binance-orders.js';
import { readPages } from '../list-pages.js';
import type { OrderRecord } from '../normal/records.js';

/**
 * Reads all orders of one symbol that were placed since a time: period after period until one has an order, then page
 * after page by the ids of the exchange, which grow. null: a page was not read, or there are more than LIST_PAGES_MAX.
 */
export function placedSince(
  read: (range: ListRange) => Promise<readonly OrderRecord[] | null>,
  sinceMs: EpochMs,
  nowMs: () => EpochMs,
): Promise<readonly OrderRecord[] | null> {
  return readPages<ListRange, OrderRecord>(read, {
    first: { fromMs: sinceMs, toMs: sinceMs + ALL_ORDERS_PERIOD_MS },
    next: (page, range) => {
      if ('firstId' in range && page.length < ALL_ORDERS_MAX) return null;
      const last = page.at(-1);
      if (last !== undefined) return { firstId: (BigInt(last.venueOrderId) + 1n).toString() };
      if ('firstId' in range || range.toMs > nowMs()) return null;
      return { fromMs: range.toMs, toMs: range.toMs + ALL_ORDERS_PERIOD_MS };
    },
    pagesMax: LIST_PAGES_MAX,
  });
}
