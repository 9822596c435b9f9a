import { amountOf } from '../../../src/model/amount.js';
import type { AccountId, CorrelationId } from '../../../src/model/ids.js';
import type { PositionState } from '../../../src/model/position.js';
import type { Rejection } from '../../../src/model/rejection.js';
import type { AccountRequest, PositionsReport } from '../../../src/model/venue-message.js';
import { instrumentAt, SimulatedExchange } from '../simulated-exchange.js';
import type { Setting } from './futures-actions.js';
import { SetMarks } from './set-marks.js';

export const PERPETUAL = instrumentAt('BINANCE', 'ETH/USDT:USDT');
/** One lot (0.001 ETH) at one tick (0.01 USDT). */
export const UNIT = 10n ** 13n;
export const START_USDT = amountOf(1_000_000, 0);

/** One future of one venue, with marks that the test sets. */
export class FuturesDesk {
  readonly marks = new SetMarks(1);
  readonly venue: SimulatedExchange;

  constructor() {
    this.venue = new SimulatedExchange({ instrument: PERPETUAL, marks: this.marks, isAlone: true });
    this.marks.price = this.venue.market.bid;
  }

  /** The answer to a setting or a transfer: why not, or null. */
  set(setting: Setting, account = 'alice'): Rejection | null {
    const answer = this.venue.tell(this.#request(setting, account)).find(({ kind }) => kind === 'AccountAnswered');
    if (answer?.kind !== 'AccountAnswered') throw new Error('no answer to the setting');
    return answer.rejection;
  }

  setLeverage(leverage: number, account = 'alice'): Rejection | null {
    return this.set({ kind: 'SetLeverage', instrument: this.venue.instrument.index, leverage }, account);
  }

  isolate(account = 'alice'): Rejection | null {
    const { index: instrument } = this.venue.instrument;
    return this.set({ kind: 'SetMarginMode', instrument, marginMode: 'ISOLATED' }, account);
  }

  positions(account = 'alice'): readonly PositionState[] {
    const reports = this.venue.tell(this.#request({ kind: 'QueryPositions' }, account));
    const report = reports.find((each): each is PositionsReport => each.kind === 'Positions' && each.isSnapshot);
    if (report === undefined) throw new Error('no answer to the position query');
    return report.positions;
  }

  /** Orders by which the venue liquidated. */
  get forcedCount(): number {
    return [...this.venue.store.range('done/')].filter(({ key }) => key.split('/')[3]!.startsWith('0-')).length;
  }

  #request(setting: Setting, account: string): AccountRequest {
    const head = { correlationId: 5 as CorrelationId, account: account as AccountId, venue: PERPETUAL.venue };
    return { ...head, ...setting };
  }
}
