import { describe, expect, test } from 'vitest';
import type { CorrelationId, AccountId } from '../../../src/domain/ids.js';
import { FORGET_BATCH_ROWS, FORGET_PAUSE_MS, ORDER_HISTORY_MS } from '../../../src/domain/limits/trading.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { OrdersReport } from '../../../src/domain/venue-report.js';
import type { VenueRow, VenueStore } from '../../../src/venue/port.js';
import { MemoryVenueStore } from '../memory-store.js';
import { fillsOf, instrumentAt, SimulatedExchange, START_MS } from '../simulated-exchange.js';
import { historyOf, keysOf, removeForgotten, storeEnded } from './stored-history.js';

const OLD_MS = START_MS + ORDER_HISTORY_MS + 1;

/** The exchange's list of all orders of the account. */
function listed(venue: SimulatedExchange): OrdersReport {
  const query = { correlationId: 1 as CorrelationId, account: 'alice' as AccountId, venue: venue.instrument.venue };
  const [report] = venue.send({ kind: 'QueryOrders', ...query, sinceMs: 0 as EpochMs, after: '', instruments: [] });
  if (report?.kind !== 'Orders') throw new Error('no list');
  return report;
}

describe('A simulated exchange', () => {
  test('knows an ended order and its fills for the time of its history, and then removes their rows', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
    const { order: filled } = venue.submit({ type: 'MARKET', quantity: 100 });
    const { order: cancelled } = venue.submit({ quantity: 1_000, limitPrice: venue.market.bid - 1_000 });
    venue.cancel(cancelled);
    const { order: rejected } = venue.submit({ quantity: 1, limitPrice: 1 });
    const ended = [filled, cancelled, rejected];
    const states = () => ended.map((order) => venue.query(order).at(-1)).map((report) => report as object);

    venue.nowMs = START_MS + ORDER_HISTORY_MS;
    expect(states()).toMatchObject(['FILLED', 'CANCELLED', 'REJECTED'].map((state) => ({ answer: { state } })));
    expect(fillsOf(venue.query(filled))).not.toEqual([]);
    expect(listed(venue).orders).toHaveLength(2);
    expect(keysOf(venue.store, 'done/')).toHaveLength(3);

    venue.nowMs += 1;
    const unknown = { answer: { state: 'UNKNOWN', knownSinceMs: START_MS + 1 }, filled: 0 };
    expect(states()).toMatchObject([unknown, unknown, unknown]);
    expect(listed(venue)).toMatchObject({ orders: [], knownSinceMs: START_MS + 1 });
    expect(keysOf(venue.store, 'done/', 'fill/', 'forget/')).toEqual([]);
  });

  test('knows an order that ends in the turn of the question', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
    const order = venue.submission({ type: 'MARKET', quantity: 100 });
    venue.handle({ kind: 'Submit', ...order });
    expect(venue.query(order).at(-1)).toMatchObject({ answer: { state: 'FILLED' } });
  });

  test('keeps an open order with its fills', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('WOO', 'DOGE/USDT:USDT') });
    const limitPrice = Math.round(venue.market.ask * 1.003);
    const { order } = venue.submit({ account: 'maker', side: 'SELL', limitPrice, quantity: 1_000 });
    const sweepBelow = { account: 'sweeper', timeInForce: 'IOC', limitPrice: limitPrice - 1 } as const;
    venue.submit({ ...sweepBelow, quantity: 8_000_000 });
    venue.submit({ account: 'taker', limitPrice, quantity: 300 });
    const isOwn = (key: string): boolean => key.includes(`/${order.orderId}-1`);
    const before = keysOf(venue.store, 'open/', 'fill/').filter(isOwn);
    expect(before).toHaveLength(2);
    const store = venue.store;

    // The market moves in the history. The rows of the order do not go without its end.
    expect(removeForgotten(store, OLD_MS)).not.toEqual([]);
    expect(keysOf(store, 'open/', 'fill/').filter(isOwn)).toEqual(before);
    venue.restart();
    expect(fillsOf(venue.query(order)).map(({ quantity }) => quantity)).toEqual([300]);
  });

  test('does not accept a client id again while its forgotten order has a row', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
    const { order } = venue.submit({ type: 'MARKET', quantity: 100 });
    venue.nowMs = OLD_MS;
    expect(venue.ask({ kind: 'Submit', ...order }).at(-1)).toMatchObject({ answer: { state: 'FILLED' } });
  });
});

describe('The removal of forgotten orders', () => {
  test('takes a bounded number of rows with each commit, and pauses', () => {
    const store = new MemoryVenueStore();
    for (let order = 0; order < 300; order += 1) storeEnded(store, `${order}-1`, START_MS, 1);
    const history = historyOf(store);
    const rows: VenueRow[] = [];
    history.takeRows(rows, OLD_MS as EpochMs);
    expect(rows).toHaveLength(FORGET_BATCH_ROWS);
    history.takeRows(rows, (OLD_MS + FORGET_PAUSE_MS - 1) as EpochMs);
    expect(rows).toHaveLength(FORGET_BATCH_ROWS);
    const counts = removeForgotten(store, OLD_MS);
    expect(new Set(counts.slice(0, -1))).toEqual(new Set([FORGET_BATCH_ROWS]));
    expect(counts.at(-1)).toBeLessThanOrEqual(FORGET_BATCH_ROWS);
    expect(keysOf(store, '')).toEqual([]);
  });

  test('removes an order before its fills', () => {
    const store = new MemoryVenueStore();
    storeEnded(store, '1-1', START_MS, 2 * FORGET_BATCH_ROWS);
    removeForgotten(store, OLD_MS, 1);
    expect(keysOf(store, 'done/')).toEqual([]);
    expect(keysOf(store, 'fill/')).toHaveLength(FORGET_BATCH_ROWS + 1);
  });

  test('reads no row before the next order is due, also after a restart', () => {
    const store = new MemoryVenueStore();
    storeEnded(store, '1-1', START_MS, 0);
    storeEnded(store, '2-1', START_MS + 50, 0);
    let reads = 0;
    const counted: VenueStore = {
      get: (key) => store.get(key),
      range: (prefix, after) => {
        reads += 1;
        return store.range(prefix, after);
      },
      commit: (rows) => store.commit(rows),
      close: () => undefined,
    };
    const history = historyOf(counted);
    const rows: VenueRow[] = [];
    for (let atMs = OLD_MS - 1_000; atMs < OLD_MS; atMs += 1) history.takeRows(rows, atMs as EpochMs);
    expect([reads, rows]).toEqual([1, []]);
    history.takeRows(rows, OLD_MS as EpochMs);
    store.commit(rows);
    for (let atMs = OLD_MS; atMs < OLD_MS + 50; atMs += 1) history.takeRows(rows, atMs as EpochMs);
    expect(rows.map(({ key }) => key.split('/')[0])).toEqual(['done', 'forget']);
    history.takeRows(rows, (OLD_MS + 50) as EpochMs);
    expect(rows).toHaveLength(4);
  });
});
