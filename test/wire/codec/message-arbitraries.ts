import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { type Candle, CANDLE_INTERVALS, type MarketUpdate } from '../../../src/domain/market-feed.js';
import type { Command, ShardMessage } from '../../../src/domain/command.js';
import type {
  AnyEvent,
  ChildSnapshot,
  EventEnvelope,
  Fill,
  LegStart,
  OrderSnapshot,
} from '../../../src/domain/event.js';
import { CONTRADICTIONS, QUARANTINE_REASONS } from '../../../src/domain/quarantine.js';
import type { ChildRef, VenueRequest } from '../../../src/domain/venue-message.js';
import type { ListedOrder, OrderStatusAnswer, VenueReport } from '../../../src/domain/venue-report.js';
import {
  account,
  amount,
  cancelCause,
  childNumber,
  childOrder,
  correlationId,
  epochMs,
  gridStep,
  feedMark,
  instrument,
  lots,
  legMemory,
  memory,
  perLeg,
  notional,
  orderId,
  legIndex,
  parentOrder,
  quarantine,
  reason,
  record,
  rejection,
  seq,
  side,
  status,
  text,
  ticks,
  tradeId,
  tradePrint,
  venue,
  venueOrderId,
} from './arbitraries.js';
import { position } from './position-arbitraries.js';

/** Arbitraries of all messages between threads and in the store: one for each kind of each union. */
export type ByKind<Union extends { readonly kind: string }> = {
  readonly [Kind in Union['kind']]: Arbitrary<Extract<Union, { readonly kind: Kind }>>;
};

const cause = fc.option(rejection, { nil: null });
const version = fc.nat();
const linkAccount = fc.option(account, { nil: null }).map((name) => (name === '' ? null : name));
/** An id as it is known: null, or a text that is not empty. */
const knownId = fc.option(venueOrderId, { nil: null }).map((id) => (id === '' ? null : id));

function kind<const Name extends string>(name: Name): Arbitrary<Name> {
  return fc.constant(name);
}

const fill: Arbitrary<Fill> = record({
  tradeId,
  exchangeTradeId: text(),
  venueOrderId,
  quantity: lots,
  price: ticks,
  liquidity: fc.constantFrom('MAKER', 'TAKER'),
  fee: amount,
  feeCurrency: text(),
});

const legStart: Arbitrary<LegStart> = record({
  arrivalTwiceMid: fc.nat(),
  memory: fc.option(legMemory, { nil: null }),
});

