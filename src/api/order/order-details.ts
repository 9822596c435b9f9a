import {
  cancelCauseMember,
  echoedMembers,
  instantText,
  liveModeMember,
  optional,
  optionalQuoted,
  outcomeMembers,
  overFilledMember,
  quarantineMember,
  quote,
} from '../field/json-text.js';
import {
  type Amount,
  averagePrice,
  formatAmount,
  formatLots,
  formatNotional,
  formatTicks,
  type Grid,
  type Lots,
  ZERO_LOTS,
} from '../../domain/quantity.js';
import { assert, type Rejection } from '../../domain/rejection.js';
import type { EventEnvelope } from '../../domain/event.js';
import { childClientId, type ClientOrderId, type OrderId } from '../../domain/ids.js';
import { mishedge } from '../../domain/pair-balance.js';
import type { Leg, OrderStatus, ParentOrder, SettledStatus } from '../../domain/order.js';
import {
  endTimeOf,
  type FeeTotal,
  leadingOf,
  type LegState,
  type ParentState,
  quoteRateOf,
  endOf,
} from '../../domain/order-state.js';
import { legAt, mapLegs, type Pair } from '../../domain/pair.js';
import { leadingLeg, requestEchoOf } from '../../domain/order-legs.js';
import type { EpochMs } from '../../domain/time.js';

/** Input of the details besides the state of the order. */
interface DetailsExtras {
  /** Trades as JSON texts; null when the request does not want them. */
  readonly trades: readonly string[] | null;
  readonly withFees: boolean;
  /** Clip and params as in the request. */
  readonly withParams: boolean;
  /** Outcome to show instead of that of the order. null: the outcome of the order. */
  readonly outcome: Rejection | null;
}

/**
 * OrderDetails of the contract as JSON, without absent fields. In a multi-leg order, the legs have the members of a
 * leg.
 */
export function detailsText(state: ParentState, extras: DetailsExtras): string {
  const { order, status } = state;
  const { pair } = order;
  const leg = leadingLeg(order);
  const endAtMs = endTimeOf(state) ?? endOf(order, state.startedAtMs);
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `${pair === null ? `"symbol":${quote(leg.symbol)},` : ''}"status":"${status}"` +
    `,"asset_class":"${leg.assetCategory}"` +
    (pair === null
      ? `,"exchange":"${leg.venue}"${liveModeMember(leg.instrument)},"strategy":"${leg.strategy}"`
      : ',"algo":"PAIR"') +
    `,"created_at":${order.createdAtMs},"start_time":${order.startAtMs}` +
    (endAtMs === null ? '' : `,"end_time":${endAtMs}`) +
    termsMembers(leg, extras.withParams ? requestEchoOf(order) : '') +
    fillMembers(leadingOf(state), leg, pair === null) +
    reasonMembers(state, extras.outcome) +
    cancelCauseMember(state.cancelCause) +
    quarantineMember(state.quarantine) +
    (pair === null ? '' : pairMembers(state, pair, extras)) +
    (extras.trades === null ? '' : `,"trades":[${extras.trades.join(',')}]`) +
    (extras.withFees ? `,"fees_infos":${feesText(feesTogether(state.legs))}` : '') +
    '}'
  );
}

/** Why the order has ended, is refused or is quarantined. Without such a reason: which child it waits for. */
function reasonMembers(state: ParentState, refusal: Rejection | null): string {
  const outcome = refusal ?? state.outcome;
  return outcome === null ? optionalQuoted('message', awaitedText(state)) : outcomeMembers(outcome);
}

/** Names the oldest child of unknown state: until it is known the order cannot end. null: there is none. */
function awaitedText({ order, legs }: ParentState): string | null {
  const unknown = legs.flatMap(({ children }) => children.filter(({ state }) => state === 'UNKNOWN'));
  const oldest = unknown.toSorted((a, b) => a.order.child - b.order.child)[0]?.order;
  if (oldest === undefined) return null;
  const name = childClientId(order.orderId, oldest.child);
  const others = unknown.length === 1 ? '' : `, and of ${unknown.length - 1} more`;
  const { venue } = legAt(order.legs, oldest.leg);
  return `waits for ${venue} to report the state of child ${name} of ${new Date(oldest.submittedAtMs).toISOString()}${others}`;
}

/** Result of a create or a cancel for one order. */
export interface OrderSummary {
  /** null: nothing is stored. */
  readonly orderId: OrderId | null;
  readonly clientOrderId: ClientOrderId | null;
  readonly status: OrderStatus;
  /** Creation time of the order. Time of the answer when no order is stored. */
  readonly createdAtMs: EpochMs;
  readonly outcome: Rejection | null;
}

/** The summary of an order that is stored, or will be. */
export function summaryOf(
  { orderId, clientOrderId, createdAtMs }: ParentOrder,
  status: OrderStatus,
  outcome: Rejection | null,
): OrderSummary {
  return { orderId, clientOrderId, status, createdAtMs, outcome };
}

/** OrderSummary of the contract as JSON, without absent fields. */
export function summaryText(summary: OrderSummary): string {
  const { orderId, clientOrderId, status, createdAtMs, outcome } = summary;
  return (
    (orderId === null ? '{' : `{"order_id":${orderId},`) +
    (clientOrderId === null ? '' : `"client_order_id":${quote(clientOrderId)},`) +
    `"status":"${status}","created_at":${instantText(createdAtMs)}${outcomeMembers(outcome)}}`
  );
}

