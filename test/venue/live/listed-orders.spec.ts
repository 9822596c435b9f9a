import { describe, expect, it } from 'vitest';
import type { ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { LISTED_ROWS_MAX } from '../../../src/domain/limits/trading.js';
import { isRejected, type OrRejection, reject } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { ListedOrder } from '../../../src/domain/venue-report.js';
import { placedSince } from '../../../src/venue/live/binance/binance-placed.js';
import { ALL_ORDERS_MAX, type ListRange } from '../../../src/venue/live/dialect/binance-orders.js';
import type { OrderRecord } from '../../../src/venue/live/normal/records.js';
import { OrderPages } from '../../../src/venue/live/order-pages.js';
import { listedOrders } from '../../../src/venue/live/placed-orders.js';

/* Orders that an exchange lists for the reconciliation after a restore. */

const DAY_MS = 86_400_000;
const NOW_MS = (10 * DAY_MS) as EpochMs;
const ROW = 4_096 as InstrumentIndex;
const GRID = { quantityPrecision: 3, pricePrecision: 1, quantityStep: 1, priceStep: 1 };
const TO = { ...GRID, exchangeSymbol: 'BTCUSDT', isFuture: false };

function record(id: number, change: Partial<OrderRecord> = {}): OrderRecord {
  const names = {
    kind: 'Order',
    symbol: 'BTCUSDT',
    clientId: `${id}-1`,
    venueOrderId: String(id),
    side: 'BUY',
  } as const;
  return {
    ...names,
    state: 'OPEN',
    quantity: '0.01',
    price: '50000.5',
    filled: '0',
    reason: null,
    atMs: NOW_MS,
    ...change,
  };
}

function placed(id: number, change: Partial<OrderRecord> = {}, instrument: InstrumentIndex | null = ROW) {
  return { name: { orderId: id as OrderId, child: 1 as ChildNumber }, record: record(id, change), instrument };
}

describe('orders that an exchange lists', () => {
  it('are stated once, with their latest state, without refused ones', () => {
    const ended = { state: 'CANCELLED', filled: '0.004' } as const;
    const orders = listedOrders([placed(1), placed(2, { state: 'REJECTED' }), placed(1, ended)], () => TO);
    expect(orders).toMatchObject([
      { orderId: 1, child: 1, instrument: ROW, quantity: 10, limitPrice: 500_005, state: 'CANCELLED', filled: 4 },
    ]);
  });

  it.each([
    ['its market had other lots', placed(1, {}, null)],
    ['its quantity is no multiple of a lot', placed(1, { quantity: '0.0105' })],
    ['its state is not known', placed(1, { state: 'UNKNOWN' })],
  ])('are no list when one of them cannot be stated: %s', (_, order) => {
    expect(listedOrders([placed(2), order], () => TO)).toMatchObject({ rejection: { code: 'EXCHANGE_ERROR' } });
  });

  it('are read day by day until one has an order, then by the ids of the exchange', async () => {
    const ranges: ListRange[] = [];
    const first = Array.from({ length: ALL_ORDERS_MAX }, (_, place) => record(place + 1));
    const found = await placedSince(
      (range) => {
        ranges.push(range);
        if ('firstId' in range) return Promise.resolve([record(2_000)]);
        return Promise.resolve(range.fromMs < 8 * DAY_MS ? [] : first);
      },
      (7 * DAY_MS) as EpochMs,
      () => NOW_MS,
    );
    expect(ranges).toEqual([
      { fromMs: 7 * DAY_MS, toMs: 8 * DAY_MS },
      { fromMs: 8 * DAY_MS, toMs: 9 * DAY_MS },
      { firstId: '1001' },
    ]);
    expect(found).toHaveLength(ALL_ORDERS_MAX + 1);
  });

  it('are not known when one page is not read', async () => {
    expect(
      await placedSince(
        () => Promise.resolve(null),
        0 as EpochMs,
        () => NOW_MS,
      ),
    ).toBeNull();
  });
});

function ordersOf(count: number): ListedOrder[] {
  const orders = listedOrders(
    Array.from({ length: count }, (_, place) => placed(count - place)),
    () => TO,
  );
  return isRejected(orders) ? [] : [...orders];
}

describe('pages of listed orders', () => {
  const QUERY = { instruments: [], sinceMs: 0 as EpochMs };

  it('have each order once, and the list is read again for the next first page', async () => {
    let reads = 0;
    const pages = new OrderPages(
      () => {
        reads += 1;
        return Promise.resolve(ordersOf(LISTED_ROWS_MAX + 2));
      },
      () => NOW_MS,
    );
    const ids: number[] = [];
    let after = '';
    do {
      // Each page begins where the one before ends.
      // oxlint-disable-next-line no-await-in-loop
      const page = await pages.page({ ...QUERY, after });
      if (isRejected(page)) throw new Error(page.rejection.message);
      ids.push(...page.orders.map(({ orderId }) => orderId));
      after = page.next;
    } while (after !== '');
    expect(ids).toEqual(Array.from({ length: LISTED_ROWS_MAX + 2 }, (_, place) => place + 1));
    expect(reads).toBe(1);
    await pages.page({ ...QUERY, after: '' });
    expect(reads).toBe(2);
  });

  it('serve a later request when the reading took longer than the asking thread waits', async () => {
    let nowMs = 0;
    const answers: ((orders: OrRejection<readonly ListedOrder[]>) => void)[] = [];
    let reads = 0;
    const pages = new OrderPages(
      () => {
        reads += 1;
        return new Promise((resolve) => {
          answers.push(resolve);
        });
      },
      () => nowMs as EpochMs,
    );
    const early = pages.page({ ...QUERY, after: '' });
    nowMs = 600_000;
    const late = pages.page({ ...QUERY, after: '' });
    answers[0]!(ordersOf(2));
    expect(await early).toMatchObject({ orders: [{ orderId: 1 }, { orderId: 2 }], next: '' });
    expect(await late).toMatchObject({ orders: [{ orderId: 1 }, { orderId: 2 }], next: '' });
    expect(reads).toBe(1);
  });

  it('pass a refusal on, and read again', async () => {
    const answers: OrRejection<readonly ListedOrder[]>[] = [reject('EXCHANGE_NOT_AVAILABLE', 'not now'), ordersOf(1)];
    const pages = new OrderPages(
      () => Promise.resolve(answers.shift()!),
      () => NOW_MS,
    );
    expect(await pages.page({ ...QUERY, after: '' })).toMatchObject({ rejection: { message: 'not now' } });
    expect(await pages.page({ ...QUERY, after: '' })).toMatchObject({ orders: [{ orderId: 1 }] });
  });
});
