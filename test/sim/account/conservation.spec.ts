import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fill } from '../../../src/domain/event.js';
import { ORDER_HISTORY_MS } from '../../../src/domain/limits/trading.js';
import type { ChildRef } from '../../../src/domain/venue-message.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import { imbalances, lockedAndNeeded } from '../audit.js';
import { fillsOf, instrumentAt, SimulatedExchange } from '../simulated-exchange.js';
import { futuresActions, playFutures, type FuturesPlayed } from './futures-actions.js';
import { SetMarks } from './set-marks.js';
import { runs } from '../../runs.js';

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
    { numRuns: runs(20, 100) },
  );
});

test('sends equal reports in equal runs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), futuresActions(), (seed, actions) => {
      const [one, other] = [0, 1].map(() => play(INSTRUMENTS[0]!, seed, actions).sent);
      expect(one).toEqual(other);
    }),
    { numRuns: runs(5, 10) },
  );
});

test('reports each fill with one meaning and never fills more than the order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), futuresActions(), (seed, actions) => {
      const venue = play(INSTRUMENTS[1]!, seed, actions);
      const forgottenMs = venue.nowMs - ORDER_HISTORY_MS;
      for (const order of venue.placed) {
        const fills = fillsOf(venue.query(order), order);
        expect(sum(fills)).toBeLessThanOrEqual(order.quantity);
        const known = new Map(fills.map((fill) => [fill.tradeId, fill]));
        expect(known.size).toBe(fills.length);
        for (const { fill, atMs } of venue.reports.filter(isFillOf(order))) {
          // The exchange forgets an order that ended long ago. It then takes its client id again.
          if (atMs > forgottenMs) expect(fill).toEqual(known.get(fill.tradeId));
        }
      }
    }),
    { numRuns: runs(6, 15) },
  );
});

function sum(fills: readonly Fill[]): number {
  return fills.reduce((lots, { quantity }) => lots + quantity, 0);
}

type FillReport = Extract<ExecutionReport, { readonly kind: 'Filled' }>;

function isFillOf({ orderId }: ChildRef): (report: ExecutionReport) => report is FillReport {
  return (report): report is FillReport => report.kind === 'Filled' && report.orderId === orderId;
}
