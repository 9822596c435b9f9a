import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EARLIER_CREATES_WAIT_MS } from '../../src/domain/limits/clients.js';
import { EarlierCreates } from '../../src/intake/earlier-creates.js';
import { OrderControl, type ControlResult } from '../../src/intake/order-control.js';
import { draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import type { AccountId, ClientOrderId, OrderId, SessionNumber } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { isRejected } from '../../src/domain/rejection.js';
import { FakeOrderBook } from './fake-order-book.js';
import { BY_DEMO, CATALOGUE, createBody, DEMO, NOW_MS, parentState } from '../http/orders.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';

const ORDER_ID = 7 as OrderId;

/** An order of a create request. */
function orderOf(fields: Record<string, unknown>): ParentOrder {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return { ...draftOf(request, 'digest', DEMO, NOW_MS), orderId: ORDER_ID, clientOrderId: 'mine' as ClientOrderId };
}

const TWAP = {
  strategy: 'TWAP',
  quantity: '1',
  limit_price: '61000',
  clip_size_type: 'ABSOLUTE',
  clip_size_val: '0.05',
  params: { duration_seconds: '600', would: { would_price: '59000.5', would_pct: '33.333333' }, price_lock_bps: 5 },
};

class Counter {
  readonly book = new FakeOrderBook();
  /** Requests that wait for creates that are not durable; null: no create waits. */
  pending: (() => void)[] | null = null;
  readonly earlier = new EarlierCreates({
    monotonicMs: () => 0,
    afterPending: (_account, run) => this.pending !== null && this.pending.push(run) > 0,
  });
  readonly control = new OrderControl({
    commands: this.book,
    reader: this.book,
    whenComplete: this.book.whenComplete,
    catalogue: CATALOGUE,
    earlier: this.earlier,
  });

  constructor(order: Partial<FlatTerms> = orderOf(TWAP), fields: Partial<ParentState> = {}) {
    this.book.put(parentState(order, fields));
    this.book.refresh();
  }

  ask(what: 'pause' | 'resume' | 'amend', body: unknown, account = DEMO): ControlResult {
    const results: ControlResult[] = [];
    this.control[what]({ ...BY_DEMO, account }, body, (result) => results.push(result));
    const [result] = results;
    if (result === undefined || results.length > 1) throw new Error('there is not exactly one answer');
    return result;
  }

  pauseNew(results: ControlResult[]): void {
    this.control.pause(BY_DEMO, { client_order_id: 'new' }, (result) => results.push(result));
  }

  amend(terms: Record<string, unknown>): ControlResult {
    return this.ask('amend', { order_id: ORDER_ID, ...terms });
  }

  get order(): ParentOrder {
    return this.book.stateOf(ORDER_ID).order;
  }
}

describe('pause and resume', () => {
  it('answer the status of the order after the change', () => {
    const counter = new Counter();
    const answered = (status: string) => ({
      kind: 'summary',
      summary: { orderId: ORDER_ID, clientOrderId: 'mine', status, createdAtMs: NOW_MS, outcome: null },
    });
    expect(counter.ask('pause', { order_id: ORDER_ID })).toEqual(answered('PAUSED'));
    expect(counter.ask('resume', { client_order_id: 'mine' })).toEqual(answered('PENDING_UNPAUSE'));
  });

  it('wait for a store that is behind, and no later request of their session overtakes them', () => {
    const counter = new Counter();
    const happened: string[] = [];
    const sender = { ...BY_DEMO, onAdmitted: () => happened.push('admitted') };
    counter.book.reads.hold();
    counter.control.pause(sender, { order_id: ORDER_ID }, ({ kind }) => happened.push(kind));
    counter.control.pause(sender, { order_id: 8 }, ({ kind }) => happened.push(kind));
    expect([happened, counter.book.stateOf(ORDER_ID).status]).toEqual([[], 'ACCEPTED']);
    counter.book.reads.release();
    expect(happened).toEqual(['summary', 'admitted', 'admitted', 'unknown']);
    expect(counter.book.stateOf(ORDER_ID).status).toBe('PAUSED');
  });

  it('find the order of an earlier create that is answered while they wait for the store', () => {
    const counter = new Counter();
    const results: ControlResult[] = [];
    counter.book.reads.hold();
    counter.pending = [];
    counter.pauseNew(results);
    counter.pending = null;
    counter.book.put(parentState({ orderId: 9 as OrderId, clientOrderId: 'new' as ClientOrderId }));
    counter.book.reads.release();
    expect(results).toMatchObject([{ kind: 'summary', summary: { orderId: 9, status: 'PAUSED' } }]);
  });

  it('keep the status and answer the reason when the shard refuses or the order has ended', () => {
    const running = new Counter();
    running.book.refusal = { code: 'INVALID_ORDER', message: 'no' };
    expect(running.ask('pause', { order_id: ORDER_ID })).toMatchObject({
      summary: { status: 'ACCEPTED', outcome: { code: 'INVALID_ORDER', message: 'no' } },
    });
    expect(new Counter(orderOf(TWAP), { status: 'FILLED' }).ask('pause', { order_id: ORDER_ID })).toMatchObject({
      summary: { status: 'FILLED', outcome: { code: 'INVALID_ORDER', message: 'order_id 7 is already FILLED' } },
    });
  });

  it.each([
    ['that does not exist', { order_id: 8 }, DEMO, { kind: 'unknown' }],
    ['of another account', { order_id: ORDER_ID }, 'other' as AccountId, { kind: 'unknown' }],
    ["by another account's name", { client_order_id: 'mine' }, 'other' as AccountId, { kind: 'unknown' }],
    ['without a name', {}, DEMO, { kind: 'unreadable', rejection: { code: 'INVALID_REQUEST' } }],
    [
      'by the ids of two orders',
      { order_id: ORDER_ID, client_order_id: 'x' },
      DEMO,
      { rejection: { code: 'INVALID_REQUEST' } },
    ],
    ['by a text that is no id', { order_id: 'x' }, DEMO, { rejection: { code: 'INVALID_PARAM' } }],
    ['by an array', [], DEMO, { rejection: { code: 'INVALID_REQUEST' } }],
  ])('change nothing for an order %s', (_, body, account, expected) => {
    const counter = new Counter();
    for (const what of ['pause', 'resume'] as const) expect(counter.ask(what, body, account)).toMatchObject(expected);
    expect(counter.book.stateOf(ORDER_ID).status).toBe('ACCEPTED');
  });
});

describe('a change of an order whose create is not answered', () => {
  const CREATED = { ...orderOf(TWAP), orderId: 8 as OrderId, clientOrderId: 'new' as ClientOrderId };
  it('waits for its id, and then until it is durable', () => {
    const counter = new Counter();
    counter.pending = [];
    const results: ControlResult[] = [];
    const admitted = counter.earlier.begin(DEMO);
    counter.pauseNew(results);
    expect([results, counter.pending]).toEqual([[], []]);
    admitted();
    expect([results.length, counter.pending.length]).toEqual([0, 1]);
    counter.book.put(parentState(CREATED));
    counter.book.refresh();
    counter.pending[0]!();
    expect(results).toMatchObject([{ kind: 'summary', summary: { orderId: 8, status: 'PAUSED', outcome: null } }]);
  });

  it('is refused when that takes too long, and unknown when no such order appears', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const counter = new Counter();
    counter.pending = [];
    const results: ControlResult[] = [];
    counter.pauseNew(results);
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS);
    counter.pauseNew(results);
    for (const run of counter.pending) run();
    expect(results).toMatchObject([{ kind: 'unreadable', rejection: { code: 'SYSTEM_BUSY' } }, { kind: 'unknown' }]);
  });
});

