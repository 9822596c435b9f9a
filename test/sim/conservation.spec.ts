import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imbalances, lockedAndNeeded } from './audit.js';
import { fillsOf, instrumentAt, SimulatedExchange } from './simulated-exchange.js';
import { playAction, randomActions, type Played } from './random-actions.js';
import { runs } from '../runs.js';

const INSTRUMENTS = [
  instrumentAt('BINANCE', 'BTC/USDT'),
  instrumentAt('KRAKEN', 'ETH/BTC'),
  instrumentAt('OKX', 'SOL/USDT:USDT'),
  instrumentAt('BYBIT', 'XRP/USDT:USDT'),
];

function play(instrument: (typeof INSTRUMENTS)[number], seed: number, actions: readonly Played[]): SimulatedExchange {
  const venue = new SimulatedExchange({ instrument, seed, isAlone: true });
  for (const action of actions) playAction(venue, action);
  venue.settle();
  return venue;
}

describe.each(INSTRUMENTS)('random trading in $symbol at $venue', (instrument) => {
  test('conserves money, and locks exactly what orders and positions need', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), randomActions({ restarts: true }), (seed, actions) => {
        const venue = play(instrument, seed, actions);
        expect(imbalances(venue.store)).toEqual({});
        const { locked, needed } = lockedAndNeeded(venue.store);
        expect(locked).toEqual(needed);
      }),
      { numRuns: runs(20, 60) },
    );
  });

  test('neither invents nor loses nor repeats a fill', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), randomActions({ restarts: true }), (seed, actions) => {
        const venue = play(instrument, seed, actions);
        const fillOf = new Map<number, unknown>();
        for (const report of venue.reports) {
          if (report.kind !== 'Filled') continue;
          const { orderId, fill, atMs } = report;
          const known = fillOf.get(fill.tradeId) ?? { orderId, fill, atMs };
          expect({ orderId, fill, atMs }).toEqual(known);
          fillOf.set(fill.tradeId, known);
        }
        for (const order of venue.placed) {
          const answer = venue.query(order).at(-1);
          const reported = fillsOf(venue.reports, order);
          const known = new Map(reported.map((fill) => [fill.tradeId, fill]));
          const filled = [...known.values()].reduce((sum, { quantity }) => sum + quantity, 0);
          expect(filled).toBeLessThanOrEqual(Math.max(0, order.quantity));
          if (answer?.kind === 'StatusAnswered' && answer.answer.state === 'FILLED')
            expect(filled).toBe(order.quantity);
        }
      }),
      { numRuns: runs(15, 40) },
    );
  });
});
