import { Type } from '@sinclair/typebox';
import {
  CancelManyUpstreamOrdersRequest,
  CancelUpstreamOrderRequest,
  CreateManyParentOrdersRequest,
  CreateParentOrderRequest,
} from './order-schema.js';
import { CANCELLING, PLACING, type SignedOperation } from '../document/operation.js';
import { CreateManyMultiLegsParentOrdersRequest, CreateMultiLegsParentOrderRequest } from '../pair/pair-schema.js';
import { BATCH_ORDERS_MAX } from '../../domain/limits/clients.js';
import { OrderDetailsList, OrderSummary, OrderSummaryList } from './order-answer.js';

export const CREATE_ORDER = {
  ...PLACING,
  id: 'createOrder',
  path: '/api/v2/trading/order/create',
  summary: 'Create one order',
  description:
    'Answers PENDING_NEW once the order is on disk; funds are checked after that. A missing or wrong field is answered 201 with status REJECTED, `message` and `error_code`, and the order is not stored. A create with a `client_order_id` is safe to repeat: it is answered with the first order.',
  body: CreateParentOrderRequest,
  success: { status: 201, description: 'The order, or the reason of the refusal.', schema: OrderSummary },
} as const satisfies SignedOperation;

export const CREATE_ORDERS = {
  ...PLACING,
  id: 'createOrders',
  path: '/api/v2/trading/order/createMany',
  summary: 'Create several orders',
  description: `Orders are independent. The batch uses one request of the budget for each order. More than ${BATCH_ORDERS_MAX} orders are answered 400 BATCH_OVERSIZE, and no order is placed. \`orders\` that is missing, empty or not an array is answered 400 INVALID_REQUEST.`,
  body: CreateManyParentOrdersRequest,
  success: { status: 201, description: 'A summary for each order.', schema: OrderSummaryList },
} as const satisfies SignedOperation;

export const CANCEL_ORDER = {
  ...CANCELLING,
  id: 'cancelOrder',
  path: '/api/v2/trading/order/cancel',
  summary: 'Cancel one order',
  description:
    'Answers PENDING_CANCEL once the request is on disk. The end follows; a last fill may arrive before it. An order that is unknown or has ended is answered CANCEL_REJECTED with INVALID_ORDER. An order of an earlier create is known, also before its answer: the request waits for it up to 2 s, then it is answered 503 SYSTEM_BUSY. No id, or ids of different orders: 400 INVALID_REQUEST.',
  body: CancelUpstreamOrderRequest,
  success: { status: 200, description: 'Present state of the order.', schema: OrderSummary },
} as const satisfies SignedOperation;

export const CANCEL_ORDERS = {
  ...CANCELLING,
  id: 'cancelOrders',
  path: '/api/v2/trading/order/cancelMany',
  summary: 'Cancel a list of orders',
  description:
    'Elements are independent: a wrong element is answered CANCEL_REJECTED and does not affect the others. The batch uses one request of the budget for each order.',
  body: CancelManyUpstreamOrdersRequest,
  success: {
    status: 200,
    description: 'A summary for each element, in the sequence of the request.',
    schema: Type.Array(OrderSummary),
  },
} as const satisfies SignedOperation;

export const CANCEL_ALL_ORDERS = {
  ...CANCELLING,
  method: 'GET',
  id: 'cancelAllOrders',
  path: '/api/v2/trading/order/cancelAll',
  summary: 'Cancel every open order of the account',
  description:
    'Covers the orders that were sent before it, also without an answer, and no later one. It waits up to 2 s for members of a batch that are still being admitted. Then it cancels the others and is answered 503 SYSTEM_BUSY: repeat it. Answers once every cancel is on disk. Has no parameters.',
  body: null,
  success: { status: 200, description: 'The orders that are being cancelled.', schema: OrderDetailsList },
} as const satisfies SignedOperation;

export const CANCEL_ALL_ORDERS_BY_POST = {
  ...CANCEL_ALL_ORDERS,
  method: 'POST',
  id: 'cancelAllOrdersByPost',
  summary: 'Cancel every open order of the account, by POST',
  description:
    'The same as the GET, for clients whose libraries repeat a GET. The body is empty or an object without members: it has no parameters, and a member is refused.',
  body: Type.Object({}, { additionalProperties: false }),
  isBodyOptional: true,
} as const satisfies SignedOperation;

export const CREATE_PAIR = {
  ...PLACING,
  id: 'createMultiLegsOrder',
  path: '/api/v2/trading/order/create_multiLegs',
  summary: 'Create one multi-leg order',
  description: `Answers like a single-leg create; a \`client_order_id\` names one order of either kind. Both exchanges must be up, and each leg needs funds on its exchange. The strategy of the leading leg executes it; its fills are hedged at once in the other leg, within \`params\`. The order ends when no more quantity can be hedged: a cancel and the end time stop the leading leg first.`,
  body: CreateMultiLegsParentOrderRequest,
  success: { status: 201, description: 'The order, or the reason of the refusal.', schema: OrderSummary },
} as const satisfies SignedOperation;

export const CREATE_PAIRS = {
  ...PLACING,
  id: 'createMultiLegsOrders',
  path: '/api/v2/trading/order/createMany/multilegs',
  summary: 'Create several multi-leg orders',
  description: CREATE_ORDERS.description,
  body: CreateManyMultiLegsParentOrdersRequest,
  success: { status: 201, description: 'A summary for each order.', schema: OrderSummaryList },
} as const satisfies SignedOperation;
