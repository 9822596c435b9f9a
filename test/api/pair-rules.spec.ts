import { describe, expect, it } from 'vitest';
import { parsePairRequest } from '../../src/api/pair/pair-parser.js';
import { isRejected, type RejectionCode } from '../../src/domain/rejection.js';
import { CATALOGUE } from '../http/orders.js';
import { hedgeBody, legBody, pairBody } from './pairs.js';

type Fields = Readonly<Record<string, unknown>>;

/** A rule of the contract, a request that breaks it, the code and a part of the message. */
type Row = readonly [rule: string, body: unknown, code: RejectionCode, message: string];

const first = (fields: Fields) => pairBody({}, fields);
const second = (fields: Fields) => pairBody({}, {}, fields);
const of = (fields: Fields) => pairBody(fields);
const LED = { is_leading: true };

const ROWS: readonly Row[] = [
  ['an order is an object', 5, 'INVALID_REQUEST', 'the order is 5, not an object'],
  ['client_order_id: no comma', of({ client_order_id: 'a,b' }), 'INVALID_PARAM', 'client_order_id "a,b" is not'],
  ['subaccount', of({ subaccount: '' }), 'INVALID_PARAM', 'subaccount "" is not'],
  ['algo required', of({ algo: undefined }), 'INVALID_TRADE_STRATEGY', 'algo is missing'],
  ['algo: PAIR', of({ algo: 'BASKET' }), 'INVALID_TRADE_STRATEGY', 'algo "BASKET" is not one of PAIR'],
  ['legs required', of({ legs: undefined }), 'INVALID_REQUEST', 'legs is missing'],
  ['legs: array', of({ legs: 'two' }), 'INVALID_REQUEST', 'legs is "two", not an array'],
  [
    'end_time at most 30 days after the start',
    of({ start_time: '2026-11-21T12:00:00Z', end_time: '2026-12-21T12:00:00.001Z' }),
    'INVALID_END_TIME',
    'end_time 2026-12-21T12:00:00.001Z is over 30 days after the start',
  ],
  ['exactly 2 legs', of({ legs: [legBody()] }), 'INVALID_REQUEST', 'legs: the length is 1, a PAIR has 2'],
  ['exactly 2 legs', of({ legs: Array(3).fill(legBody()) }), 'INVALID_REQUEST', 'legs: the length is 3'],
  ['a leg is an object', of({ legs: [5, hedgeBody()] }), 'INVALID_REQUEST', 'legs[0] is 5, not an object'],
  [
    'at most one is_leading',
    pairBody({}, { params: LED }, { params: LED }),
    'INVALID_REQUEST',
    'legs: both set is_leading',
  ],
  ['exchange required', first({ exchange: null }), 'INVALID_EXCHANGE', 'legs[0].exchange is missing'],
  ['exchange that takes orders', second({ exchange: 'LIGHTER' }), 'INVALID_EXCHANGE', 'legs[1].exchange "LIGHTER"'],
  ['symbol required', first({ symbol: undefined }), 'INVALID_SYMBOL', 'legs[0].symbol is missing'],
  ['symbol unknown without a slash', first({ symbol: 'XYZUSDT' }), 'INVALID_SYMBOL', 'legs[0].symbol "XYZUSDT" is no'],
  ['symbol', second({ symbol: 'ETH/BTC' }), 'INVALID_SYMBOL', 'legs[1].symbol "ETH/BTC" is no SPOT instrument of OKX'],
  ['asset_category required', second({ asset_category: null }), 'INVALID_REQUEST', 'legs[1].asset_category is missing'],
  ['asset_category', second({ asset_category: 'OPTION' }), 'INVALID_PARAM', 'legs[1].asset_category "OPTION" is not'],
  ['side required', first({ side: undefined }), 'INVALID_REQUEST', 'legs[0].side is missing'],
  ['side', first({ side: 'UP' }), 'INVALID_PARAM', 'legs[0].side "UP" is not'],
  ['target_value required', first({ target_value: null }), 'INVALID_QUANTITY', 'legs[0].target_value is missing'],
  ['target_value: decimal', first({ target_value: '1e3' }), 'INVALID_QUANTITY', 'legs[0].target_value "1e3" is not a'],
  ['target_value above 0', first({ target_value: '0' }), 'INVALID_QUANTITY', 'legs[0].target_value "0" is not a'],
  [
    'target_value in the base lies on the lot grid',
    first({ target_value: '0.000015' }),
    'INVALID_QUANTITY',
    'legs[0].target_value "0.000015" is not a multiple of the lot 0.00001 of BTC/USDT on BINANCE',
  ],
  ['target_value: minimum', first({ target_value: '0.00009' }), 'INVALID_QUANTITY', 'is under the minimum 0.0001 of'],
  ['target_value: maximum', first({ target_value: '9001' }), 'QUANTITY_EXCEED', 'legs[0].target_value "9001" is above'],
  [
    'target_value under the minimum of the exchange at its limit price',
    first({ target_value: '0.0001', limit_price: '100' }),
    'INVALID_QUANTITY',
    'legs[0].target_value 0.0001 × limit_price 100 is under the minimum of 5 USDT',
  ],
  [
    'money is rounded down to the lot at the limit price; under the minimum INVALID_QUANTITY',
    first({ target_value: '5.9', ccy: 'USDT', limit_price: '60000' }),
    'INVALID_QUANTITY',
    'legs[0].target_value of 5.9 USDT at 60000 is under the minimum 0.0001 of BTC/USDT on BINANCE',
  ],
  [
    'money above the maximum',
    first({ target_value: '1000000000', ccy: 'USD', limit_price: '60000' }),
    'QUANTITY_EXCEED',
    'legs[0].target_value of 1000000000 USD at 60000 is above the maximum 9000 of BTC/USDT',
  ],
  [
    'money is exact: 18 digits',
    first({ target_value: '1.0000000000000000001', ccy: 'USDT' }),
    'INVALID_QUANTITY',
    'legs[0].target_value "1.0000000000000000001" has more than 18 digits after the point',
  ],
  ['ccy required', first({ ccy: undefined }), 'INVALID_REQUEST', 'legs[0].ccy is missing'],
  [
    'ccy: base, quote or USD',
    second({ ccy: 'EUR' }),
    'INVALID_PARAM',
    'legs[1].ccy "EUR" is not one of BTC, USDT, USD',
  ],
  [
    'ccy: USD only where the quote is like it',
    first({ symbol: 'ETH/BTC', ccy: 'USD' }),
    'INVALID_PARAM',
    'legs[0].ccy "USD" is not one of ETH, BTC',
  ],
  [
    'limit_price',
    second({ limit_price: '60000.001' }),
    'INVALID_LIMIT_PRICE',
    'legs[1].limit_price "60000.001" is not a',
  ],
  ['LIMIT needs it', first({ strategy: 'LIMIT' }), 'INVALID_LIMIT_PRICE', 'legs[0].limit_price is missing'],
  ['strategy required', first({ strategy: null }), 'INVALID_TRADE_STRATEGY', 'legs[0].strategy is missing'],
  ['strategy', second({ strategy: 'PAIR' }), 'INVALID_TRADE_STRATEGY', 'legs[1].strategy "PAIR" is not one of'],
  ['a leg has no ladder', first({ strategy: 'SCALE' }), 'INVALID_TRADE_STRATEGY', 'legs[0].strategy SCALE is not'],
  ['clip_size_type', first({ clip_size_type: 'BIG' }), 'INVALID_PARAM', 'legs[0].clip_size_type "BIG" is not one of'],
  ['clip_size_val', first({ clip_size_type: 'ABSOLUTE' }), 'INVALID_PARAM', 'legs[0].clip_size_val is missing'],
  ['params of a leg', first({ params: 5 }), 'INVALID_PARAM', 'legs[0].params is 5, not an object'],
  ['duration', first({ params: { duration_seconds: '0' } }), 'INVALID_PARAM', 'legs[0].params.duration_seconds "0"'],
  ['TWAP needs it', first({ params: {} }), 'INVALID_PARAM', 'legs[0].params.duration_seconds is missing'],
  ['is_leading', first({ params: { is_leading: 'yes' } }), 'INVALID_PARAM', 'legs[0].params.is_leading "yes" is not'],
  [
    'a would price worse than limit_price',
    second({ limit_price: '60000', params: { would: { would_price: '59000' } } }),
    'INVALID_WOULD_PRICE',
    'legs[1].params.would.would_price 59000 is worse than limit_price 60000 of a SELL',
  ],
  ['start_time', of({ start_time: 'now' }), 'INVALID_TRADE_TIME', 'start_time "now" is not'],
  ['end_time', of({ end_time: 'never' }), 'INVALID_END_TIME', 'end_time "never" is not'],
  [
    'end_time before the start',
    of({ start_time: '2026-11-21T12:00:00Z', end_time: '2026-11-21T12:00:00Z' }),
    'INVALID_END_TIME',
    'is not after start_time',
  ],
  ['params', of({ params: [] }), 'INVALID_PARAM', 'params is an array, not an object'],
  [
    'max_unhedged_value',
    of({ params: { max_unhedged_value: '0' } }),
    'INVALID_PARAM',
    'params.max_unhedged_value "0" is not a decimal above 0',
  ],
  [
    'max_unhedged_seconds',
    of({ params: { max_unhedged_seconds: '0.5' } }),
    'INVALID_PARAM',
    'params.max_unhedged_seconds "0.5" is not a number of seconds from 1 to 3600',
  ],
  [
    'hedge_slippage_bps',
    of({ params: { hedge_slippage_bps: '1001' } }),
    'INVALID_PARAM',
    'params.hedge_slippage_bps "1001" is not an integer from 1 to 1000',
  ],
];

