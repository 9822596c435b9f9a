import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import type { Summary } from './answers.js';
import { IMMEDIATE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';

/**
 * Service time runs 10 times as fast: on a busy machine a thread may wait for 0.2 s, which is then 2 s of an order. One
 * exchange never carries out a cancel.
 */
const service = useService({
  env: { SLUICE_SIM_SPEED: '10' },
  faults: [{ fault: 'reject', request: 'cancel', venue: 'OKX', code: 'EXCHANGE_NOT_AVAILABLE' }],
});

const CANCEL = '/api/v2/trading/order/cancel';
const UNKNOWN_ID = 4_000_000_000_000;

describe('`create` answers PENDING_NEW once the order is durable; the actor then checks funds and venue and moves to ACCEPTED or REJECTED', () => {
  it('moves an order with funds to ACCEPTED', async () => {
    const summary = await service.trader.create(RESTING);
    expect(summary).toMatchObject({ status: 'PENDING_NEW' });
    const details = await service.trader.reaches(summary.order_id as number, 'ACCEPTED');
    expect(details).toMatchObject({ filled_quantity: 0, leaves_quantity: 0.01, average_price: 0 });
    expect(details).toMatchObject({ last_quantity: 0, last_price: 0 });
  });

  it('moves an order to REJECTED when the account at the exchange cannot cover it', async () => {
    const orderId = await service.trader.place({ ...RESTING, quantity: '100', limit_price: '60000' });
    const details = await service.trader.reaches(orderId, 'REJECTED');
    expect(details).toMatchObject({ error_code: 'INSUFFICIENT_FUNDS', filled_quantity: 0, leaves_quantity: 100 });
    expect(details.message).toEqual(expect.any(String));
  });

  it('keeps an acknowledged order over a crash', async () => {
    const orderId = await service.trader.place({ ...RESTING, client_order_id: 'durable' });
    await service.run.kill();
    await service.start();
    const details = await service.trader.reaches(orderId, 'ACCEPTED');
    expect(details).toMatchObject({ client_order_id: 'durable', leaves_quantity: 0.01 });
  });
});

describe('OrderDetails', () => {
  it('shows filled_quantity, leaves_quantity, last and average of a FILLED order', async () => {
    const orderId = await service.trader.place(IMMEDIATE);
    const details = await service.trader.reaches(orderId, 'FILLED');
    expect(details).toMatchObject({
      filled_quantity: 0.01,
      leaves_quantity: 0,
      strategy: 'MARKET',
      exchange: 'BINANCE',
    });
    expect(details.average_price).toBeGreaterThan(1000);
    expect(details.last_price).toBeGreaterThan(1000);
    expect(details.last_quantity).toBeGreaterThan(0);
    expect(details.end_time).toBeGreaterThanOrEqual(details.start_time);
    expect(details).not.toHaveProperty('error_code');
    expect(details).not.toHaveProperty('message');
  });

  it('shows start_time and end_time in epoch milliseconds', async () => {
    const orderId = await service.trader.place(SCHEDULED);
    const { start_time: startMs, end_time: endMs } = await service.trader.details(orderId);
    expect(endMs).toBe(startMs + 600_000);
    await service.trader.cancel({ order_id: orderId });
  });
});

// These wait for the ends of their orders.
describe.concurrent('OrderDetails of an order over time', () => {
  it('shows a TWAP as PARTIALLY_FILLED, then FILLED', async () => {
    const orderId = await service.trader.place({ ...SCHEDULED, params: { duration_seconds: '60' } });
    const partial = await service.trader.reaches(orderId, 'PARTIALLY_FILLED');
    expect(partial.filled_quantity).toBeGreaterThan(0);
    const sum = partial.filled_quantity + partial.leaves_quantity;
    expect(sum).toBeCloseTo(0.1, 8);
    const filled = await service.trader.reaches(orderId, 'FILLED');
    expect(filled).toMatchObject({ filled_quantity: 0.1, leaves_quantity: 0 });
  });
});

describe.concurrent('end_time / duration passed with quantity left ─▶ EXPIRED', () => {
  it('answers EXPIRY_REACHED with a message, and leaves_quantity also after the end', async () => {
    const orderId = await service.trader.place({ ...RESTING, params: { duration_seconds: '20' } });
    const details = await service.trader.reaches(orderId, 'EXPIRED');
    expect(details).toMatchObject({ error_code: 'EXPIRY_REACHED', filled_quantity: 0, leaves_quantity: 0.01 });
    expect(details.message).toEqual(expect.any(String));
    expect((await service.trader.list('open')).map(({ order_id: id }) => id)).not.toContain(orderId);
  });

  it('keeps the filled quantity of an EXPIRED order', async () => {
    // Its limit stops the order when the market moves away. If the market never does, the order fills, which is correct
    // too.
    const orderId = await service.trader.place({
      ...SCHEDULED,
      quantity: '5',
      limit_price: '50000',
      params: { duration_seconds: '60', trading_style: 'AGGRESSIVE' },
    });
    const details = await service.trader.reaches(orderId, 'EXPIRED', 'FILLED');
    expect(details.filled_quantity).toBeGreaterThan(0);
    expect(details.filled_quantity + details.leaves_quantity).toBeCloseTo(5, 8);
  });
});

describe('any non-terminal order, a cancellation request is processed ─▶ PENDING_CANCEL; the final state is read by querying afterwards', () => {
  it('ends a cancelled order as CANCELLED', async () => {
    const orderId = await service.trader.place({ ...RESTING, client_order_id: 'doomed' });
    await service.trader.reaches(orderId, 'ACCEPTED');
    const { status, body } = await service.trader.post<Summary>(CANCEL, { order_id: orderId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ order_id: orderId, client_order_id: 'doomed', status: 'PENDING_CANCEL' });
    const details = await service.trader.reaches(orderId, 'CANCELLED');
    expect(details).toMatchObject({ filled_quantity: 0, leaves_quantity: 0.01 });
  });

  it('cancels an order at once after its create', async () => {
    const orderId = await service.trader.place(RESTING);
    expect(await service.trader.cancel({ order_id: orderId })).toMatchObject({ status: 'PENDING_CANCEL' });
    await service.trader.reaches(orderId, 'CANCELLED');
  });

  it('cancels an order that waits for its start time', async () => {
    const startTime = new Date(Date.now() + 20 * 24 * 3600 * 1000).toISOString();
    const orderId = await service.trader.place({ ...RESTING, start_time: startTime });
    const waiting = await service.trader.reaches(orderId, 'ACCEPTED');
    expect(waiting.start_time).toBe(Date.parse(startTime));
    await service.trader.cancel({ order_id: orderId });
    await service.trader.reaches(orderId, 'CANCELLED');
  });

  it('answers PENDING_CANCEL again for an order already PENDING_CANCEL', async () => {
    const orderId = await service.trader.place({ ...RESTING, exchange: 'OKX' });
    // The exchange can only fail to cancel a child that rests there.
    await eventually(
      () => service.trader.get<object>('/api/v2/trading/order/timeline', `orderId=${orderId}`),
      ({ body }) => JSON.stringify(body).includes('ChildAccepted'),
    );
    for (let count = 0; count < 3; count += 1) {
      expect(await service.trader.cancel({ order_id: orderId })).toMatchObject({ status: 'PENDING_CANCEL' });
    }
    expect((await service.trader.details(orderId)).status).toBe('PENDING_CANCEL');
  });
});

describe('CANCEL_REJECTED is only ever the answer to a cancel that cannot be carried out; HTTP stays 200, INVALID_ORDER, `message` says why', () => {
  it.each([
    ['an unknown order_id', { order_id: UNKNOWN_ID }],
    ['an unknown client_order_id', { client_order_id: 'nobody' }],
  ])('answers CANCEL_REJECTED for %s', async (_, name) => {
    const { status, body } = await service.trader.post<Summary>(CANCEL, name);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...name, status: 'CANCEL_REJECTED', error_code: 'INVALID_ORDER' });
    expect(body.message).toContain(String(Object.values(name)[0]));
    expect(Date.parse(body.created_at)).toBeGreaterThan(0);
  });

  it('answers CANCEL_REJECTED for a terminal order, which keeps its status', async () => {
    const { trader } = service;
    for (const [order, end] of [
      [IMMEDIATE, 'FILLED'],
      [{ ...RESTING, quantity: '100', limit_price: '60000' }, 'REJECTED'],
    ] as const) {
      const orderId = await trader.place(order);
      await trader.reaches(orderId, end);
      const summary = await trader.cancel({ order_id: orderId });
      expect(summary).toMatchObject({ order_id: orderId, status: 'CANCEL_REJECTED', error_code: 'INVALID_ORDER' });
      expect((await trader.details(orderId)).status).toBe(end);
    }
  });
});

