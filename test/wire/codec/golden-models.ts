import type { Amount, Lots, Notional, Ticks } from '../../../src/domain/quantity.js';
import { INITIAL_PACING } from '../../../src/domain/strategy-memory.js';
import type { Command, ShardMessage } from '../../../src/domain/command.js';
import { requestedBy, serviceCause } from '../../../src/domain/cancel-cause.js';
import type { EventEnvelope, Fill } from '../../../src/domain/event.js';
import type {
  AccountId,
  ApiKeyId,
  ChildNumber,
  ClientOrderId,
  CorrelationId,
  OrderId,
  Seq,
  SessionNumber,
  VenueOrderId,
  VenueTradeId,
} from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { MarketUpdate } from '../../../src/domain/market-feed.js';
import type { ChildOrder, ParentState } from '../../../src/domain/order-state.js';
import type { ParentOrder } from '../../../src/domain/order.js';
import type { PositionState } from '../../../src/domain/position.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import type { VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { UNPARAMETERED, UNPARAMETERED_LEG } from '../../domain/plain-order.js';
import { legOf } from '../../domain/sample-pair.js';
import { targetOf } from '../../venue/child-target.js';

/** The models of the bytes in golden.json: one order with every field set, and its events. */

const account = 'demo' as AccountId;
const orderId = 4_503_599_627_370_497 as OrderId;
const child = 12 as ChildNumber;
const venueOrderId = 'v-981' as VenueOrderId;
const ref = { account, venue: 'KRAKEN', orderId, child } as const;
const instrument = 41 as InstrumentIndex;
const atMs = 1_763_719_200_123 as EpochMs;
const correlationId = 77 as CorrelationId;
const cause = { code: 'SLIPPAGE_EXCEEDED', message: 'spread 61 bps is above 50 bps' } as const;
const reason = { code: 'SLICE', detail: 'target=120 filled=100 working=0' };

const order: ParentOrder = {
  orderId,
  account,
  clientOrderId: 'rebalance-17 ü€😀' as ClientOrderId,
  subaccount: 'desk 2',
  legs: [
    {
      venue: 'KRAKEN',
      instrument,
      symbol: 'BTC/USDT',
      assetCategory: 'FUTURE',
      ...UNPARAMETERED_LEG,
      side: 'SELL',
      quantity: 9_007_199_254_740_991 as Lots,
      strategy: 'ICEBERG',
      limitPrice: 6_412_350 as Ticks,
      durationMs: 3_600_000 as DurationMs,
      clip: { type: 'PERCENTAGE', ppmOfPercent: 12_500_000 },
      style: 'PASSIVE',
      urgency: 'HIGH',
      randomizeQuantity: true,
      requestEcho: '{"clip_size_type":"PERCENTAGE","clip_size_val":"12.5"}',
      quantityPrecision: 8,
      pricePrecision: 2,
      quantityStep: 1,
      priceStep: 1,
    },
  ],
  ...UNPARAMETERED,
  createdAtMs: atMs,
  startAtMs: atMs,
  endAtMs: (atMs + 3_600_000) as EpochMs,
  postOnly: true,
  reduceOnly: true,
  requestDigest: '00112233445566778899aabbccddeeff',
  session: 1_000_001 as SessionNumber,
};

/** A pair in which each leg field is set in one of the legs. */
const pair: ParentOrder = {
  ...order,
  legs: [
    legOf(order, {
      venue: 'WOO',
      side: 'BUY',
      symbol: 'BTC/USDC',
      target: { value: '100000.5', ccy: 'USD', isBase: false },
      clip: { type: 'ORDER_COUNT', count: 7 },
      would: { price: 6_412_000 as Ticks, ppmOfPercent: 50_000_000, style: 'AGGRESSIVE' },
      trigger: { price: 6_412_100 as Ticks, condition: 'BELOW' },
      placement: { mode: 'CUSTOM', level: 2, cancelLevel: 5 },
      ladder: { start: 6_412_000 as Ticks, end: 6_413_000 as Ticks, skewPpm: 2_000_000 },
    }),
    legOf(order),
  ],
  pair: {
    leadingIndex: 1,
    isLed: true,
    maxUnhedgedValue: 250_000_000_000_000_000_000n as Amount,
    maxUnhedgedMs: 45_000 as DurationMs,
    hedgeSlippageBps: 25,
    requestEcho: '{"params":{"hedge_slippage_bps":25}}',
  },
};

