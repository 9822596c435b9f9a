import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import type { OrderCost } from '../../src/client/index.js';
import type { Amount, Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import type { ChildNumber, VenueTradeId } from '../../src/domain/ids.js';
import type { MarketObservation } from '../../src/domain/market.js';
import { type ParentOrder, type SettledStatus, type Side, STRATEGY_NAMES } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { measureOrder, type CostReader } from '../../src/tca/order-reading.js';
import { orderCostText } from '../../src/tca/order-report.js';
import { CHILD_SNAPSHOT, envelopeOf, FILL, PARENT } from '../stream/sample-events.js';
import { expectTextbook } from './report-figures.js';
import { textbookFigures } from './textbook.js';
import { INITIAL_PACING, type LegMemory, type TwapMemory } from '../../src/domain/strategy-memory.js';
import type { StrategyName } from '../../src/domain/order.js';
import { withTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

const START_MS = 1_000_000;
const RUNS = runs(100, 3_000);

interface Step {
  readonly afterMs: number;
  readonly kind: 'fill' | 'submit' | 'reject' | 'cancel' | 'ask' | 'pause' | 'see' | 'lose';
  readonly quantity: number;
  readonly price: number;
  readonly isMaker: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  // Some pauses are longer than the validity of an observation.
  afterMs: fc.oneof({ weight: 8, arbitrary: fc.nat(1_500) }, fc.integer({ min: 4_900, max: 70_000 })),
  kind: fc.constantFrom(
    'fill',
    'fill',
    'submit',
    'reject',
    'cancel',
    'ask',
    'pause',
    'see',
    'see',
    'see',
    'see',
    'lose',
  ),
  quantity: fc.integer({ min: 1, max: 9_000 }),
  price: fc.integer({ min: 6_390_000, max: 6_410_000 }),
  isMaker: fc.boolean(),
});

const ends = ['FILLED', 'CANCELLED', 'EXPIRED', null] as const satisfies readonly (SettledStatus | null)[];

const courses = fc.record({
  side: fc.constantFrom<Side>('BUY', 'SELL'),
  strategy: fc.constantFrom(...STRATEGY_NAMES),
  durationMs: fc.integer({ min: 1_000, max: 120_000 }),
  slots: fc.integer({ min: 1, max: 12 }),
  kappa: fc.constantFrom(0, 1, 300, 20_000),
  twiceArrival: fc.integer({ min: 12_790_000, max: 12_810_000 }),
  steps: fc.array(step, { maxLength: 40 }),
  end: fc.constantFrom(...ends),
  // The exchange stamps the end of a cancelled order, which may be before the cancel request.
  askedLateMs: fc.option(fc.nat(400)),
  asOfAfterMs: fc.oneof(fc.constant(0), fc.nat(70_000), fc.constant(500_000)),
});

type CourseCase = typeof courses extends fc.Arbitrary<infer One> ? One : never;

/** The journal of one order and its market, as a shard writes it. */
class Journal {
  readonly entries: EventEnvelope[] = [];
  nowMs = START_MS;
  readonly #memory: LegMemory;
  readonly #order: ParentOrder;
  #filled = 0;
  #volume = 1_000_000;
  #turnover = 10n ** 17n;

  constructor({ side, strategy, durationMs, slots, kappa, twiceArrival, steps, end, askedLateMs }: CourseCase) {
    const endAtMs = (strategy === 'IS' ? null : START_MS + durationMs) as EpochMs | null;
    this.#order = withTerms(PARENT, {
      side,
      strategy,
      endAtMs,
      durationMs: null,
      limitPrice: null,
      symbol: 'BTC/USDT',
    });
    this.#memory = memoryFor(strategy, { slotCount: slots, endMs: (START_MS + durationMs) as EpochMs }, kappa);
    this.#add({ kind: 'ParentCreated', order: this.#order });
    this.#add({ kind: 'ParentStarted', legs: [{ arrivalTwiceMid: twiceArrival, memory: this.#memory }] });
    for (const one of steps) this.#take(one);
    if (end !== null) this.#end(end, askedLateMs);
  }

  observations(): MarketObservation[] {
    const rows = new Map<number, MarketObservation>();
    for (const { event, eventAtMs: atMs } of this.entries) {
      if (event.kind !== 'MarketObserved') continue;
      rows.set(atMs, { bid: event.bid, ask: event.ask, volume: event.volume, turnover: event.turnover, atMs });
    }
    return [...rows.values()];
  }

  #take({ afterMs, kind, quantity, price, isMaker }: Step): void {
    this.nowMs += afterMs;
    const child = 1 as ChildNumber;
    const reason = { code: 'SLICE', detail: '' };
    switch (kind) {
      case 'fill': {
        const lots = Math.min(quantity, this.#order.legs[0].quantity - this.#filled);
        if (lots > 0) this.#fill(lots, price, isMaker);
        return;
      }
      case 'submit':
        return this.#add({
          kind: 'ChildSubmitted',
          order: { ...CHILD_SNAPSHOT.order, quantity: quantity as Lots },
          memory: null,
        });
      case 'reject':
        return this.#add({ kind: 'ChildRejected', child, rejection: { code: 'OTHER', message: '' } });
      case 'cancel':
        return this.#add({ kind: 'ChildCancelled', child, cause: null });
      case 'ask':
        return this.#add({ kind: 'ChildCancelRequested', child, reason });
      case 'pause':
        this.#add({ kind: 'ParentPauseRequested' });
        this.nowMs += 700;
        return this.#add({ kind: 'ParentPlanned', memories: [this.#memory] });
      case 'see':
        this.#volume += quantity;
        this.#turnover += BigInt(quantity) * BigInt(price);
        return this.#see(price);
      case 'lose':
        // The venue has lost its latest data: its counters decrease.
        this.#volume -= quantity;
        return this.#see(price);
    }
  }

  #fill(quantity: number, price: number, isMaker: boolean): void {
    this.#filled += quantity;
    this.#volume += quantity;
    this.#turnover += BigInt(quantity) * BigInt(price);
    const tradeId = this.entries.length as VenueTradeId;
    const fee = (BigInt(quantity) * BigInt(price) * 10n ** 8n) as Amount;
    const liquidity = isMaker ? 'MAKER' : 'TAKER';
    const fill = { ...FILL, tradeId, quantity: quantity as Lots, price: price as Ticks, liquidity, fee } as const;
    const child = (1 + (tradeId % 3)) as ChildNumber;
    this.#add({ kind: 'ChildFilled', leg: 0, child, fill, isLate: false });
  }

  #see(bid: number): void {
    const event = {
      kind: 'MarketObserved',
      instrument: this.#order.legs[0].instrument,
      bid: bid as Ticks,
      ask: (bid + 1 + (bid % 7)) as Ticks,
      volume: this.#volume as Lots,
      turnover: this.#turnover as Notional,
    } as const;
    this.entries.push({ ...envelopeOf(event), orderId: null, parent: null, eventAtMs: this.nowMs as EpochMs });
  }

  #end(status: SettledStatus, askedLateMs: number | null): void {
    this.nowMs += 10;
    const isFilled = this.#filled === this.#order.legs[0].quantity;
    const rejection = { code: 'EXPIRY_REACHED', message: '' } as const;
    if (status === 'EXPIRED') this.#add({ kind: 'ParentExpired', cause: rejection }, status);
    else if (status === 'FILLED' && isFilled) this.#add({ kind: 'ParentAccepted' }, status);
    else this.#withdraw(askedLateMs);
  }

  #withdraw(askedLateMs: number | null): void {
    const endMs = this.nowMs;
    this.nowMs += askedLateMs ?? 0;
    if (askedLateMs !== null) this.#add({ kind: 'ParentCancelRequested', cancelCause: null });
    this.nowMs = endMs;
    this.#add({ kind: 'ParentCancelled', cause: null, cancelCause: null }, 'CANCELLED');
  }

  #add(event: OrderEvent, status: SettledStatus = 'PARTIALLY_FILLED'): void {
    const base = envelopeOf(event);
    const parent = base.parent === null ? null : { ...base.parent, status };
    this.entries.push({ ...base, parent, eventAtMs: this.nowMs as EpochMs });
  }
}

