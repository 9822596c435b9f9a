import fc from 'fast-check';
import { expect, test } from 'vitest';
import { playAction, randomActions } from '../random-actions.js';
import { CATALOGUE, instrumentAt, SimulatedExchange } from '../simulated-exchange.js';
import { runs } from '../../runs.js';

const INSTRUMENT = instrumentAt('BYBIT', 'SOL/USDT');

test('gives the same reports, markets and prints for the same seed and requests', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), randomActions({ restarts: true }), (seed, actions) => {
      const [one, other] = [seed, seed].map((each) => {
        const venue = new SimulatedExchange({ instrument: INSTRUMENT, seed: each, isWatched: true });
        for (const action of actions) playAction(venue, action);
        venue.pass(5_000);
        return { sent: venue.sent, prints: venue.prints, markets: [...venue.markets] };
      });
      expect(one).toEqual(other);
    }),
    { numRuns: runs(6, 20) },
  );
});

test('gives another market for another seed', () => {
  const bids = [1, 2].map((seed) => {
    const venue = new SimulatedExchange({ instrument: INSTRUMENT, seed, isWatched: true });
    venue.pass(600_000, 1_000);
    return venue.market.bid;
  });
  expect(bids[0]).not.toBe(bids[1]);
});

test('returns to the same price after our orders', () => {
  const bids = [false, true].map((isTrading) => {
    const venue = new SimulatedExchange({ instrument: INSTRUMENT, isWatched: true });
    venue.pass(10_000);
    if (isTrading) venue.submit({ type: 'MARKET', quantity: 500_000 });
    venue.pass(180_000, 1_000);
    return venue.market.bid;
  });
  expect(Math.abs(bids[0]! - bids[1]!)).toBeLessThanOrEqual(3);
});

test('lets a market without subscribers sleep, wakes it for an order, and publishes every market at the start', () => {
  const venue = new SimulatedExchange({ instrument: INSTRUMENT });
  expect(venue.markets.size).toBe(CATALOGUE.instruments.length);
  const before = venue.market;
  venue.pass(10_000);
  expect(venue.market).toBe(before);
  venue.submit({ quantity: 1_000, limitPrice: before.bid - 100 });
  expect(venue.market.atMs).toBe(venue.nowMs);
  expect(venue.market.volume).toBeGreaterThan(before.volume);
  expect(venue.nextWakeMs).toBe(venue.nowMs + 100);
});