describe('Cancel with both ids: they must name the same order, otherwise 400 INVALID_REQUEST; with neither: 400 INVALID_REQUEST', () => {
  it('accepts both ids of the same order', async () => {
    const orderId = await service.trader.place({ ...RESTING, client_order_id: 'both' });
    const summary = await service.trader.cancel({ order_id: orderId, client_order_id: 'both' });
    expect(summary).toMatchObject({ status: 'PENDING_CANCEL' });
  });

  it('refuses the ids of two orders', async () => {
    const { trader } = service;
    const orderId = await trader.place({ ...RESTING, client_order_id: 'left' });
    const other = await trader.place({ ...RESTING, client_order_id: 'right' });
    for (const name of [
      { order_id: orderId, client_order_id: 'right' },
      { order_id: orderId, client_order_id: 'nobody' },
      { order_id: UNKNOWN_ID, client_order_id: 'left' },
    ]) {
      const { status, body } = await trader.post(CANCEL, name);
      expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
    }
    for (const id of [orderId, other]) expect((await trader.details(id)).status).not.toMatch('CANCEL');
  });

  it('refuses a cancel without an id', async () => {
    for (const name of [{}, { order_id: null, client_order_id: null }, { source: 'desk' }]) {
      const { status, body } = await service.trader.post(CANCEL, name);
      expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('`created_at` is UTC, RFC 3339, service time', () => {
  it('is equal in the summaries of a create, a repetition and a cancel', async () => {
    const order = { ...RESTING, client_order_id: 'dated' };
    const created = await service.trader.create(order);
    expect(created.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await service.trader.create(order)).toMatchObject({ created_at: created.created_at });
    expect(await service.trader.cancel({ client_order_id: 'dated' })).toMatchObject({ created_at: created.created_at });
  });
});

describe('service time started at the real time and runs k times as fast', () => {
  it('continues after a restart, not before the last journalled time', async () => {
    const ping = async () =>
      (await (await fetch(`${service.trader.url}/status/ping`)).json()) as { timestamp: number; service_time: number };
    const before = await ping();
    // Long enough that a pause between the two readings of one answer changes the factor little.
    const after = await eventually(ping, ({ timestamp }) => timestamp >= before.timestamp + 2_000);
    const factor = (after.service_time - before.service_time) / (after.timestamp - before.timestamp);
    expect(factor).toBeGreaterThan(7);
    expect(factor).toBeLessThan(13);
    const { created_at: createdAt } = await service.trader.create(RESTING);
    await service.run.kill();
    await service.start();
    expect((await ping()).service_time).toBeGreaterThanOrEqual(Date.parse(createdAt));
  });
});
