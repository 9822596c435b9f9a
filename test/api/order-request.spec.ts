import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import { isRejected, REJECTION_CODES } from '../../src/domain/rejection.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import type { EpochMs } from '../../src/domain/time.js';
import { UNPARAMETERED, UNPARAMETERED_LEG } from '../domain/plain-order.js';
import { parsed } from './order-requests.js';
import { CATALOGUE, DEMO, NOW_MS, createBody } from '../http/orders.js';
import { at } from './rule-table.js';
import { runs } from '../runs.js';

function draft(fields: Record<string, unknown>) {
  return draftOf(parsed(fields), '', DEMO, NOW_MS);
}

describe('a create request at a simulated exchange', () => {
  it('is refused beside real exchanges: its fills would look like real ones', () => {
    const catalogue = buildCatalogue(new Map([['OKX', 'testnet']]));
    const refused = parseOrderRequest(createBody({}), catalogue);
    expect(isRejected(refused) && refused.rejection).toMatchObject({
      code: 'EXCHANGE_NOT_AVAILABLE',
      message: expect.stringContaining('BINANCE is simulated') as string,
    });
    expect(isRejected(parseOrderRequest(createBody({}), buildCatalogue()))).toBe(false);
  });
});

describe('a create request of a single-leg order', () => {
  it('becomes a draft in lots, ticks and milliseconds', () => {
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
      subaccount: 'desk 1',
      legs: [
        {
          venue: 'BINANCE',
          instrument: 0,
          symbol: 'BTC/USDT',
          assetCategory: 'SPOT',
          quantityPrecision: 5,
          pricePrecision: 2,
          quantityStep: 1,
          priceStep: 1,
          ...UNPARAMETERED_LEG,
          side: 'BUY',
          quantity: 150_000,
          strategy: 'TWAP',
          limitPrice: 6_000_001,
          durationMs: 60_500,
          clip: { type: 'ABSOLUTE', quantity: 10_000 },
          style: 'PASSIVE',
          urgency: 'HIGH',
          randomizeQuantity: true,
          requestEcho:
            '{"clip_size_type":"ABSOLUTE","clip_size_val":0.1,"params":{"duration_seconds":60.5,"trading_style":"PASSIVE","urgency":"HIGH","randomize_amount":true,"post_only":true}}',
        },
      ],
      ...UNPARAMETERED,
      createdAtMs: NOW_MS,
      startAtMs: NOW_MS + 1000,
      endAtMs: NOW_MS + 50_000,
      postOnly: true,
      requestDigest: '',
    });
  });

  it('accepts the short symbol of a perpetual and echoes it as sent', () => {
    expect(draft({ asset_category: 'future', symbol: 'btc/usdt' }).legs[0]).toMatchObject({
      instrument: 1,
      symbol: 'btc/usdt',
    });
  });

  it('treats null as absent', () => {
    const nulls = {
      client_order_id: null,
      subaccount: null,
      limit_price: null,
      start_time: null,
      clip_size_type: null,
    };
    const params = { duration_seconds: '60', trading_style: null, would: null };
    expect(digestOf(parsed({ ...nulls, end_time: null, params }))).toBe(digestOf(parsed({})));
  });

  it('starts at once when the start time is shortly past, and ends at the earlier of two ends', () => {
    expect(draft({ start_time: at(-60_000) })).toMatchObject({ startAtMs: NOW_MS, endAtMs: NOW_MS + 60_000 });
    expect(draft({ end_time: at(59_999) }).endAtMs).toBe(NOW_MS + 59_999);
    expect(draft({ end_time: at(60_001) }).endAtMs).toBe(NOW_MS + 60_000);
    expect(draft({ strategy: 'MARKET', params: null }).endAtMs).toBeNull();
  });

  it('throws for no body, and quotes the body briefly in its message', () => {
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
      { numRuns: runs(150, 500) },
    );
  });

  it('parses every quantity on the grid exactly, as text and as a number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 900_000_000 }), (lots) => {
        const text = `${Math.floor(lots / 1e5)}.${String(lots % 1e5).padStart(5, '0')}`;
        expect(draft({ quantity: text }).legs[0].quantity).toBe(lots);
        expect(draft({ quantity: Number(text) }).legs[0].quantity).toBe(lots);
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
  ])('gives the same digest with %s', (_name, fields) => {
    expect(digestOf(parsed(fields))).toBe(digestOf(parsed({})));
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
  ])('gives another digest for another %s', (_name, fields) => {
    expect(digestOf(parsed(fields))).not.toBe(digestOf(parsed({})));
    expect(digestOf(parsed(fields))).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives the same digest at a later time', () => {
    const request = parsed({});
    const later = draftOf(request, digestOf(request), DEMO, (NOW_MS + 5) as EpochMs);
    expect(later.requestDigest).toBe(draftOf(request, digestOf(request), DEMO, NOW_MS).requestDigest);
  });
});
