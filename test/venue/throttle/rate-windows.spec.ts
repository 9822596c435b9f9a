import { describe, expect, it } from 'vitest';
import { REQUEST_CLASSES } from '../../../src/domain/venue-message.js';
import { RateWindows } from '../../../src/venue/throttle/rate-windows.js';

const MINUTE_MS = 60_000;
const AT_MS = 10 * MINUTE_MS + 5_000;

function windows(max = 100): RateWindows {
  return new RateWindows([{ name: 'REQUEST_WEIGHT 1m', lengthMs: MINUTE_MS, max }]);
}

describe('the rate windows of an exchange', () => {
  it('leave the last parts of a limit to cancels, hedges, look-ups, deadlines, placements and lists, in this order', () => {
    const bounds = REQUEST_CLASSES.map((requestClass) => {
      const weights = windows();
      let count = 0;
      for (; weights.waitMs(1, requestClass, AT_MS) === 0; count += 1) weights.spend(1, AT_MS);
      expect(weights.waitMs(1, requestClass, AT_MS)).toBe(55_000);
      return [requestClass, count];
    });
    expect(bounds).toEqual([
      ['CANCEL', 100],
      ['HEDGE', 95],
      ['STATUS', 90],
      ['DEADLINE', 85],
      ['TAKING', 80],
      ['RESTING', 80],
      ['ROUTINE', 70],
    ]);
  });

  it('begin again with each interval of the exchange', () => {
    const weights = windows();
    weights.spend(100, AT_MS);
    expect(weights.waitMs(1, 'ROUTINE', AT_MS + 55_000)).toBe(0);
  });

  it('take the larger count: that of the exchange or that of the requests without an answer', () => {
    const weights = windows();
    weights.spend(10, AT_MS);
    weights.stated('REQUEST_WEIGHT 1m', 90, AT_MS);
    expect(weights.usedLimits(AT_MS)[0]!.used).toBe(90);
    weights.spend(5, AT_MS);
    weights.stated('REQUEST_WEIGHT 1m', 93, AT_MS);
    expect(weights.usedLimits(AT_MS)[0]!.used).toBe(95);
    weights.stated('REQUEST_WEIGHT 3m', 1_000, AT_MS);
    weights.stated('REQUEST_WEIGHT 1m', Number.NaN, AT_MS);
    expect(weights.usedLimits(AT_MS)).toEqual([{ name: 'REQUEST_WEIGHT 1m', used: 95, max: 100 }]);
  });

  it('take no count from the answer to a request of an earlier interval, for each limit by its own interval', () => {
    const orders = new RateWindows([
      { name: 'ORDERS 10s', lengthMs: 10_000, max: 100 },
      { name: 'ORDERS 1m', lengthMs: MINUTE_MS, max: 1_000 },
    ]);
    const usedAt = (nowMs: number): readonly number[] => orders.usedLimits(nowMs).map(({ used }) => used);
    const endMs = 11 * MINUTE_MS - 10_000;
    orders.stated('ORDERS 10s', 90, endMs + 30, endMs - 20);
    orders.stated('ORDERS 1m', 900, endMs + 30, endMs - 20);
    expect(usedAt(endMs + 30)).toEqual([900, 0]);
    orders.stated('ORDERS 1m', 950, endMs + 10_030, endMs + 9_980);
    expect(usedAt(endMs + 10_030)).toEqual([0, 0]);
    orders.stated('ORDERS 10s', 3, endMs + 10_030, endMs + 10_000);
    expect(usedAt(endMs + 10_030)).toEqual([3, 0]);
  });

  it('send nothing at all until the end of a stop', () => {
    const weights = windows();
    weights.stop(AT_MS + 30_000);
    weights.stop(AT_MS + 10_000);
    expect(weights.waitMs(1, 'CANCEL', AT_MS)).toBe(30_000);
    expect(weights.waitMs(1, 'CANCEL', AT_MS + 30_000)).toBe(0);
  });

  it('keep their counts when the exchange publishes other limits', () => {
    const weights = windows();
    weights.spend(50, AT_MS);
    weights.setLimits([
      { name: 'REQUEST_WEIGHT 1m', lengthMs: MINUTE_MS, max: 50 },
      { name: 'REQUEST_WEIGHT 1h', lengthMs: 60 * MINUTE_MS, max: 1_000 },
    ]);
    expect(weights.waitMs(1, 'CANCEL', AT_MS)).toBe(55_000);
    expect(weights.usedLimits(AT_MS).map(({ used }) => used)).toEqual([50, 0]);
  });

  it('allow one request of a limit that is smaller than its shares', () => {
    expect(windows(1).waitMs(1, 'ROUTINE', AT_MS)).toBe(0);
  });

  it('carry requests without an answer into the next interval, where the exchange may count them', () => {
    const weights = windows();
    for (let count = 0; count < 90; count += 1) weights.open(1, 'RESTING', AT_MS);
    for (let count = 0; count < 10; count += 1) weights.answered(1);
    const nextMs = AT_MS + 55_000;
    expect(weights.turnMs(1, 'RESTING', nextMs)).toBe(60_000);
    expect(weights.turnMs(1, 'HEDGE', nextMs)).toBe(0);
    for (let count = 0; count < 80; count += 1) weights.answered(1);
    expect(weights.turnMs(1, 'RESTING', nextMs + 60_000)).toBe(0);
  });
});
