import { BINANCE_TRADE_PAGES_MAX } from '../../../domain/limits/live.js';
import { type ListRange, TRADES_MAX } from '../dialect/binance-orders.js';
import type { FillRecord } from '../normal/records.js';

/** The longest period that USD-M takes, and how far back it looks when no period is stated. */
const PERIOD_MS = 7 * 86_400_000;
/** Largest difference between the clocks. */
const CLOCK_MS = 60_000;

interface TradedOrder {
  readonly isFuture: boolean;
  readonly submittedAtMs: number;
  readonly nowMs: number;
  /** One page of the trades of the order, the oldest first. null range: the newest ones. null: it was not read. */
  readonly read: (range: ListRange | null) => Promise<readonly FillRecord[] | null>;
  /** True when the trades add up to the total of the order. */
  readonly isWhole: (trades: Iterable<FillRecord>) => boolean;
}

/**
 * The trades of one order. The first page has them all, unless the order has more trades than a page, or is from before
 * the last 7 days on USD-M. Then the others are read: on spot by the ids of the trades, which grow; on USD-M period
 * after period, the newest first. After BINANCE_TRADE_PAGES_MAX pages the trades that were found are returned. null: a
 * page was not read.
 */
export async function tradesOfOrder(order: TradedOrder): Promise<Iterable<FillRecord> | null> {
  const first = await order.read(null);
  if (first === null) return null;
  const trades = new Map(first.map((trade) => [trade.tradeId, trade]));
  const isOld = order.isFuture && order.submittedAtMs - CLOCK_MS < order.nowMs - PERIOD_MS;
  if (first.length < TRADES_MAX && !isOld) return trades.values();
  let pages = 1;
  for (let range of rangesOf(order)) {
    for (let isLast = false; !isLast; pages += 1) {
      if (pages >= BINANCE_TRADE_PAGES_MAX || order.isWhole(trades.values())) return trades.values();
      // Each page says where the next one begins.
      // oxlint-disable-next-line no-await-in-loop
      const records = await order.read(range);
      if (records === null) return null;
      for (const trade of records) trades.set(trade.tradeId, trade);
      const last = records.at(-1);
      isLast = last === undefined || records.length < TRADES_MAX;
      if (last !== undefined) range = rangeAfter(range, last);
    }
  }
  return trades.values();
}

function* rangesOf({ isFuture, submittedAtMs, nowMs }: TradedOrder): Iterable<ListRange> {
  if (!isFuture) return yield { firstId: '0' };
  const sinceMs = submittedAtMs - CLOCK_MS;
  for (let endMs = nowMs + CLOCK_MS; endMs > sinceMs; endMs -= PERIOD_MS) {
    yield { fromMs: Math.max(sinceMs, endMs - PERIOD_MS), toMs: endMs - 1 };
  }
}

/** The rest of the range after a full page. The last millisecond of the page may have more trades. */
function rangeAfter(range: ListRange, { tradeId, atMs }: FillRecord): ListRange {
  if ('firstId' in range) return { firstId: (BigInt(tradeId) + 1n).toString() };
  return { ...range, fromMs: Math.max(atMs, range.fromMs + 1) };
}
