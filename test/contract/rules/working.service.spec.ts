import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import type { Details } from './answers.js';
import { IMMEDIATE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';
import { StreamClient, type Frame } from './stream-client.js';

/** Service time runs 10 times as fast, so a pause of a second on a loaded machine makes no slice miss its end. */
const service = useService({ env: { SLUICE_SIM_SPEED: '10' } });

const ONE_MINUTE = { duration_seconds: '60', trading_style: 'AGGRESSIVE' } as const;

let stream: StreamClient;
beforeAll(async () => {
  stream = await StreamClient.of(service.trader);
  await stream.follow('child_order');
});
afterAll(() => stream.close());

interface Child {
  readonly id: string;
  readonly quantity: number;
  readonly limitPrice: number | undefined;
  readonly submittedMs: number;
}

/** The children of an order by number. */
function childrenOf(orderId: number): readonly Child[] {
  const children = new Map<string, Child>();
  for (const frame of stream.of('child_order')) {
    const order = frame['order'] as Frame;
    if (order['parent_order_id'] !== String(orderId)) continue;
    const id = order['order_id'] as string;
    const quantity = order['quantity'] as number;
    const limitPrice = order['limit_price'] as number | undefined;
    children.set(id, { id, quantity, limitPrice, submittedMs: order['created_at'] as number });
  }
  return [...children.values()];
}

async function filled(order: object): Promise<Details> {
  const orderId = await service.trader.place(order);
  await service.trader.reaches(orderId, 'FILLED');
  const details = await service.trader.details(orderId, 'include_fees=true&include_trades=true&');
  // The stream shows the same values a moment earlier or later.
  await stream.frame('child_order', (frame) => {
    const [child, status] = [frame['order'], frame['order_status']] as [Frame, Frame];
    return child['parent_order_id'] === String(orderId) && status['status'] === 'FILLED';
  });
  return details;
}

async function serviceTimeMs(): Promise<number> {
  const response = await fetch(`${service.trader.url}/status/ping`);
  return ((await response.json()) as { readonly service_time: number }).service_time;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe.concurrent('TWAP: the schedule spreads the order over its duration', () => {
  it('places several children between start and end, with sums and averages that match the trades', async () => {
    const details = await filled({ ...SCHEDULED, params: ONE_MINUTE });
    const { trades = [], start_time: startMs } = details;
    const times = trades.map(({ execTime }) => execTime);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(startMs);
    expect(Math.max(...times)).toBeLessThanOrEqual(startMs + 61_000);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(30_000);
    expect(childrenOf(details.order_id).length).toBeGreaterThanOrEqual(4);
    expect(sum(trades.map(({ quantity }) => quantity))).toBeCloseTo(0.1, 9);
    const notional = sum(trades.map(({ quantity, price }) => quantity * price));
    expect(details.average_price).toBeCloseTo(notional / 0.1, 4);
    expect(details.last_price).toBe(trades.at(-1)?.price);
    expect(details.last_quantity).toBe(trades.at(-1)?.quantity);
    const [fee] = Object.values(details.fees_infos ?? {});
    expect(fee).toBeCloseTo(sum(trades.map((trade) => trade.fee)), 9);
  });
});

describe.concurrent('clip_size_type', () => {
  it.each([
    ['ABSOLUTE: base units a child', { clip_size_type: 'ABSOLUTE', clip_size_val: '0.002' }],
    ['PERCENTAGE: percent of the parent a child', { clip_size_type: 'PERCENTAGE', clip_size_val: '20' }],
    ['ORDER_COUNT: number of children', { clip_size_type: 'ORDER_COUNT', clip_size_val: '5' }],
  ])('sets the number of children by %s', async (_, clip) => {
    const { order_id: orderId } = await filled({ ...SCHEDULED, ...clip, quantity: '0.01', params: ONE_MINUTE });
    const children = childrenOf(orderId);
    expect(children.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...children.map(({ quantity }) => quantity))).toBeLessThanOrEqual(0.002);
  });
});

describe.concurrent('randomize_amount: ±20 % a slice, cumulative path kept', () => {
  it('places slices of different sizes whose sum is the quantity', async () => {
    const params = { ...ONE_MINUTE, randomize_amount: true };
    const { order_id: orderId, filled_quantity: quantity } = await filled({ ...SCHEDULED, params });
    expect(quantity).toBe(0.1);
    expect(new Set(childrenOf(orderId).map((child) => child.quantity)).size).toBeGreaterThan(1);
  });
});

describe('post_only: passive placements are sent post-only; an exchange rejects a child that would cross', () => {
  it('sends a resting limit order post-only', async () => {
    const orderId = await service.trader.place({ ...RESTING, params: { post_only: true } });
    await service.trader.reaches(orderId, 'ACCEPTED');
    await stream.frame('child_order', (frame) => (frame['order'] as Frame)['parent_order_id'] === String(orderId));
    expect((await service.trader.details(orderId)).filled_quantity).toBe(0);
  });

  it('does not take with a limit order that would cross', async () => {
    const params = { post_only: true, duration_seconds: '20', trading_style: 'PASSIVE' };
    const orderId = await service.trader.place({ ...RESTING, limit_price: '90000', params });
    await service.trader.reaches(orderId, 'REJECTED', 'EXPIRED', 'FILLED', 'CANCELLED');
    const { trades = [], start_time: startMs } = await service.trader.details(orderId, 'include_trades=true&');
    // The deadline window may cross: the last two seconds.
    const takers = trades.filter(
      ({ makerOrTaker, execTime }) => /taker/i.test(makerOrTaker) && execTime < startMs + 17_000,
    );
    expect(takers).toEqual([]);
  });
});

describe.concurrent('limit_price: never traded through by any path', () => {
  it('holds for a TWAP at its deadline and for a market order', async () => {
    const touch = (await filled(IMMEDIATE)).average_price;
    const limit = (Math.floor(touch * 0.9999 * 100) / 100).toFixed(2);
    const orders = [
      { ...SCHEDULED, side: 'BUY', limit_price: limit, params: { duration_seconds: '60' } },
      { ...SCHEDULED, side: 'BUY', limit_price: limit, params: ONE_MINUTE },
      { ...IMMEDIATE, quantity: '1', limit_price: limit, params: { duration_seconds: '20' } },
      { ...IMMEDIATE, side: 'SELL', quantity: '1', limit_price: limit, params: { duration_seconds: '20' } },
    ];
    const neverBeyond = async (order: (typeof orders)[number]): Promise<void> => {
      const orderId = await service.trader.place(order);
      await service.trader.reaches(orderId, 'FILLED', 'EXPIRED', 'CANCELLED');
      const { trades = [] } = await service.trader.details(orderId, 'include_trades=true&');
      const beyond = trades.filter(({ price }) =>
        order.side === 'BUY' ? price > Number(limit) : price < Number(limit),
      );
      expect(beyond).toEqual([]);
      const reach = childrenOf(orderId).filter(({ limitPrice }) =>
        order.side === 'BUY' ? (limitPrice ?? 0) > Number(limit) : (limitPrice ?? Infinity) < Number(limit),
      );
      expect(reach).toEqual([]);
    };
    // An account does not trade with itself, so the sale follows the end of the purchases.
    await Promise.all(orders.filter(({ side }) => side === 'BUY').map(neverBeyond));
    await Promise.all(orders.filter(({ side }) => side === 'SELL').map(neverBeyond));
  });
});

describe.concurrent('start_time: when trading starts', () => {
  it('keeps the order ACCEPTED without a child until its start time', async () => {
    const startMs = (await serviceTimeMs()) + 50_000;
    const orderId = await service.trader.place({ ...IMMEDIATE, start_time: new Date(startMs).toISOString() });
    const waiting = await service.trader.reaches(orderId, 'ACCEPTED');
    expect(waiting).toMatchObject({ start_time: startMs, filled_quantity: 0 });
    expect(childrenOf(orderId)).toEqual([]);
    await service.trader.reaches(orderId, 'FILLED');
    const { trades = [] } = await service.trader.details(orderId, 'include_trades=true&');
    expect(Math.min(...trades.map(({ execTime }) => execTime))).toBeGreaterThanOrEqual(startMs);
  });
});

describe.concurrent('trigger: starts the order when the last price is at or ABOVE / BELOW trigger_price; until then ACCEPTED with no child', () => {
  it.each([
    ['ABOVE', '1000', 'FILLED'],
    ['BELOW', '900000', 'FILLED'],
    ['ABOVE', '900000', 'EXPIRED'],
    ['BELOW', '1000', 'EXPIRED'],
  ])('condition %s with price %s leads to %s', async (condition, price, end) => {
    const trigger = { trigger_price: price, trigger_condition: condition };
    const endTime = new Date((await serviceTimeMs()) + 50_000).toISOString();
    const orderId = await service.trader.place({ ...IMMEDIATE, end_time: endTime, params: { trigger } });
    const details = await service.trader.reaches(orderId, 'FILLED', 'EXPIRED', 'REJECTED', 'CANCELLED');
    expect(details.status).toBe(end);
    if (end === 'EXPIRED') expect(childrenOf(orderId)).toEqual([]);
  });
});

describe('infeasible schedule: quantity·interval/duration below the venue minimum: fewer, larger slices', () => {
  it('accepts a small order over a long time, and refuses a quantity under the minimum', async () => {
    const small = { ...SCHEDULED, quantity: '0.0002', params: { duration_seconds: '86400' } };
    expect(await service.trader.create(small)).toMatchObject({ status: 'PENDING_NEW' });
    const tiny = await service.trader.create({ ...SCHEDULED, quantity: '0.000001' });
    expect(tiny).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
  });
});

describe('would: BUY: when the ask ≤ would_price, `would_pct` percent of the order may be worked in `would_style`', () => {
  it('fills at once at a good price, ahead of the schedule', async () => {
    const would = { would_price: '90000', would_pct: '50', would_style: 'AGGRESSIVE' };
    const params = { duration_seconds: '86400', trading_style: 'PASSIVE', would };
    const orderId = await service.trader.place({ ...SCHEDULED, side: 'BUY', quantity: '0.04', params });
    const details = await eventually(
      () => service.trader.details(orderId),
      ({ filled_quantity: quantity }) => quantity >= 0.02,
    );
    expect(details.filled_quantity).toBeLessThan(0.022);
    await service.trader.cancel({ order_id: orderId });
  });

  it('has no effect while its price is not reached', async () => {
    const would = { would_price: '1000', would_pct: '100', would_style: 'AGGRESSIVE' };
    const params = { duration_seconds: '86400', trading_style: 'PASSIVE', would };
    const orderId = await service.trader.place({ ...SCHEDULED, side: 'BUY', quantity: '0.04', params });
    await service.trader.reaches(orderId, 'ACCEPTED', 'PARTIALLY_FILLED');
    expect((await service.trader.details(orderId)).filled_quantity).toBeLessThan(0.01);
    await service.trader.cancel({ order_id: orderId });
  });
});

describe('ladder: limit children from start_ladder_price to end_ladder_price inclusive; the count from the clip (AUTOMATIC: 10)', () => {
  it('places the rungs of SCALE at their prices with their quantities', async () => {
    const params = { start_ladder_price: '50000', end_ladder_price: '41000', size_skew: 1 };
    const order = { ...RESTING, limit_price: undefined, strategy: 'SCALE', quantity: '0.1', params };
    const orderId = await service.trader.place(order);
    const rungs = await eventually(
      () => childrenOf(orderId),
      (children) => children.length >= 10,
    );
    expect(rungs.map(({ limitPrice = 0 }) => limitPrice).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 10 }, (_, place) => 41_000 + place * 1000),
    );
    expect(sum(rungs.map(({ quantity }) => quantity))).toBeCloseTo(0.1, 9);
    await service.trader.cancel({ order_id: orderId });
  });

  it('grades the sizes linearly by `size_skew` from the start price to the end price', async () => {
    const params = { start_ladder_price: '50000', end_ladder_price: '46000', size_skew: 3, ladder_profile: 'LINEAR' };
    const clip = { clip_size_type: 'ORDER_COUNT', clip_size_val: '5' };
    const order = { ...RESTING, ...clip, limit_price: undefined, strategy: 'SCALE', quantity: '0.1', params };
    const orderId = await service.trader.place(order);
    const rungs = await eventually(
      () => childrenOf(orderId),
      (children) => children.length >= 5,
    );
    const byPrice = rungs.toSorted((one, other) => (other.limitPrice ?? 0) - (one.limitPrice ?? 0));
    for (const [place, { quantity }] of byPrice.entries()) expect(quantity).toBeCloseTo(0.01 + place * 0.005, 4);
    await service.trader.cancel({ order_id: orderId });
  });
});
