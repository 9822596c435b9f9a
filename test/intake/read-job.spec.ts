import { describe, expect, it } from 'vitest';
import { ReadJob, ReadJobs } from '../../src/intake/read-job.js';
import { detailsText } from '../../src/api/order/order-details.js';
import type { EventEnvelope } from '../../src/domain/event.js';
import type { ClientOrderId, OrderId } from '../../src/domain/ids.js';
import {
  READ_INDEX_KEYS,
  READ_PAGE_CHARACTERS_MAX,
  READ_PAGE_ROWS,
  READ_ROWS_AT_ONCE_MAX,
} from '../../src/domain/limits/clients.js';
import type { ReadRequest } from '../../src/domain/query.js';
import { FILLED } from '../stream/sample-events.js';
import { FakeOrderBook } from './fake-order-book.js';
import { DEMO, OTHER, parentState } from '../http/orders.js';

const PLAIN = { withTrades: false, withFees: false, withParams: false };
const FULL = { withTrades: true, withFees: true, withParams: true };
const OPEN: ReadRequest = { kind: 'open', account: DEMO, wanted: PLAIN };

/** Counts the reads of a snapshot. */
class CountedBook extends FakeOrderBook {
  stateReads = 0;
  eventReads = 0;
  readonly #events = new Map<number, EventEnvelope>();

  override order(orderId: OrderId): ReturnType<FakeOrderBook['order']> {
    this.stateReads += 1;
    return super.order(orderId);
  }

  override event(position: number): EventEnvelope | null {
    this.eventReads += 1;
    return this.#events.get(position) ?? null;
  }

  trade(orderId: OrderId, fills: EventEnvelope[]): void {
    this.trading.set(orderId, fills);
    for (const envelope of fills) this.#events.set(envelope.seq, envelope);
  }
}

function bookOf(count: number): CountedBook {
  const book = new CountedBook();
  for (let id = 1; id <= count; id += 1) {
    book.put(parentState({ orderId: id as OrderId, clientOrderId: `order-${id}` as ClientOrderId }));
  }
  book.refresh();
  return book;
}

/** This many fills of the order, unordered in the index. */
function fillsOf(orderId: OrderId, count: number): EventEnvelope[] {
  return Array.from({ length: count }, (_, index) => {
    const { event } = FILLED;
    if (event.kind !== 'ChildFilled') throw new Error('the event is no fill');
    const fill = { ...event.fill, tradeId: (index + 1) as typeof event.fill.tradeId };
    return { ...FILLED, orderId, seq: (1_000_000 - index) as typeof FILLED.seq, event: { ...event, fill } };
  });
}

function pagesOf(job: ReadJob): string[] {
  const pages: string[] = [];
  while (!job.isLast) pages.push(job.page());
  return pages;
}

