import { describe, expect, it } from 'vitest';
import type { Summary, SummaryList } from './answers.js';
import { useService } from './service-under-rules.js';

const CREATE = '/api/v2/trading/order/create_multiLegs';
const CREATE_MANY = '/api/v2/trading/order/createMany/multilegs';

/** Service time runs 60 times as fast. */
const service = useService({ env: { SLUICE_SIM_SPEED: '60' } });

const LEG = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  target_value: '0.02',
  ccy: 'BTC',
  strategy: 'TWAP',
  params: { duration_seconds: '60', is_leading: true },
} as const;
const FOLLOWER = {
  ...LEG,
  symbol: 'BTC/USDT:USDT',
  asset_category: 'FUTURE',
  side: 'SELL',
  params: { duration_seconds: '60' },
} as const;
const PAIR = { algo: 'PAIR', legs: [LEG, FOLLOWER] } as const;

/** A start time after the end of these tests, at 60 times real time. */
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

const withLeg = (change: object): object => ({ ...PAIR, legs: [{ ...LEG, ...change }, FOLLOWER] });

async function create(order: object): Promise<Summary> {
  const { status, body } = await service.trader.post<Summary>(CREATE, order);
  expect(status).toBe(201);
  return body;
}

describe('POST /order/create_multiLegs: 201, OrderSummary', () => {
  it('shows `algo`, `mishedge` and `legs[]` instead of strategy, symbol, side and exchange', async () => {
    // The order waits for its start, so it does not change.
    const summary = await create({ ...PAIR, client_order_id: 'pair', start_time: TOMORROW });
    expect(summary).toMatchObject({ status: 'PENDING_NEW', client_order_id: 'pair' });
    const details: object = await service.trader.reaches(summary.order_id as number, 'ACCEPTED');
    expect(details).toMatchObject({ algo: 'PAIR', mishedge: expect.any(Number) as number });
    for (const name of ['strategy', 'symbol', 'side', 'exchange']) expect(details).not.toHaveProperty(name);
    const { legs } = details as { legs: readonly Readonly<Record<string, unknown>>[] };
    expect(legs).toHaveLength(2);
    expect(legs[0]).toMatchObject({
      is_leading: true,
      symbol: 'BTC/USDT',
      side: 'BUY',
      ccy: 'BTC',
      exchange: 'BINANCE',
    });
    expect(legs[1]).toMatchObject({ is_leading: false, symbol: 'BTC/USDT:USDT', side: 'SELL' });
    for (const leg of legs) {
      expect(Number(leg['target_value'])).toBe(0.02);
      expect(leg['filled_value']).toEqual(expect.any(Number));
    }
  });

  it('works the leading leg by its strategy while the other leg follows the filled value', async () => {
    const lead = { ...LEG, strategy: 'MARKET', params: { is_leading: true } };
    // The default of 30 s is half a second here: a loaded machine may need longer for the hedge.
    const patience = { max_unhedged_seconds: '3600' };
    const order = { algo: 'PAIR', legs: [lead, FOLLOWER], params: patience, client_order_id: 'pair that trades' };
    const { order_id: id } = await create(order);
    const details: object = await service.trader.reaches(id as number, 'FILLED');
    const { legs, mishedge } = details as {
      legs: readonly Readonly<Record<'filled_quantity' | 'filled_value' | 'average_price', number>>[];
      mishedge: number;
    };
    expect(legs.map(({ filled_quantity: filled }) => filled)).toEqual([0.02, 0.02]);
    const [bought = 0, sold = 0] = legs.map(({ average_price: price }) => 0.02 * price);
    expect(mishedge).toBeCloseTo(bought - sold, 4);
  });

  it('accepts at most one is_leading, and works both legs when neither leads', async () => {
    const params = { is_leading: false };
    const legs = [
      { ...LEG, strategy: 'MARKET', params },
      { ...FOLLOWER, strategy: 'MARKET', params },
    ];
    const { order_id: id } = await create({ algo: 'PAIR', legs });
    const details: object = await service.trader.reaches(id as number, 'FILLED');
    expect(details).toMatchObject({ legs: [{ is_leading: false }, { is_leading: false }] });
  });

  it('places one pair for each client_order_id', async () => {
    const order = { ...PAIR, client_order_id: 'pair again' };
    const first = await create(order);
    expect(await create(order)).toMatchObject({ order_id: first.order_id });
    expect(await create({ ...order, legs: [FOLLOWER, LEG] })).toMatchObject({ error_code: 'INVALID_REQUEST' });
  });

  it.each([
    ['algo missing', { ...PAIR, algo: undefined }, 'INVALID_TRADE_STRATEGY'],
    ['algo unknown', { ...PAIR, algo: 'TRIPLE' }, 'INVALID_TRADE_STRATEGY'],
    ['legs missing', { algo: 'PAIR' }, 'INVALID_REQUEST'],
    ['one leg', { ...PAIR, legs: [LEG] }, 'INVALID_REQUEST'],
    ['three legs', { ...PAIR, legs: [LEG, FOLLOWER, FOLLOWER] }, 'INVALID_REQUEST'],
    ['two leaders', { ...PAIR, legs: [LEG, { ...FOLLOWER, params: LEG.params }] }, 'INVALID_REQUEST'],
    ['exchange', withLeg({ exchange: 'NASDAQ' }), 'INVALID_EXCHANGE'],
    ['symbol', withLeg({ symbol: 'NOPE/USDT' }), 'INVALID_SYMBOL'],
    ['asset_category missing', withLeg({ asset_category: undefined }), 'INVALID_REQUEST'],
    ['side wrong', withLeg({ side: 'UP' }), 'INVALID_PARAM'],
    ['target_value missing', withLeg({ target_value: undefined }), 'INVALID_QUANTITY'],
    ['target_value 0', withLeg({ target_value: '0' }), 'INVALID_QUANTITY'],
    ['ccy missing', withLeg({ ccy: undefined }), 'INVALID_REQUEST'],
    ['ccy wrong', withLeg({ ccy: 'EUR' }), 'INVALID_PARAM'],
    ['strategy', withLeg({ strategy: 'SNIPER' }), 'INVALID_TRADE_STRATEGY'],
    ['limit_price', withLeg({ limit_price: '0' }), 'INVALID_LIMIT_PRICE'],
    ['start_time', { ...PAIR, start_time: 'soon' }, 'INVALID_TRADE_TIME'],
    ['end_time', { ...PAIR, end_time: 'never' }, 'INVALID_END_TIME'],
    ['max_unhedged_value', { ...PAIR, params: { max_unhedged_value: '-1' } }, 'INVALID_PARAM'],
  ])('rejects a pair: %s', async (_, order, code) => {
    const summary = await create(order);
    expect(summary).toMatchObject({ status: 'REJECTED', error_code: code });
    expect(summary).not.toHaveProperty('order_id');
  });
});

describe('POST /order/createMany/multilegs: 201, OrderSummaryList; members are independent', () => {
  it('answers the members in the order of the request', async () => {
    const orders = [PAIR, withLeg({ side: 'UP' }), PAIR];
    const { status, body } = await service.trader.post<SummaryList>(CREATE_MANY, { orders });
    expect(status).toBe(201);
    expect(body.orders.map(({ status, error_code: code }) => code ?? status)).toEqual([
      'PENDING_NEW',
      'INVALID_PARAM',
      'PENDING_NEW',
    ]);
  });

  it.each(['{', '[]', '{}', '{"orders":[]}'])('answers the body %s with 400 INVALID_REQUEST', async (content) => {
    const { status, body } = await service.trader.post(CREATE_MANY, content);
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
