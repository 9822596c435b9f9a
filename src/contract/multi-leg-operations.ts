import { CreateManyMultiLegsParentOrdersRequest, CreateMultiLegsParentOrderRequest } from './multi-leg-request.js';
import { PLACING, type SignedOperation } from './operation.js';
import { CREATE_ORDERS } from './order-operations.js';
import { OrderSummary, OrderSummaryList } from './order-answer.js';

export const CREATE_PAIR = {
  ...PLACING,
  id: 'createMultiLegsOrder',
  path: '/api/v2/trading/order/create_multiLegs',
  summary: 'Create one multi-leg order',
  description: `Answered as a single-leg create is; a \`client_order_id\` names one order of either kind. Then both exchanges must be up and each leg covered where it trades. The leading leg is worked by its strategy; what fills of it is at once hedged in the other, within \`params\`. It ends when nothing more can be hedged: a cancel and the end of its time stop the leading leg first.`,
  body: CreateMultiLegsParentOrderRequest,
  success: { status: 201, description: 'The order, or why there is none.', schema: OrderSummary },
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
