import { Type } from '@sinclair/typebox';
import { BATCH_ORDERS_MAX } from '../model/limits.js';
import { described } from './field.js';
import { ClientOrderId } from './order-request.js';

export const OrderId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The service's id of the order: below 2^53, unique for ever, increasing in time.",
  examples: [65_537],
});

export const CancelUpstreamOrderRequest = Type.Object(
  {
    order_id: Type.Optional(OrderId),
    client_order_id: Type.Optional(described(ClientOrderId, "The caller's own name of the order.")),
  },
  {
    anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }],
    title: 'CancelUpstreamOrderRequest',
    description: 'Names an order by at least one of its ids; both must name the same order.',
    examples: [{ order_id: 65_537 }, { client_order_id: 'rebalance-7' }],
  },
);

export const CancelManyUpstreamOrdersRequest = Type.Object(
  { orders: Type.Array(CancelUpstreamOrderRequest, { minItems: 1, maxItems: BATCH_ORDERS_MAX }) },
  { title: 'CancelManyUpstreamOrdersRequest', description: `Up to ${BATCH_ORDERS_MAX} orders.` },
);
