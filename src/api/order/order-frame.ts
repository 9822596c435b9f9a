import {
  cancelCauseMember,
  echoedMembers,
  liveModeMember,
  optional,
  optionalQuoted,
  overFilledMember,
  quote,
} from '../field/json-text.js';
import {
  addNotional,
  averagePrice,
  formatAmount,
  formatLots,
  formatNotional,
  formatSteps,
  formatTicks,
  type Grid,
  type Lots,
  ZERO_NOTIONAL,
} from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { CancelCause } from '../../domain/cancel-cause.js';
import type { AccountTopic, ChildSnapshot, EventEnvelope, OrderSnapshot } from '../../domain/event.js';
import { EXCHANGE_IDS, type Venue, VENUES } from '../../domain/exchange.js';
import { childClientId } from '../../domain/ids.js';
import { exchangeTradeId } from '../../domain/trade-id.js';
import { mishedge } from '../../domain/pair-balance.js';
import type { ChildOrder, Progress } from '../../domain/order-state.js';
import type { Leg, ParentOrder, Side } from '../../domain/order.js';
import { legAt, mapLegs } from '../../domain/pair.js';
import { leadingIndexOf, leadingLeg, requestEchoOf } from '../../domain/order-legs.js';
import type { EpochMs } from '../../domain/time.js';
import { reasonMembers } from './reason.js';

/** Frame of topic `order` in the feed of a venue: state of a parent order after the event. */
export function orderFrame(seq: number, venue: Venue, envelope: EventEnvelope, order: ParentOrder): string {
  const { event } = envelope;
  const note = event.kind === 'StrategyNoted' ? event.reason.detail : null;
  return `{${feedMembers('order', seq, venue)}${orderMembers(envelope, order, note)}}`;
}

/** Place of a snapshot frame in its feed. */
export interface SnapshotPlace {
  /** Number of the last frame of the feed before the snapshot; 0: there was none. */
  readonly seq: number;
  readonly venue: Venue;
  /** True for the last frame of the snapshot. */
  readonly isLast: boolean;
}

/** Snapshot frame of an order: its state after its last event. */
export function orderSnapshotFrame(
  { seq, venue, isLast }: SnapshotPlace,
  envelope: EventEnvelope,
  order: ParentOrder,
): string {
  const mark = isLast ? ',"snapshot":true,"snapshot_end":true' : ',"snapshot":true';
  return `{${feedMembers('order', seq, venue)}${mark}${orderMembers(envelope, order, null)}}`;
}

/** Members of topic `order`, with a comma before each. `note`: message of an order that has not ended; null: none. */
function orderMembers(envelope: EventEnvelope, order: ParentOrder, note: string | null): string {
  const { parent } = envelope;
  assert(parent !== null, 'an order event has a snapshot of the parent');
  const leading = legAt(parent.legs, leadingIndexOf(order));
  const leg = leadingLeg(order);
  const status = orderStatusJson({
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    venue: leg.venue,
    side: leg.side,
    quantity: leading.quantity,
    grid: leg,
    progress: { ...leading, status: parent.status, outcome: parent.outcome },
    atMs: envelope.eventAtMs,
    cancelCause: parent.cancelCause,
    note,
  });
  return (
    `,"order_status":${status}` +
    `,"order":${parentJson(order, parent)},"order_progress":${progressOf(leading.filled, leading.quantity)}` +
    `${mishedgeMember(order, parent)}${quarantineMember(parent)}`
  );
}

/** Member `quarantine` with its comma; empty when the order was never quarantined. */
function quarantineMember({ quarantine }: OrderSnapshot): string {
  if (quarantine === null) return '';
  const { sinceMs, reason, detail } = quarantine;
  return `,"quarantine":{"since":${sinceMs},"reason":"${reason}","detail":${quote(detail)}}`;
}

/** Member `mishedge` of a multi-leg order after the event; empty for other orders. */
function mishedgeMember(order: ParentOrder, parent: OrderSnapshot): string {
  return order.pair === null ? '' : `,"mishedge":${mishedge(order, parent.legs, parent.quoteRate)}`;
}

