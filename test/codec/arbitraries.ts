import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { Amount } from '../../src/model/amount.js';
import { VENUES } from '../../src/model/exchange.js';
import type { AssetCategory } from '../../src/model/exchange.js';
import { ACCOUNT_TOPICS } from '../../src/model/feed.js';
import type { FeedMark } from '../../src/model/feed.js';
import type {
  AccountId,
  ChildNumber,
  ClientOrderId,
  CorrelationId,
  OrderId,
  Seq,
  VenueOrderId,
  VenueTradeId,
} from '../../src/model/ids.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { Market, TradePrint } from '../../src/model/market.js';
import {
  ORDER_STATUSES,
  STRATEGY_NAMES,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
} from '../../src/model/order.js';
import type {
  ChildOrder,
  Clip,
  FeeTotal,
  LiveChild,
  ParentOrder,
  ParentState,
  Placement,
  Progress,
  Reason,
  RestingStatus,
  Side,
  StrategyMemory,
} from '../../src/model/order.js';
import type { FollowerState, OrderLeg, Pair } from '../../src/model/pair.js';
import type { Lots, Notional, Ticks } from '../../src/model/quantity.js';
import { QUARANTINE_REASONS, type Quarantine } from '../../src/model/quarantine.js';
import { REJECTION_CODES } from '../../src/model/rejection.js';
import type { Rejection } from '../../src/model/rejection.js';
import { newFollower } from '../../src/model/untraded.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';

/** Arbitraries of the model: any value its types and their documented ranges allow, likely or not. */

const RESTING = ORDER_STATUSES.filter((status): status is RestingStatus => status !== 'CANCEL_REJECTED');

/** Plain objects, as the codec makes them: fc.record alone also gives some without a prototype. */
export function record<Model>(fields: { [Field in keyof Model]: Arbitrary<Model[Field]> }): Arbitrary<Model> {
  return fc.record(fields, { noNullPrototype: true });
}

function whole<Unit extends number>(min = 0): Arbitrary<Unit> {
  return fc.maxSafeInteger().map((value) => Math.max(min, Math.abs(value)) as Unit);
}

function small<Unit extends number>(min = 0): Arbitrary<Unit> {
  return fc.integer({ min, max: 999_999_999 }) as unknown as Arbitrary<Unit>;
}

/** Any Unicode, empty, short, and longer than the codec's fast paths. */
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
export const lots = whole<Lots>();
export const ticks = whole<Ticks>();
export const epochMs = whole<EpochMs>();
const durationMs = whole<DurationMs>();
export const venue = fc.constantFrom(...VENUES);
export const side = fc.constantFrom<Side>('BUY', 'SELL');
export const status = fc.constantFrom(...RESTING);
export const amount = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }) as unknown as Arbitrary<Amount>;
export const notional = fc.bigInt({ min: 0n, max: 10n ** 60n }) as unknown as Arbitrary<Notional>;
export const memory: Arbitrary<StrategyMemory> = fc.array(fc.double(), { maxLength: 20 });

const saidRejection: Arbitrary<Rejection> = record({ code: fc.constantFrom(...REJECTION_CODES), message: text() });
export const rejection: Arbitrary<Rejection> = fc.oneof(
  saidRejection,
  fc.tuple(saidRejection, durationMs).map(([said, retryAfterMs]) => ({ ...said, retryAfterMs })),
);
export const reason: Arbitrary<Reason> = record({ code: text(), detail: text() });
const progress: Arbitrary<Progress> = record({ filled: lots, notional });

const clip: Arbitrary<Clip> = fc.oneof(
  record({ type: fc.constant('AUTOMATIC' as const) }),
  record({ type: fc.constant('ABSOLUTE' as const), quantity: lots }),
  record({ type: fc.constant('PERCENTAGE' as const), ppmOfPercent: whole() }),
  record({ type: fc.constant('ORDER_COUNT' as const), count: whole() }),
);