describe('amend', () => {
  it('replaces the given terms and keeps the others', () => {
    const counter = new Counter();
    const before = counter.order;
    counter.amend({ quantity: '1.5', params: { trading_style: 'passive', price_lock_bps: 7 } });
    const { revision, priceLockBps, legs } = counter.order;
    const [{ quantity, style, requestEcho }] = legs;
    expect({ revision, style, priceLockBps }).toEqual({ revision: 1, style: 'PASSIVE', priceLockBps: 7 });
    expect(quantity).toBe(before.legs[0].quantity * 1.5);
    expect(JSON.parse(requestEcho)).toEqual({
      ...(JSON.parse(before.legs[0].requestEcho) as object),
      params: {
        duration_seconds: 600,
        trading_style: 'PASSIVE',
        would: { would_price: 59_000.5, would_pct: 33.333333, would_style: 'HYBRID' },
        price_lock_bps: 7,
      },
    });
    const changed = { revision, quantity, style, priceLockBps, requestEcho };
    expect(counter.order).toEqual(withTerms(before, changed));
  });

  it('keeps the session of the order', () => {
    const session = 3 as SessionNumber;
    const counter = new Counter({ ...orderOf(TWAP), session });
    counter.amend({ end_time: new Date(NOW_MS + 900_000).toISOString() });
    expect(counter.order).toMatchObject({ revision: 1, session });
  });

  it('sets a new end by end_time or by duration', () => {
    const counter = new Counter();
    const start = counter.order.startAtMs;
    counter.amend({ end_time: new Date(start + 900_000).toISOString() });
    expect(counter.order).toMatchObject({ endAtMs: start + 900_000, legs: [{ durationMs: null }] });
    counter.amend({ params: { duration_seconds: 120 } });
    expect(counter.order).toMatchObject({ endAtMs: start + 120_000, legs: [{ durationMs: 120_000 }] });
    counter.amend({ end_time: new Date(start + 60_000).toISOString(), params: { duration_seconds: 120 } });
    expect(counter.order).toMatchObject({ endAtMs: start + 60_000, legs: [{ durationMs: 120_000 }], revision: 3 });
  });

  it.each([
    [{ quantity: '0' }, 'INVALID_QUANTITY', 'quantity "0" is not a decimal above 0'],
    [{ limit_price: '1.001' }, 'INVALID_LIMIT_PRICE', 'limit_price'],
    [{ limit_price: '58000' }, 'INVALID_WOULD_PRICE', 'params.would.would_price 59000.5'],
    [{ end_time: 'soon' }, 'INVALID_END_TIME', 'end_time "soon"'],
    [{ end_time: '2001-01-01T00:00:00Z' }, 'INVALID_END_TIME', 'is not after start_time'],
    [{ end_time: '9999-12-31T23:59:59Z' }, 'INVALID_END_TIME', 'is over 30 days after the start'],
    [{ params: 5 }, 'INVALID_PARAM', 'params is 5'],
    [{ params: { urgency: 'NOW' } }, 'INVALID_PARAM', 'params.urgency'],
    [{ params: { reduce_only: true } }, 'INVALID_PARAM', 'params.reduce_only cannot be amended'],
    [{ params: { start_ladder_price: '59000' } }, 'INVALID_PARAM', 'params.start_ladder_price cannot be amended'],
  ])('refuses terms that a create refuses: %j', (terms, code, message) => {
    const counter = new Counter();
    const before = counter.order;
    expect(counter.amend(terms)).toMatchObject({
      summary: { status: 'ACCEPTED', outcome: { code, message: expect.stringContaining(message) as string } },
    });
    expect(counter.order).toEqual(before);
  });

  it('refuses a request without terms', () => {
    expect(new Counter().amend({ quantity: null })).toMatchObject({ kind: 'unreadable' });
  });
});