/** The order as last amended at the time of the event. */
function parentJson(order: ParentOrder, parent: OrderSnapshot): string {
  const leg = leadingLeg(order);
  return (
    `{"order_id":"${order.orderId}"${optionalQuoted('client_order_id', order.clientOrderId)}` +
    `,${exchangeMembers(leg.venue)}${liveModeMember(leg.instrument)}${optionalQuoted('subaccount', order.subaccount)}` +
    `,"symbol":${quote(leg.symbol)},"asset_class":"${leg.assetCategory}","side":"${leg.side}"` +
    `,"quantity":${formatLots(legAt(parent.legs, leadingIndexOf(order)).quantity, leg)}` +
    optional('limit_price', leg.limitPrice === null ? null : formatTicks(leg.limitPrice, leg)) +
    `,"strategy":"${leg.strategy}","order_type":"${leg.strategy}"` +
    `,"created_at":${order.createdAtMs},"start_time":${order.startAtMs}` +
    optional('end_time', order.endAtMs === null ? null : String(order.endAtMs)) +
    `${echoedMembers(requestEchoOf(order))}${pairMembers(order, parent)}}`
  );
}

/** Members that only a multi-leg order has: `,"algo":"PAIR","legs":[…]`; empty for other orders. */
function pairMembers({ pair, legs: terms }: ParentOrder, parent: OrderSnapshot): string {
  if (pair === null) return '';
  const legs = mapLegs(terms, (own, leg) =>
    legJson(own, pair.isLed && leg === pair.leadingIndex, legAt(parent.legs, leg)),
  );
  return `,"algo":"PAIR","legs":[${legs.join(',')}]`;
}

/** A leg as submitted, with its progress. */
function legJson(leg: Leg, isLeading: boolean, { filled, notional }: Progress): string {
  const { target } = leg;
  assert(target !== null, 'a leg of a pair has a target');
  return (
    `{${exchangeMembers(leg.venue)}${liveModeMember(leg.instrument)},"symbol":${quote(leg.symbol)},"asset_class":"${leg.assetCategory}"` +
    `,"side":"${leg.side}","is_leading":${isLeading},"target_value":${target.value},"ccy":${quote(target.ccy)}` +
    `,"quantity":${formatLots(leg.quantity, leg)}` +
    optional('limit_price', leg.limitPrice === null ? null : formatTicks(leg.limitPrice, leg)) +
    `,"strategy":"${leg.strategy}"${echoedMembers(leg.requestEcho)}` +
    `,"filled_quantity":${formatLots(filled, leg)},"average_price":${averagePrice(notional, filled, leg)}` +
    `,"filled_value":${target.isBase ? formatLots(filled, leg) : formatNotional(notional, leg)}}`
  );
}

/** Input of `order_status` for a parent or a child. */
interface StatusSubject {
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly venue: Venue;
  readonly side: Side;
  readonly quantity: Lots;
  readonly grid: Grid;
  readonly progress: Pick<ChildSnapshot, 'status' | 'filled' | 'notional' | 'outcome'>;
  /** When the order reached this status. */
  readonly atMs: EpochMs;
  /** null for a child. */
  readonly cancelCause: CancelCause | null;
  /** Message of an order that has not ended; null: none. */
  readonly note: string | null;
}

/** The object `order_status` of a frame. */
function orderStatusJson(subject: StatusSubject): string {
  const { progress, grid, quantity } = subject;
  const { outcome } = progress;
  const leaves = Math.max(0, quantity - progress.filled) as Lots;
  return (
    `{"source":"SLUICE","order_id":"${subject.orderId}"${optionalQuoted('client_order_id', subject.clientOrderId)}` +
    `,"exchange_id":${EXCHANGE_IDS[subject.venue]},"status":"${progress.status}","created_at":${subject.atMs}` +
    `,"filled_quantity":${formatLots(progress.filled, grid)},"leaves_quantity":${formatLots(leaves, grid)}` +
    overFilledMember(quantity, progress.filled, grid) +
    `,"side":"${subject.side}","average_price":${averagePrice(progress.notional, progress.filled, grid)}` +
    (outcome === null
      ? optionalQuoted('message', subject.note)
      : `,"message":${quote(outcome.message)},"error_code":"${outcome.code}"`) +
    `${cancelCauseMember(subject.cancelCause)}}`
  );
}

const PROGRESS_DIGITS = 6;

