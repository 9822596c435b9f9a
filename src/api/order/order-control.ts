import { Type } from '@sinclair/typebox';
import {
  CancelManyUpstreamOrdersRequest,
  CancelUpstreamOrderRequest,
  ClientOrderId,
  CreateManyParentOrdersRequest,
  OBJECT_RULES,
  OrderIdSchema,
} from './order-schema.js';
import { ORDER_FIELDS } from './order-fields.js';
import { ORDER_PARAMS } from './param-fields.js';
import { CANCELLING, PLACING, type SignedOperation } from '../document/operation.js';
import { isAbsent, isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import { IGNORED_IN_BATCH, MemberNames, reading } from '../field/member-names.js';
import { amendableFields } from '../field/field-row.js';
import { propertiesOf } from '../field/field-schema.js';
import { CLOSED, described, epochMs } from '../field/schema.js';
import { PAIR_PARAMS } from '../pair/pair-fields.js';
import { BATCH_ORDERS_MAX, CANCEL_AFTER_MS_MAX, CANCEL_AFTER_MS_MIN } from '../../domain/limits/clients.js';
import { isRejected, type OrRejection, reject, type Rejected } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';
import { OrderSummary } from './order-answer.js';

const OrderReference = Type.Object(CancelUpstreamOrderRequest.properties, {
  ...CLOSED,
  anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }],
  title: 'OrderReference',
  description: 'Names an order by at least one of its ids; both must name the same order.',
  examples: [{ order_id: 65_537 }, { client_order_id: 'rebalance-7' }],
});

const { params: _, ...TERMS } = ORDER_FIELDS;

const AmendOrderParams = Type.Object(propertiesOf(amendableFields({ ...ORDER_PARAMS, ...PAIR_PARAMS }), OBJECT_RULES), {
  ...CLOSED,
  title: 'AmendOrderParams',
  description:
    'A given field replaces its value in the order; `would` and `placement_infos` are replaced as a whole. `trigger` only before the order has started. In a multi-leg order, fields of a leg apply to the leading leg, and the others limit the difference between the legs. Other params cannot be amended: INVALID_PARAM.',
});

export const AmendOrderRequest = Type.Object(
  {
    order_id: Type.Optional(OrderIdSchema),
    client_order_id: Type.Optional(described(ClientOrderId, "The client's id of the order.")),
    ...propertiesOf(amendableFields(TERMS), OBJECT_RULES),
    params: Type.Optional(AmendOrderParams),
  },
  {
    ...CLOSED,
    allOf: [
      { anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }] },
      { anyOf: ['quantity', 'limit_price', 'end_time', 'params'].map((name) => ({ required: [name] })) },
    ],
    title: 'AmendOrderRequest',
    description: 'Names an order by at least one of its ids and gives at least one new term.',
    examples: [{ order_id: 65_537, quantity: '0.75', params: { trading_style: 'AGGRESSIVE' } }],
  },
);

export const CancelAllAfterRequest = Type.Object(
  {
    timeout_ms: Type.Union(
      [Type.Literal(0), Type.Integer({ minimum: CANCEL_AFTER_MS_MIN, maximum: CANCEL_AFTER_MS_MAX })],
      {
        description: `Milliseconds of real time, ${CANCEL_AFTER_MS_MIN} to ${CANCEL_AFTER_MS_MAX}; 0 disables the timer.`,
      },
    ),
  },
  {
    ...CLOSED,
    title: 'CancelAllAfterRequest',
    description: 'Time until all open orders of the account are cancelled, unless a new request replaces the timer.',
    examples: [{ timeout_ms: 60_000 }, { timeout_ms: 0 }],
  },
);

export const CancelAllAfterAnswer = Type.Object(
  {
    triggerTime: Type.Union([epochMs('Time at which every open order is cancelled, real time.'), Type.Null()], {
      description: 'null: the timer is off.',
    }),
  },
  { title: 'CancelAllAfterAnswer' },
);

const success = { status: 200, description: 'Present state of the order.', schema: OrderSummary } as const;
const REFUSALS =
  'A refused request leaves the order unchanged; `error_code` and `message` of its summary give the reason. An unknown order: 404 INVALID_ORDER. No id, or ids of different orders: 400 INVALID_REQUEST.';

export const PAUSE_ORDER = {
  ...PLACING,
  id: 'pauseOrder',
  path: '/api/v2/trading/order/pause',
  summary: 'Pause one order',
  description: `The order is PENDING_PAUSE while its children are withdrawn, then PAUSED: no child rests at the exchange. Fills that arrive meanwhile count. The end time stays in force. A paused order gets the same answer again. ${REFUSALS}`,
  body: OrderReference,
  success,
} as const satisfies SignedOperation;

export const RESUME_ORDER = {
  ...PLACING,
  id: 'resumeOrder',
  path: '/api/v2/trading/order/resume',
  summary: 'Resume a paused order',
  description: `The order is PENDING_UNPAUSE until a market price arrives, then it trades again. A schedule spreads the leaves over the remaining time. An order that is not paused is answered with its present status. ${REFUSALS}`,
  body: OrderReference,
  success,
} as const satisfies SignedOperation;

