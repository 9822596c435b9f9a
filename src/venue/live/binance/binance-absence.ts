import { BINANCE_ABSENCE_PAGES_MAX, BINANCE_UNLISTED_ORDERS_MAX } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { ALL_ORDERS_MAX, ALL_ORDERS_PERIOD_MS, type ListRange, TRADES_MAX } from '../dialect/binance-orders.js';
import { afterFullPage, readPages } from '../list-pages.js';
import type { FillRecord, OrderRecord } from '../normal/records.js';
import { pause } from '../waits.js';

/** How far the time of an order at the exchange may lie before that of its sending. */
const CLOCK_MS = 60_000;
/**
 * Time after its sending in which the lists are read. Later the look-up by client id is enough: no index is so late.
 */
const LATE_INDEX_MS = 3_600_000;

/** Wait of a reading for more orders: much less than the fence, and longer than it takes to look up a hundred. */
const JOIN_MS = 1_000;

/** Lists of one symbol. null: a list was not read. */
interface SymbolLists {
  readonly open: () => Promise<readonly OrderRecord[] | null>;
  readonly placed: (range: ListRange) => Promise<readonly OrderRecord[] | null>;
  readonly trades: (range: ListRange) => Promise<readonly FillRecord[] | null>;
  /** The order with an id of the exchange. */
  readonly named: (venueOrderId: string) => Promise<OrderRecord | null>;
}

interface WantedOrder {
  readonly clientId: string;
  readonly submittedAtMs: EpochMs;
}

/** What the lists say of an order. UNKNOWN: a list was not read, or there were too many. */
type ListedState = OrderRecord | 'ABSENT' | 'UNKNOWN';

/** A reading of the lists, and the orders that it looks for. */
interface Reading {
  readonly wanted: WantedOrder[];
  readonly found: Promise<(wanted: WantedOrder) => ListedState>;
}

/**
 * Looks for orders that their look-ups by client id deny: among the open orders, all orders and the trades of their
 * symbol since the sending. Trades have no client id, so an order that has traded and that no list shows is looked up
 * by the id of the exchange.
 *
 * A reading costs ten times the weight of a look-up, and a crash may leave hundreds of unknown children. So one reading
 * at a time, JOIN_MS after its first order, serves all orders that are wanted before it begins:
 *
 *     wanted    1 2          3  4 5           6
 *     reading       ├─ of 1, 2 ─┤  ├─ of 3, 4, 5 ─┤├─ of 6 ─┤
 */
export class AbsenceCheck {
  readonly #lists: SymbolLists;
  /** The reading that has not begun; null: no order waits for one. */
  #next: Reading | null = null;
  /** Ends with the latest reading. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(lists: SymbolLists) {
    this.#lists = lists;
  }

  /** All requests are sent after the call. */
  async find(wanted: WantedOrder, nowMs: EpochMs): Promise<ListedState> {
    if (nowMs - wanted.submittedAtMs > LATE_INDEX_MS) return 'ABSENT';
    const reading = (this.#next ??= this.#prepare());
    reading.wanted.push(wanted);
    return (await reading.found)(wanted);
  }

  #prepare(): Reading {
    const wanted: WantedOrder[] = [];
    const found = Promise.all([this.#ended, pause(JOIN_MS)]).then(() => {
      this.#next = null;
      return this.#read(wanted);
    });
    this.#ended = found.catch(() => undefined);
    return { wanted, found };
  }

  async #read(wanted: readonly WantedOrder[]): Promise<(order: WantedOrder) => ListedState> {
    const sinceMs = Math.min(...wanted.map(({ submittedAtMs }) => submittedAtMs)) - CLOCK_MS;
    const orders = await this.#orders({ fromMs: sinceMs, toMs: sinceMs + ALL_ORDERS_PERIOD_MS }, wanted);
    if (orders === null) return () => 'UNKNOWN';
    const byClientId = new Map(orders.records.map((record) => [record.clientId, record]));
    return ({ clientId }) => byClientId.get(clientId) ?? (orders.isComplete ? 'ABSENT' : 'UNKNOWN');
  }

  /** Orders that lists and trades show. null: a list was not read. `isComplete` false: there may be more. */
  async #orders(
    range: ListRange,
    wanted: readonly WantedOrder[],
  ): Promise<{ readonly records: readonly OrderRecord[]; readonly isComplete: boolean } | null> {
    const { open: readOpen, placed: readPlaced, trades: readTrades, named } = this.#lists;
    const open = await readOpen();
    if (open === null) return null;
    const placed = await readPages(
      readPlaced,
      byIds<OrderRecord>(range, { idOf: ({ venueOrderId }) => venueOrderId, max: ALL_ORDERS_MAX }),
    );
    if (placed === null) return null;
    const trades = await readPages(
      readTrades,
      byIds<FillRecord>(range, { idOf: ({ tradeId }) => tradeId, max: TRADES_MAX }),
    );
    if (trades === null) return null;
    const records = [...open, ...placed];
    const listed = new Set(records.map(({ clientId }) => clientId));
    if (wanted.every(({ clientId }) => listed.has(clientId))) return { records, isComplete: true };
    const known = new Set(records.map(({ venueOrderId }) => venueOrderId));
    const unlisted = new Set(trades.map(({ venueOrderId }) => venueOrderId).filter((id) => !known.has(id)));
    if (unlisted.size > BINANCE_UNLISTED_ORDERS_MAX) return { records, isComplete: false };
    for (const venueOrderId of unlisted) {
      // One after the other: the exchange limits requests.
      // oxlint-disable-next-line no-await-in-loop
      const order = await named(venueOrderId);
      if (order === null) return { records, isComplete: false };
      records.push(order);
    }
    return { records, isComplete: true };
  }
}

/** Page after page by the ids of the exchange, which grow. */
function byIds<Entry>(
  first: ListRange,
  { idOf, max }: { readonly idOf: (entry: Entry) => string; readonly max: number },
) {
  const next = afterFullPage<ListRange, Entry>(max, (last) => ({ firstId: (BigInt(idOf(last)) + 1n).toString() }));
  return { first, next, pagesMax: BINANCE_ABSENCE_PAGES_MAX };
}
