import { formatAmount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import {
  isOrderEvent,
  type EventEnvelope,
  type Fill,
  type OrderEvent,
  type ParentStanding,
} from '../../model/event.js';
import type { ChildNumber } from '../../model/ids.js';
import { mishedge } from '../../model/mishedge.js';
import type { ChildOrder, ParentOrder, Reason } from '../../model/order.js';
import { followingLeg, isFollowers, tradedBy } from '../../model/pair.js';
import { formatLots, formatSteps, formatTicks, type Grid, type Lots } from '../../model/quantity.js';
import { outcomeMembers, quote } from './json-text.js';

/** TimelineEntry as JSON: what happened, why, and where the order and its child stood then. */
export function timelineEntryText(order: ParentOrder, envelope: EventEnvelope): string {
  const { seq, eventAtMs, causationSeq, event, parent, child } = envelope;
  assert(isOrderEvent(event) && parent !== null, `entry ${seq} is about an order`);
  const number = child?.order.child ?? ('child' in event ? event.child : null);
  const traded = number === null ? order : tradedBy(order, number);
  return (
    `{"seq":${seq},"time":${eventAtMs},"event":"${event.kind}"` +
    (causationSeq > 0 ? `,"caused_by":${causationSeq}` : '') +
    (number === null ? '' : `,"child_order_id":"${order.orderId}-${number}"`) +
    `${factsOf(event, traded)},"status":"${parent.status}"` +
    (child === null
      ? ''
      : `,"child_status":"${child.status}","child_filled_quantity":${formatLots(child.filled, traded)}`) +
    `,"filled_quantity":${formatLots(parent.filled, order)}` +
    `,"leaves_quantity":${formatLots(Math.max(0, parent.quantity - parent.filled) as Lots, order)}` +
    `${legsMembers(order, parent, number)}}`
  );
}

/** Of a multi-leg order: which leg the event is about, and what is filled of it and unequal between them. */
function legsMembers(order: ParentOrder, parent: ParentStanding, child: ChildNumber | null): string {
  const { pair } = order;
  if (pair === null || parent.follower === null) return '';
  const other = followingLeg(pair);
  const leg = child === null ? '' : `,"leg":${isFollowers(order, child) ? 1 - pair.leadingIndex : pair.leadingIndex}`;
  const followed = formatLots(parent.follower.filled, other);
  return `${leg},"other_filled_quantity":${followed},"mishedge":${mishedge(order, parent, other, parent.follower)}`;
}

/** The members that only some kinds of events have, each with its comma. */
function factsOf(event: OrderEvent, grid: Grid): string {
  switch (event.kind) {
    case 'ParentCreated':
    case 'ParentAmendRequested':
    case 'ParentAmended':
      return termsMembers(event.order);
    case 'ParentStarted':
      // Half of it, with one digit more.
      return `,"arrival_price":${formatSteps(BigInt(event.arrivalTwiceMid) * 5n, grid.pricePrecision + 1)}`;
    case 'ParentCancelled':
    case 'ParentExpired':
    case 'ChildCancelled':
      return outcomeMembers(event.cause);
    case 'ParentRejected':
    case 'ChildRejected':
    case 'ChildCancelRefused':
      return outcomeMembers(event.rejection);
    case 'StrategyNoted':
    case 'ChildCancelRequested':
      return reasonMembers(event.reason);
    case 'ChildAdopted':
    case 'ChildSubmitted':
      return childMembers(event.order, grid) + reasonMembers(event.order.reason);
    case 'ChildAccepted':
      return `,"exchange_order_id":${quote(event.venueOrderId)}`;
    case 'ChildFilled':
      return fillMembers(event.fill, grid) + (event.isLate ? ',"is_late":true' : '');
    case 'ParentQuarantined':
      return reasonMembers({ code: event.code, detail: event.detail });
    case 'ReportContradicted':
      return reasonMembers({ code: event.contradiction, detail: event.detail });
    case 'ParentReleased':
    case 'ParentAccepted':
    case 'ParentCancelRequested':
    case 'ParentPauseRequested':
    case 'ParentPaused':
    case 'ParentResumeRequested':
    case 'ParentResumed':
    case 'ParentPlanned':
    case 'ParentRestored':
    case 'ParentReconciled':
    case 'ChildUnknown':
    case 'ChildNeverPlaced':
      return '';
    default:
      return event satisfies never;
  }
}

function termsMembers(order: ParentOrder): string {
  const { quantity, limitPrice, endAtMs, requestEcho } = order;
  const echoed = requestEcho.slice(1, -1);
  return (
    `,"side":"${order.side}","quantity":${formatLots(quantity, order)}` +
    (limitPrice === null ? '' : `,"price":${formatTicks(limitPrice, order)}`) +
    (endAtMs === null ? '' : `,"end_time":${endAtMs}`) +
    (echoed === '' ? '' : `,${echoed}`)
  );
}

function childMembers({ side, quantity, limitPrice, type, timeInForce, postOnly }: ChildOrder, grid: Grid): string {
  return (
    `,"side":"${side}","quantity":${formatLots(quantity, grid)}` +
    (limitPrice === null ? '' : `,"price":${formatTicks(limitPrice, grid)}`) +
    `,"order_type":"${type}","tif":"${timeInForce}"${postOnly ? ',"post_only":true' : ''}`
  );
}

function fillMembers({ tradeId, quantity, price, liquidity, fee, feeCurrency }: Fill, grid: Grid): string {
  return (
    `,"trade_id":${tradeId},"quantity":${formatLots(quantity, grid)},"price":${formatTicks(price, grid)}` +
    `,"taker_or_maker":"${liquidity}","fee":${formatAmount(fee)},"fee_currency":${quote(feeCurrency)}`
  );
}

function reasonMembers({ code, detail }: Reason): string {
  return `,"reason":${quote(code)}${detail === '' ? '' : `,"detail":${quote(detail)}`}`;
}
