import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftOf } from '../../src/http/parse/order-draft.js';
import { parseOrderRequest } from '../../src/http/parse/order-request.js';
import { digestOf } from '../../src/http/parse/request-digest.js';
import { untimelinessOf } from '../../src/http/parse/trade-times.js';
import { isRejected } from '../../src/model/rejection.js';
import { REJECTION_CODES } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { CATALOGUE, DEMO, NOW_MS, createBody } from './orders.js';

function parse(fields: Record<string, unknown>) {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return request;
}

function draft(fields: Record<string, unknown>) {
  return draftOf(parse(fields), '', DEMO, NOW_MS);
}

/** What is said about a create with these fields: `CODE: message`, or `placed`. */
function verdict(fields: Record<string, unknown>): string {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  const rejection = isRejected(request) ? request.rejection : untimelinessOf(request.times, NOW_MS);
  return rejection === null ? 'placed' : `${rejection.code}: ${rejection.message}`;
}

const at = (offsetMs: number): string => new Date(NOW_MS + offsetMs).toISOString();
const DAY_MS = 86_400_000;

describe('a create request', () => {
  it('becomes a draft in lots, ticks and instants', () => {
    const fields = {
      client_order_id: 'a b',
      subaccount: 'desk 1',
      quantity: '1.5',
      limit_price: 60000.01,
      start_time: at(1000),
      end_time: at(50_000),
      clip_size_type: 'absolute',
      clip_size_val: '0.10',
      params: {
        duration_seconds: 60.5,
        trading_style: 'passive',
        urgency: 'High',
        randomize_amount: true,
        post_only: true,
      },
    };
    expect(draft(fields)).toEqual({
      orderId: 0,
      account: 'demo',
      clientOrderId: 'a b',
      venue: 'BINANCE',
      subaccount: 'desk 1',
      instrument: 0,
      symbol: 'BTC/USDT',
      assetCategory: 'SPOT',
      quantityPrecision: 5,
      pricePrecision: 2,
      side: 'BUY',
      quantity: 150_000,
      strategy: 'TWAP',
      limitPrice: 6_000_001,
      createdAtMs: NOW_MS,
      startAtMs: NOW_MS + 1000,
      endAtMs: NOW_MS + 50_000,
      durationMs: 60_500,
      clip: { type: 'ABSOLUTE', quantity: 10_000 },
      style: 'PASSIVE',
      urgency: 'HIGH',
      randomizeQuantity: true,
      postOnly: true,
      reduceOnly: false,
      would: null,
      trigger: null,
      placement: null,
      ladder: null,
      imbalanceThresholdPpm: null,
      priceLockBps: null,
      requestEcho:
        '{"clip_size_type":"ABSOLUTE","clip_size_val":0.1,"params":{"duration_seconds":60.5,"trading_style":"PASSIVE","urgency":"HIGH","randomize_amount":true,"post_only":true}}',
      requestDigest: '',
    });
  });

  it('names the perpetual by its short symbol too, and echoes what was sent', () => {
    expect(draft({ asset_category: 'future', symbol: 'btc/usdt' })).toMatchObject({
      instrument: 1,
      symbol: 'btc/usdt',
    });
  });

  it('counts null as absent and ignores what the contract does not know', () => {
    const nulls = {
      client_order_id: null,
      subaccount: null,
      limit_price: null,
      start_time: null,
      clip_size_type: null,
    };
    const params = { duration_seconds: '60', trading_style: null, would: null, colour: 'red' };
    expect(digestOf(parse({ ...nulls, end_time: null, params, colour: 'red' }))).toBe(digestOf(parse({})));
  });

  it('starts at once when the start lies a little behind, and ends with the earlier end', () => {
    expect(draft({ start_time: at(-60_000) })).toMatchObject({ startAtMs: NOW_MS, endAtMs: NOW_MS + 60_000 });
    expect(draft({ end_time: at(59_999) }).endAtMs).toBe(NOW_MS + 59_999);
    expect(draft({ end_time: at(60_001) }).endAtMs).toBe(NOW_MS + 60_000);
    expect(draft({ strategy: 'MARKET', params: null }).endAtMs).toBeNull();
  });

  it.each([
    ['client_order_id', 'a'.repeat(128)],
    ['client_order_id', 'ünïcode ☂'],
    ['exchange', 'binance'],
    ['side', 'sell'],
    ['quantity', 0.5],
    ['quantity', '00.50000'],
    ['limit_price', 1e5],
    ['start_time', at(30 * DAY_MS)],
    ['start_time', '2026-11-21T12:00Z'],
    ['end_time', '2026-11-21T12:00:00.0019Z'],
    ['params', { duration_seconds: 2_592_000 }],
    ['params', { duration_seconds: '1' }],
  ])('takes %s %j', (field, value) => {
    expect(verdict({ [field]: value })).toBe('placed');
  });

  it.each([
    ['client_order_id', '', 'INVALID_PARAM: client_order_id'],
    ['client_order_id', 'a'.repeat(129), 'INVALID_PARAM: client_order_id'],
    ['client_order_id', 'a,b', 'INVALID_PARAM: client_order_id'],
    ['client_order_id', 'a\nb', 'INVALID_PARAM: client_order_id'],
    ['client_order_id', '\ud800', 'INVALID_PARAM: client_order_id'],
    ['client_order_id', 7, 'INVALID_PARAM: client_order_id 7 is not 1 to 128 printable characters'],
    ['exchange', undefined, 'INVALID_EXCHANGE: exchange is missing'],
    ['exchange', 'NASDAQ', 'INVALID_EXCHANGE: exchange "NASDAQ"'],
    ['exchange', 'LIGHTER', 'INVALID_EXCHANGE: exchange "LIGHTER" is not one that takes orders'],
    ['subaccount', 'a,b', 'INVALID_PARAM: subaccount'],
    ['symbol', undefined, 'INVALID_SYMBOL: symbol is missing'],
    ['symbol', 5, 'INVALID_SYMBOL: symbol 5 is not text'],
    ['symbol', 'BTCUSDT', 'INVALID_SYMBOL: symbol "BTCUSDT" is no SPOT instrument of BINANCE'],
    ['asset_category', undefined, 'INVALID_REQUEST: asset_category is missing'],
    ['asset_category', 'OPTION', 'INVALID_PARAM: asset_category "OPTION" is not SPOT or FUTURE'],
    ['side', null, 'INVALID_REQUEST: side is missing'],
    ['side', 'LONG', 'INVALID_PARAM: side "LONG" is not BUY or SELL'],
    ['quantity', undefined, 'INVALID_QUANTITY: quantity is missing'],
    ['quantity', '0', 'INVALID_QUANTITY: quantity "0" is not a decimal above 0'],
    ['quantity', -1, 'INVALID_QUANTITY'],
    ['quantity', '+1', 'INVALID_QUANTITY'],
    ['quantity', ' 1', 'INVALID_QUANTITY'],
    ['quantity', '1e3', 'INVALID_QUANTITY'],
    ['quantity', '1.0.0', 'INVALID_QUANTITY'],
    ['quantity', '١', 'INVALID_QUANTITY'],
    ['quantity', [1], 'INVALID_QUANTITY'],
    ['quantity', '1'.repeat(5000), 'INVALID_QUANTITY'],
    ['quantity', 1e-7, 'INVALID_QUANTITY: quantity 1e-7 is not a multiple of the lot 0.00001 of BTC/USDT on BINANCE'],
    ['quantity', '0.00009', 'INVALID_QUANTITY: quantity "0.00009" is under the minimum 0.0001'],
    ['quantity', '9000.00001', 'QUANTITY_EXCEED: quantity "9000.00001" is above the maximum 9000 of BTC/USDT'],
    ['quantity', '123456789012345678901234', 'QUANTITY_EXCEED'],
    ['strategy', undefined, 'INVALID_TRADE_STRATEGY: strategy is missing'],
    ['strategy', 'HODL', 'INVALID_TRADE_STRATEGY: strategy "HODL" is not one of TWAP, VWAP'],
    ['strategy', 'vwap', 'INVALID_TRADE_STRATEGY: strategy VWAP is not offered yet'],
    ['limit_price', '0', 'INVALID_LIMIT_PRICE'],
    ['limit_price', '1.001', 'INVALID_LIMIT_PRICE: limit_price "1.001" is not a multiple of the tick 0.01'],
    ['limit_price', '9.99', 'INVALID_QUANTITY: quantity 0.5 × limit_price 9.99 is under the minimum of 5 USDT'],
    ['limit_price', '9'.repeat(30), 'INVALID_LIMIT_PRICE: limit_price'],
    ['limit_price', '10000000.01', 'INVALID_LIMIT_PRICE: limit_price "10000000.01" is above the maximum 10000000'],
    ['start_time', '2026-11-21', 'INVALID_TRADE_TIME'],
    ['start_time', '2026-02-30T00:00:00Z', 'INVALID_TRADE_TIME'],
    ['start_time', '2026-11-21T12:00:00+00:00', 'INVALID_TRADE_TIME'],
    ['start_time', NOW_MS, 'INVALID_TRADE_TIME'],
    [
      'start_time',
      at(-60_001),
      'INVALID_TRADE_TIME: start_time 2026-11-21T11:58:59.999Z is over 60 seconds in the past',
    ],
    ['start_time', at(30 * DAY_MS + 1), 'INVALID_TRADE_TIME'],
    ['end_time', 'tomorrow', 'INVALID_END_TIME'],
    ['end_time', at(0), 'INVALID_END_TIME'],
    ['clip_size_type', 'HUGE', 'INVALID_PARAM: clip_size_type "HUGE" is not one of'],
    ['clip_size_type', 'ABSOLUTE', 'INVALID_PARAM: clip_size_val is missing'],
    ['params', 'fast', 'INVALID_PARAM: params is "fast", not an object'],
    ['params', {}, 'INVALID_PARAM: params.duration_seconds is missing'],
    ['params', { duration_seconds: '0' }, 'INVALID_PARAM: params.duration_seconds "0"'],
    ['params', { duration_seconds: '2592001' }, 'INVALID_PARAM: params.duration_seconds'],
    ['params', { duration_seconds: '60', trading_style: 'BOLD' }, 'INVALID_PARAM: params.trading_style "BOLD"'],
    ['params', { duration_seconds: '60', urgency: 3 }, 'INVALID_PARAM: params.urgency 3'],
    ['params', { duration_seconds: '60', randomize_amount: 'yes' }, 'INVALID_PARAM: params.randomize_amount "yes"'],
    [
      'params',
      { duration_seconds: '60', reduce_only: true },
      'INVALID_PARAM: params.reduce_only true is for FUTURE only',
    ],
    ['params', { duration_seconds: '60', would: {} }, 'INVALID_WOULD_PRICE: params.would.would_price is missing'],
    [
      'params',
      { duration_seconds: '60', price_lock_bps: '5' },
      'INVALID_PARAM: params.price_lock_bps is not offered yet',
    ],
  ])('refuses %s %j', (field, value, expected) => {
    expect(verdict({ [field]: value })).toContain(expected);
  });

  it.each([
    [{ clip_size_type: 'ABSOLUTE', clip_size_val: '0.000001' }, 'a multiple of 0.00001 of at least 0.0001'],
    [{ clip_size_type: 'ABSOLUTE', clip_size_val: '0.00001' }, 'at least 0.0001'],
    [{ clip_size_type: 'PERCENTAGE', clip_size_val: '0' }, 'above 0 and up to 100'],
    [{ clip_size_type: 'PERCENTAGE', clip_size_val: '100.000001' }, 'above 0 and up to 100'],
    [{ clip_size_type: 'ORDER_COUNT', clip_size_val: '1.5' }, 'an integer from 1 to'],
    [{ strategy: 'LIMIT' }, 'INVALID_LIMIT_PRICE: limit_price is missing'],
    [
      { exchange: 'OKX', params: { duration_seconds: '60', post_only: true } },
      'post_only true is not supported on OKX',
    ],
    [{ start_time: at(5000), end_time: at(5000) }, 'INVALID_END_TIME'],
  ])('refuses the combination %j', (fields, expected) => {
    expect(verdict(fields)).toContain(expected);
  });

  it('is refused for the first broken rule in the order of the contract', () => {
    const broken = [
      ['client_order_id', ','],
      ['exchange', 'X'],
      ['symbol', 'X'],
      ['asset_category', 'X'],
      ['side', 'X'],
      ['quantity', 'X'],
      ['strategy', 'X'],
      ['limit_price', 'X'],
      ['start_time', 'X'],
      ['end_time', 'X'],
      ['clip_size_type', 'X'],
      ['params', 'X'],
    ] as const;
    broken.forEach(([field], index) => {
      // A symbol is only looked up once its category is known.
      if (field === 'symbol') return;
      expect(verdict(Object.fromEntries(broken.slice(index)))).toContain(`: ${field} `);
    });
  });

  it('never throws, whatever is sent, and quotes it briefly', () => {
    const anything = fc.record(
      Object.fromEntries(
        [
          ...Object.keys(createBody()),
          'client_order_id',
          'limit_price',
          'start_time',
          'end_time',
          'clip_size_type',
        ].map((field) => [field, fc.oneof(fc.jsonValue(), fc.constant(createBody()[field]))]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, fc.jsonValue()), (body) => {
        const request = parseOrderRequest(body, CATALOGUE);
        if (!isRejected(request)) return;
        expect(REJECTION_CODES).toContain(request.rejection.code);
        expect(request.rejection.message.length).toBeLessThan(300);
      }),
      { numRuns: 500 },
    );
  });

  it('reads every quantity on the grid exactly, as text and as a number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 900_000_000 }), (lots) => {
        const text = `${Math.floor(lots / 1e5)}.${String(lots % 1e5).padStart(5, '0')}`;
        expect(draft({ quantity: text }).quantity).toBe(lots);
        expect(draft({ quantity: Number(text) }).quantity).toBe(lots);
      }),
    );
  });
});