export const events: ByKind<AnyEvent> = {
  ParentCreated: record({ kind: kind('ParentCreated'), order: parentOrder }),
  ParentAccepted: record({ kind: kind('ParentAccepted') }),
  ParentRejected: record({ kind: kind('ParentRejected'), rejection }),
  ParentStarted: record({ kind: kind('ParentStarted'), legs: perLeg(legStart) }),
  ParentCancelRequested: record({
    kind: kind('ParentCancelRequested'),
    cancelCause: fc.option(cancelCause, { nil: null }),
  }),
  ParentCancelled: record({ kind: kind('ParentCancelled'), cause, cancelCause: fc.option(cancelCause, { nil: null }) }),
  ParentExpired: record({ kind: kind('ParentExpired'), cause: rejection }),
  ParentPauseRequested: record({ kind: kind('ParentPauseRequested') }),
  ParentPaused: record({ kind: kind('ParentPaused') }),
  ParentResumeRequested: record({ kind: kind('ParentResumeRequested') }),
  ParentResumed: record({ kind: kind('ParentResumed') }),
  ParentPlanned: record({ kind: kind('ParentPlanned'), memories: perLeg(fc.option(legMemory, { nil: null })) }),
  ParentAmendRequested: record({ kind: kind('ParentAmendRequested'), order: parentOrder }),
  ParentAmended: record({ kind: kind('ParentAmended'), order: parentOrder }),
  ParentQuarantined: record({
    kind: kind('ParentQuarantined'),
    code: fc.constantFrom(...QUARANTINE_REASONS),
    detail: text(),
  }),
  ParentReleased: record({ kind: kind('ParentReleased'), cancelCause: fc.option(cancelCause, { nil: null }) }),
  ReportContradicted: record({
    kind: kind('ReportContradicted'),
    child: fc.option(childNumber, { nil: null }),
    contradiction: fc.constantFrom(...CONTRADICTIONS),
    detail: text(),
  }),
  ParentRestored: record({ kind: kind('ParentRestored'), epoch: epochMs }),
  ParentReconciled: record({ kind: kind('ParentReconciled'), childRoom: fc.nat() }),
  ChildAdopted: record({ kind: kind('ChildAdopted'), order: childOrder, venueOrderId }),
  StrategyNoted: record({
    kind: kind('StrategyNoted'),
    reason,
    memory: fc.option(memory, { nil: null }),
    leg: legIndex,
  }),
  ChildSubmitted: record({
    kind: kind('ChildSubmitted'),
    order: childOrder,
    memory: fc.option(memory, { nil: null }),
  }),
  ChildAccepted: record({ kind: kind('ChildAccepted'), child: childNumber, venueOrderId }),
  ChildRejected: record({ kind: kind('ChildRejected'), child: childNumber, rejection }),
  ChildFilled: record({ kind: kind('ChildFilled'), child: childNumber, leg: legIndex, fill, isLate: fc.boolean() }),
  ChildCancelRequested: record({ kind: kind('ChildCancelRequested'), child: childNumber, reason }),
  ChildCancelRefused: record({ kind: kind('ChildCancelRefused'), child: childNumber, rejection }),
  ChildCancelled: record({ kind: kind('ChildCancelled'), child: childNumber, cause }),
  ChildUnknown: record({ kind: kind('ChildUnknown'), child: childNumber }),
  ChildNeverPlaced: record({ kind: kind('ChildNeverPlaced'), child: childNumber }),
  ChildSettled: record({
    kind: kind('ChildSettled'),
    child: childNumber,
    filled: lots,
    price: fc.option(ticks, { nil: null }),
    reason: text(),
    by: text(),
  }),
  BalanceChanged: record({
    kind: kind('BalanceChanged'),
    venue,
    asset: text(),
    total: amount,
    free: amount,
    version,
  }),
  PositionChanged: record({
    kind: kind('PositionChanged'),
    venue,
    symbol: text(),
    quantityPrecision: fc.nat(12),
    pricePrecision: fc.nat(12),
    quantityStep: gridStep,
    priceStep: gridStep,
    position,
    version,
  }),
  MarketObserved: record({
    kind: kind('MarketObserved'),
    instrument,
    bid: ticks,
    ask: ticks,
    volume: lots,
    turnover: notional,
  }),
};

const orderSnapshot: Arbitrary<OrderSnapshot> = record({
  status,
  revision: fc.nat(9),
  legs: perLeg(record({ quantity: lots, filled: lots, notional })),
  quoteRate: fc.double({ min: 0, max: 1e6, noNaN: true }),
  outcome: cause,
  quarantine: fc.option(quarantine, { nil: null }),
  cancelCause: fc.option(cancelCause, { nil: null }),
});

const childSnapshot: Arbitrary<ChildSnapshot> = record({
  order: childOrder,
  status,
  filled: lots,
  notional,
  outcome: cause,
});

export function envelopeOf(event: Arbitrary<AnyEvent>): Arbitrary<EventEnvelope> {
  return record({
    seq,
    slot: fc.integer({ min: 0, max: 255 }),
    account,
    venue,
    otherVenue: fc.option(venue, { nil: null }),
    orderId: fc.option(orderId, { nil: null }),
    eventAtMs: epochMs,
    recordedAtMs: epochMs,
    correlationId,
    causationSeq: fc.nat(),
    event,
    parent: fc.option(orderSnapshot, { nil: null }),
    child: fc.option(childSnapshot, { nil: null }),
  });
}

export const envelope = envelopeOf(fc.oneof(...Object.values(events)));

const tradingMode = {
  kind: kind('SetTrading'),
  correlationId,
  isHalted: fc.boolean(),
  exempt: fc.array(account, { maxLength: 4 }),
};

