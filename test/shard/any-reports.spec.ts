import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventEnvelope } from '../../src/domain/event.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { CodecError } from '../../src/wire/codec/message.js';
import { decodeEvent } from '../../src/wire/codec/envelope.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { decodeVenueReport, encodeVenueReport } from '../../src/wire/codec/venue-report.js';
import { pairOf } from '../domain/sample-pair.js';
import { OKX_BTC, orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { runs } from '../runs.js';

const SICK = 1;
const HEALTHY = 2;
const HEALTHY_TRADES = 5;

const numbers = fc.constantFrom(0, -1, 0.5, 2 ** 32, 2 ** 53, Number.MAX_SAFE_INTEGER, NaN, Infinity, -Infinity);
const children = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: numbers },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 32 - 1) },
);
const lots = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 1_200 }) }, { weight: 1, arbitrary: numbers });
const totals = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 1_200 }) },
  { weight: 1, arbitrary: numbers },
);
const prices = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 6_398_990, max: 6_399_010 }) },
  { weight: 1, arbitrary: numbers },
);
const tradeIds = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }) }, { weight: 1, arbitrary: numbers });
/** Usually returns a valid value, sometimes an invalid one. */
function usually<Good, Bad>(good: readonly Good[], bad: readonly Bad[]): fc.Arbitrary<Good | Bad> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

const venueOrderIds = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('v1', 'v2', 'v3') },
  { weight: 1, arbitrary: fc.constantFrom('', 'other', 'x'.repeat(300), 'x'.repeat(2_000), '\ud800') },
);
const rejections = fc.constantFrom(
  { code: 'EXCHANGE_ERROR', message: 'no' },
  { code: 'INSUFFICIENT_FUNDS', message: '' },
  { code: 'RATE_LIMIT_EXCEEDED', message: 'slow down', retryAfterMs: 1_000 },
  { code: 'RATE_LIMIT_EXCEEDED', message: 'slow down', retryAfterMs: NaN },
  { code: 'NO_SUCH_CODE', message: 'half a pair: \ud800' },
  { code: 'EXCHANGE_ERROR', message: 'x'.repeat(5_000) },
);
const causes = fc.option(rejections);

const fills = fc.record({
  tradeId: tradeIds,
  venueOrderId: venueOrderIds,
  quantity: lots,
  price: prices,
  liquidity: usually(['MAKER', 'TAKER'], ['NO_SUCH_LIQUIDITY', '']),
  fee: usually([0n, 1n, -1n, 10n ** 18n], [10n ** 63n, 1]),
  feeCurrency: usually(['USDT', 'BNB'], ['', '\ud800']),
});

const answers = fc.oneof(
  fc.record({ state: fc.constant('UNKNOWN'), knownSinceMs: usually([0, 1], [-1, Number.NaN, 0.5]) }),
  fc.record({ state: fc.constantFrom('OPEN', 'FILLED'), venueOrderId: venueOrderIds }),
  fc.record({ state: fc.constant('CANCELLED'), venueOrderId: venueOrderIds, cause: causes }),
  fc.record({ state: fc.constant('REJECTED'), rejection: rejections }),
  fc.record({ state: fc.constant('NO_SUCH_STATE'), venueOrderId: venueOrderIds }),
);

const news = fc.oneof(
  fc.record({ kind: fc.constant('Accepted'), venueOrderId: venueOrderIds }),
  fc.record({ kind: fc.constant('Rejected'), rejection: rejections }),
  fc.record({ kind: fc.constant('Filled'), fill: fills }),
  fc.record({ kind: fc.constant('Filled'), fill: fills, side: usually(['BUY', 'SELL'], ['BOTH']) }),
  fc.record({ kind: fc.constant('Cancelled'), venueOrderId: venueOrderIds, cause: causes, filled: totals }),
  fc.record({ kind: fc.constant('CancelRejected'), rejection: rejections }),
  fc.record({ kind: fc.constant('StatusAnswered'), answer: answers, filled: totals }),
);

