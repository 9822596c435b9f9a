import { Type } from '@sinclair/typebox';
import { ClientOrderId, OrderIdSchema, OrderParams } from './order-schema.js';
import { READING, type SignedOperation } from '../document/operation.js';
import { ApiErrorCode } from '../field/error-code.js';
import { cancelCauseMember, echoedMembers, outcomeMembers, overFilledMember, quote } from '../field/json-text.js';
import { integerValue, type Query } from '../field/query.js';
import { choice, decimal, described, epochMs } from '../field/schema.js';
import { ClipSizeType, OrderStatus, Side } from '../field/vocabulary.js';
import { formatAmount, formatLots, formatTicks, type Grid, type Lots, formatHalfTicks } from '../../domain/quantity.js';
import { assert, isRejected, type OrRejection } from '../../domain/rejection.js';
import {
  type EventEnvelope,
  type Fill,
  isOrderEvent,
  type OrderEvent,
  type OrderSnapshot,
} from '../../domain/event.js';
import type { Seq } from '../../domain/ids.js';
import { TIMELINE_ENTRIES_DEFAULT, TIMELINE_ENTRIES_MAX } from '../../domain/limits/clients.js';
import { mishedge } from '../../domain/pair-balance.js';
import type { ChildOrder } from '../../domain/order-state.js';
import type { ParentOrder } from '../../domain/order.js';
import { hedgingIndexOf, legAt, type LegIndex } from '../../domain/pair.js';
import { leadingIndexOf, leadingLeg, requestEchoOf } from '../../domain/order-legs.js';
import { CancelCausePart, MISHEDGE, OVER_FILLED } from './order-answer.js';
import { type OrderRef, parseOrderName } from './order-reference.js';
import { ReasonCode, ReasonDetail, reasonMembers } from './reason.js';

const seq = (description: string) => Type.Integer({ minimum: 1, description });

const TimelineEntry = Type.Object(
  {
    seq: seq('Sequence number in the journal of the service: increasing, with gaps.'),
    time: epochMs('Time of the event, service time.'),
    event: Type.String({
      description:
        'Kind of the event. Parent…: the order. Child…: one of its children. StrategyNoted: the strategy deliberately did nothing.',
      examples: ['ChildSubmitted'],
    }),
    caused_by: Type.Optional(
      seq('The event that caused this one. Absent when a request, a timer or the exchange is the cause.'),
    ),
    child_order_id: Type.Optional(
      Type.String({ description: 'The child of the event, as `<order id>-<n>`.', examples: ['65537-1'] }),
    ),
    side: Type.Optional(Side),
    quantity: Type.Optional(decimal('Quantity of the order, the child or the fill.')),
    price: Type.Optional(decimal('Limit price of the order or the child, or price of the fill.')),
    end_time: Type.Optional(epochMs('End of trading by the terms of the order, service time.')),
    clip_size_type: Type.Optional(ClipSizeType),
    clip_size_val: Type.Optional(decimal('As in the request; its unit follows from `clip_size_type`.')),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: `As in ${OrderParams.title}.` })),
    arrival_price: Type.Optional(decimal('Mid price when the order first could trade.')),
    order_type: Type.Optional(choice('ChildType', ['LIMIT', 'MARKET'], 'Type of the child order.')),
    tif: Type.Optional(
      choice('TimeInForce', ['GTC', 'IOC'], 'A GTC order may rest in the book; an IOC order may not.'),
    ),
    post_only: Type.Optional(Type.Boolean({ description: 'true: the child never takes from the book.' })),
    reason: Type.Optional(ReasonCode),
    detail: Type.Optional(ReasonDetail),
    error_code: Type.Optional(ApiErrorCode),
    message: Type.Optional(Type.String({ description: 'Reason of the end or the refusal, for people.' })),
    cause: Type.Optional(
      described(
        CancelCausePart,
        'Who cancelled the order. With ParentCancelRequested, ParentReleased and ParentCancelled.',
      ),
    ),
    exchange_order_id: Type.Optional(Type.String({ description: "The exchange's id of the child." })),
    trade_id: Type.Optional(Type.Integer({ description: "The exchange's id of the fill." })),
    taker_or_maker: Type.Optional(choice('TakerOrMaker', ['MAKER', 'TAKER'], 'Liquidity side of the fill.')),
    fee: Type.Optional(decimal('Fee charged; a rebate is negative.')),
    fee_currency: Type.Optional(Type.String({ description: 'Asset of the fee.' })),
    is_late: Type.Optional(Type.Boolean({ description: 'The fill came after the end of its child.' })),
    settled_quantity: Type.Optional(
      decimal('Part of the fill at the exchange that a settlement has counted before. It is not in `quantity`.'),
    ),
    settled_by: Type.Optional(
      Type.String({
        description:
          'Operator who has settled the child. With ChildSettled: `quantity` is what the child has filled in total, ' +
          '`price` that of what no fill of the exchange shows, `message` the reason of the operator.',
      }),
    ),
    status: described(OrderStatus, 'Status of the order after the event.'),
    child_status: Type.Optional(described(OrderStatus, 'Status of the child after the event.')),
    child_filled_quantity: Type.Optional(decimal('Filled quantity of the child after the event.')),
    filled_quantity: decimal('Filled quantity of the order after the event.'),
    leaves_quantity: decimal('Leaves of the order after the event.'),
    over_filled_quantity: Type.Optional(OVER_FILLED),
    leg: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1,
        description: 'Index of the leg of the child in `legs`. Multi-leg orders only.',
      }),
    ),
    other_filled_quantity: Type.Optional(decimal('Filled quantity of the leg that does not lead, after the event.')),
    mishedge: Type.Optional(MISHEDGE),
  },
  { title: 'TimelineEntry', description: 'One event of an order, with its reason and its numbers.' },
);

