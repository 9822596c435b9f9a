import { expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import type { Ticks } from '../../src/domain/quantity.js';
import { OrderDetails } from '../../src/api/order/order-answer.js';
import { NOW_MS, parentState } from '../http/orders.js';
import { ask, SessionRig } from '../stream/session-rig.js';
import { closed, complaintsOf } from './compiled.js';

/* A program that restarts learns its own orders from OrderDetails, over REST and in a session (decisions §8). */

const ORDER = '/api/v2/trading/order';
const TERMS = { quantity: 0.5, limit_price: 67_000.5, created_at: NOW_MS };
const ECHO = { clip_size_type: 'ORDER_COUNT', clip_size_val: 4, params: { duration_seconds: 60 } };

async function started(): Promise<SessionRig> {
  const rig = await SessionRig.start();
  const terms = { orderId: 7 as OrderId, limitPrice: 6_700_050 as Ticks, requestEcho: JSON.stringify(ECHO) };
  rig.rest.book.put(parentState(terms));
  rig.rest.book.refresh();
  return rig;
}

function onlyOrder(content: unknown): Record<string, unknown> {
  const { orders } = content as { orders: Record<string, unknown>[] };
  expect(orders).toHaveLength(1);
  expect(complaintsOf(closed(OrderDetails), orders[0])).toBe('');
  return orders[0]!;
}

it.each([
  ['byId', 'orderIds=7'],
  ['open', ''],
  ['find', ''],
])(
  'shows quantity, limit price and time of creation, clip and params when they are wanted: %s',
  async (path, query) => {
    const rig = await started();
    const get = async (more: string): Promise<Record<string, unknown>> => {
      const { text } = await rig.rest.get(`${ORDER}/${path}`, [query, more].filter(Boolean).join('&'));
      return onlyOrder(JSON.parse(text));
    };
    const plain = await get('');
    expect(plain).toMatchObject(TERMS);
    for (const name of Object.keys(ECHO)) expect(plain).not.toHaveProperty(name);
    expect(await get('include_params=TRUE')).toEqual({ ...plain, ...ECHO });
  },
);

it('shows them in a session', async () => {
  const session = await (await started()).session();
  for (const [op, args] of [
    ['order.byId', { orderIds: [7], include_params: true }],
    ['order.open', { include_params: true }],
  ] as const) {
    expect(onlyOrder((await ask(session, op, args))['data'])).toMatchObject({ ...TERMS, ...ECHO });
  }
  expect(onlyOrder((await ask(session, 'order.open'))['data'])).not.toHaveProperty('params');
});

it('refuses a value of include_params that is not true or false', async () => {
  const { rest } = await started();
  const { status, text } = await rest.get(`${ORDER}/open`, 'include_params=yes');
  expect([status, JSON.parse(text)]).toMatchObject([400, { error_code: 'INVALID_PARAM' }]);
});
