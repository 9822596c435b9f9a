import { beforeEach, describe, expect, it } from 'vitest';
import { UNKNOWN_CHILDREN_COUNTED_MAX } from '../../src/domain/limits/process.js';
import type { FoldableEvent, OrderEvent } from '../../src/domain/event.js';
import { InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { ChildNumber } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Reason } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { TradingFigures } from '../../src/domain/trading-figures.js';
import { TradingMeter } from '../../src/journal/trading-meter.js';
import { createTradingMemory, tradingFigures } from '../../src/journal/trading-memory.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import {
  acknowledged,
  BTC,
  cancelled,
  created,
  filled,
  orderOf,
  refused,
  rejectionOf,
  START_MS,
  submitted,
  unknown,
  WORKABLE,
} from '../order/orders.js';

const CATALOGUE = new InstrumentCatalogue([BTC]);
const { venue: VENUE } = BTC;
const QUANTITY = orderOf().legs[0].quantity;

let memory: SharedArrayBuffer;
let meter: TradingMeter;
let monotonicMs: number;
let seq: number;

beforeEach(() => {
  memory = createTradingMemory(1);
  monotonicMs = 0;
  seq = 0;
  meter = new TradingMeter(memory, () => monotonicMs);
});

const figures = (): TradingFigures => tradingFigures(memory, CATALOGUE);

/** Children of unknown state by age. */
const countsOf = (): number[] =>
  figures()
    .unknown()
    .filter(({ venue }) => venue === VENUE)
    .map(({ count }) => count);

/** Folds the events of one order, `stepMs` apart. */
function follow(events: readonly OrderEvent[], stepMs = 1, first: ParentState | null = null): ParentState {
  const fold = meter.over(foldEnvelope);
  let state = first;
  for (const event of events) {
    seq += 1;
    state = fold(state, { seq, event, eventAtMs: (START_MS + seq * stepMs) as EpochMs } as FoldableEvent);
  }
  if (state === null) throw new Error('a story has at least one event');
  return state;
}

const because = (code: string, target: number, done: number): Reason => ({ code, detail: '', figures: [target, done] });