function memoryFor(
  strategy: StrategyName,
  { slotCount, endMs }: Pick<TwapMemory, 'slotCount' | 'endMs'>,
  kappa: number,
): LegMemory {
  const schedule = { ...INITIAL_PACING, slotCount, step: 0, ceiling: 0 as Lots, endMs };
  switch (strategy) {
    case 'VWAP':
      return { kind: 'VWAP', ...schedule, kept: { volumeThen: 0, levelBefore: 1 } };
    case 'IS': {
      const learnt = { rateSquares: 0, rateCosts: 0, filled: 0, notional: 0, mid: 0, volatility: 0 };
      return { kind: 'IS', ...schedule, kept: { solvedAt: 0, held: 1, kappa, ...learnt } };
    }
    case 'POV':
      return { kind: 'POV', ...INITIAL_PACING, step: 0, ceiling: 0 as Lots, volumeThen: 0, usualPace: 0 };
    case 'TWAP':
      return { kind: 'TWAP', ...schedule, kept: null };
    case 'ICEBERG':
      return { kind: 'ICEBERG', ...INITIAL_PACING, usualClip: 1 as Lots, timedAfter: 0 };
    case 'MARKET':
    case 'LIMIT':
    case 'SCALE':
      return { kind: strategy, ...INITIAL_PACING };
  }
}

/** The journal's reader, in memory. */
function readerOf(journal: Journal): CostReader {
  return {
    events: (_orderId, after = 0) => (after === 0 ? journal.entries.filter(({ orderId }) => orderId !== null) : []),
    quoteHistory: (_instrument, fromMs, toMs) => {
      const rows = journal.observations();
      const first = rows.findLastIndex(({ atMs }) => atMs <= fromMs);
      return rows.slice(Math.max(0, first)).filter(({ atMs }) => atMs <= toMs);
    },
  };
}

describe('the report of a random order', () => {
  it("equals the textbook's figures from its journal", () => {
    fc.assert(
      fc.property(courses, (one) => {
        const journal = new Journal(one);
        const asOfMs = (journal.nowMs + one.asOfAfterMs) as EpochMs;
        const measured = measureOrder(readerOf(journal), PARENT.orderId, asOfMs);
        if (measured === null) throw new Error('the journal has the order');
        const report = JSON.parse(orderCostText(measured, asOfMs)) as OrderCost;
        expectTextbook(report.legs[0]!, textbookFigures(journal.entries, PARENT.orderId, asOfMs), one.strategy);
      }),
      { numRuns: RUNS },
    );
  });
});
