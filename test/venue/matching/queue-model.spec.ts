import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lots } from '../../../src/domain/quantity.js';
import {
  probabilistic,
  type QueueModel,
  queueModelOf,
  QueuePosition,
  riskAverse,
} from '../../../src/venue/matching/queue-model.js';

const GRID = { quantityPrecision: 2, pricePrecision: 2, quantityStep: 1, priceStep: 1 };

/** Input of a test in hftbacktest's models/queue.rs: 100 lots in the level, 60 of them ahead. */
const from = 100;
const ahead = 60;

describe('queue models', () => {
  it('risk-averse: assumes withdrawals after us as long as possible', () => {
    expect(riskAverse(ahead, { from, to: 70, traded: 0 })).toBe(60);
    expect(riskAverse(ahead, { from, to: 40, traded: 0 })).toBe(40);
  });

  it('probabilistic: matches the published vector with the third power', () => {
    expect(probabilistic((lots) => lots ** 3)(ahead, { from, to: 70, traded: 0 })).toBeCloseTo(36.8571428571, 9);
  });

  it('probabilistic: weighs by the logarithm of base units', () => {
    const share = Math.log(1.4) / (Math.log(1.4) + Math.log(1.6));
    const expected = 60 - (1 - share) * 30;
    expect(queueModelOf('probabilistic', GRID)(ahead, { from, to: 70, traded: 0 })).toBeCloseTo(expected, 9);
  });

  it.each<[string, QueueModel]>([
    ['risk-averse', riskAverse],
    ['probabilistic', queueModelOf('probabilistic', GRID)],
  ])('%s: does not count traded lots twice, and puts growth after us', (_, model) => {
    expect(model(30, { from: 100, to: 70, traded: 30 })).toBe(30);
    expect(model(60, { from: 100, to: 500, traded: 0 })).toBe(60);
    expect(model(60, { from: 100, to: 0, traded: 0 })).toBe(0);
  });

  it('probabilistic: lies between zero and risk-averse, and never above the shown quantity', () => {
    const lots = fc.nat({ max: 1000 });
    fc.assert(
      fc.property(lots, lots, lots, lots, (level, position, to, traded) => {
        const change = { from: level, to, traded: Math.min(traded, level) };
        const before = Math.min(position, level);
        const after = queueModelOf('probabilistic', GRID)(before, change);
        expect(after).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(riskAverse(before, change));
      }),
    );
  });
});

describe('a queue position', () => {
  it('fills after the queue ahead (published vector of nautilus_trader)', () => {
    const queue = new QueuePosition(riskAverse, 100 as Lots);
    let leaves = 50;
    const fills = [80, 30, 50].map((quantity) => {
      const filled = Math.min(leaves, queue.onTrade(quantity as Lots));
      leaves -= filled;
      return filled;
    });
    expect(fills).toEqual([0, 10, 40]);
  });

  it('is first when its level is gone', () => {
    const queue = new QueuePosition(riskAverse, 100 as Lots);
    queue.onShown(0 as Lots);
    expect(queue.onTrade(7 as Lots)).toBe(7);
  });

  it('fills whole lots only', () => {
    const queue = new QueuePosition(probabilistic(Math.sqrt), 3 as Lots);
    queue.onShown(10 as Lots);
    queue.onShown(7 as Lots);
    expect(queue.ahead % 1).toBeGreaterThan(0);
    expect(Number.isInteger(queue.onTrade(5 as Lots))).toBe(true);
  });

  it('does not advance twice for one trade that the level shows later', () => {
    const queue = new QueuePosition(queueModelOf('probabilistic', GRID), 100 as Lots);
    queue.onTrade(40 as Lots);
    queue.onShown(60 as Lots);
    expect(queue.ahead).toBe(60);
  });
});
