import { type SchemaOptions, Type } from '@sinclair/typebox';
import { fieldSchema, type ObjectRules, propertiesOf } from '../field/field-schema.js';
import { CLOSED, described } from '../field/schema.js';
import { BATCH_ORDERS_MAX } from '../../domain/limits/clients.js';
import { ORDER_FIELDS } from './order-fields.js';

/*
 * JSON Schemas of order requests. The tables of fields give the properties; this file adds the rules between fields
 * that a schema can express.
 */

export const ClientOrderId = fieldSchema(ORDER_FIELDS.client_order_id);
export const Subaccount = fieldSchema(ORDER_FIELDS.subaccount);

const LADDER_PRICES = ['start_ladder_price', 'end_ladder_price'];

/** Rules between the fields of an object in a request, by the title of its schema. */
export const OBJECT_RULES: ObjectRules = {
  OrderParams: {
    dependentRequired: { start_ladder_price: ['end_ladder_price'], end_ladder_price: ['start_ladder_price'] },
  },
  WouldInfo: {
    anyOf: [
      { required: ['would_price'] },
      { required: ['would_is_arrival'], properties: { would_is_arrival: { const: true } } },
    ],
    examples: [{ would_price: '59000', would_pct: '50', would_style: 'AGGRESSIVE' }, { would_is_arrival: true }],
  },
  TriggerInfo: { examples: [{ trigger_price: '61000', trigger_condition: 'ABOVE' }] },
  PlacementInfo: {
    ...when('placement_mode', ['CUSTOM'], { required: ['placement', 'cancel'] }),
    examples: [{ placement_mode: 'TIGHT' }, { placement_mode: 'CUSTOM', placement: '2', cancel: '5' }],
  },
};

/** Rules of an order and of a leg. */
export const RULES_OF_WORKING = [
  when('clip_size_type', ['ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'], { required: ['clip_size_val'] }),
  when('strategy', ['LIMIT'], { required: ['limit_price'] }),
];

const RULES_BETWEEN_FIELDS = {
  allOf: [
    ...RULES_OF_WORKING,
    when('strategy', ['SCALE'], withParams(LADDER_PRICES)),
    when('strategy', ['TWAP', 'VWAP'], { anyOf: [{ required: ['end_time'] }, withParams(['duration_seconds'])] }),
  ],
};

function when(field: string, values: readonly string[], rule: SchemaOptions): SchemaOptions {
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  return { if: { properties: { [field]: { enum: values } }, required: [field] }, then: rule };
}

function withParams(names: readonly string[]): SchemaOptions {
  return { required: ['params'], properties: { params: { type: 'object', required: names } } };
}

export const OrderParams = fieldSchema(ORDER_FIELDS.params, OBJECT_RULES);

export const CreateParentOrderRequest = Type.Object(propertiesOf(ORDER_FIELDS, OBJECT_RULES), {
  ...CLOSED,
  ...RULES_BETWEEN_FIELDS,
  title: 'CreateParentOrderRequest',
  description:
    'One single-leg order. A refusal names the first violation: first members that are not known, then the fields in this sequence, then the rules between fields, then the times compared with the clock.',
  examples: [
    {
      client_order_id: 'rebalance-7',
      exchange: 'BINANCE',
      symbol: 'BTC/USDT',
      asset_category: 'SPOT',
      side: 'BUY',
      quantity: '0.5',
      strategy: 'TWAP',
      limit_price: '150000',
      params: { duration_seconds: '600', trading_style: 'HYBRID' },
    },
    {
      exchange: 'OKX',
      symbol: 'ETH/USDT',
      asset_category: 'FUTURE',
      side: 'SELL',
      quantity: '2',
      strategy: 'MARKET',
    },
  ],
});

export const CreateManyParentOrdersRequest = Type.Object(
  {
    orders: Type.Array(CreateParentOrderRequest, {
      minItems: 1,
      maxItems: BATCH_ORDERS_MAX,
      description: 'Orders are independent: a refused one does not stop the others.',
    }),
  },
  { ...CLOSED, title: 'CreateManyParentOrdersRequest', description: `Up to ${BATCH_ORDERS_MAX} orders.` },
);

export const OrderIdSchema = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The service's id of the order: below 2^53, unique forever, increasing in time.",
  examples: [65_537],
});

export const CancelUpstreamOrderRequest = Type.Object(
  {
    order_id: Type.Optional(OrderIdSchema),
    client_order_id: Type.Optional(described(ClientOrderId, "The client's id of the order.")),
  },
  {
    ...CLOSED,
    anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }],
    title: 'CancelUpstreamOrderRequest',
    description: 'Names an order by at least one of its ids; both must name the same order.',
    examples: [{ order_id: 65_537 }, { client_order_id: 'rebalance-7' }],
  },
);

export const CancelManyUpstreamOrdersRequest = Type.Object(
  {
    orders: Type.Optional(Type.Array(CancelUpstreamOrderRequest, { minItems: 1, maxItems: BATCH_ORDERS_MAX })),
    orderIds: Type.Optional(
      Type.Array(OrderIdSchema, {
        minItems: 1,
        maxItems: BATCH_ORDERS_MAX,
        description: 'Ids of more orders to cancel.',
      }),
    ),
    clientOrderIds: Type.Optional(
      Type.Array(described(ClientOrderId, "The client's id of an order."), {
        minItems: 1,
        maxItems: BATCH_ORDERS_MAX,
        description: 'Client order ids of more orders to cancel.',
      }),
    ),
  },
  {
    ...CLOSED,
    anyOf: ['orders', 'orderIds', 'clientOrderIds'].map((name) => ({ required: [name] })),
    title: 'CancelManyUpstreamOrdersRequest',
    description: `1 to ${BATCH_ORDERS_MAX} orders in all lists together. The answer has them in this sequence.`,
    examples: [{ orders: [{ order_id: 65_537 }, { client_order_id: 'rebalance-7' }] }, { orderIds: [65_537, 65_538] }],
  },
);
