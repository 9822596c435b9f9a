import { Type } from '@sinclair/typebox';
import { BATCH_ORDERS_MAX } from '../model/limits.js';
import { CancelManyUpstreamOrdersRequest, CancelUpstreamOrderRequest } from './cancel-request.js';
import { CANCELLING, PLACING, type SignedOperation } from './operation.js';
import { OrderDetailsList, OrderSummary, OrderSummaryList } from './order-answer.js';
import { CreateManyParentOrdersRequest, CreateParentOrderRequest } from './order-request.js';

export const CREATE_ORDER = {
  ...PLACING,
  id: 'createOrder',
  path: '/api/v2/trading/order/create',
  summary: 'Create one order',
  description:
    'Answered PENDING_NEW once the order is on disk; funds are checked after that. A field that is missing or wrong is answered 201 with status REJECTED, `message` and `error_code`, and nothing is stored. With a `client_order_id` it is safe to send again: the first order answers.',
  body: CreateParentOrderRequest,
  success: { status: 201, description: 'The order, or why there is none.', schema: OrderSummary },
} as const satisfies SignedOperation;

export const CREATE_ORDERS = {
  ...PLACING,
  id: 'createOrders',
  path: '/api/v2/trading/order/createMany',
  summary: 'Create several orders',
  description: `Members are independent. It takes its number of orders from the budget. More than ${BATCH_ORDERS_MAX} are answered 400 BATCH_OVERSIZE and none is placed; \`orders\` that is missing, empty or no array is answered 400 INVALID_REQUEST.`,
  body: CreateManyParentOrdersRequest,
  success: { status: 201, description: 'A summary for each order.', schema: OrderSummaryList },
} as const satisfies SignedOperation;

export const CANCEL_ORDER = {
  ...CANCELLING,
  id: 'cancelOrder',
  path: '/api/v2/trading/order/cancel',
  summary: 'Cancel one order',
  description:
    'Answered PENDING_CANCEL when the request is on disk; the end follows, and a last fill may win the race. An order that is unknown or over is answered CANCEL_REJECTED with INVALID_ORDER. Neither id, or two that name different orders: 400 INVALID_REQUEST.',
  body: CancelUpstreamOrderRequest,
  success: { status: 200, description: 'Where the order stands now.', schema: OrderSummary },
} as const satisfies SignedOperation;

export const CANCEL_ORDERS = {
  ...CANCELLING,
  id: 'cancelOrders',
  path: '/api/v2/trading/order/cancelMany',
  summary: 'Cancel a list of orders',
  description:
    'Members are independent: one that cannot be read is answered CANCEL_REJECTED alone. It takes its number of orders from the budget.',
  body: CancelManyUpstreamOrdersRequest,
  success: {
    status: 200,
    description: "A summary for each member, in the request's order.",
    schema: Type.Array(OrderSummary),
  },
} as const satisfies SignedOperation;

export const CANCEL_ALL_ORDERS = {
  ...CANCELLING,
  method: 'GET',
  id: 'cancelAllOrders',
  path: '/api/v2/trading/order/cancelAll',
  summary: 'Cancel every open order of the account',
  description: 'Answered when every cancel is on disk. Takes no parameters.',
  body: null,
  success: { status: 200, description: 'The orders that are being cancelled.', schema: OrderDetailsList },
} as const satisfies SignedOperation;