const childOrder: ChildOrder = {
  child,
  leg: 0,
  side: 'SELL',
  quantity: 120 as Lots,
  type: 'LIMIT',
  timeInForce: 'GTC',
  limitPrice: 6_412_400 as Ticks,
  postOnly: true,
  reduceOnly: true,
  submittedAtMs: atMs,
  reason,
};

const fill: Fill = {
  tradeId: 5_005 as VenueTradeId,
  exchangeTradeId: '',
  venueOrderId,
  quantity: 100 as Lots,
  price: 6_412_400 as Ticks,
  liquidity: 'MAKER',
  fee: -31_250_000_000_000_000_000n as Amount,
  feeCurrency: 'USDT',
};

const notional = 123_456_789_012_345_678_901_234n as Notional;
const head = {
  seq: 1_000_001 as Seq,
  slot: 1,
  account,
  venue: 'KRAKEN',
  otherVenue: null,
  orderId,
  eventAtMs: atMs,
  recordedAtMs: (atMs + 4) as EpochMs,
  correlationId,
  causationSeq: 1_000_000,
} as const;
const parent = {
  status: 'PARTIALLY_FILLED',
  revision: 0,
  legs: [{ quantity: order.legs[0].quantity, filled: 100 as Lots, notional }],
  quoteRate: 1,
  outcome: null,
  quarantine: null,
  cancelCause: null,
} as const;

const cancelCause = requestedBy('CLIENT', '0f3c9a1be27d44c8' as ApiKeyId);
const cancelRequested: EventEnvelope = {
  ...head,
  event: { kind: 'ParentCancelRequested', cancelCause },
  parent: { ...parent, status: 'PENDING_CANCEL', cancelCause },
  child: null,
};
const serviceCancelled: EventEnvelope = {
  ...head,
  event: { kind: 'ParentCancelled', cause, cancelCause: serviceCause(cause.code) },
  parent: { ...parent, status: 'CANCELLED', outcome: cause, cancelCause: serviceCause(cause.code) },
  child: null,
};

const createdPair: EventEnvelope = {
  ...head,
  otherVenue: 'WOO',
  event: { kind: 'ParentCreated', order: pair },
  parent: { ...parent, legs: [{ quantity: pair.legs[0].quantity, filled: 0 as Lots, notional }, ...parent.legs] },
  child: null,
};
const created: EventEnvelope = { ...head, event: { kind: 'ParentCreated', order }, parent, child: null };
const filled: EventEnvelope = {
  ...head,
  event: { kind: 'ChildFilled', leg: 0, child, fill, isLate: true },
  parent: { ...parent, status: 'CANCELLED', outcome: cause },
  child: { order: childOrder, status: 'PARTIALLY_FILLED', filled: 100 as Lots, notional, outcome: null },
};
const submitted: EventEnvelope = {
  ...head,
  event: {
    kind: 'ChildSubmitted',
    order: childOrder,
    memory: {
      kind: 'TWAP',
      pacing: { ...INITIAL_PACING.pacing, heldUntilMs: atMs, refusals: 1, idle: 'REFUSED' },
      gates: null,
      slotCount: 120,
      step: 3,
      ceiling: 625 as Lots,
      endMs: atMs,
      kept: null,
    },
  },
  parent,
  child: { order: childOrder, status: 'PENDING_NEW', filled: 0 as Lots, notional: 0n as Notional, outcome: null },
};
const balance: EventEnvelope = {
  ...head,
  orderId: null,
  event: {
    kind: 'BalanceChanged',
    venue: 'KRAKEN',
    asset: 'USDT',
    total: 1_000_000_000_000_000_000_000_000n as Amount,
    free: 0n as Amount,
    version: 3,
  },
  parent: null,
  child: null,
};