export const commands: ByKind<Command> = {
  CreateParent: record({ kind: kind('CreateParent'), correlationId, order: parentOrder, seq }),
  CancelParent: record({ kind: kind('CancelParent'), correlationId, account, orderId, cancelCause }),
  PauseParent: record({ kind: kind('PauseParent'), correlationId, account, orderId }),
  ReleaseParent: record({ kind: kind('ReleaseParent'), correlationId, orderId }),
  SettleChild: record({
    kind: kind('SettleChild'),
    correlationId,
    orderId,
    child: childNumber,
    filled: lots,
    price: fc.option(ticks, { nil: null }),
    reason: text(),
    by: text(),
  }),
  ResumeParent: record({ kind: kind('ResumeParent'), correlationId, account, orderId }),
  AmendParent: record({ kind: kind('AmendParent'), correlationId, order: parentOrder }),
  VenueLink: record({ kind: kind('VenueLink'), correlationId, isUp: fc.boolean() }),
  ReconcileParent: record({
    kind: kind('ReconcileParent'),
    correlationId,
    account,
    orderId,
    children: fc.array(record({ order: childOrder, venueOrderId }), { maxLength: 3 }),
    childRoom: fc.option(fc.nat(), { nil: null }),
  }),
  SetTrading: fc.oneof(record(tradingMode), record({ ...tradingMode, halted: fc.array(account, { minLength: 1 }) })),
  StopShard: record({ kind: kind('StopShard'), correlationId }),
};

export const shardMessages: ByKind<ShardMessage> = {
  Published: fc.record({ envelope, marks: fc.array(feedMark, { maxLength: 4 }) }).map(({ envelope: event, marks }) => {
    const { correlationId, account } = event;
    return { kind: 'Published' as const, correlationId, account, marks, envelope: event };
  }),
  Refused: record({ kind: kind('Refused'), correlationId, orderId, rejection }),
  Unchanged: record({ kind: kind('Unchanged'), correlationId, orderId }),
  Missed: record({ kind: kind('Missed') }),
};

const childRef: { [Field in keyof ChildRef]: Arbitrary<ChildRef[Field]> } = {
  account,
  venue,
  orderId,
  child: childNumber,
};

const accountRef = { correlationId, account, venue };
const interval = fc.constantFrom(...CANDLE_INTERVALS);
const marketRange = { instrument, fromMs: epochMs, toMs: epochMs, limit: fc.integer({ min: 1, max: 1000 }) };

export const venueRequests: ByKind<VenueRequest> = {
  Submit: record({
    kind: kind('Submit'),
    ...childRef,
    instrument,
    side,
    quantity: lots,
    type: fc.constantFrom('LIMIT', 'MARKET'),
    timeInForce: fc.constantFrom('GTC', 'IOC'),
    limitPrice: fc.option(ticks, { nil: null }),
    postOnly: fc.boolean(),
    reduceOnly: fc.boolean(),
    selfTradePrevention: fc.constantFrom('NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'),
    requestClass: fc.constantFrom('HEDGE', 'DEADLINE', 'TAKING', 'RESTING'),
  }),
  Cancel: record({ kind: kind('Cancel'), ...childRef, instrument, submittedAtMs: epochMs, venueOrderId: knownId }),
  QueryStatus: record({
    kind: kind('QueryStatus'),
    ...childRef,
    instrument,
    submittedAtMs: epochMs,
    venueOrderId: knownId,
    requestClass: fc.constantFrom('CANCEL', 'STATUS', 'ROUTINE'),
  }),
  QueryFunds: record({ kind: kind('QueryFunds'), ...accountRef }),
  QueryPositions: record({ kind: kind('QueryPositions'), ...accountRef }),
  QueryOrders: record({
    kind: kind('QueryOrders'),
    ...accountRef,
    sinceMs: epochMs,
    after: text(),
    instruments: fc.array(instrument, { maxLength: 3 }),
  }),
  QueryCandles: record({ kind: kind('QueryCandles'), ...accountRef, ...marketRange, interval }),
  QueryFundingRates: record({ kind: kind('QueryFundingRates'), ...accountRef, ...marketRange }),
};

export const queriedState: Arbitrary<OrderStatusAnswer> = fc.oneof(
  record({ state: kind('UNKNOWN'), knownSinceMs: epochMs }),
  record({ state: kind('DENIED'), venueOrderId, deniedSinceMs: epochMs }),
  record({ state: kind('OPEN'), venueOrderId }),
  record({ state: kind('FILLED'), venueOrderId }),
  record({ state: kind('CANCELLED'), venueOrderId, cause }),
  record({ state: kind('REJECTED'), rejection }),
);

