import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imbalances, lockedAndNeeded } from '../audit.js';
import { fillsOf, instrumentAt, SimulatedExchange } from '../simulated-exchange.js';
import { futuresActions, playFutures, type FuturesPlayed } from './futures-actions.js';
import { SetMarks } from './set-marks.js';

const INSTRUMENTS = [instrumentAt('OKX', 'SOL/USDT:USDT'), instrumentAt('BINANCE', 'BTC/USDT:USDT')];

function play(instrument: (typeof INSTRUMENTS)[number], seed: number, actions: readonly FuturesPlayed[]) {
  const marks = new SetMarks(1);
  const venue = new SimulatedExchange({ instrument, seed, marks, isAlone: true });
  marks.price = venue.market.bid;
  for (const action of actions) playFutures(venue, marks, action);
  venue.settle();
  return venue;
}

test.each(INSTRUMENTS)('conserves money in $symbol at $venue under random actions', (instrument) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), futuresActions(), (seed, actions) => {
      const venue = play(instrument, seed, actions);
      expect(imbalances(venue.store)).toEqual({});
      const { locked, needed } = lockedAndNeeded(venue.store);
      expect(locked).toEqual(needed);
    }),
    { numRuns: 100 },
  );
});

test('sends equal reports in equal runs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), futuresActions(), (seed, actions) => {
      const [one, other] = [0, 1].map(() => play(INSTRUMENTS[0]!, seed, actions).sent);
      expect(one).toEqual(other);
    }),
    { numRuns: 10 },
  );
});

test('reports each fill with one meaning and never fills more than the order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), futuresActions(), (seed, actions) => {
      const venue = play(INSTRUMENTS[1]!, seed, actions);
      for (const order of venue.placed) {
        const reported = new Map(fillsOf(venue.query(order), order).map((fill) => [fill.tradeId, fill]));
        for (const fill of fillsOf(venue.reports, order)) expect(fill).toEqual(reported.get(fill.tradeId));
      }
    }),
    { numRuns: 15 },
  );
});
