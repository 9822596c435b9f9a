import { describe, expect, it } from 'vitest';
import type { Summary } from './answers.js';
import { FUTURE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';

const service = useService();

const IDS_MAX = 2 ** 53;

describe('`order_id` is an integer below 2^53, unique for ever, increasing in time', () => {
  it('REST sends `order_id` as a JSON number', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 20; count += 1) ids.push(await service.trader.place(RESTING));
    expect(ids.every((id) => Number.isInteger(id) && id > 0 && id < IDS_MAX)).toBe(true);
    expect(ids.toSorted((one, other) => one - other)).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('client_order_id: 1 to 128 printable characters, no comma, no control character (else INVALID_PARAM)', () => {
  it.each(['a', 'x'.repeat(128), 'with blank', 'ünïcödé', '"quoted"', '{}', '€', '/?&=%25', '日本語'])(
    'accepts %s',
    async (id) => {
      const summary = await service.trader.create({ ...RESTING, client_order_id: id });
      expect(summary).toMatchObject({ status: 'PENDING_NEW', client_order_id: id });
      const [found] = await service.trader.list('byId', `clientOrderIds=${encodeURIComponent(id)}`);
      expect(found).toMatchObject({ order_id: summary.order_id, client_order_id: id });
    },
  );

  it.each([
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['comma', 'a,b'],
    ['line end', 'a\nb'],
    ['NUL', '\0'],
    ['number', 7],
    ['object', {}],
  ])('refuses %s as client_order_id', async (_, id) => {
    const summary = await service.trader.create({ ...RESTING, client_order_id: id });
    expect(summary).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_PARAM' });
    expect(summary.message).toContain('client_order_id');
  });
});

describe('a second create with the same id and the same request answers the first order’s current summary and places nothing', () => {
  const order = { ...SCHEDULED, quantity: '0.10', client_order_id: 'once' };

  it('compares requests by meaning after parsing', async () => {
    const { trader } = service;
    const first = await trader.place(order);
    const openCount = (await trader.list('open')).length;
    const { client_order_id: clientOrderId, asset_category: assetCategory, ...others } = order;
    const inCamelCase = { ...others, clientOrderId, assetCategory };
    const again: object[] = [
      order,
      { ...order, quantity: '0.1' },
      { ...order, quantity: 0.1 },
      { ...order, exchange: 'binance', side: 'sell', strategy: 'twap', asset_category: 'spot' },
      { ...order, clip_size_type: 'AUTOMATIC', limit_price: null },
      { ...order, params: { trading_style: 'HYBRID', duration_seconds: '600.0', randomize_amount: false } },
      { ...order, source: 'desk' },
      inCamelCase,
      { ...order, params: { durationSeconds: '600' } },
      Object.fromEntries(Object.entries(order).toReversed()),
    ];
    for (const request of again) expect(await trader.create(request)).toMatchObject({ order_id: first });
    expect(await trader.list('open')).toHaveLength(openCount);
  });

  it('answers REJECTED / INVALID_REQUEST to a different request with the same id', async () => {
    for (const difference of [
      { quantity: '0.2' },
      { side: 'BUY' },
      { exchange: 'OKX' },
      { limit_price: '60000' },
      { params: { duration_seconds: '601' } },
      { params: { duration_seconds: '600', trading_style: 'PASSIVE' } },
      { clip_size_type: 'ORDER_COUNT', clip_size_val: '5' },
      { subaccount: 'second' },
    ]) {
      const summary = await service.trader.create({ ...order, ...difference });
      expect(summary).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_REQUEST', client_order_id: 'once' });
      expect(summary).not.toHaveProperty('order_id');
    }
  });

  it('answers with the present status, also after the end of the order', async () => {
    const { trader } = service;
    const request = { ...RESTING, client_order_id: 'ended' };
    const orderId = await trader.place(request);
    await trader.cancel({ order_id: orderId });
    await trader.reaches(orderId, 'CANCELLED');
    expect(await trader.create(request)).toMatchObject({ order_id: orderId, status: 'CANCELLED' });
  });

  it('places one order for many simultaneous creates', async () => {
    const request = { ...RESTING, client_order_id: 'storm' };
    const summaries = await Promise.all(Array.from({ length: 40 }, () => service.trader.create(request)));
    expect(new Set(summaries.map(({ order_id: orderId }) => orderId)).size).toBe(1);
  });

  it('stores nothing and reserves no id for a rejected create', async () => {
    const request = { ...RESTING, client_order_id: 'second thought' };
    expect(await service.trader.create({ ...request, side: 'UP' })).toMatchObject({ status: 'REJECTED' });
    expect(await service.trader.create(request)).toMatchObject({ status: 'PENDING_NEW' });
  });

  it('keeps client order ids across restarts and never reuses an order_id after a crash', async () => {
    const request = { ...RESTING, client_order_id: 'survivor' };
    const before = await service.trader.place(request);
    await service.run.kill();
    await service.start();
    expect(await service.trader.create(request)).toMatchObject({ order_id: before });
    expect(await service.trader.create({ ...request, quantity: '0.02' })).toMatchObject({
      error_code: 'INVALID_REQUEST',
    });
    expect(await service.trader.place(RESTING)).toBeGreaterThan(before);
  });
});

describe('A linear perpetual is `BTC/USDT:USDT`; with `asset_category: FUTURE`, `BTC/USDT` names the same contract', () => {
  it('echoes the symbol as sent', async () => {
    for (const symbol of ['BTC/USDT:USDT', 'BTC/USDT']) {
      const orderId = await service.trader.place({ ...FUTURE, symbol });
      expect(await service.trader.details(orderId)).toMatchObject({ symbol, asset_class: 'FUTURE' });
    }
  });

  it('treats both spellings as the same request', async () => {
    const orderId = await service.trader.place({ ...FUTURE, client_order_id: 'perpetual' });
    const summary = await service.trader.create({ ...FUTURE, symbol: 'BTC/USDT', client_order_id: 'perpetual' });
    expect(summary).toMatchObject({ order_id: orderId });
  });

  it('refuses a perpetual as a spot instrument', async () => {
    const summary = await service.trader.create({ ...RESTING, symbol: 'BTC/USDT:USDT' });
    expect(summary).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_SYMBOL' });
  });
});

describe('Decimals: a string of digits with at most one point (no sign, exponent or blank), or a JSON number; never rounded silently', () => {
  it.each(['0.01', '0.010', '00.01', '0.0100000000', 0.01, 1e-2])('reads %s as 0.01', async (quantity) => {
    const summary = await service.trader.create({ ...RESTING, quantity });
    const details = await service.trader.details(summary.order_id as number);
    expect(details.leaves_quantity).toBe(0.01);
  });

  it.each([
    '+0.01',
    '-0.01',
    '1e-2',
    ' 0.01',
    '0.01 ',
    '0,01',
    '0x1',
    '1_0',
    '0.0.1',
    '',
    'NaN',
    'Infinity',
    '٣',
    true,
    [],
    {},
  ])('refuses %s as a decimal', async (quantity) => {
    const summary = await service.trader.create({ ...RESTING, quantity });
    expect(summary).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
    expect(summary.message).toContain('quantity');
  });

  it('rejects a value off the grid with a message that names the grid', async () => {
    const lot = await service.trader.create({ ...RESTING, quantity: '0.010000001' });
    expect(lot).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
    expect(lot.message).toMatch(/0\.0+1/);
    const tick = await service.trader.create({ ...RESTING, limit_price: '50000.001' });
    expect(tick).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_LIMIT_PRICE' });
    expect(tick.message).toMatch(/0\.01/);
  });

  it('keeps quantities exact: leaves_quantity = quantity − filled_quantity as decimals', async () => {
    const orderId = await service.trader.place({ ...RESTING, quantity: '0.07' });
    expect((await service.trader.details(orderId)).leaves_quantity).toBe(0.07);
  });
});

describe('`null` in an optional request field counts as absent; answers leave absent fields out', () => {
  it('accepts null in every optional field', async () => {
    const nothing = {
      client_order_id: null,
      subaccount: null,
      start_time: null,
      end_time: null,
      clip_size_type: null,
      clip_size_val: null,
      params: null,
    };
    const summary: Summary = await service.trader.create({ ...RESTING, ...nothing });
    expect(summary.status).toBe('PENDING_NEW');
    expect(Object.values(summary)).not.toContain(null);
    const details = await service.trader.details(summary.order_id as number);
    expect(Object.values(details)).not.toContain(null);
    expect(details).not.toHaveProperty('client_order_id');
    expect(details).not.toHaveProperty('trades');
    expect(details).not.toHaveProperty('fees_infos');
    const params = { duration_seconds: null, trading_style: null, urgency: null, randomize_amount: null };
    const flags = { reduce_only: null, post_only: null, would: null, trigger: null, placement_infos: null };
    expect(await service.trader.create({ ...RESTING, params: { ...params, ...flags } })).toMatchObject({
      status: 'PENDING_NEW',
    });
  });
});

describe('Enumerations in requests are matched case-insensitively and answered in upper case', () => {
  it('accepts any case of exchange, asset_category, side, strategy, clip_size_type, trading_style and urgency', async () => {
    const orderId = await service.trader.place({
      ...RESTING,
      exchange: 'binance',
      asset_category: 'Spot',
      side: 'buY',
      strategy: 'limit',
      clip_size_type: 'automatic',
      params: { trading_style: 'passive', urgency: 'high' },
    });
    expect(await service.trader.details(orderId)).toMatchObject({
      exchange: 'BINANCE',
      asset_class: 'SPOT',
      side: 'BUY',
      strategy: 'LIMIT',
    });
  });
});