/** A position from before the field is_short. */
const position: PositionState = {
  instrument,
  positionSide: 'SHORT',
  net: -120,
  isShort: false,
  cost: -769_488_000n,
  marginMode: 'ISOLATED',
  leverage: 33,
  markPrice: 6_412_300 as Ticks,
  unrealisedPnl: 12n as Amount,
  initialMargin: 23_317n as Amount,
  maintenanceMargin: 3_078n as Amount,
  collateral: 23_329n as Amount,
  liquidationPrice: 6_580_000 as Ticks,
};
const positionChanged: EventEnvelope = {
  ...balance,
  event: {
    kind: 'PositionChanged',
    venue: 'KRAKEN',
    symbol: 'BTC/USDT:USDT',
    quantityPrecision: 4,
    pricePrecision: 1,
    quantityStep: 1,
    priceStep: 1,
    position: { ...position, isShort: true },
    version: 4,
  },
};

const state: ParentState = {
  order,
  status: 'PENDING_CANCEL',
  legs: [
    {
      progress: { filled: 100 as Lots, notional },
      makerFilled: 60 as Lots,
      lastQuantity: 40 as Lots,
      lastPrice: 6_412_400 as Ticks,
      fees: [{ currency: 'USDT', amount: 25n as Amount }],
      arrivalTwiceMid: 12_824_801,
      plannedFilled: 0 as Lots,
      childCount: 12,
      children: [
        { order: childOrder, progress: { filled: 100 as Lots, notional }, state: 'OPEN', venueOrderId },
        {
          order: childOrder,
          progress: { filled: 0 as Lots, notional: 0n as Notional },
          state: 'UNKNOWN',
          venueOrderId: null,
          cancelWanted: true,
        },
      ],
      refusals: 1,
      lastRefusal: { code: 'INSUFFICIENT_FUNDS', message: 'free 1 is below 2' },
      memory: {
        kind: 'IS',
        pacing: { ...INITIAL_PACING.pacing, heldUntilMs: atMs, refusals: 1, idle: 'REFUSED' },
        gates: {
          pacing: INITIAL_PACING.pacing,
          wouldFilled: 20 as Lots,
          filledThen: 100 as Lots,
          wouldSinceMs: atMs,
          imbalanceSinceMs: 0 as EpochMs,
        },
        slotCount: 120,
        step: 3,
        ceiling: 625 as Lots,
        endMs: atMs,
        kept: {
          solvedAt: 2,
          held: 0.75,
          kappa: 2.5,
          rateSquares: 4,
          rateCosts: -0.125,
          filled: 100,
          notional: 1_250,
          mid: 6_412_400.5,
          volatility: 0.03,
        },
      },
    },
  ],
  startedAtMs: atMs,
  plannedAtMs: atMs,
  amendment: null,
  endedAtMs: null,
  epoch: 0,
  isReconciling: false,
  outcome: cause,
  lateFills: 2,
  hedge: null,
  quarantine: null,
  contradictions: 0,
  cancelCause: null,
  settled: [],
};