/** Requests with two mistakes. The mistake in the earlier field is reported. */
const PRECEDENCE: readonly Row[] = [
  ['algo before legs', of({ algo: 'X', legs: [] }), 'INVALID_TRADE_STRATEGY', 'algo'],
  ['the first leg before the second', pairBody({}, { side: 'UP' }, { exchange: 'X' }), 'INVALID_PARAM', 'legs[0].side'],
  ['legs before times', pairBody({ start_time: 'x' }, {}, { ccy: 'EUR' }), 'INVALID_PARAM', 'legs[1].ccy'],
  ['target_value before ccy', first({ target_value: 'x', ccy: 'EUR' }), 'INVALID_QUANTITY', 'legs[0].target_value'],
  ['limit_price before strategy', first({ limit_price: '0', strategy: 'X' }), 'INVALID_LIMIT_PRICE', 'legs[0].limit'],
  ['times before params', of({ end_time: 'x', params: 5 }), 'INVALID_END_TIME', 'end_time'],
  ['params before rules between fields', pairBody({ params: 5 }, { params: {} }), 'INVALID_PARAM', 'params is 5'],
];

describe('a multi-leg request', () => {
  it.each([...ROWS, ...PRECEDENCE])('is refused by the rule: %s', (_rule, body, code, message) => {
    const parsed = parsePairRequest(JSON.parse(JSON.stringify(body)), CATALOGUE);
    if (!isRejected(parsed)) throw new Error('the request was accepted');
    expect(parsed.rejection.code).toBe(code);
    expect(parsed.rejection.message).toContain(message);
  });

  it('is accepted in any letter case, and with null for absent members', () => {
    const body = pairBody(
      { algo: 'pair', start_time: null, source: 1 },
      { exchange: 'binance', ccy: 'btc', side: 'buy', limit_price: null },
      { ccy: 'usd', target_value: 30_000, params: { is_leading: true } },
    );
    expect(parsePairRequest(body, CATALOGUE)).toMatchObject({
      leadingIndex: 1,
      legs: [
        { values: { venue: 'BINANCE', ccy: 'BTC', quantity: 50_000 } },
        { values: { venue: 'OKX', ccy: 'USD', targetValue: 30_000n * 10n ** 18n, quantity: null } },
      ],
      values: { maxUnhedgedValue: null, maxUnhedgedMs: 30_000, hedgeSlippageBps: 50 },
    });
  });

  it('leads by its first leg when no leg has is_leading', () => {
    expect(parsePairRequest(pairBody(), CATALOGUE)).toMatchObject({ leadingIndex: 0, values: { durationMs: 60_000 } });
  });

  it('accepts the end of the order instead of a duration of the leg', () => {
    const timed = pairBody({ end_time: '2030-01-01T00:00:00Z' }, { params: {} });
    expect(parsePairRequest(timed, CATALOGUE)).toHaveProperty('legs');
  });
});
