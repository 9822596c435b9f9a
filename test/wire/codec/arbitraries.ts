import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { Amount, Lots, Notional, Ticks } from '../../../src/domain/quantity.js';
import { CANCELLERS, type CancelCause } from '../../../src/domain/cancel-cause.js';
import { VENUES } from '../../../src/domain/exchange.js';
import type { AssetCategory } from '../../../src/domain/exchange.js';
import { ACCOUNT_TOPICS, type FeedMark } from '../../../src/domain/event.js';
import type {
  AccountId,
  ApiKeyId,
  ChildNumber,
  ClientOrderId,
  CorrelationId,
  OrderId,
  Seq,
  VenueOrderId,
  VenueTradeId,
} from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { TradePrint } from '../../../src/domain/market.js';
import {
  type ChildOrder,
  type FeeTotal,
  type LiveChild,
  type LegState,
  type ParentState,
  type Progress,
} from '../../../src/domain/order-state.js';
import {
  type Clip,
  ORDER_STATUSES,
  type ParentOrder,
  type BookPlacement,
  type Leg,
  type Reason,
  type SettledStatus,
  type Side,
  STRATEGY_NAMES,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
} from '../../../src/domain/order.js';
import type { LegIndex, Pair, PerLeg } from '../../../src/domain/pair.js';
import { QUARANTINE_REASONS, type Quarantine } from '../../../src/domain/quarantine.js';
import { REASONS } from '../../../src/domain/reason.js';
import { REJECTION_CODES } from '../../../src/domain/rejection.js';
import type { Rejection } from '../../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import {
  HEDGE_CAUSES,
  IDLE_REASONS,
  type GateMemory,
  type HedgeMemory,
  type IcebergMemory,
  type IsMemory,
  type LegMemory,
  type Pacing,
  type PlainMemory,
  type PovMemory,
  type StrategyMemory,
  type TwapMemory,
  type VwapMemory,
} from '../../../src/domain/strategy-memory.js';

/** Arbitraries of the model: any value that its types and their documented ranges allow. */

const RESTING = ORDER_STATUSES.filter((status): status is SettledStatus => status !== 'CANCEL_REJECTED');

/** Plain objects like those of the codec. fc.record alone also generates objects without a prototype. */
export function record<Model>(fields: { [Field in keyof Model]: Arbitrary<Model[Field]> }): Arbitrary<Model> {
  return fc.record(fields, { noNullPrototype: true });
}

function whole<Unit extends number>(min = 0): Arbitrary<Unit> {
  return fc.maxSafeInteger().map((value) => Math.max(min, Math.abs(value)) as Unit);
}

function small<Unit extends number>(min = 0): Arbitrary<Unit> {
  return fc.integer({ min, max: 999_999_999 }) as unknown as Arbitrary<Unit>;
}

/** Any Unicode text: empty, short, and longer than the codec's fast paths. */
/** Steps of a grid: 1 is usual, and takes no bytes on the wire. */
export const gridStep = fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 2 ** 53 - 1 }));

export function text<Kind extends string>(): Arbitrary<Kind> {
  const unicode = fc.string({ unit: 'binary', maxLength: 12 });
  return fc.oneof(unicode, fc.string({ unit: 'binary-ascii', maxLength: 300 })) as unknown as Arbitrary<Kind>;
}

function orNull<Value>(value: Arbitrary<Value>): Arbitrary<Value | null> {
  return fc.option(value, { nil: null });
}

