import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import { formatSteps } from '../../src/domain/quantity.js';
import type { Body } from './clients.js';
import { CATALOGUE } from './listed.js';
import { QuietService } from './quiet-service.js';

interface Summary {
  readonly order_id?: number;
  readonly status: string;
  readonly error_code?: string;
  readonly message?: string;
  readonly leaves_quantity?: number;
  readonly filled_quantity?: number;
}

let service: QuietService;
beforeEach(() => {
  service = new QuietService(1);
});
afterEach(() => service.close());

const BTC = CATALOGUE.at(0 as InstrumentIndex);
const SOL_PERPETUAL = CATALOGUE.at(1 as InstrumentIndex);
const ETH = CATALOGUE.at(2 as InstrumentIndex);

const placeOf = (instrument: Instrument): Body => ({
  exchange: instrument.venue,
  symbol: instrument.symbol,
  asset_category: instrument.assetCategory,
});

/** A quantity that is worth `share` of the exchange's minimum at `price` ticks, rounded down. */
function worth(share: number, instrument: Instrument, price = service.midOf(instrument)): string {
  const lots = Math.floor((share * instrument.notionalMin) / price);
  return formatSteps(lots, instrument.quantityPrecision);
}

const priceText = (share: number, instrument: Instrument): string =>
  formatSteps(Math.round(share * service.midOf(instrument)), instrument.pricePrecision);

function detailsOf(orderId: number | undefined): Summary | undefined {
  return service.get<{ orders: Summary[] }>('order/byId', `orderIds=${orderId}`).orders[0];
}

const TIMED = { params: { duration_seconds: '60' } };
const KINDS: readonly (readonly [string, Body])[] = [
  ['TWAP', TIMED],
  ['VWAP', TIMED],
  ['IS', {}],
  ['POV', {}],
  ['ICEBERG', {}],
  ['MARKET', {}],
];

describe('an order under the minimum value of its exchange', () => {
  it.each(KINDS)('is rejected at the mid price, and has no cost: %s', (strategy, terms) => {
    const order = { ...placeOf(BTC), ...terms, strategy, side: 'BUY', quantity: worth(0.9, BTC) };
    const preview = service.post<object>('preview', order);
    const refusal = {
      error_code: 'INVALID_QUANTITY',
      message: expect.stringMatching(/× the mid price .* minimum of 5 USDT/),
    };
    expect(preview).toEqual({ accepted: false, rejections: [refusal] });
    const summary = service.post<Summary>('create', order);
    expect(summary).toMatchObject({ status: 'REJECTED', ...refusal });
    expect(summary).not.toHaveProperty('order_id');
    const enough = { ...order, quantity: worth(2, BTC) };
    expect(service.post('preview', enough)).toMatchObject({ accepted: true });
    expect(service.post('create', enough)).toMatchObject({ status: 'PENDING_NEW' });
  });

  it('is rejected at the lowest price of its ladder', () => {
    const params = { start_ladder_price: priceText(0.9, BTC), end_ladder_price: priceText(0.5, BTC) };
    const order = { ...placeOf(BTC), strategy: 'SCALE', side: 'BUY', quantity: worth(1.5, BTC), params };
    expect(service.post('create', order)).toMatchObject({
      status: 'REJECTED',
      error_code: 'INVALID_QUANTITY',
      message: expect.stringContaining('× the ladder price'),
    });
  });

  it('is rejected before it places anything, when its market was asleep', () => {
    service.pass(30_000);
    const order = { ...placeOf(BTC), strategy: 'POV', side: 'SELL', quantity: worth(0.5, BTC) };
    const { order_id: orderId, status } = service.post<Summary>('create', order);
    expect(status).toBe('PENDING_NEW');
    service.pass(5_000);
    expect(detailsOf(orderId)).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
    const timeline = service.get<object>('order/timeline', `orderId=${orderId}`);
    expect(JSON.stringify(timeline)).not.toContain('ChildSubmitted');
  });

  it('is rejected as the leg of a pair, led or leading', () => {
    const leg = { side: 'BUY', ccy: 'BTC', strategy: 'MARKET' };
    const legs = [
      { ...placeOf(ETH), ...leg, ccy: 'ETH', side: 'SELL', target_value: worth(100, ETH) },
      { ...placeOf(BTC), ...leg, target_value: worth(0.9, BTC) },
    ];
    service.post('preview', { ...placeOf(BTC), strategy: 'MARKET', side: 'BUY', quantity: '1' });
    expect(service.post('create_multiLegs', { algo: 'PAIR', legs })).toMatchObject({
      status: 'REJECTED',
      error_code: 'INVALID_QUANTITY',
      message: expect.stringContaining('legs[1]: quantity'),
    });
  });
});