describe('the trading meter', () => {
  it('counts nothing of an order that begins', () => {
    follow(WORKABLE);
    const { ends, refusals, fills, acknowledged: answered, lags, values } = figures();
    for (const rows of [ends, refusals, fills, answered, lags, values]) expect(rows()).toEqual([]);
  });

  it('counts ended orders by final status and code', () => {
    follow([...WORKABLE, submitted(1, { quantity: QUANTITY }), acknowledged(1), filled(1, QUANTITY)]);
    follow([created(), { kind: 'ParentRejected', rejection: rejectionOf('INSUFFICIENT_FUNDS') }]);
    follow([...WORKABLE, { kind: 'ParentExpired', cause: rejectionOf('EXPIRY_REACHED') }]);
    expect(figures().ends()).toEqual([
      { status: 'REJECTED', code: 'INSUFFICIENT_FUNDS', count: 1 },
      { status: 'FILLED', code: null, count: 1 },
      { status: 'EXPIRED', code: 'EXPIRY_REACHED', count: 1 },
    ]);
  });

  it('counts fills, their exact value, and refusals of children', () => {
    const children = [
      submitted(1),
      acknowledged(1),
      filled(1, 3),
      filled(1, 4),
      submitted(2),
      refused(2, 'INVALID_ORDER'),
    ];
    follow([...WORKABLE, ...children]);
    const { fills, values, refusals } = figures();
    expect(fills()).toEqual([{ venue: VENUE, liquidity: 'MAKER', count: 2 }]);
    expect(refusals()).toEqual([{ venue: VENUE, code: 'INVALID_ORDER', count: 1 }]);
    // 7 lots at 6,400,000 ticks, in units of 10^-6.
    const digits = BTC.quantityPrecision + BTC.pricePrecision;
    expect(values()).toEqual([
      { venue: VENUE, quote: BTC.quote, units: (7n * 6_400_000n * 1_000_000n) / 10n ** BigInt(digits) },
    ]);
  });

  it('counts no fill that only shows what an operator has settled', () => {
    const before = follow([...WORKABLE, submitted(1), acknowledged(1), unknown(1)]);
    const stated = { child: 1 as ChildNumber, filled: 5 as Lots, price: 6_400_000 as Ticks, reason: '', by: 'kim' };
    const settled = follow([{ kind: 'ChildSettled', ...stated }, filled(1, 5), cancelled(1)], 1, before);
    follow([{ ...filled(1, 0, true), settled: 5 as Lots } as OrderEvent], 1, settled);
    expect(figures().fills()).toEqual([{ venue: VENUE, liquidity: 'MAKER', count: 1 }]);
  });

  it('counts an event once, also when the store repeats a transaction', () => {
    const before = follow([...WORKABLE, submitted(1), acknowledged(1)]);
    follow([filled(1, 3)], 1, before);
    seq -= 1;
    follow([filled(1, 3)], 1, before);
    expect(figures().fills()).toEqual([{ venue: VENUE, liquidity: 'MAKER', count: 1 }]);
  });

  it('measures the time to the first answer of a child, and no later one', () => {
    const submittedAtMs = (START_MS + 4 * 30) as EpochMs;
    follow([...WORKABLE, submitted(1, { submittedAtMs }), acknowledged(1), filled(1, 1), cancelled(1)], 30);
    const [row] = figures().acknowledged();
    expect(row).toMatchObject({ label: VENUE, total: 30 });
    // 30 ms are in the bucket up to 50 ms.
    expect(row?.counts.indexOf(1)).toBe(5);
    expect(row?.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('measures the lag of decisions that have a schedule', () => {
    const late = because('CROSS_LAG', QUANTITY / 2, QUANTITY / 4);
    const early = because('JOIN_TOUCH', QUANTITY / 4, QUANTITY / 2);
    const waiting: OrderEvent = { kind: 'StrategyNoted', reason: late, memory: null, leg: 0 };
    const other = because('REFUSED', QUANTITY, 0);
    follow([
      ...WORKABLE,
      submitted(1, { reason: early }),
      submitted(2, { reason: late }),
      submitted(3, { reason: other }),
    ]);
    follow([...WORKABLE, waiting]);
    const [row] = figures().lags();
    expect(row).toEqual({ label: orderOf().legs[0].strategy, counts: [1, 0, 0, 0, 0, 0, 2, 0], total: 0.5 });
  });

  it('shows children of unknown state by their age, until they are known', () => {
    const lost = follow([...WORKABLE, submitted(1), acknowledged(1), unknown(1)]);
    for (const [nowMs, counts] of [
      [1_000, [1, 0, 0, 0, 0]],
      [60_000, [1, 1, 0, 0, 0]],
      [120_000, [1, 1, 1, 0, 0]],
      [3_600_000, [1, 1, 1, 1, 1]],
    ] as const) {
      monotonicMs = nowMs;
      meter.publishUnknown();
      expect(countsOf()).toEqual(counts);
    }
    follow([cancelled(1)], 1, lost);
    monotonicMs += 1_000;
    meter.publishUnknown();
    expect(countsOf()).toEqual([0, 0, 0, 0, 0]);
  });

  it('counts unknown children up to a bound', () => {
    const lost = follow([...WORKABLE, submitted(1), acknowledged(1)]);
    const count = UNKNOWN_CHILDREN_COUNTED_MAX + 5;
    for (let orderId = 1; orderId <= count; orderId += 1) {
      follow([unknown(1)], 1, { ...lost, order: orderOf({ orderId: orderId as never }) });
    }
    monotonicMs = 1_000;
    meter.publishUnknown();
    expect(
      figures()
        .unknown()
        .find(({ venue, ageS }) => venue === VENUE && ageS === 0)?.count,
    ).toBe(UNKNOWN_CHILDREN_COUNTED_MAX);
  });
});
