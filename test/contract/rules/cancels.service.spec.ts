import { describe, expect, it } from 'vitest';
import type { Summary } from './answers.js';
import { RESTING } from './orders.js';
import { useService } from './service-under-rules.js';
import { eventually } from '../../system/eventually.js';

const CANCEL_MANY = '/api/v2/trading/order/cancelMany';

const service = useService();

const cancelMany = (orders: readonly unknown[]) => service.trader.post<Summary[]>(CANCEL_MANY, { orders });

describe('CancelUpstreamOrderRequest: order_id (integer), client_order_id (string)', () => {
  it.each([
    ['order_id', 'one'],
    ['order_id', 1.5],
    ['order_id', -1],
    ['order_id', 0],
    ['order_id', true],
    ['order_id', {}],
    ['client_order_id', 7],
    ['client_order_id', ''],
    ['client_order_id', 'a,b'],
  ])('refuses %s %s with INVALID_PARAM', async (name, value) => {
    const { status, body } = await service.trader.post('/api/v2/trading/order/cancel', { [name]: value });
    expect([status, body.error_code]).toEqual([400, 'INVALID_PARAM']);
    expect(body.message).toContain(name);
  });

  it('cancels by either id', async () => {
    for (const id of ['one', 'two']) await service.trader.place({ ...RESTING, client_order_id: id });
    const [one] = await service.trader.list('byId', 'clientOrderIds=one');
    expect(await service.trader.cancel({ order_id: one?.order_id })).toMatchObject({ status: 'PENDING_CANCEL' });
    expect(await service.trader.cancel({ client_order_id: 'two' })).toMatchObject({ status: 'PENDING_CANCEL' });
  });
});

describe('`cancelMany` answers an array of OrderSummary in request order', () => {
  it('rejects only the entries with no id or with ids of two orders, with INVALID_REQUEST', async () => {
    const { trader } = service;
    const first = await trader.place({ ...RESTING, client_order_id: 'first' });
    const second = await trader.place({ ...RESTING, client_order_id: 'second' });
    const { status, body } = await cancelMany([
      { client_order_id: 'first' },
      {},
      { order_id: first, client_order_id: 'second' },
      { order_id: 999 },
      null,
      { order_id: second },
    ]);
    expect(status).toBe(200);
    expect(body.map(({ status, error_code: code }) => [status, code])).toEqual([
      ['PENDING_CANCEL', undefined],
      ['CANCEL_REJECTED', 'INVALID_REQUEST'],
      ['CANCEL_REJECTED', 'INVALID_REQUEST'],
      ['CANCEL_REJECTED', 'INVALID_ORDER'],
      ['CANCEL_REJECTED', 'INVALID_REQUEST'],
      ['PENDING_CANCEL', undefined],
    ]);
    expect(body.every(({ created_at: createdAt }) => Date.parse(createdAt) > 0)).toBe(true);
    await trader.reaches(first, 'CANCELLED');
    await trader.reaches(second, 'CANCELLED');
  });
});

describe('`cancelAll` answers the OrderDetailsList of what will be cancelled', () => {
  it('cancels every non-terminal order and no other', async () => {
    const { trader } = service;
    await eventually(
      () => trader.list('open'),
      (orders) => orders.length === 0,
    );
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await trader.place(RESTING));
    await trader.cancel({ order_id: ids[0] });
    await trader.reaches(ids[0] as number, 'CANCELLED');
    const listed = await trader.list('cancelAll');
    expect(new Set(listed.map(({ order_id: id }) => id))).toEqual(new Set(ids.slice(1)));
    expect(listed).toHaveLength(4);
    expect(listed.every(({ leaves_quantity: leaves }) => leaves === 0.01)).toBe(true);
    for (const id of ids) await trader.reaches(id, 'CANCELLED');
    expect(await trader.list('cancelAll')).toEqual([]);
  });
});