describe('the digest of a request', () => {
  it.each([
    ['trailing zeros', { quantity: '0.50' }],
    ['a number', { quantity: 0.5 }],
    ['letter case', { exchange: 'Binance', side: 'buy', strategy: 'twap' }],
    ['spelled-out defaults', { clip_size_type: 'AUTOMATIC', params: { duration_seconds: 60, urgency: 'MEDIUM' } }],
    ['another client_order_id', { client_order_id: 'b' }],
  ])('does not change with %s', (_name, fields) => {
    expect(digestOf(parse(fields))).toBe(digestOf(parse({})));
  });

  it.each([
    ['exchange', { exchange: 'OKX' }],
    ['subaccount', { subaccount: 'x' }],
    ['symbol', { symbol: 'ETH/BTC' }],
    ['category', { asset_category: 'FUTURE' }],
    ['side', { side: 'SELL' }],
    ['quantity', { quantity: '0.51' }],
    ['strategy', { strategy: 'MARKET' }],
    ['limit', { limit_price: '60000' }],
    ['start', { start_time: at(0) }],
    ['end', { end_time: at(60_000) }],
    ['clip', { clip_size_type: 'ORDER_COUNT', clip_size_val: 3 }],
    ['duration', { params: { duration_seconds: 61 } }],
    ['style', { params: { duration_seconds: 60, trading_style: 'PASSIVE' } }],
  ])('changes with the %s', (_name, fields) => {
    expect(digestOf(parse(fields))).not.toBe(digestOf(parse({})));
    expect(digestOf(parse(fields))).toMatch(/^[0-9a-f]{32}$/);
  });

  it('does not change while the clock goes on', () => {
    const request = parse({});
    const later = draftOf(request, digestOf(request), DEMO, (NOW_MS + 5) as EpochMs);
    expect(later.requestDigest).toBe(draftOf(request, digestOf(request), DEMO, NOW_MS).requestDigest);
  });
});
