import { describe, expect, it } from 'vitest';
import type { Refusal, Summary, SummaryList } from './answers.js';
import { RESTING } from './orders.js';
import { useService } from './service-under-rules.js';

const CREATE_MANY = '/api/v2/trading/order/createMany';
const CANCEL_MANY = '/api/v2/trading/order/cancelMany';
const BATCH_MAX = 500;

const service = useService();

const many = (orders: readonly unknown[]) => service.trader.post<SummaryList & Refusal>(CREATE_MANY, { orders });

describe('Batch endpoints return one summary per submitted order; batch members are independent', () => {
  it('answers 201 with summaries in the order of the request, also with rejected members', async () => {
    const { status, body } = await many([
      { ...RESTING, client_order_id: 'first' },
      { ...RESTING, client_order_id: 'second', side: 'UP' },
      { client_order_id: 'third' },
      7,
      null,
      'order',
      { ...RESTING, client_order_id: 'last' },
    ]);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['orders']);
    expect(body.orders.map(({ status, error_code: code }) => code ?? status)).toEqual([
      'PENDING_NEW',
      'INVALID_PARAM',
      'INVALID_EXCHANGE',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'PENDING_NEW',
    ]);
    const ids = body.orders.map(({ client_order_id: id }) => id);
    expect([ids[0], ids[1], ids[2], ids[6]]).toEqual(['first', 'second', 'third', 'last']);
    expect(body.orders.map(({ order_id: id }) => id !== undefined)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('places one order for the same client_order_id twice in one batch', async () => {
    const order = { ...RESTING, client_order_id: 'twin' };
    const { body } = await many([order, order, { ...order, quantity: '0.02' }]);
    const [first, second, third] = body.orders as [Summary, Summary, Summary];
    expect(first.status).toBe('PENDING_NEW');
    expect(second.order_id).toBe(first.order_id);
    expect(third).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_REQUEST' });
  });
});

describe('more than 500 orders in a batch: 400, BATCH_OVERSIZE, nothing placed', () => {
  it('refuses 501 orders', async () => {
    const before = await service.trader.list('open');
    const { status, body } = await many(Array.from({ length: BATCH_MAX + 1 }, () => RESTING));
    expect([status, body.error_code]).toEqual([400, 'BATCH_OVERSIZE']);
    const cancels = { orders: Array.from({ length: BATCH_MAX + 1 }, () => ({ order_id: 1 })) };
    const answer = await service.trader.post(CANCEL_MANY, cancels);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BATCH_OVERSIZE']);
    expect(await service.trader.list('open')).toHaveLength(before.length);
  });

  it('places and cancels 500 orders', async () => {
    const { status, body } = await many(Array.from({ length: BATCH_MAX }, () => ({ ...RESTING, quantity: '0.001' })));
    expect(status).toBe(201);
    const ids = body.orders.map(({ order_id: id }) => id);
    expect(new Set(ids).size).toBe(BATCH_MAX);
    expect(ids).not.toContain(undefined);
    const cancels = { orders: ids.map((id) => ({ order_id: id })) };
    const cancelled = await service.trader.post<Summary[]>(CANCEL_MANY, cancels);
    expect(cancelled.status).toBe(200);
    expect(cancelled.body.map(({ order_id: id }) => id)).toEqual(ids);
  });
});
