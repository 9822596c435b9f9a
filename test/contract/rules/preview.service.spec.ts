import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import type { Answer } from './trader.js';
import type { Refusal } from './answers.js';
import { FUTURE, IMMEDIATE, RESTING, SCHEDULED, without } from './orders.js';
import { useService } from './service-under-rules.js';

const PREVIEW = '/api/v2/trading/order/preview';

interface Preview {
  readonly accepted: boolean;
  readonly rejections: readonly { readonly error_code: string; readonly message: string }[];
  readonly existing_order_id?: number;
  readonly schedule?: readonly { readonly time: number; readonly quantity: number }[];
  readonly children?: { readonly count: number; readonly quantity: number };
  readonly expected_cost?: Readonly<Record<string, number>>;
  readonly participation?: number;
}

const service = useService();

const requestPreview = (order: unknown): Promise<Answer<Preview>> => service.trader.post<Preview>(PREVIEW, order);

/** The preview of an order. */
async function preview(order: object): Promise<Preview> {
  const { status, body } = await requestPreview(order);
  expect(status).toBe(200);
  return body;
}

const TIMED = without({ ...SCHEDULED, side: 'BUY' }, 'strategy');
const UNTIMED = without(IMMEDIATE, 'strategy');
const LADDER = { clip_size_type: 'ORDER_COUNT', clip_size_val: '7' };
const OF_EACH_STRATEGY: readonly (readonly [string, object])[] = [
  ['TWAP', TIMED],
  ['VWAP', TIMED],
  ['IS', TIMED],
  ['POV', { ...UNTIMED, clip_size_type: 'PERCENTAGE', clip_size_val: '3' }],
  ['ICEBERG', { ...UNTIMED, clip_size_type: 'ABSOLUTE', clip_size_val: '0.003' }],
  ['MARKET', UNTIMED],
  ['LIMIT', { ...UNTIMED, limit_price: '50000' }],
  [
    'SCALE',
    { ...UNTIMED, quantity: '0.1', ...LADDER, params: { start_ladder_price: '52000', end_ladder_price: '50000' } },
  ],
];

