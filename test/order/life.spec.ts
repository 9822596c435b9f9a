import type { Market } from '../../src/domain/market.js';
import {
  type ParentOrder,
  STRATEGY_NAMES,
  type StrategyName,
  TRADING_STYLES,
  URGENCIES,
  type Clip,
} from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from './order-rig.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from './orders.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

/** One step in the life of an order; `n` in 0..99 gives its size. */
interface Happening {
  readonly kind: keyof typeof HAPPENINGS;
  readonly n: number;
}

const HAPPENINGS = {
  look: (rig: OrderRig) => rig.look(),
  send: (rig: OrderRig) => rig.send(),
  take: (rig: OrderRig) => void rig.take(),
  exchange: (rig: OrderRig) => rig.exchange(),
  pass: (rig: OrderRig, n: number) => rig.passUntil(rig.nowMs + n * 100),
  move: (rig: OrderRig, n: number) => rig.onMarket(around(n), (n % 7) * 30),
  oneSided: (rig: OrderRig, n: number) => rig.onMarket(marketOf(n % 2 === 0 ? { ask: 0 } : { bid: 0 })),
  fillResting: (rig: OrderRig, n: number) => rig.venue.fillResting(n),
  drop: (rig: OrderRig) => rig.venue.drop(rejectionOf('EXCHANGE_ERROR'), 0),
  dropAndFillLate: (rig: OrderRig, n: number) => rig.venue.drop(rejectionOf('EXCHANGE_ERROR'), n),
  refuse: (rig: OrderRig, n: number) => {
    rig.venue.refusal = n < 50 ? rejectionOf('RATE_LIMIT_EXCEEDED') : rejectionOf('INVALID_ORDER');
  },
  comply: (rig: OrderRig) => {
    rig.venue.refusal = null;
  },
  repeat: (rig: OrderRig) => {
    const [first] = rig.venue.reports;
    if (first !== undefined) rig.venue.reports.push(first);
  },
  lose: (rig: OrderRig) => rig.loseVenue(),
  regain: (rig: OrderRig) => rig.regainVenue(),
  restart: (rig: OrderRig) => rig.restart(),
  cancel: (rig: OrderRig) => rig.cancel(),
  pause: (rig: OrderRig) => rig.pause(),
  resume: (rig: OrderRig) => rig.resume(),
  amend: (rig: OrderRig, n: number) => rig.amend(amended(rig, n)),
} satisfies Record<string, (rig: OrderRig, n: number) => void>;

/** Other terms that are valid on their own. */
function amended({ state, nowMs }: OrderRig, n: number): ParentOrder {
  const { order } = state;
  const changed = (change: Partial<FlatTerms>): ParentOrder =>
    withTerms(order, { revision: order.revision + 1, ...change });
  switch (n % 6) {
    case 0:
      return changed({ quantity: (10 + n * 20) as Lots });
    case 1:
      return changed({ quantity: Math.max(10, state.legs[0].progress.filled + (n % 4)) as Lots });
    case 2:
      return changed(order.legs[0].strategy === 'SCALE' ? {} : { limitPrice: (6_400_000 + (n - 50) * 8) as Ticks });
    case 3:
      return changed({ endAtMs: (nowMs + n * 500) as EpochMs });
    case 4:
      return changed({ style: TRADING_STYLES[n % 3] ?? 'HYBRID', urgency: URGENCIES[n % 3] ?? 'LOW' });
    default:
      return changed({ priceLockBps: n < 50 ? null : 5, would: null, imbalanceThresholdPpm: n < 70 ? null : 600_000 });
  }
}

function around(n: number): Market {
  const bid = 6_400_000 + (n - 50) * 10;
  return marketOf({ bid, ask: bid + 1 + (n % 5) * 5, last: bid });
}

const quiet = ['look', 'send', 'take', 'exchange', 'pass', 'move', 'fillResting', 'comply', 'regain'] as const;
const unpleasant = ['oneSided', 'drop', 'refuse', 'repeat', 'lose', 'cancel'] as const;
const controlling = ['pause', 'resume', 'amend'] as const;

function happenings(kinds: readonly Happening['kind'][]): fc.Arbitrary<Happening[]> {
  const one = fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat(99) });
  return fc.array(one, { maxLength: 60, size: 'max' });
}

/** A ladder brings its own limits. */
function limitOf(strategy: StrategyName, limit: number | null): Ticks | null {
  if (strategy === 'SCALE' || (limit === null && strategy !== 'LIMIT')) return null;
  return (6_400_000 + (limit ?? 0)) as Ticks;
}

/** The step decides whether a price is good enough. */
const gates = fc.record({
  would: fc.option(
    fc.record({
      price: fc.option(fc.integer({ min: 6_399_600, max: 6_400_600 }).map((price) => price as Ticks)),
      ppmOfPercent: fc.constantFrom(5_000_000, 50_000_000, 100_000_000),
      style: fc.constantFrom('PASSIVE' as const, 'HYBRID' as const, 'AGGRESSIVE' as const),
    }),
  ),
  trigger: fc.option(
    fc.record({
      price: fc.integer({ min: 6_399_900, max: 6_400_100 }).map((price) => price as Ticks),
      condition: fc.constantFrom('ABOVE' as const, 'BELOW' as const),
    }),
  ),
  imbalanceThresholdPpm: fc.option(fc.constantFrom(500_000, 750_000)),
  priceLockBps: fc.option(fc.constantFrom(1, 5)),
});

