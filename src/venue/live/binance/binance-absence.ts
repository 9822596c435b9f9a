import { BINANCE_ABSENCE_PAGES_MAX, BINANCE_UNLISTED_ORDERS_MAX } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { ALL_ORDERS_MAX, ALL_ORDERS_PERIOD_MS, type ListRange, TRADES_MAX } from '../dialect/binance-orders.js';
import { afterFullPage, readPages } from '../list-pages.js';
import type { FillRecord, OrderRecord } from '../normal/records.js';

/** How far the time of an order at the exchange may lie before that of its sending. */
const CLOCK_MS = 60_000;
/**
 * Time after its sending in which the lists are read. Later the look-up by client id is enough: no index is so late.
 */
const LATE_INDEX_MS = 3_600_000;

/** null: a list was not read. */
interface ListsOfSymbol {
  readonly clientId: string;
  readonly submittedAtMs: EpochMs;
  readonly nowMs: EpochMs;
  readonly open: () => Promise<readonly OrderRecord[] | null>;
  readonly placed: (range: ListRange) => Promise<readonly OrderRecord[] | null>;
  readonly trades: (range: ListRange) => Promise<readonly FillRecord[] | null>;
  /** The order with an id of the exchange. */
  readonly named: (venueOrderId: string) => Promise<OrderRecord | null>;
}

/**
 * Looks for an order that its look-up by client id denies: among the open orders, all orders and the trades of its
 * symbol since the sending. Trades have no client id, so an order that has traded and that no list shows is looked up
 * by the id of the exchange. UNKNOWN: a list was not read, or there were too many.
 */
export async function orderInLists(lists: ListsOfSymbol): Promise<OrderRecord | 'ABSENT' | 'UNKNOWN'> {
  const { clientId, submittedAtMs, nowMs } = lists;
  if (nowMs - submittedAtMs > LATE_INDEX_MS) return 'ABSENT';
  const range = { fromMs: submittedAtMs - CLOCK_MS, toMs: submittedAtMs - CLOCK_MS + ALL_ORDERS_PERIOD_MS };
  const open = await lists.open();
  const placed = await readPages(
    lists.placed,
    byIds<OrderRecord>(range, { idOf: ({ venueOrderId }) => venueOrderId, max: ALL_ORDERS_MAX }),
  );
  const trades = await readPages(
    lists.trades,
    byIds<FillRecord>(range, { idOf: ({ tradeId }) => tradeId, max: TRADES_MAX }),
  );
  if (open === null || placed === null || trades === null) return 'UNKNOWN';
  const listed = [...open, ...placed];
  const record = listed.find((order) => order.clientId === clientId);
  if (record !== undefined) return record;
  const known = new Set(listed.map(({ venueOrderId }) => venueOrderId));
  const unlisted = new Set(trades.map(({ venueOrderId }) => venueOrderId).filter((id) => !known.has(id)));
  if (unlisted.size > BINANCE_UNLISTED_ORDERS_MAX) return 'UNKNOWN';
  for (const venueOrderId of unlisted) {
    // One after the other: the exchange limits requests.
    // oxlint-disable-next-line no-await-in-loop
    const order = await lists.named(venueOrderId);
    if (order === null) return 'UNKNOWN';
    if (order.clientId === clientId) return order;
  }
  return 'ABSENT';
}

/** Page after page by the ids of the exchange, which grow. */
function byIds<Entry>(
  first: ListRange,
  { idOf, max }: { readonly idOf: (entry: Entry) => string; readonly max: number },
) {
  const next = afterFullPage<ListRange, Entry>(max, (last) => ({ firstId: (BigInt(idOf(last)) + 1n).toString() }));
  return { first, next, pagesMax: BINANCE_ABSENCE_PAGES_MAX };
}
