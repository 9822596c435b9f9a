import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/client/sluice-error.js';
import { createdWithin, OrderSearch, SEARCH_ORDERS_MAX } from '../../src/console/order/order-search.js';
import type { CreationWindow, OrderPage } from '../../src/console/order/order-search.js';
import { details, STARTED_MS } from './orders.js';

const PAST: CreationWindow = { fromMs: null, toMs: null };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A service with orders that begin `spacingMs` apart, the newest with the highest id. */
function serviceOf(count: number, spacingMs = 1) {
  const asked: CreationWindow[] = [];
  const all = Array.from({ length: count }, (_, index) => {
    const id = count - index;
    return details(id, { created_at: STARTED_MS + id * spacingMs });
  });
  const find = (window: CreationWindow, limit: number): Promise<OrderPage> => {
    asked.push(window);
    const { fromMs, toMs } = window;
    const within = all.filter(({ created_at: at }) => at >= (fromMs ?? 0) && at <= (toMs ?? Infinity));
    return Promise.resolve({ orders: within.slice(0, limit), text: '' });
  };
  return { asked, find };
}

async function readAll(find: Parameters<typeof createdWithin>[0], window: CreationWindow) {
  const ids = new Set<number>();
  const pages = createdWithin(find, window);
  let page = await pages.next();
  for (; page.done !== true; page = await pages.next()) for (const one of page.value.orders) ids.add(one.order_id);
  return { count: ids.size, isComplete: page.value };
}

describe('the orders of an interval', () => {
  it('are read page by page, each from the oldest order of the page before', async () => {
    const { asked, find } = serviceOf(2_500);
    expect(await readAll(find, PAST)).toEqual({ count: 2_500, isComplete: true });
    expect(asked).toEqual([PAST, { fromMs: null, toMs: STARTED_MS + 1_501 }, { fromMs: null, toMs: STARTED_MS + 502 }]);
  });

  it('are asked for with the interval of the filter', async () => {
    const { asked, find } = serviceOf(100);
    const window = { fromMs: STARTED_MS + 20, toMs: STARTED_MS + 29 };
    expect(await readAll(find, window)).toEqual({ count: 10, isComplete: true });
    expect(asked).toEqual([window]);
  });

  it('are the newest ones when there are more than the page reads', async () => {
    const { asked, find } = serviceOf(SEARCH_ORDERS_MAX + 500);
    const { count, isComplete } = await readAll(find, PAST);
    expect(isComplete).toBe(false);
    // Each further page begins with the last order of the page before.
    expect([asked.length, count]).toEqual([10, SEARCH_ORDERS_MAX - 9]);
  });

  it('end where one millisecond fills a page', async () => {
    const { asked, find } = serviceOf(3_000, 0);
    expect(await readAll(find, PAST)).toEqual({ count: 1_000, isComplete: false });
    expect(asked).toHaveLength(2);
  });
});

describe('the search', () => {
  it('reads an interval once, and forgets the answers to an interval that is no longer wanted', async () => {
    const { asked, find } = serviceOf(2_500);
    const found: (number | undefined)[] = [];
    const search = new OrderSearch({
      find,
      found: (orders) => found.push(...orders.map(({ order_id: id }) => id)),
      onChange: () => undefined,
    });
    search.want(PAST);
    search.want({ ...PAST });
    const later = { fromMs: STARTED_MS + 2_499, toMs: null };
    search.want(later);
    expect(search.progress.state).toBe('READING');
    await settled();
    expect(asked).toEqual([PAST, later]);
    expect(found).toEqual([2_500, 2_499]);
    expect(search.progress.state).toBe('COMPLETE');
    search.reset();
    search.want(later);
    await settled();
    expect(asked).toHaveLength(3);
  });

  it('says why it failed, and what is missing', async () => {
    const error = new SluiceError({ status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'slow down', requestId: 'r' });
    const parts = { found: () => undefined, onChange: () => undefined };
    const search = new OrderSearch({ ...parts, find: () => Promise.reject(error) });
    search.want(PAST);
    await settled();
    expect(search.progress).toEqual({ state: 'FAILED', why: 'RATE_LIMIT_EXCEEDED: slow down' });
    const cut = new OrderSearch({ ...parts, find: serviceOf(SEARCH_ORDERS_MAX * 2).find });
    cut.want(PAST);
    await settled();
    expect(cut.progress.state).toBe('CUT');
  });
});