const orders: fc.Arbitrary<ParentOrder> = fc
  .record({
    strategy: fc.constantFrom(...STRATEGY_NAMES),
    side: fc.constantFrom('BUY', 'SELL'),
    style: fc.constantFrom('PASSIVE', 'HYBRID', 'AGGRESSIVE'),
    quantity: fc.integer({ min: 10, max: 2_000 }),
    limit: fc.option(fc.integer({ min: -500, max: 500 })),
    seconds: fc.constantFrom(1, 5, 60, 600),
    randomizeQuantity: fc.boolean(),
    clip: fc.constantFrom<Clip[]>(
      { type: 'AUTOMATIC' },
      { type: 'ABSOLUTE', quantity: 70 as Lots },
      { type: 'PERCENTAGE', ppmOfPercent: 3_000_000 },
      { type: 'ORDER_COUNT', count: 7 },
    ),
    ladder: fc.record({
      start: fc.integer({ min: 6_399_500, max: 6_400_000 }).map((price) => price as Ticks),
      end: fc.integer({ min: 6_400_001, max: 6_400_500 }).map((price) => price as Ticks),
      skewPpm: fc.constantFrom(500_000, 1_000_000, 3_000_000),
    }),
    gates: fc.option(gates, { freq: 3, nil: {} }),
  })
  .map(({ strategy, limit, quantity, seconds, ladder, gates: given, ...rest }) =>
    orderOf({
      ...(rest as Partial<FlatTerms>),
      ...given,
      strategy,
      ladder: strategy === 'SCALE' ? ladder : null,
      quantity: quantity as Lots,
      limitPrice: limitOf(strategy, limit),
      endAtMs: (START_MS + seconds * 1_000) as EpochMs,
    }),
  );

function workedBy(order: ParentOrder): Strategy {
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.legs[0].strategy} is not offered`);
  return strategy;
}

function live(order: ParentOrder, story: readonly Happening[]): OrderRig {
  const rig = new OrderRig(order, workedBy, BTC);
  for (const { kind, n } of story) HAPPENINGS[kind](rig, n);
  // After any steps, a working venue and the end time end the order.
  rig.venue.refusal = null;
  rig.regainVenue();
  rig.passUntil(START_MS + 700_000);
  return rig;
}

function checkEnd(rig: OrderRig): void {
  const { state, venue, events } = rig;
  expect(rig.isOver, state.status).toBe(true);
  expect(venue.openCount).toBe(0);
  expect(state.legs[0].progress.filled).toBe(venue.filled);
  const numbers = venue.submissions.map(({ child }) => child);
  expect(new Set(numbers).size).toBe(numbers.length);
  // The journal has every child that reached the venue.
  const journalled = new Set(
    events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order.child] : [])),
  );
  for (const number of numbers) expect(journalled.has(number)).toBe(true);
  checkLimits(events);
}

/** Every child is within the limit at the time of its placement. */
function checkLimits(events: OrderRig['events']): void {
  let terms: ParentOrder | null = null;
  for (const { event } of events) {
    if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') terms = event.order;
    const limit = terms?.legs[0].limitPrice ?? null;
    if (event.kind !== 'ChildSubmitted' || limit === null || event.order.limitPrice === null) continue;
    const { side, limitPrice } = event.order;
    expect(side === 'BUY' ? limitPrice <= limit : limitPrice >= limit).toBe(true);
  }
}

test('any order keeps its invariants, trades no more than its quantity and ends, with random events', () => {
  fc.assert(
    fc.property(orders, happenings([...quiet, ...quiet, ...unpleasant, ...controlling, 'restart']), (order, story) => {
      const rig = live(order, story);
      checkEnd(rig);
      expect(rig.state.legs[0].progress.filled).toBeLessThanOrEqual(rig.state.order.legs[0].quantity);
      expect(rig.state.lateFills).toBe(0);
    }),
    { numRuns: runs(150, 1_000) },
  );
});

// Without restarts, because the order does not request a fill again that is reported after the end of its child and
// lost.
test('all late fills count, and children beyond the leaves are cancelled', () => {
  fc.assert(
    fc.property(
      orders,
      happenings([...quiet, ...unpleasant, ...controlling, 'dropAndFillLate', 'dropAndFillLate']),
      (order, story) => {
        checkEnd(live(order, story));
      },
    ),
    { numRuns: runs(60, 300) },
  );
});

const ENDS_FILLED: ReadonlySet<StrategyName> = new Set(['TWAP', 'VWAP', 'IS', 'ICEBERG', 'MARKET']);

test('every order with a deadline is filled in a liquid market', () => {
  fc.assert(
    fc.property(orders, fc.array(fc.nat(99), { maxLength: 30 }), (order, moves) => {
      if (!ENDS_FILLED.has(order.legs[0].strategy)) return;
      const rig = new OrderRig(withTerms(order, { limitPrice: null, trigger: null }), strategyFor(order) as never, BTC);
      rig.look();
      for (const n of moves) {
        rig.passUntil(rig.nowMs + 500);
        rig.onMarket(around(n));
      }
      rig.passUntil(START_MS + 700_000);
      expect(rig.state.status).toBe('FILLED');
    }),
    { numRuns: runs(60, 300) },
  );
});