describe('an amendment', () => {
  it('is refused when it leaves a rest under the minimum; the order works on with its terms', () => {
    const price = priceText(0.95, BTC);
    const terms = { strategy: 'LIMIT', side: 'BUY', limit_price: price };
    const quantity = worth(20, BTC);
    const { order_id: orderId } = service.post<Summary>('create', { ...placeOf(BTC), ...terms, quantity });
    service.pass(1_000);
    const amended = service.post<Summary>('amend', { order_id: orderId, quantity: '0.00001' });
    expect(amended).toMatchObject({ status: 'ACCEPTED', error_code: 'INVALID_QUANTITY' });
    const cheap = service.post<Summary>('amend', { order_id: orderId, limit_price: priceText(0.01, BTC) });
    expect(cheap).toMatchObject({ status: 'ACCEPTED', error_code: 'INVALID_QUANTITY' });
    service.pass(1_000);
    expect(detailsOf(orderId)).toMatchObject({ status: 'ACCEPTED', leaves_quantity: Number(quantity) });
    expect(service.post('amend', { order_id: orderId, quantity: worth(10, BTC) })).not.toHaveProperty('error_code');
  });

  it('is refused at the mid price for an order without a limit price', () => {
    const params = { duration_seconds: '3600', trading_style: 'PASSIVE' };
    const order = { ...placeOf(BTC), strategy: 'TWAP', side: 'SELL', quantity: worth(100, BTC), params };
    const { order_id: orderId } = service.post<Summary>('create', order);
    service.pass(200);
    const { message, ...refused } = service.post<Summary>('amend', { order_id: orderId, quantity: worth(0.8, BTC) });
    expect(refused).toMatchObject({ error_code: 'INVALID_QUANTITY' });
    expect(message).toMatch(/^quantity: the rest of .* minimum of 5 USDT$/);
  });

  it('is refused down to a rest under the minimum of a part-filled order, and taken down to what is filled', () => {
    const params = { duration_seconds: '60', trading_style: 'AGGRESSIVE' };
    const order = { ...placeOf(BTC), strategy: 'TWAP', side: 'BUY', quantity: worth(400, BTC), params };
    const { order_id: orderId } = service.post<Summary>('create', order);
    service.pass(30_000);
    const { filled_quantity: filled = 0 } = detailsOf(orderId) ?? {};
    expect(filled).toBeGreaterThan(0);
    const lots = Math.round(filled * 10 ** BTC.quantityPrecision);
    const amend = (quantity: number): Summary =>
      service.post('amend', { order_id: orderId, quantity: formatSteps(quantity, BTC.quantityPrecision) });
    expect(amend(lots + 1)).toMatchObject({ status: 'PARTIALLY_FILLED', error_code: 'INVALID_QUANTITY' });
    expect(amend(lots)).not.toHaveProperty('error_code');
    service.pass(1_000);
    expect(detailsOf(orderId)).toMatchObject({ status: 'FILLED' });
  });
});

describe('an order that its exchange would refuse', () => {
  it('is rejected without a position to reduce, and taken with one', () => {
    const closing = {
      side: 'SELL',
      strategy: 'MARKET',
      quantity: worth(10, SOL_PERPETUAL),
      params: { reduce_only: true },
    };
    const order = { ...placeOf(SOL_PERPETUAL), ...closing };
    const refusal = { error_code: 'INVALID_ORDER', message: expect.stringContaining('the quantity left to reduce') };
    expect(service.post('preview', order)).toMatchObject({ accepted: false, rejections: [refusal] });
    const { order_id: orderId } = service.post<Summary>('create', order);
    service.pass(1_000);
    expect(detailsOf(orderId)).toMatchObject({ status: 'REJECTED', ...refusal });
    service.post('create', { ...placeOf(SOL_PERPETUAL), ...closing, side: 'BUY', params: {} });
    service.pass(2_000);
    expect(service.post('preview', order)).toMatchObject({ accepted: true });
    const closed = service.post<Summary>('create', order);
    service.pass(2_000);
    expect(detailsOf(closed.order_id)).toMatchObject({ status: 'FILLED' });
  });

  it('is taken under the minimum value when it only reduces a position, and closes the position', () => {
    const least = Math.ceil(SOL_PERPETUAL.notionalMin / service.midOf(SOL_PERPETUAL)) + 1;
    const trade = (side: string, lots: number, params: Body = {}): Summary => {
      const quantity = formatSteps(lots, SOL_PERPETUAL.quantityPrecision);
      const order = { ...placeOf(SOL_PERPETUAL), side, strategy: 'MARKET', quantity, params };
      const summary = service.post<Summary>('create', order);
      service.pass(2_000);
      return summary.order_id === undefined ? summary : (detailsOf(summary.order_id) ?? summary);
    };
    expect(trade('BUY', least + 1)).toMatchObject({ status: 'FILLED' });
    expect(trade('SELL', least)).toMatchObject({ status: 'FILLED' });
    expect(trade('SELL', 1)).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
    expect(trade('SELL', 1, { reduce_only: true })).toMatchObject({ status: 'FILLED' });
  });

  it.each([
    ['LIMIT', 'BUY', 1.2],
    ['ICEBERG', 'SELL', 0.8],
  ])('is rejected at a price beyond the band: %s %s', (strategy, side, share) => {
    const limit = priceText(share, SOL_PERPETUAL);
    const quantity = worth(20, SOL_PERPETUAL);
    const order = { ...placeOf(SOL_PERPETUAL), strategy, side, quantity, limit_price: limit };
    const refusal = { error_code: 'INVALID_ORDER', message: expect.stringContaining('the reference price') };
    expect(service.post('preview', order)).toMatchObject({ accepted: false, rejections: [refusal] });
    const { order_id: orderId } = service.post<Summary>('create', order);
    service.pass(1_000);
    expect(detailsOf(orderId)).toMatchObject({ status: 'REJECTED', ...refusal });
  });

  it('lists all reasons at once', () => {
    const terms = { strategy: 'LIMIT', side: 'BUY', quantity: '1000000', params: { reduce_only: true } };
    const order = { ...placeOf(SOL_PERPETUAL), ...terms, limit_price: priceText(1.3, SOL_PERPETUAL) };
    const { rejections } = service.post<{ rejections: { message: string }[] }>('preview', order);
    expect(rejections.map(({ message }) => message)).toEqual([
      expect.stringContaining('the reference price'),
      expect.stringContaining('reduce_only'),
    ]);
  });
});