describe('preview of an order (Ours)', () => {
  it.each(OF_EACH_STRATEGY)(
    'has every field for %s, and a schedule whose sum is exactly the quantity',
    async (strategy, rest) => {
      const order = { ...rest, strategy } as unknown as { quantity: string };
      const first = await preview(order);
      expect(first).toMatchObject({ accepted: true, rejections: [] });
      // The service learns the volume of an instrument after the first request for it.
      const result = await eventually(
        () => preview(order),
        ({ participation }) => participation !== undefined,
      );
      expect(Object.keys(result).toSorted()).toEqual(
        ['accepted', 'children', 'expected_cost', 'participation', 'rejections', 'schedule'].toSorted(),
      );
      const { schedule = [], children, expected_cost: cost = {}, participation } = result;
      expect(schedule.length).toBeLessThanOrEqual(500);
      const satoshis = schedule.reduce((sum, { quantity }) => sum + Math.round(quantity * 1e8), 0);
      expect(satoshis).toBe(Math.round(Number(order.quantity) * 1e8));
      expect(schedule.map(({ time }) => time)).toEqual(
        schedule.map(({ time }) => time).toSorted((one, two) => one - two),
      );
      expect(Number.isInteger(children?.count) && Number(children?.count) >= 1).toBe(true);
      expect(children?.quantity).toBeGreaterThan(0);
      expect(participation).toBeGreaterThan(0);
      const names = ['spread_bps', 'impact_bps', 'fee_bps', 'total_bps', 'stdev_bps'];
      expect(Object.keys(cost).toSorted()).toEqual(names.toSorted());
      const { spread_bps: spread, impact_bps: impact, fee_bps: fee, total_bps: total, stdev_bps: deviation } = cost;
      expect(total).toBeCloseTo(Number(spread) + Number(impact) + Number(fee), 3);
      expect(deviation).toBeGreaterThan(0);
    },
  );

  it('starts at the start time of the order', async () => {
    const startMs = 1000 * Math.ceil(Date.now() / 1000) + 3_600_000;
    const { schedule } = await preview({ ...TIMED, strategy: 'TWAP', start_time: new Date(startMs).toISOString() });
    expect(schedule?.[0]?.time).toBe(startMs);
    expect(schedule?.at(-1)?.time).toBeLessThan(startMs + 600_000);
  });

  it('places nothing and reserves no client_order_id', async () => {
    const trader = await service.client('onlooker');
    const order = { ...IMMEDIATE, client_order_id: 'looked-at' };
    for (const quantity of ['0.01', '0.02']) {
      const { body } = await trader.post<Preview>(PREVIEW, { ...order, quantity });
      expect(body).toMatchObject({ accepted: true });
      expect(body).not.toHaveProperty('existing_order_id');
    }
    expect(await trader.list('find', 'clientOrderIds=looked-at&')).toEqual([]);
    expect(await trader.list('open')).toEqual([]);
    expect((await trader.create(order)).status).toBe('PENDING_NEW');
  });

  it('needs a signature and only the permission read', async () => {
    const reader = await service.client('trader', 'read');
    expect((await reader.post<Preview>(PREVIEW, RESTING)).body.accepted).toBe(true);
    expect((await reader.post('/api/v2/trading/order/create', RESTING)).status).toBe(403);
    const { status, body } = await reader.post(PREVIEW, RESTING, { signedPayload: '{}' });
    expect([status, body.error_code]).toEqual([401, 'INVALID_SIGNATURE']);
  });

  it.each([
    ['an unknown exchange', { ...RESTING, exchange: 'NOWHERE' }],
    ['an unknown symbol', { ...RESTING, symbol: 'NO/PE' }],
    ['an unknown strategy', { ...RESTING, strategy: 'HOPE' }],
    ['no quantity', without(RESTING, 'quantity')],
    ['a quantity off the grid', { ...RESTING, quantity: '0.0123456789' }],
    ['a price off the grid', { ...RESTING, limit_price: '50000.001' }],
    ['too little', { ...RESTING, quantity: '0.00001' }],
    ['no duration', without(SCHEDULED, 'params')],
    ['a start in the past', { ...SCHEDULED, start_time: '2020-01-01T00:00:00Z' }],
    ['a parameter of the wrong type', { ...SCHEDULED, params: { duration_seconds: 'soon' } }],
  ])('gives the refusal of a create for %s', async (_what, order) => {
    const { error_code: code, message } = await service.trader.create(order);
    const result = await preview(order);
    const [first] = result.rejections;
    expect(result.accepted).toBe(false);
    // The times in the messages differ.
    expect([first?.error_code, timeless(first?.message)]).toEqual([code, timeless(message)]);
  });

  it.each([
    ['spot', { ...IMMEDIATE, quantity: '2000' }],
    ['a future', { ...FUTURE, quantity: '900' }],
  ])('gives the code with which an order without funds ends: %s', async (_what, order) => {
    const result = await preview(order);
    const ended = await service.trader.reaches(await service.trader.place(order), 'REJECTED');
    expect(result).toMatchObject({ accepted: false, rejections: [{ error_code: 'INSUFFICIENT_FUNDS' }] });
    expect(ended.error_code).toBe('INSUFFICIENT_FUNDS');
  });

  it('lists all findings at once', async () => {
    const { rejections } = await preview({
      ...RESTING,
      side: 'UP',
      quantity: '-1',
      limit_price: 'x',
      start_time: 'soon',
    });
    expect(rejections.map(({ error_code: code }) => code)).toEqual([
      'INVALID_PARAM',
      'INVALID_QUANTITY',
      'INVALID_LIMIT_PRICE',
      'INVALID_TRADE_TIME',
    ]);
  });

  it('refuses a body that is no order like a create', async () => {
    for (const body of ['[]', '{', '"order"']) {
      const created = await service.trader.post('/api/v2/trading/order/create', body);
      const result = (await requestPreview(body)) as unknown as Answer<Refusal>;
      expect([result.status, result.body.error_code]).toEqual([created.status, created.body.error_code]);
    }
  });

  it('names the earlier order of a repetition, and refuses another request with its client_order_id', async () => {
    const order = { ...RESTING, client_order_id: 'placed-before' };
    const orderId = await service.trader.place(order);
    await service.sluice('guardrails', 'set', '--account', 'trader', '--max-open-orders', '0', '--exchanges', 'OKX');
    const again = await eventually(
      () => preview(order),
      ({ existing_order_id: existing }) => existing !== undefined,
    );
    expect(again).toMatchObject({ accepted: true, rejections: [], existing_order_id: orderId });
    const { rejections } = await preview(without(order, 'client_order_id'));
    expect(rejections.map(({ error_code: code }) => code)).toEqual(['INVALID_EXCHANGE', 'QUANTITY_EXCEED']);
    await service.sluice('guardrails', 'set', '--account', 'trader', '--max-open-orders', 'off', '--exchanges', 'off');
    const other = { ...order, quantity: '0.02' };
    const { error_code: code, message } = await service.trader.create(other);
    expect(await preview(other)).toMatchObject({ accepted: false, rejections: [{ error_code: code, message }] });
  });
});

/** A message without times. */
function timeless(message: string | undefined): string | undefined {
  return message?.replace(/ of \d{4}-\d\d-\d\dT[\d:.]+Z$/, '');
}