export const OrderTimeline = Type.Object(
  {
    order_id: OrderIdSchema,
    client_order_id: Type.Optional(
      Type.String({ description: "The client's id of the order. Absent when the client gave none." }),
    ),
    events: Type.Array(TimelineEntry, { description: 'Oldest first.' }),
    next_after: Type.Optional(seq('Value of `after` for the next page. Present when more entries follow.')),
  },
  { title: 'OrderTimeline' },
);

export const ORDER_TIMELINE = {
  ...READING,
  id: 'getOrderTimeline',
  path: '/api/v2/trading/order/timeline',
  summary: 'All events of an order',
  description:
    'Every event, decision and deliberate inaction, each with its reason and its numbers. An unknown order: 404 INVALID_ORDER. No id, or ids of different orders: 400 INVALID_REQUEST.',
  query: Type.Object({
    orderId: Type.Optional(OrderIdSchema),
    clientOrderId: Type.Optional(described(ClientOrderId, "The client's id of the order.")),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - 1,
        default: 0,
        description: 'Only entries with a higher seq.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TIMELINE_ENTRIES_MAX,
        default: TIMELINE_ENTRIES_DEFAULT,
        description: 'Largest number of entries.',
      }),
    ),
  }),
  success: { status: 200, description: 'The timeline.', schema: OrderTimeline },
} as const satisfies SignedOperation;

/** TimelineEntry as JSON: the event, its reason, and the state of the order and its child after it. */
export function timelineEntryText(order: ParentOrder, envelope: EventEnvelope): string {
  const { seq, eventAtMs, causationSeq, event, parent, child } = envelope;
  assert(isOrderEvent(event) && parent !== null, `entry ${seq} is an order event`);
  const number = child?.order.child ?? ('child' in event ? event.child : null);
  const leg = child?.order.leg ?? null;
  const leading = leadingIndexOf(order);
  const grid = legAt(order.legs, leading);
  const traded = leg === null ? grid : legAt(order.legs, leg);
  const { quantity, filled } = legAt(parent.legs, leading);
  return (
    `{"seq":${seq},"time":${eventAtMs},"event":"${event.kind}"` +
    (causationSeq > 0 ? `,"caused_by":${causationSeq}` : '') +
    (number === null ? '' : `,"child_order_id":"${order.orderId}-${number}"`) +
    `${factsOf(event, order, leg ?? leading)}${isCancel(event) ? cancelCauseMember(parent.cancelCause) : ''},"status":"${parent.status}"` +
    (child === null
      ? ''
      : `,"child_status":"${child.status}","child_filled_quantity":${formatLots(child.filled, traded)}`) +
    `,"filled_quantity":${formatLots(filled, grid)}` +
    `,"leaves_quantity":${formatLots(Math.max(0, quantity - filled) as Lots, grid)}` +
    overFilledMember(quantity, filled, grid) +
    `${legsMembers(order, parent, leg)}}`
  );
}

