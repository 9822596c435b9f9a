import { Type } from '@sinclair/typebox';
import { TIMELINE_ENTRIES_DEFAULT, TIMELINE_ENTRIES_MAX } from '../model/limits.js';
import { OrderId } from './cancel-request.js';
import { ApiErrorCode } from './error-code.js';
import { choice, decimal, described, epochMs } from './field.js';
import { READING, type SignedOperation } from './operation.js';
import { MISHEDGE } from './leg-part.js';
import { OrderParams } from './order-params.js';
import { ClientOrderId } from './order-request.js';
import { ClipSizeType, OrderStatus, Side } from './vocabulary.js';

const seq = (description: string) => Type.Integer({ minimum: 1, description });

const TimelineEntry = Type.Object(
  {
    seq: seq("Place in the service's journal: increasing, with gaps."),
    time: epochMs('When it happened, service time.'),
    event: Type.String({
      description:
        'Kind of the fact: Parent… of the order, Child… of one of its children, StrategyNoted when the strategy did nothing on purpose.',
      examples: ['ChildSubmitted'],
    }),
    caused_by: Type.Optional(seq('The event that led to it; absent: a request, a timer or the exchange did.')),
    child_order_id: Type.Optional(Type.String({ examples: ['65537-1'] })),
    side: Type.Optional(Side),
    quantity: Type.Optional(decimal('Of the order, the child or the fill that the event is about.')),
    price: Type.Optional(decimal('Limit of the order or the child, or price of the fill.')),
    end_time: Type.Optional(epochMs('When trading ends by the terms of the order, service time.')),
    clip_size_type: Type.Optional(ClipSizeType),
    clip_size_val: Type.Optional(Type.Number()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: `As in ${OrderParams.title}.` })),
    arrival_price: Type.Optional(decimal('Mid price when the order first could trade.')),
    order_type: Type.Optional(choice('ChildType', ['LIMIT', 'MARKET'], 'What was placed.')),
    tif: Type.Optional(choice('TimeInForce', ['GTC', 'IOC'], 'Whether it may rest.')),
    post_only: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String({ description: 'Why, as a short code.', examples: ['SLICE'] })),
    detail: Type.Optional(Type.String({ description: 'The numbers behind the reason, in lots and ticks.' })),
    error_code: Type.Optional(ApiErrorCode),
    message: Type.Optional(Type.String()),
    exchange_order_id: Type.Optional(Type.String()),
    trade_id: Type.Optional(Type.Integer()),
    taker_or_maker: Type.Optional(choice('TakerOrMaker', ['MAKER', 'TAKER'], 'Liquidity side of the fill.')),
    fee: Type.Optional(decimal('Fee charged; a rebate is negative.')),
    fee_currency: Type.Optional(Type.String()),
    is_late: Type.Optional(Type.Boolean({ description: 'The fill came after the end of its child.' })),
    status: described(OrderStatus, 'Of the order, after the event.'),
    child_status: Type.Optional(described(OrderStatus, 'Of the child, after the event.')),
    child_filled_quantity: Type.Optional(decimal('Of the child, after the event.')),
    filled_quantity: decimal('Of the order, after the event.'),
    leaves_quantity: decimal('Of the order, after the event.'),
    leg: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1,
        description: 'Leg of the child, by its place in `legs`; multi-leg orders only.',
      }),
    ),
    other_filled_quantity: Type.Optional(decimal('Of the leg that is not the leading one, after the event.')),
    mishedge: Type.Optional(MISHEDGE),
  },
  { title: 'TimelineEntry', description: 'One fact of an order, with its reason and numbers.' },
);

export const OrderTimeline = Type.Object(
  {
    order_id: OrderId,
    client_order_id: Type.Optional(Type.String()),
    events: Type.Array(TimelineEntry, { description: 'Oldest first.' }),
    next_after: Type.Optional(seq('There are more: `after` of the next page.')),
  },
  { title: 'OrderTimeline' },
);

export const ORDER_TIMELINE = {
  ...READING,
  id: 'getOrderTimeline',
  path: '/api/v2/trading/order/timeline',
  summary: 'Everything that has happened to an order',
  description:
    'Every event, decision and deliberate inaction, each with its reason and its numbers. An unknown order: 404 INVALID_ORDER. Neither id, or two that name different orders: 400 INVALID_REQUEST.',
  query: Type.Object({
    orderId: Type.Optional(OrderId),
    clientOrderId: Type.Optional(described(ClientOrderId, "The caller's own name of the order.")),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - 1,
        default: 0,
        description: 'Entries with a higher seq.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TIMELINE_ENTRIES_MAX,
        default: TIMELINE_ENTRIES_DEFAULT,
        description: 'How many entries at most.',
      }),
    ),
  }),
  success: { status: 200, description: 'What has happened.', schema: OrderTimeline },
} as const satisfies SignedOperation;