/** filled ÷ quantity as a decimal in 0..1, rounded down, so that 1 means complete. Also 1 after an overfill. */
export function progressOf(filled: Lots, quantity: Lots): string {
  const counted = Math.min(filled, quantity);
  return formatSteps((BigInt(counted) * 10n ** BigInt(PROGRESS_DIGITS)) / BigInt(quantity), PROGRESS_DIGITS);
}

/** Frame of topic `child_order`: state of a child order after the event. */
export function childOrderFrame(seq: number, envelope: EventEnvelope, parent: ParentOrder): string {
  const { child: progress } = envelope;
  assert(progress !== null, 'a child event has a snapshot of the child');
  const child = progress.order;
  const id = childClientId(parent.orderId, child.child);
  const traded = legAt(parent.legs, child.leg);
  const status = orderStatusJson({
    orderId: id,
    clientOrderId: id,
    venue: traded.venue,
    side: child.side,
    quantity: child.quantity,
    grid: traded,
    progress,
    atMs: envelope.eventAtMs,
    cancelCause: null,
    note: null,
  });
  return (
    `{${feedMembers('child_order', seq, envelope.venue)},"order_status":${status}` +
    `,"order":${childJson(child, parent)},"order_progress":${progressOf(progress.filled, child.quantity)}}`
  );
}

function childJson(child: ChildOrder, parent: ParentOrder): string {
  const id = childClientId(parent.orderId, child.child);
  const traded = legAt(parent.legs, child.leg);
  return (
    `{"order_id":"${id}","client_order_id":"${id}","parent_order_id":"${parent.orderId}"` +
    `,${exchangeMembers(traded.venue)}${liveModeMember(traded.instrument)}${optionalQuoted('subaccount', parent.subaccount)}` +
    `,"symbol":${quote(traded.symbol)},"asset_class":"${traded.assetCategory}","side":"${child.side}"` +
    `,"quantity":${formatLots(child.quantity, traded)}` +
    optional('limit_price', child.limitPrice === null ? null : formatTicks(child.limitPrice, traded)) +
    `,"strategy":"${traded.strategy}","order_type":"${child.type}","tif":"${child.timeInForce}"` +
    `,"created_at":${child.submittedAtMs},"start_time":${child.submittedAtMs}${reasonMembers(child.reason, parent, child.leg)}}`
  );
}

/** Frame of topic `trade`: one fill. `order_id` is the child's, `client_order_id` the parent's. */
export function tradeFrame(seq: number, envelope: EventEnvelope, parent: ParentOrder): string {
  const { event } = envelope;
  assert(event.kind === 'ChildFilled', 'every trade is a fill');
  const { fill } = event;
  const traded = legAt(parent.legs, event.leg);
  const cost = addNotional(ZERO_NOTIONAL, fill.quantity, fill.price);
  return (
    `{${feedMembers('trade', seq, envelope.venue)},"trade_id":"${fill.tradeId}"` +
    `,"order_id":"${childClientId(parent.orderId, event.child)}","parent_order_id":"${parent.orderId}"` +
    `,"symbol":${quote(traded.symbol)},"side":"${traded.side}","taker_or_maker":"${fill.liquidity}"` +
    `,"price":${formatTicks(fill.price, traded)},"amount":${formatLots(fill.quantity, traded)}` +
    `,"cost":${formatNotional(cost, traded)}` +
    `,"fee_currency":${quote(fill.feeCurrency)},"fee_cost":${formatAmount(fill.fee)}` +
    `,"timestamp":${envelope.eventAtMs},"ext_trade_id":${quote(exchangeTradeId(fill))},"ext_order_id":${quote(fill.venueOrderId)}` +
    `${optionalQuoted('client_order_id', parent.clientOrderId)}${event.isLate ? ',"is_late":true' : ''}}`
  );
}

const EXCHANGE_MEMBERS = Object.fromEntries(
  VENUES.map((venue) => [venue, `"exchange_id":${EXCHANGE_IDS[venue]},"exchange_name":"${venue}"`]),
) as Readonly<Record<Venue, string>>;

/** `"exchange_id":1,"exchange_name":"BINANCE"`. */
function exchangeMembers(venue: Venue): string {
  return EXCHANGE_MEMBERS[venue];
}

/** First members of every frame of an account topic. `seq` counts the frames of (account, topic, venue) from 1. */
export function feedMembers(topic: AccountTopic, seq: number, venue: Venue): string {
  return `"topic":"${topic}","seq":${seq},${exchangeMembers(venue)}`;
}