/** Members of a multi-leg order: leg of the event, filled quantity of the other leg, mishedge. */
function legsMembers(order: ParentOrder, parent: OrderSnapshot, leg: LegIndex | null): string {
  const { pair } = order;
  if (pair === null) return '';
  const legMember = leg === null ? '' : `,"leg":${leg}`;
  const hedging = hedgingIndexOf(pair);
  const followed = formatLots(legAt(parent.legs, hedging).filled, legAt(order.legs, hedging));
  const balance = mishedge(order, parent.legs, parent.quoteRate);
  return `${legMember},"other_filled_quantity":${followed},"mishedge":${balance}`;
}

function isCancel({ kind }: OrderEvent): boolean {
  return kind === 'ParentCancelRequested' || kind === 'ParentReleased' || kind === 'ParentCancelled';
}

/** The members that only some kinds of events have, each with its comma. `leg`: of the child, else the leading leg. */
function factsOf(event: OrderEvent, order: ParentOrder, leg: LegIndex): string {
  const grid = legAt(order.legs, leg);
  switch (event.kind) {
    case 'ParentCreated':
    case 'ParentAmendRequested':
    case 'ParentAmended':
      return termsMembers(event.order);
    case 'ParentStarted': {
      const { arrivalTwiceMid } = legAt(event.legs, leadingIndexOf(order));
      return `,"arrival_price":${formatHalfTicks(arrivalTwiceMid, grid)}`;
    }
    case 'ParentCancelled':
    case 'ParentExpired':
    case 'ChildCancelled':
      return outcomeMembers(event.cause);
    case 'ParentRejected':
    case 'ChildRejected':
    case 'ChildCancelRefused':
      return outcomeMembers(event.rejection);
    case 'StrategyNoted':
      return reasonMembers(event.reason, order, event.leg);
    case 'ChildCancelRequested':
      return reasonMembers(event.reason, order, leg);
    case 'ChildAdopted':
    case 'ChildSubmitted':
      return childMembers(event.order, grid) + reasonMembers(event.order.reason, order, event.order.leg);
    case 'ChildAccepted':
      return `,"exchange_order_id":${quote(event.venueOrderId)}`;
    case 'ChildFilled':
      return fillMembers(event.fill, grid) + lateMembers(event, grid);
    case 'ParentQuarantined':
      return reasonMembers({ code: event.code, detail: event.detail }, order, leg);
    case 'ReportContradicted':
      return reasonMembers({ code: event.contradiction, detail: event.detail }, order, leg);
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
    case 'ChildSettled':
      return settlementMembers(event, grid);
    default:
      return event satisfies never;
  }
}

/** What an operator has stated. `quantity`: the filled quantity of the child in total. */
function settlementMembers(event: Extract<OrderEvent, { kind: 'ChildSettled' }>, grid: Grid): string {
  const { filled, price, reason, by } = event;
  return (
    `,"quantity":${formatLots(filled, grid)}${price === null ? '' : `,"price":${formatTicks(price, grid)}`}` +
    `${reason === '' ? '' : `,"message":${quote(reason)}`},"settled_by":${quote(by)}`
  );
}

function termsMembers(order: ParentOrder): string {
  const leg = leadingLeg(order);
  const { quantity, limitPrice } = leg;
  const { endAtMs } = order;
  return (
    `,"side":"${leg.side}","quantity":${formatLots(quantity, leg)}` +
    (limitPrice === null ? '' : `,"price":${formatTicks(limitPrice, leg)}`) +
    (endAtMs === null ? '' : `,"end_time":${endAtMs}`) +
    echoedMembers(requestEchoOf(order))
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

function lateMembers({ isLate, settled }: Extract<OrderEvent, { kind: 'ChildFilled' }>, grid: Grid): string {
  if (!isLate) return '';
  return `,"is_late":true${settled === undefined ? '' : `,"settled_quantity":${formatLots(settled, grid)}`}`;
}

interface TimelineQuery {
  readonly ref: OrderRef;
  /** Only entries with a higher seq. */
  readonly after: Seq | 0;
  readonly limit: number;
}

/** Reads orderId, clientOrderId, after and limit. */
export function parseTimelineQuery(query: Query): OrRejection<TimelineQuery> {
  const ref = parseOrderName(query);
  if (isRejected(ref)) return ref;
  const after = integerValue(query, 'after', 0, Number.MAX_SAFE_INTEGER - 1);
  if (isRejected(after)) return after;
  const limit = integerValue(query, 'limit', 1, TIMELINE_ENTRIES_MAX);
  if (isRejected(limit)) return limit;
  return { ref, after: (after ?? 0) as Seq | 0, limit: limit ?? TIMELINE_ENTRIES_DEFAULT };
}
