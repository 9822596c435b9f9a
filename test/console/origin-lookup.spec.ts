import { describe, expect, it } from 'vitest';
import { OrderBoard, OriginLookup } from '../../src/console/order/order-board.js';
import type { KnownOrder } from '../../src/console/order/order-row.js';
import { BEGINNING, details } from './orders.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function worldOf(orderCount: number) {
  const board = new OrderBoard();
  const asked: [number, number][] = [];
  for (let id = 1; id <= orderCount; id += 1) board.take(details(id));
  const lookup = new OriginLookup({
    timeline: (orderId, after) => {
      asked.push([orderId, after]);
      return orderId === 13
        ? Promise.reject(new Error('not now'))
        : Promise.resolve({ events: after === 0 ? BEGINNING.slice(0, 2) : BEGINNING.slice(2) });
    },
    learned: (orderId, entries) => board.learn(orderId, entries),
  });
  const orders = (): readonly KnownOrder[] =>
    Array.from({ length: orderCount }, (_, index) => board.find(index + 1)).filter((order) => order !== null);
  return { board, asked, lookup, orders };
}

describe('the lookup of order origins', () => {
  it('requests a few orders at a time and only missing facts', async () => {
    const { asked, lookup, orders } = worldOf(5);
    lookup.want(orders());
    expect(asked.map(([id]) => id)).toEqual([1, 2, 3]);
    await settled();
    lookup.want(orders());
    await settled();
    lookup.want(orders());
    expect(asked).toHaveLength(5);
    expect(orders().every(({ origin }) => origin.isRead)).toBe(true);
  });

  it('reads the arrival price after the first fill', async () => {
    const { board, asked, lookup, orders } = worldOf(1);
    lookup.want(orders());
    await settled();
    board.take(details(1, { filled_quantity: 1, average_price: 60_000 }));
    lookup.want(orders());
    await settled();
    expect(asked).toEqual([
      [1, 0],
      [1, 2],
    ]);
    expect(board.find(1)?.origin.arrivalPrice).toBe(60_000.5);
  });

  it('does not repeat a request that failed', async () => {
    const { asked, lookup, orders } = worldOf(13);
    const thirteenth = orders().slice(12);
    for (let round = 0; round < 3; round += 1) {
      lookup.want(thirteenth);
      await settled();
    }
    expect(asked).toEqual([[13, 0]]);
  });
});