/** Members that only a multi-leg order has: `,"mishedge":0,"legs":[…]`. */
function pairMembers(state: ParentState, pair: Pair, { withFees, withParams }: DetailsExtras): string {
  const texts = mapLegs(state.order.legs, (terms, leg) => {
    const isLeading = pair.isLed && leg === pair.leadingIndex;
    return legText(state, terms, { isLeading, leg: legAt(state.legs, leg), withFees, withParams });
  });
  const balance = mishedge(
    state.order,
    mapLegs(state.legs, ({ progress }) => progress),
    quoteRateOf(state),
  );
  return `,"mishedge":${balance},"legs":[${texts.join(',')}]`;
}

interface LegExtras {
  readonly isLeading: boolean;
  readonly leg: LegState;
  readonly withFees: boolean;
  readonly withParams: boolean;
}

function legText(state: ParentState, terms: Leg, { isLeading, leg, withFees, withParams }: LegExtras): string {
  const { order, status } = state;
  const { filled, notional } = leg.progress;
  const { target } = terms;
  assert(target !== null, 'a leg of a pair has a target');
  const endAtMs = endTimeOf(state) ?? endOf(order, state.startedAtMs);
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `"symbol":${quote(terms.symbol)},"status":"${legStatus(status, filled, terms.quantity)}"` +
    `,"asset_class":"${terms.assetCategory}","exchange":"${terms.venue}"${liveModeMember(terms.instrument)}` +
    `,"strategy":"${terms.strategy}","created_at":${order.createdAtMs},"start_time":${order.startAtMs}` +
    (endAtMs === null ? '' : `,"end_time":${endAtMs}`) +
    termsMembers(terms, withParams ? terms.requestEcho : '') +
    `${fillMembers(leg, terms, true)},"is_leading":${isLeading}` +
    `,"target_value":${target.value},"ccy":${quote(target.ccy)}` +
    `,"filled_value":${target.isBase ? formatLots(filled, terms) : formatNotional(notional, terms)}` +
    `${withFees ? `,"fees_infos":${feesText(leg.fees)}` : ''}}`
  );
}

/** Status of a leg. It differs from that of a PARTIALLY_FILLED order when the leg is complete or has no fills. */
function legStatus(status: SettledStatus, filled: Lots, quantity: Lots): SettledStatus {
  if (status !== 'PARTIALLY_FILLED') return status;
  if (filled >= quantity) return 'FILLED';
  return filled === 0 ? 'ACCEPTED' : status;
}

/** Fees by currency as a JSON object. */
function feesText(fees: readonly FeeTotal[]): string {
  return `{${fees.map(({ currency, amount }) => `${quote(currency)}:${formatAmount(amount)}`).join(',')}}`;
}

/** Sums the fees of all legs by currency. */
function feesTogether(legs: ParentState['legs']): readonly FeeTotal[] {
  const sums = new Map<string, Amount>();
  for (const { fees } of legs) {
    for (const { currency, amount } of fees) sums.set(currency, ((sums.get(currency) ?? 0n) + amount) as Amount);
  }
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}

/** Quantity and limit price of a leg, and the members of an echo, with a comma before each. */
function termsMembers(terms: Leg, requestEcho: string): string {
  const { quantity, limitPrice } = terms;
  return (
    `,"quantity":${formatLots(quantity, terms)}` +
    optional('limit_price', limitPrice === null ? null : formatTicks(limitPrice, terms)) +
    echoedMembers(requestEcho)
  );
}

type FilledTerms = Grid & Pick<Leg, 'side' | 'quantity'>;

/** Members of OrderDetails for the progress, with a comma before each. `side` is optional. */
function fillMembers(leg: LegState, terms: FilledTerms, withSide: boolean): string {
  const { side, quantity } = terms;
  const { progress, lastQuantity, lastPrice } = leg;
  const leaves = Math.max(quantity - progress.filled, ZERO_LOTS) as Lots;
  return (
    `,"filled_quantity":${formatLots(progress.filled, terms)},"leaves_quantity":${formatLots(leaves, terms)}` +
    overFilledMember(quantity, progress.filled, terms) +
    `${withSide ? `,"side":"${side}"` : ''},"last_quantity":${formatLots(lastQuantity, terms)}` +
    `,"last_price":${formatTicks(lastPrice, terms)}` +
    `,"average_price":${averagePrice(progress.notional, progress.filled, terms)}`
  );
}

/** TradeDetails of the contract as JSON, from the envelope of a ChildFilled and its parent. */
export function tradeText(order: ParentOrder, envelope: EventEnvelope): string {
  const { event, eventAtMs } = envelope;
  assert(event.kind === 'ChildFilled', 'every trade is a fill');
  const { fill } = event;
  const traded = legAt(order.legs, event.leg);
  return (
    `{"trade_id":${fill.tradeId},"symbol":${quote(traded.symbol)},"exchangeOrderId":${quote(fill.venueOrderId)},` +
    (order.clientOrderId === null ? '' : `"clientOrderId":${quote(order.clientOrderId)},`) +
    `"quantity":${formatLots(fill.quantity, traded)},"price":${formatTicks(fill.price, traded)},` +
    `"direction":"${traded.side}","makerOrTaker":"${fill.liquidity}","execTime":${eventAtMs},` +
    `"fee":${formatAmount(fill.fee)},"feeCurrency":${quote(fill.feeCurrency)}}`
  );
}