export const GOLDEN_COMMANDS: Readonly<Record<string, Command>> = {
  createParent: { kind: 'CreateParent', correlationId, order, seq: 0 as Seq },
  createPair: { kind: 'CreateParent', correlationId, order: pair, seq: 0 as Seq },
  cancelParent: { kind: 'CancelParent', correlationId, account, orderId, cancelCause },
  venueLink: { kind: 'VenueLink', correlationId, isUp: true },
  stopShard: { kind: 'StopShard', correlationId },
};
export const GOLDEN_EVENTS: Readonly<Record<string, EventEnvelope>> = {
  created,
  createdPair,
  cancelRequested,
  serviceCancelled,
  submitted,
  filled,
  balance,
  positionChanged,
};
export const GOLDEN_SHARD_MESSAGES: Readonly<Record<string, ShardMessage>> = {
  published: {
    kind: 'Published',
    correlationId: filled.correlationId,
    account: filled.account,
    envelope: filled,
    marks: [
      { topic: 'child_order', n: 9 },
      { topic: 'trade', n: 4 },
    ],
  },
  publishedToBoth: {
    kind: 'Published',
    correlationId: createdPair.correlationId,
    account: createdPair.account,
    envelope: createdPair,
    marks: [
      { topic: 'order', n: 9 },
      { topic: 'order', n: 4, venue: 'WOO' },
    ],
  },
  refused: { kind: 'Refused', correlationId, orderId, rejection: cause },
};
export const GOLDEN_VENUE_REQUESTS: Readonly<Record<string, VenueRequest>> = {
  submit: {
    kind: 'Submit',
    ...ref,
    instrument,
    side: 'SELL',
    quantity: 120 as Lots,
    type: 'LIMIT',
    timeInForce: 'IOC',
    limitPrice: 6_412_400 as Ticks,
    postOnly: false,
    reduceOnly: true,
    selfTradePrevention: 'NONE',
  },
  submitKeptApart: {
    kind: 'Submit',
    ...ref,
    instrument,
    side: 'BUY',
    quantity: 120 as Lots,
    type: 'MARKET',
    timeInForce: 'IOC',
    limitPrice: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'DECREMENT',
  },
  cancel: { kind: 'Cancel', ...targetOf({ ...ref, submittedAtMs: 0 as EpochMs }) },
  cancelAtInstrument: { kind: 'Cancel', ...targetOf({ ...ref, instrument: 5 as InstrumentIndex }) },
  queryFunds: { kind: 'QueryFunds', correlationId, account, venue: 'KRAKEN' },
};
export const GOLDEN_VENUE_REPORTS: Readonly<Record<string, VenueReport>> = {
  filledReport: { kind: 'Filled', ...ref, atMs, fill },
  answered: {
    kind: 'StatusAnswered',
    ...ref,
    atMs,
    answer: { state: 'CANCELLED', venueOrderId, cause },
    filled: 0 as Lots,
  },
  answeredInFull: {
    kind: 'StatusAnswered',
    ...ref,
    atMs,
    answer: { state: 'CANCELLED', venueOrderId, cause: { ...cause, retryAfterMs: 1_500 as DurationMs } },
    filled: 7 as Lots,
  },
  cancelledReport: { kind: 'Cancelled', ...ref, atMs, venueOrderId, cause: null, filled: 7 as Lots },
  link: { kind: 'Link', venue: 'KRAKEN', account: null, isUp: true, atMs },
  funds: {
    kind: 'Funds',
    correlationId,
    account,
    venue: 'KRAKEN',
    atMs,
    isSnapshot: true,
    version: 3,
    balances: [{ asset: 'BTC', total: 10n as Amount, free: 9n as Amount }],
    causedBy: null,
  },
};
export const GOLDEN_ACCOUNT_REPORTS: Readonly<Record<string, VenueReport>> = {
  positions: {
    kind: 'Positions',
    correlationId,
    account,
    venue: 'KRAKEN',
    atMs,
    isSnapshot: false,
    version: 4,
    positions: [position],
  },
  queryRejected: { kind: 'QueryRejected', correlationId, account, venue: 'KRAKEN', atMs, rejection: cause },
};
export const GOLDEN_STATES: Readonly<Record<string, ParentState>> = {
  state,
  cancelledState: { ...state, status: 'CANCELLED', endedAtMs: atMs, cancelCause },
};
export const GOLDEN_MARKET_UPDATES: Readonly<Record<string, MarketUpdate>> = {
  print: {
    kind: 'Traded',
    print: { instrument, price: 6_412_400 as Ticks, quantity: 100 as Lots, takerSide: 'BUY', atMs },
  },
};
