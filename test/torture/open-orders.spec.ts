import { expect, it } from 'vitest';
import { VENUE_OPEN_ORDERS_MAX } from '../../src/domain/limits/trading.js';
import { newOrders } from './open-orders.js';

it('lets no more of its open orders rest than an exchange holds, with room for those that are replaced', () => {
  const first = newOrders({ first: 1, count: 4_000 }, []);
  const all = [...first, ...newOrders({ first: 4_001, count: 1_000 }, first)];
  const resting = new Map<string, number>();
  for (const { symbol, start_time: startTime } of all)
    if (startTime === undefined) resting.set(symbol, (resting.get(symbol) ?? 0) + 1);
  expect(resting.size).toBe(3);
  for (const count of resting.values()) {
    expect(count).toBeLessThanOrEqual(VENUE_OPEN_ORDERS_MAX - 50);
    expect(count).toBeGreaterThan(100);
  }
});
