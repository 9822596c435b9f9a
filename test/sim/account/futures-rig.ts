import { amountOf } from '../../../src/domain/quantity.js';
import type { AccountId, CorrelationId } from '../../../src/domain/ids.js';
import type { PositionState } from '../../../src/domain/position.js';
import type { PositionsReport } from '../../../src/domain/venue-report.js';
import { instrumentAt, SimulatedExchange } from '../simulated-exchange.js';
import { SetMarks } from './set-marks.js';

export const PERPETUAL = instrumentAt('BINANCE', 'ETH/USDT:USDT');
/** One lot (0.001 ETH) at one tick (0.01 USDT). */
export const UNIT = 10n ** 13n;
export const START_USDT = amountOf(1_000_000, 0);

/** One future of one venue, with mark prices that the test sets. */
export class FuturesRig {
  readonly marks = new SetMarks(1);
  readonly venue: SimulatedExchange;

  constructor() {
    this.venue = new SimulatedExchange({ instrument: PERPETUAL, marks: this.marks, isAlone: true });
    this.marks.price = this.venue.market.bid;
  }

  positions(account = 'alice'): readonly PositionState[] {
    const head = { correlationId: 5 as CorrelationId, account: account as AccountId, venue: PERPETUAL.venue };
    const reports = this.venue.send({ kind: 'QueryPositions', ...head });
    const report = reports.find((each): each is PositionsReport => each.kind === 'Positions' && each.isSnapshot);
    if (report === undefined) throw new Error('no answer to the position query');
    return report.positions;
  }

  /** Number of orders by which the venue liquidated. */
  get forcedCount(): number {
    return [...this.venue.store.range('done/')].filter(({ key }) => key.split('/')[3]!.startsWith('0-')).length;
  }
}