export const orderId = whole<OrderId>(1);
export const childNumber = small<ChildNumber>(1);
export const seq = whole<Seq>(1);
export const correlationId = whole<CorrelationId>();
export const account = text<AccountId>();
export const venueOrderId = text<VenueOrderId>();
export const tradeId = whole<VenueTradeId>();
export const instrument = small<InstrumentIndex>();
export const legIndex: Arbitrary<LegIndex> = fc.constantFrom(0, 1);
export const lots = whole<Lots>();
export const ticks = whole<Ticks>();
export const epochMs = whole<EpochMs>();
const durationMs = whole<DurationMs>();
export const venue = fc.constantFrom(...VENUES);
export const side = fc.constantFrom<Side>('BUY', 'SELL');
export const status = fc.constantFrom(...RESTING);
export const amount = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }) as unknown as Arbitrary<Amount>;
export const notional = fc.bigInt({ min: 0n, max: 10n ** 60n }) as unknown as Arbitrary<Notional>;
/** Any double except -0, whose sign is not encoded. No code reads it. */
const number = () => fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
const pacing: Arbitrary<Pacing> = record({
  heldUntilMs: epochMs,
  refusals: small(),
  idle: fc.constantFrom(...IDLE_REASONS),
  takes: small(),
  filledAtTake: lots,
});
const gates: Arbitrary<GateMemory> = record({
  pacing,
  wouldFilled: lots,
  filledThen: lots,
  wouldSinceMs: epochMs,
  imbalanceSinceMs: epochMs,
});
const paced = { pacing, gates: orNull(gates) };
const schedule = { ...paced, slotCount: small(), step: small(), ceiling: lots, endMs: epochMs };
const course: Arbitrary<IsMemory['kept']> = record({
  solvedAt: small(),
  held: number(),
  kappa: number(),
  rateSquares: number(),
  rateCosts: number(),
  filled: number(),
  notional: number(),
  mid: number(),
  volatility: number(),
});
export const legMemory: Arbitrary<LegMemory> = fc.oneof(
  record<TwapMemory>({ kind: fc.constant('TWAP' as const), ...schedule, kept: fc.constant(null) }),
  record<VwapMemory>({
    kind: fc.constant('VWAP' as const),
    ...schedule,
    kept: record({ volumeThen: number(), levelBefore: number() }),
  }),
  record<IsMemory>({ kind: fc.constant('IS' as const), ...schedule, kept: course }),
  record<PovMemory>({
    kind: fc.constant('POV' as const),
    ...paced,
    step: small(),
    ceiling: lots,
    volumeThen: number(),
    usualPace: number(),
  }),
  record<IcebergMemory>({ kind: fc.constant('ICEBERG' as const), ...paced, usualClip: lots, timedAfter: small() }),
  record<PlainMemory>({ kind: fc.constantFrom('MARKET', 'LIMIT', 'SCALE'), ...paced }),
);
export const hedgeMemory: Arbitrary<HedgeMemory> = record({
  kind: fc.constant('HEDGE' as const),
  quoteRate: number(),
  sinceMs: epochMs,
  tries: small(),
  triedAtMs: epochMs,
  leg: legIndex,
  level: number(),
  cause: fc.constantFrom(...HEDGE_CAUSES),
});
export const memory: Arbitrary<StrategyMemory> = fc.oneof(legMemory, hedgeMemory);

const saidRejection: Arbitrary<Rejection> = record({ code: fc.constantFrom(...REJECTION_CODES), message: text() });
export const rejection: Arbitrary<Rejection> = fc.oneof(
  saidRejection,
  fc.tuple(saidRejection, durationMs).map(([said, retryAfterMs]) => ({ ...said, retryAfterMs })),
);
const figures = fc.array(fc.oneof(number(), fc.constant(Number.NaN)), { minLength: 1, maxLength: 14 });
export const reason: Arbitrary<Reason> = fc.oneof(
  record({ code: text(), detail: text() }),
  record({ code: fc.oneof(text(), fc.constantFrom(...Object.keys(REASONS))), detail: text(), figures }),
);
const progress: Arbitrary<Progress> = record({ filled: lots, notional });

const clip: Arbitrary<Clip> = fc.oneof(
  record({ type: fc.constant('AUTOMATIC' as const) }),
  record({ type: fc.constant('ABSOLUTE' as const), quantity: lots }),
  record({ type: fc.constant('PERCENTAGE' as const), ppmOfPercent: whole() }),
  record({ type: fc.constant('ORDER_COUNT' as const), count: whole() }),
);

const placement: Arbitrary<BookPlacement> = fc.oneof(
  record({ mode: fc.constant('TIGHT' as const) }),
  record({ mode: fc.constant('CUSTOM' as const), level: small(1), cancelLevel: small(1) }),
);

const leg: Arbitrary<Leg> = record<Leg>({
  venue,
  instrument,
  symbol: text(),
  assetCategory: fc.constantFrom<AssetCategory>('SPOT', 'FUTURE'),
  side,
  quantity: lots,
  strategy: fc.constantFrom(...STRATEGY_NAMES),
  limitPrice: orNull(ticks),
  durationMs: orNull(durationMs),
  clip,
  style: fc.constantFrom(...TRADING_STYLES),
  urgency: fc.constantFrom(...URGENCIES),
  randomizeQuantity: fc.boolean(),
  would: orNull(record({ price: orNull(ticks), ppmOfPercent: whole(), style: fc.constantFrom(...TRADING_STYLES) })),
  trigger: orNull(record({ price: ticks, condition: fc.constantFrom(...TRIGGER_CONDITIONS) })),
  placement: orNull(placement),
  ladder: orNull(record({ start: ticks, end: ticks, skewPpm: whole() })),
  target: orNull(record({ value: text(), ccy: text(), isBase: fc.boolean() })),
  requestEcho: text(),
  quantityPrecision: fc.integer({ min: 0, max: 12 }),
  pricePrecision: fc.integer({ min: 0, max: 12 }),
  quantityStep: gridStep,
  priceStep: gridStep,
});

const pair: Arbitrary<Pair> = record<Pair>({
  leadingIndex: legIndex,
  isLed: fc.boolean(),
  maxUnhedgedValue: orNull(amount),
  maxUnhedgedMs: durationMs,
  hedgeSlippageBps: whole(),
  requestEcho: text(),
});