const reportStep = fc.record({ do: fc.constant('report' as const), child: children, news });
const otherStep = fc.record({
  do: fc.constantFrom('turn' as const, 'wait' as const, 'cancel' as const, 'release' as const, 'restart' as const),
});
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: reportStep },
    { weight: 3, arbitrary: fc.constant({ do: 'turn' as const }) },
    otherStep,
  ),
  { minLength: 1, maxLength: 25 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

const SINGLE = orderOf(SICK);
const PAIR = pairOf(SINGLE, 'OKX', { instrument: OKX_BTC.index, limitPrice: null });

/** A shard with the order and a healthy order that rests. `faults`: orders set aside, reports lost. */
function rigWith(order: ParentOrder): { rig: ShardRig; faults: string[] } {
  const faults: string[] = [];
  const rig = new ShardRig({ shard: 0, shardCount: 1, onFault: (line) => faults.push(line) });
  rig.quote({}, OKX_BTC);
  rig.create(order);
  rig.create(orderOf(HEALTHY));
  rig.fund();
  rig.fund('alice', { venue: 'OKX' });
  rig.rest();
  rig.accept(HEALTHY, 1);
  rig.rest();
  return { rig, faults };
}

/** How a report reaches the shard. */
type Way = (report: VenueReport) => VenueReport | null;

const straight: Way = (report) => report;

/** Encodes and decodes the report like the ring. Returns null for an unreadable report. */
const overTheWire: Way = (report) => {
  const bytes = encodeVenueReport(report);
  try {
    return decodeVenueReport(bytes);
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
};

function report(rig: ShardRig, { child, news: said }: Extract<Step, { do: 'report' }>, way: Way): void {
  rig.report(SICK, child, said as Parameters<ShardRig['report']>[2]);
  const taken = way(rig.inbox.reports.pop()!);
  if (taken !== null) rig.inbox.reports.push(taken);
}

function take(rig: ShardRig, step: Step, way: Way): void {
  switch (step.do) {
    case 'report':
      return report(rig, step, way);
    case 'turn':
      return void rig.turn();
    case 'wait':
      return void rig.turn(5_000);
    case 'cancel':
      return void rig.cancel(SICK);
    case 'release':
      return void rig.post({ kind: 'ReleaseParent', orderId: SINGLE.orderId });
    case 'restart':
      return restart(rig);
  }
}

/** Restarts the shard after it has taken all reports. The healthy child is still open at the exchange. */
function restart(rig: ShardRig): void {
  rig.rest();
  rig.restart();
  rig.rest();
  const { filled = 0 } = rig.state(HEALTHY)?.legs[0].progress ?? {};
  rig.answer(HEALTHY, 1, { state: 'OPEN', venueOrderId: 'v1' as never }, filled);
  rig.rest();
}

function envelopesOf(rig: ShardRig, orderId: number): EventEnvelope[] {
  return rig.journal.entries.map(({ bytes }) => decodeEvent(bytes)).filter((envelope) => envelope.orderId === orderId);
}

function expectReplayable(rig: ShardRig, orderId: number): void {
  let state: ParentState | null = null;
  for (const envelope of envelopesOf(rig, orderId)) {
    if (envelope.parent !== null) state = foldEnvelope(state, envelope);
  }
  expect(Buffer.from(encodeState(state!))).toEqual(Buffer.from(rig.journal.states.get(orderId as never)!.bytes));
}

/** Checks that the filled quantity equals the journalled fills of each leg, without a repeated trade. */
function expectExact(rig: ShardRig, order: ParentOrder): void {
  const trades = new Set<string>();
  const filled = order.pair === null ? [0] : [0, 0];
  for (const { event } of envelopesOf(rig, order.orderId)) {
    if (event.kind !== 'ChildFilled') continue;
    const trade = `${event.child}/${event.fill.tradeId}`;
    expect(trades).not.toContain(trade);
    trades.add(trade);
    filled[event.leg]! += event.fill.quantity;
  }
  const state = rig.state(order.orderId)!;
  expect(state.legs.map(({ progress }) => progress.filled)).toEqual(filled);
}

function run(order: ParentOrder, course: readonly Step[], way: Way): void {
  const { rig, faults } = rigWith(order);
  course.forEach((step, index) => {
    if (index < HEALTHY_TRADES) rig.fill(HEALTHY, 1, 100, index + 1);
    take(rig, step, way);
  });
  for (let trade = course.length + 1; trade <= HEALTHY_TRADES; trade += 1) rig.fill(HEALTHY, 1, 100, trade);
  rig.rest();
  expect(faults).toEqual([]);
  expectReplayable(rig, SICK);
  expectReplayable(rig, HEALTHY);
  expectExact(rig, order);
  expect(rig.state(HEALTHY)).toMatchObject({ quarantine: null, legs: [{ progress: { filled: 500 } }], lateFills: 0 });
  rig.fill(HEALTHY, 1, 500, HEALTHY_TRADES + 1);
  rig.rest();
  expect(rig.state(HEALTHY)?.status).toBe('FILLED');
}

describe('Any sequence of reports with any numbers', () => {
  it.each([
    ['single order', SINGLE, 'straight', straight],
    ['single order', SINGLE, 'over the wire', overTheWire],
    ['pair', PAIR, 'straight', straight],
    ['pair', PAIR, 'over the wire', overTheWire],
  ] as const)('keeps the journal of a %s replayable and other orders healthy', (_order, order, _way, way) => {
    fc.assert(
      fc.property(steps, (course) => run(order, course, way)),
      { numRuns: runs(25, 100) },
    );
  });
});
