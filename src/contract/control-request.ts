import { Type } from '@sinclair/typebox';
import { CANCEL_AFTER_MS_MAX, CANCEL_AFTER_MS_MIN } from '../model/limits.js';
import { CancelUpstreamOrderRequest, OrderId } from './cancel-request.js';
import { decimalText, described, epochMs, instantText } from './field.js';
import { UNHEDGED_PARAMS } from './multi-leg-request.js';
import { IMBALANCE_AND_LOCK, WORKING_PARAMS } from './order-params.js';
import { ClientOrderId } from './order-request.js';

export const OrderReference = Type.Object(CancelUpstreamOrderRequest.properties, {
  anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }],
  title: 'OrderReference',
  description: 'Names an order by at least one of its ids; both must name the same order.',
  examples: [{ order_id: 65_537 }, { client_order_id: 'rebalance-7' }],
});

/** What of their params may change while orders are worked. */
const AmendOrderParams = Type.Object(
  { ...WORKING_PARAMS, ...IMBALANCE_AND_LOCK, ...UNHEDGED_PARAMS },
  {
    title: 'AmendOrderParams',
    description:
      'What is given replaces what the order has, `would` and `placement_infos` as a whole. `trigger` only before the order has started. Of a multi-leg order, what a leg has is that of the leading leg, and the others say how far the legs may be out of step. The rest stays as it is: INVALID_PARAM.',
  },
);

export const AmendOrderRequest = Type.Object(
  {
    order_id: Type.Optional(OrderId),
    client_order_id: Type.Optional(described(ClientOrderId, "The caller's own name of the order.")),
    quantity: Type.Optional(
      decimalText(
        'The whole quantity from now on, under the rules of a create; not under what is filled. Of a multi-leg order that of the leading leg: the other, and both target values, change in proportion.',
        '0.75',
      ),
    ),
    limit_price: Type.Optional(
      decimalText(
        'Worst price from now on, under the rules of a create; of a multi-leg order that of the leading leg.',
        '61000',
      ),
    ),
    end_time: Type.Optional(
      instantText(
        'When trading ends from now on: in the future, after the start and at most 30 days after it. It and `duration_seconds` go together: what is given of the two replaces both.',
      ),
    ),
    params: Type.Optional(AmendOrderParams),
  },
  {
    allOf: [
      { anyOf: [{ required: ['order_id'] }, { required: ['client_order_id'] }] },
      { anyOf: ['quantity', 'limit_price', 'end_time', 'params'].map((name) => ({ required: [name] })) },
    ],
    title: 'AmendOrderRequest',
    description: 'Names an order by at least one of its ids, and gives at least one of its new terms.',
    examples: [{ order_id: 65_537, quantity: '0.75', params: { trading_style: 'AGGRESSIVE' } }],
  },
);

export const CancelAllAfterRequest = Type.Object(
  {
    timeout_ms: Type.Union(
      [Type.Literal(0), Type.Integer({ minimum: CANCEL_AFTER_MS_MIN, maximum: CANCEL_AFTER_MS_MAX })],
      {
        description: `Milliseconds of real time, ${CANCEL_AFTER_MS_MIN} to ${CANCEL_AFTER_MS_MAX}; 0 switches it off.`,
      },
    ),
  },
  {
    title: 'CancelAllAfterRequest',
    description: 'How long the orders of the account live on without another such request.',
    examples: [{ timeout_ms: 60_000 }, { timeout_ms: 0 }],
  },
);

export const CancelAllAfterAnswer = Type.Object(
  {
    triggerTime: Type.Union([epochMs('When every open order will be cancelled, real time.'), Type.Null()], {
      description: 'null: it is off.',
    }),
  },
  { title: 'CancelAllAfterAnswer' },
);