const reportHead = { ...childRef, atMs: epochMs };

const candle: Arbitrary<Candle> = record({
  openAtMs: epochMs,
  open: ticks,
  high: ticks,
  low: ticks,
  close: ticks,
  volume: lots,
});
const ratePpm = fc.integer({ min: -3_000, max: 3_000 });

const listedOrder: Arbitrary<ListedOrder> = record({
  orderId,
  child: childNumber,
  instrument,
  side,
  quantity: lots,
  type: fc.constantFrom('LIMIT', 'MARKET'),
  timeInForce: fc.constantFrom('GTC', 'IOC'),
  limitPrice: fc.option(ticks, { nil: null }),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  state: fc.constantFrom('OPEN', 'FILLED', 'CANCELLED'),
  venueOrderId,
  filled: lots,
  changedAtMs: epochMs,
});

export const venueReports: ByKind<VenueReport> = {
  Accepted: record({ kind: kind('Accepted'), ...reportHead, venueOrderId }),
  Rejected: record({ kind: kind('Rejected'), ...reportHead, rejection }),
  Filled: record({ kind: kind('Filled'), ...reportHead, fill }),
  Cancelled: record({ kind: kind('Cancelled'), ...reportHead, venueOrderId, cause, filled: lots }),
  CancelRejected: record({ kind: kind('CancelRejected'), ...reportHead, rejection }),
  StatusAnswered: record({ kind: kind('StatusAnswered'), ...reportHead, answer: queriedState, filled: lots }),
  Throttled: record({ kind: kind('Throttled'), ...reportHead }),
  Unreadable: record({ kind: kind('Unreadable'), ...reportHead, detail: text() }),
  Funds: record({
    kind: kind('Funds'),
    ...accountRef,
    atMs: epochMs,
    isSnapshot: fc.boolean(),
    version,
    balances: fc.array(record({ asset: text(), total: amount, free: amount }), { maxLength: 4 }),
    causedBy: fc.option(orderId, { nil: null }),
  }),
  Positions: record({
    kind: kind('Positions'),
    ...accountRef,
    atMs: epochMs,
    isSnapshot: fc.boolean(),
    version,
    positions: fc.array(position, { maxLength: 4 }),
  }),
  Orders: record({
    kind: kind('Orders'),
    ...accountRef,
    atMs: epochMs,
    orders: fc.array(listedOrder, { maxLength: 4 }),
    next: text(),
    knownSinceMs: epochMs,
  }),
  QueryRejected: record({ kind: kind('QueryRejected'), ...accountRef, atMs: epochMs, rejection }),
  Candles: record({
    kind: kind('Candles'),
    ...accountRef,
    atMs: epochMs,
    instrument,
    interval,
    candles: fc.array(candle, { maxLength: 4 }),
  }),
  FundingRates: record({
    kind: kind('FundingRates'),
    ...accountRef,
    atMs: epochMs,
    instrument,
    rates: fc.array(record({ atMs: epochMs, ratePpm, markPrice: fc.option(ticks) }), { maxLength: 4 }),
  }),
  Link: record({ kind: kind('Link'), venue, account: linkAccount, isUp: fc.boolean(), atMs: epochMs }),
};

export const marketUpdates: ByKind<MarketUpdate> = {
  Traded: record({ kind: kind('Traded'), print: tradePrint }),
  CandleChanged: record({ kind: kind('CandleChanged'), instrument, interval, candle, isClosed: fc.boolean() }),
  MarkChanged: record({
    kind: kind('MarkChanged'),
    instrument,
    mark: record({
      markPrice: ticks,
      indexPrice: ticks,
      fundingRatePpm: ratePpm,
      nextFundingAtMs: epochMs,
      atMs: epochMs,
    }),
  }),
  OpenInterestChanged: record({
    kind: kind('OpenInterestChanged'),
    instrument,
    openInterest: record({ openInterest: lots, markPrice: ticks, atMs: epochMs }),
  }),
};