describe('an answer in pages', () => {
  it('has the same bytes as an answer that is read at once', () => {
    const book = bookOf(READ_ROWS_AT_ONCE_MAX - 5);
    for (const wanted of [PLAIN, { ...PLAIN, withFees: true }, { ...PLAIN, withParams: true }]) {
      const question: ReadRequest = { kind: 'open', account: DEMO, wanted };
      const states = book.openOrders(DEMO);
      const texts = states.map((state) => detailsText(state, { ...wanted, trades: null, outcome: null }));
      expect(new ReadJob(book, question).whole()).toBe(`{"orders":[${texts.join(',')}]}`);
      expect(pagesOf(new ReadJob(book, question)).join('')).toBe(`{"orders":[${texts.join(',')}]}`);
    }
  });

  it('is an empty list without rows', () => {
    const book = bookOf(0);
    const names = { orderIds: [77 as OrderId], clientOrderIds: [] };
    expect(new ReadJob(book, OPEN).whole()).toBe('{"orders":[]}');
    expect(new ReadJob(book, { kind: 'named', account: DEMO, names, wanted: FULL }).whole()).toBe('{"orders":[]}');
    const trades = { kind: 'trades', account: DEMO, names, venue: 'BINANCE', subaccount: null } as const;
    expect(new ReadJob(book, trades).whole()).toBe('{"trades":[]}');
  });

  it('omits orders of another account', () => {
    const book = bookOf(3);
    const names = { orderIds: [1, 2].map((id) => id as OrderId), clientOrderIds: [] };
    const foreign = { kind: 'named', account: OTHER, names, wanted: PLAIN } as const;
    expect(new ReadJob(book, foreign).whole()).toBe('{"orders":[]}');
  });

  it('reads a bounded number of rows for each page of every question', () => {
    const book = bookOf(1_000);
    book.trade(5 as OrderId, fillsOf(5 as OrderId, 2_500));
    book.trade(6 as OrderId, fillsOf(6 as OrderId, 1));
    const names = { orderIds: Array.from({ length: 500 }, (_, index) => (index + 1) as OrderId), clientOrderIds: [] };
    const questions: ReadRequest[] = [
      OPEN,
      { kind: 'open', account: DEMO, wanted: FULL },
      { kind: 'named', account: DEMO, names, wanted: FULL },
      { kind: 'trades', account: DEMO, names, venue: 'BINANCE', subaccount: null },
      { kind: 'listed', orderIds: Float64Array.from(names.orderIds), refusals: new Map() },
    ];
    for (const question of questions) {
      const job = new ReadJob(book, question);
      const pages: string[] = [];
      while (!job.isLast) {
        [book.stateReads, book.eventReads] = [0, 0];
        pages.push(job.page());
        expect(book.stateReads + book.eventReads).toBeLessThanOrEqual(READ_PAGE_ROWS + 1);
        expect(pages.at(-1)!.length).toBeLessThanOrEqual(2 * READ_PAGE_CHARACTERS_MAX);
      }
      expect(() => JSON.parse(pages.join('')) as unknown).not.toThrow();
    }
  });

  it('lists the fills of an order in journal order', () => {
    const book = bookOf(6);
    const count = 2 * READ_INDEX_KEYS + 7;
    book.trade(5 as OrderId, fillsOf(5 as OrderId, count));
    const text = pagesOf(new ReadJob(book, { kind: 'open', account: DEMO, wanted: FULL })).join('');
    const { orders } = JSON.parse(text) as { orders: { order_id: number; trades: { trade_id: number }[] }[] };
    expect(orders.map(({ order_id }) => order_id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(orders[4]?.trades.map(({ trade_id }) => trade_id)).toEqual(
      Array.from({ length: count }, (_, k) => count - k),
    );
    expect(orders[5]?.trades).toEqual([]);
  });

  it('leaves the main thread after few rows when it is large', () => {
    const book = bookOf(5_000);
    book.stateReads = 0;
    const job = new ReadJob(book, OPEN);
    expect(job.whole()).toBeNull();
    expect(book.stateReads).toBeLessThanOrEqual(READ_ROWS_AT_ONCE_MAX);
  });

  it('lists 5,000 orders that were open at its start, with their end when they end meanwhile', () => {
    const book = bookOf(5_000);
    const jobs = new ReadJobs(book);
    const decoder = new TextDecoder();
    let text = '';
    let isLast = false;
    for (let page = 0; !isLast; page += 1) {
      const read = jobs.page(1, page === 0 ? OPEN : null);
      text += decoder.decode(read?.bytes);
      isLast = read?.isLast ?? true;
      // Later orders end and new ones come while earlier ones are sent.
      const ending = (5_000 - page) as OrderId;
      book.put({ ...book.stateOf(ending), status: 'CANCELLED' });
      book.put(parentState({ orderId: (5_001 + page) as OrderId }));
    }
    const { orders } = JSON.parse(text) as { orders: { order_id: number; status: string }[] };
    expect(orders.map(({ order_id }) => order_id)).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
    expect(orders.at(-1)?.status).toBe('CANCELLED');
    expect(orders[0]?.status).toBe('ACCEPTED');
  });

  it('returns no page of a dropped job', () => {
    const jobs = new ReadJobs(bookOf(5_000));
    expect(jobs.page(1, OPEN)?.isLast).toBe(false);
    jobs.drop(1);
    expect(jobs.page(1, null)).toBeNull();
  });
});