const placement: Arbitrary<Placement> = fc.oneof(
  record({ mode: fc.constant('TIGHT' as const) }),
  record({ mode: fc.constant('CUSTOM' as const), level: small(1), cancelLevel: small(1) }),
);

/** What an order and a leg of a pair have in common. */
const worked = {
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
  quantityPrecision: fc.integer({ min: 0, max: 12 }),
  pricePrecision: fc.integer({ min: 0, max: 12 }),
};

const leg: Arbitrary<OrderLeg> = record<OrderLeg>({
  ...worked,
  targetValue: text(),
  ccy: text(),
  isBaseTarget: fc.boolean(),
  requestEcho: text(),
});

const pair: Arbitrary<Pair> = record<Pair>({
  legs: fc.tuple(leg, leg),
  leadingIndex: fc.constantFrom(0, 1),
  isLed: fc.boolean(),
  maxUnhedgedValue: orNull(amount),
  maxUnhedgedMs: durationMs,
  hedgeSlippageBps: whole(),
});

export const parentOrder: Arbitrary<ParentOrder> = record({
  ...worked,
  orderId,
  account,
  clientOrderId: orNull(text<ClientOrderId>()),
  subaccount: orNull(text()),
  createdAtMs: epochMs,
  startAtMs: epochMs,
  endAtMs: orNull(epochMs),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  ladder: orNull(record({ start: ticks, end: ticks, skewPpm: whole() })),
  imbalanceThresholdPpm: orNull(whole()),
  priceLockBps: orNull(whole()),
  pair: orNull(pair),
  requestEcho: text(),
  revision: small(),
  requestDigest: fc.oneof(fc.constant(''), fc.string({ minLength: 32, maxLength: 32 })),
});

export const childOrder: Arbitrary<ChildOrder> = record({
  child: childNumber,
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

const feeTotal: Arbitrary<FeeTotal> = record({ currency: text(), amount });

const follower: Arbitrary<FollowerState> = record({
  progress,
  makerFilled: lots,
  lastQuantity: lots,
  lastPrice: ticks,
  fees: fc.array(feeTotal, { maxLength: 3 }),
  childCount: small(),
  refusals: small(),
  lastRefusal: orNull(rejection),
  memory,
});

export const quarantine: Arbitrary<Quarantine> = record({
  sinceMs: epochMs,
  reason: fc.constantFrom(...QUARANTINE_REASONS),
  detail: text(),
  isReleased: fc.boolean(),
});

const anyState: Arbitrary<ParentState> = record({
  order: parentOrder,
  status,
  progress,
  makerFilled: lots,
  lastQuantity: lots,
  lastPrice: ticks,
  fees: fc.array(feeTotal, { maxLength: 3 }),
  arrivalTwiceMid: orNull(whole()),
  startedAtMs: orNull(epochMs),
  plannedAtMs: orNull(epochMs),
  epoch: whole(),
  isReconciling: fc.boolean(),
  plannedFilled: lots,
  amendment: orNull(parentOrder),
  endedAtMs: orNull(epochMs),
  childCount: small(),
  children: fc.array(fc.oneof(...Object.values(liveChildren)), { maxLength: 4 }),
  refusals: small(),
  lastRefusal: orNull(rejection),
  memory,
  outcome: orNull(rejection),
  lateFills: small(),
  follower: orNull(follower),
  quarantine: orNull(quarantine),
  contradictions: small(),
});

/** A pair has another leg, also where nothing is stored of it. */
export const parentState: Arbitrary<ParentState> = anyState.map((state) =>
  state.order.pair === null ? state : { ...state, follower: state.follower ?? newFollower(state.order) },
);

export const market: Arbitrary<Market> = record({
  bid: ticks,
  ask: ticks,
  bidQuantity: lots,
  askQuantity: lots,
  last: ticks,
  volume: lots,
  volatility: fc.double({ min: 0, max: 10, noNaN: true }),
  atMs: epochMs,
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
