import { requestedBy } from '../../src/domain/cancel-cause.js';
import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { OrderEvent } from '../../src/domain/event.js';
import type { AccountId, ApiKeyId, ChildNumber, OrderId, VenueOrderId, VenueTradeId } from '../../src/domain/ids.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Market } from '../../src/domain/market.js';
import type { ChildOrder, ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Rejection, RejectionCode } from '../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import type { ExecutionReport } from '../../src/domain/venue-report.js';
import { evolve } from '../../src/order/evolve.js';
import { PLAIN_CHILD } from '../domain/plain-child.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { type FlatTerms, plainOrder, withTerms } from '../domain/plain-order.js';
import { memoryOf } from './memories.js';

export const START_MS = 1_700_000_000_000 as EpochMs;

export const BTC = plainInstrument();

export const PERPETUAL: Instrument = { ...BTC, symbol: 'BTC/USDT:USDT', assetCategory: 'FUTURE' };

export function orderOf(change: Partial<FlatTerms> = {}): ParentOrder {
  const order = plainOrder(BTC, START_MS, {
    orderId: 4_711 as OrderId,
    account: 'demo' as AccountId,
    endAtMs: (START_MS + 60_000) as EpochMs,
    durationMs: 60_000 as DurationMs,
    style: 'AGGRESSIVE',
  });
  return withTerms(order, change);
}

export function marketOf(change: Partial<Record<'bid' | 'ask' | 'last' | 'volume', number>> = {}): Market {
  const { bid = 6_400_000, ask = 6_400_010, last = 6_400_005, volume = 0 } = change;
  return {
    bid: bid as Ticks,
    ask: ask as Ticks,
    bidQuantity: 500 as Lots,
    askQuantity: 500 as Lots,
    last: last as Ticks,
    volume: volume as Lots,
    volatility: 0,
    atMs: START_MS,
  };
}

function childOf(child: number, change: Partial<ChildOrder> = {}): ChildOrder {
  return {
    child: child as ChildNumber,
    leg: 0,
    ...PLAIN_CHILD,
    submittedAtMs: START_MS,
    reason: { code: 'TEST', detail: '' },
    ...change,
  };
}

/** A client's cancel. */
export const CANCEL = { kind: 'Cancel', cancelCause: requestedBy('CLIENT', 'key-1' as ApiKeyId) } as const;

// Short makers of events.
export const created = (order: ParentOrder = orderOf()): OrderEvent => ({ kind: 'ParentCreated', order });
export const accepted: OrderEvent = { kind: 'ParentAccepted' };
export const started: OrderEvent = {
  kind: 'ParentStarted',
  legs: [{ arrivalTwiceMid: 12_800_010, memory: memoryOf(10) }],
};
export const submitted = (child: number, change: Partial<ChildOrder> = {}): OrderEvent => ({
  kind: 'ChildSubmitted',
  order: childOf(child, change),
  memory: null,
});
export const venueId = (child: number): VenueOrderId => `v${child}` as VenueOrderId;
export const acknowledged = (child: number): OrderEvent => ({
  kind: 'ChildAccepted',
  child: child as ChildNumber,
  venueOrderId: venueId(child),
});
export const fillOf = (child: number, quantity: number, price = 6_400_000, tradeId = child * 1_000 + quantity) => ({
  tradeId: tradeId as VenueTradeId,
  exchangeTradeId: '',
  venueOrderId: venueId(child),
  quantity: quantity as Lots,
  price: price as Ticks,
  liquidity: 'MAKER' as const,
  fee: 7n as Amount,
  feeCurrency: 'USDT',
});
export const filled = (child: number, quantity: number, isLate = false): OrderEvent => ({
  kind: 'ChildFilled',
  child: child as ChildNumber,
  leg: 0,
  fill: fillOf(child, quantity),
  isLate,
});
export const cancelled = (child: number, cause: Rejection | null = null): OrderEvent => ({
  kind: 'ChildCancelled',
  child: child as ChildNumber,
  cause,
});
export const refused = (child: number, code: RejectionCode = 'EXCHANGE_ERROR'): OrderEvent => ({
  kind: 'ChildRejected',
  child: child as ChildNumber,
  rejection: rejectionOf(code),
});
export const cancelWanted = (child: number): OrderEvent => ({
  kind: 'ChildCancelRequested',
  child: child as ChildNumber,
  reason: { code: 'TEST', detail: '' },
});
export const unknown = (child: number): OrderEvent => ({ kind: 'ChildUnknown', child: child as ChildNumber });

export function rejectionOf(code: RejectionCode): Rejection {
  return { code, message: `the venue reports ${code}` };
}

/** An order that may trade. */
export const WORKABLE: readonly OrderEvent[] = [created(), accepted, started];

/** Folds the events to a state, one second apart. */
export function given(events: readonly OrderEvent[]): ParentState {
  let state: ParentState | null = null;
  for (const [index, event] of events.entries()) state = evolve(state, event, (START_MS + index * 1_000) as EpochMs);
  if (state === null) throw new Error('a story has at least one event');
  return state;
}

type ReportBody = ExecutionReport extends infer Report
  ? Report extends ExecutionReport
    ? Omit<Report, 'account' | 'venue' | 'orderId' | 'child' | 'atMs'>
    : never
  : never;

export function reportOf(child: number, body: ReportBody, atMs: EpochMs = START_MS): ExecutionReport {
  const { account, orderId, legs } = orderOf();
  return { account, venue: legs[0].venue, orderId, child: child as ChildNumber, atMs, ...body };
}