export const AMEND_ORDER = {
  ...PLACING,
  id: 'amendOrder',
  path: '/api/v2/trading/order/amend',
  summary: 'Amend one order',
  description: `Checks the new terms like a create. Children that the new terms exclude are withdrawn before the new terms apply. If those children fill more than the new quantity meanwhile, the filled quantity becomes the quantity. A schedule then spreads the leaves over the remaining time. A paused order can be amended too. INSUFFICIENT_FUNDS when the new terms need more funds than before and the known balances do not cover them. In a multi-leg order, quantity, price and execution params are those of the leading leg, and its fills are hedged throughout. ${REFUSALS}`,
  body: AmendOrderRequest,
  success,
} as const satisfies SignedOperation;

export const CANCEL_ALL_AFTER = {
  ...CANCELLING,
  id: 'cancelAllAfter',
  path: '/api/v2/trading/order/cancelAllAfter',
  summary: 'Cancel-all-after timer',
  description:
    'Cancels every open order of the account when the timeout ends. Each request replaces the timer of the previous request. The timer survives restarts: a time that passed while the service was down takes effect at its return. A wrong timeout: INVALID_PARAM.',
  body: CancelAllAfterRequest,
  success: { status: 200, description: 'Time at which the timer fires.', schema: CancelAllAfterAnswer },
} as const satisfies SignedOperation;

const CANCEL_AFTER_NAMES = MemberNames.of(CancelAllAfterRequest.properties);

/** Reads CancelAllAfterRequest: milliseconds of real time; 0 disables the timer. */
export function parseCancelAfter(body: unknown): OrRejection<DurationMs> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const fields = CANCEL_AFTER_NAMES.read(body);
  if (isRejected(fields)) return fields;
  const value = fields['timeout_ms'];
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'timeout_ms is missing');
  if (value === 0) return 0 as DurationMs;
  const isRight = typeof value === 'number' && Number.isSafeInteger(value);
  if (isRight && value >= CANCEL_AFTER_MS_MIN && value <= CANCEL_AFTER_MS_MAX) return value as DurationMs;
  const rule = `0 or an integer from ${CANCEL_AFTER_MS_MIN} to ${CANCEL_AFTER_MS_MAX}`;
  return reject('INVALID_PARAM', `timeout_ms ${shown(value)} is not ${rule}`);
}

const NO_NAMES = MemberNames.of({});

/** The refusal of a body of cancelAll by POST, which has no parameters: a filter would be ignored. null: none. */
export function refusalOfParameters(body: unknown): Rejected | null {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const fields = NO_NAMES.read(body);
  return isRejected(fields) ? fields : null;
}

const BATCH_NAMES = MemberNames.of(CreateManyParentOrdersRequest.properties, IGNORED_IN_BATCH);
const CANCEL_BATCH_NAMES = MemberNames.of(CancelManyUpstreamOrdersRequest.properties, IGNORED_IN_BATCH);

/** Returns the unparsed elements of `orders` in a batch of creates: 1 to BATCH_ORDERS_MAX. */
export function parseBatch(body: unknown): OrRejection<readonly unknown[]> {
  const fields = readBatch(body, BATCH_NAMES);
  if (isRejected(fields)) return fields;
  const { orders } = fields;
  return Array.isArray(orders)
    ? bounded(orders)
    : reject('INVALID_REQUEST', `orders is ${shown(orders)}, not an array`);
}

/** Returns the unparsed references of a batch of cancels: those in `orders`, then those of the lists of ids. */
export function parseCancelBatch(body: unknown): OrRejection<readonly unknown[]> {
  const fields = readBatch(body, CANCEL_BATCH_NAMES);
  if (isRejected(fields)) return fields;
  const members: unknown[] = [];
  const { orders, orderIds, clientOrderIds } = fields;
  const lists = Object.entries({ orders, orderIds, clientOrderIds }).filter(([, list]) => !isAbsent(list));
  if (lists.length === 0) return reject('INVALID_REQUEST', 'orders is missing, and orderIds and clientOrderIds too');
  for (const [name, list] of lists) {
    if (!Array.isArray(list)) return reject('INVALID_REQUEST', `${name} is ${shown(list)}, not an array`);
    if (list.length === 0) return reject('INVALID_REQUEST', `${name} is empty`);
    const field = ID_OF_LIST[name];
    for (const member of list as readonly unknown[]) members.push(field === undefined ? member : { [field]: member });
  }
  return bounded(members);
}

const ID_OF_LIST: { readonly [list: string]: string } = { orderIds: 'order_id', clientOrderIds: 'client_order_id' };

function readBatch(body: unknown, names: MemberNames): OrRejection<JsonObject> {
  if (isJsonObject(body)) return names.read(body);
  return reject('INVALID_REQUEST', `the body is ${shown(body)}, not an object`);
}

function bounded(members: readonly unknown[]): OrRejection<readonly unknown[]> {
  if (members.length === 0) return reject('INVALID_REQUEST', 'orders is empty');
  if (members.length <= BATCH_ORDERS_MAX) return members;
  return reject('BATCH_OVERSIZE', `the batch has ${members.length} orders, more than ${BATCH_ORDERS_MAX}`);
}

const LISTS = ['orders', 'orderIds', 'clientOrderIds'].map(reading);

/** Number of members of a batch that is not read yet, as a request takes it from its budget: 1 for a wrong batch. */
export function batchSize(body: unknown): number {
  if (!isJsonObject(body)) return 1;
  let count = 0;
  for (const listOf of LISTS) {
    const list = listOf(body);
    if (Array.isArray(list)) count += list.length;
  }
  return count <= BATCH_ORDERS_MAX ? Math.max(1, count) : 1;
}