/** An order has terms of a pair when it has two legs. */
const ofLegs: Arbitrary<Pick<ParentOrder, 'legs' | 'pair'>> = fc.oneof(
  record({ legs: fc.tuple(leg), pair: fc.constant(null) }),
  record({ legs: fc.tuple(leg, leg), pair }),
);

const shell: Arbitrary<Omit<ParentOrder, 'legs' | 'pair'>> = record({
  orderId,
  account,
  clientOrderId: orNull(text<ClientOrderId>()),
  subaccount: orNull(text()),
  createdAtMs: epochMs,
  startAtMs: epochMs,
  endAtMs: orNull(epochMs),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  imbalanceThresholdPpm: orNull(whole()),
  priceLockBps: orNull(whole()),
  revision: small(),
  requestDigest: fc.oneof(fc.constant(''), fc.string({ minLength: 32, maxLength: 32 })),
  session: orNull(whole()),
});

export const parentOrder: Arbitrary<ParentOrder> = fc
  .tuple(shell, ofLegs)
  .map(([order, legs]): ParentOrder => ({ ...order, ...legs }));

export const childOrder: Arbitrary<ChildOrder> = record({
  child: childNumber,
  leg: legIndex,
  side,
  quantity: lots,
  type: fc.constantFrom('LIMIT', 'MARKET'),
  timeInForce: fc.constantFrom('GTC', 'IOC'),
  limitPrice: orNull(ticks),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  submittedAtMs: epochMs,
  reason,
});

/** One arbitrary for each state of a live child. */
export const liveChildren: { readonly [State in LiveChild['state']]: Arbitrary<Extract<LiveChild, { state: State }>> } =
  {
    IN_FLIGHT: record({ order: childOrder, progress, state: fc.constant('IN_FLIGHT') }),
    OPEN: record({ order: childOrder, progress, state: fc.constant('OPEN'), venueOrderId }),
    CANCEL_IN_FLIGHT: record({
      order: childOrder,
      progress,
      state: fc.constant('CANCEL_IN_FLIGHT'),
      venueOrderId: orNull(venueOrderId),
    }),
    UNKNOWN: record({
      order: childOrder,
      progress,
      state: fc.constant('UNKNOWN'),
      venueOrderId: orNull(venueOrderId),
      cancelWanted: fc.boolean(),
    }),
  };

/** One or two values. */
export function perLeg<T>(value: Arbitrary<T>): Arbitrary<PerLeg<T>> {
  return fc.oneof(fc.tuple(value), fc.tuple(value, value));
}

const feeTotal: Arbitrary<FeeTotal> = record({ currency: text(), amount });

const legState: Arbitrary<LegState> = record({
  progress,
  makerFilled: lots,
  lastQuantity: lots,
  lastPrice: ticks,
  fees: fc.array(feeTotal, { maxLength: 3 }),
  arrivalTwiceMid: orNull(whole()),
  plannedFilled: lots,
  childCount: small(),
  children: fc.array(fc.oneof(...Object.values(liveChildren)), { maxLength: 4 }),
  refusals: small(),
  lastRefusal: orNull(rejection),
  memory: orNull(legMemory),
});

export const cancelCause: Arbitrary<CancelCause> = record({
  by: fc.constantFrom(...CANCELLERS),
  apiKey: orNull(text<ApiKeyId>()),
  code: orNull(fc.constantFrom(...REJECTION_CODES)),
});

export const quarantine: Arbitrary<Quarantine> = record({
  sinceMs: epochMs,
  reason: fc.constantFrom(...QUARANTINE_REASONS),
  detail: text(),
  isReleased: fc.boolean(),
});

export const parentState: Arbitrary<ParentState> = record({
  order: parentOrder,
  status,
  legs: perLeg(legState),
  startedAtMs: orNull(epochMs),
  plannedAtMs: orNull(epochMs),
  epoch: whole(),
  isReconciling: fc.boolean(),
  amendment: orNull(parentOrder),
  endedAtMs: orNull(epochMs),
  outcome: orNull(rejection),
  lateFills: small(),
  hedge: orNull(hedgeMemory),
  quarantine: orNull(quarantine),
  contradictions: small(),
  cancelCause: orNull(cancelCause),
  settled: fc.array(record({ child: childNumber, unseen: lots }), { maxLength: 2 }),
});

export const tradePrint: Arbitrary<TradePrint> = record({
  instrument,
  price: ticks,
  quantity: lots,
  takerSide: side,
  atMs: epochMs,
});

const ownMark = record<FeedMark>({ topic: fc.constantFrom(...ACCOUNT_TOPICS), n: whole(1) });
export const feedMark: Arbitrary<FeedMark> = fc.oneof(
  ownMark,
  fc.tuple(ownMark, venue).map(([mark, elsewhere]) => ({ ...mark, venue: elsewhere })),
);
