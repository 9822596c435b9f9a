import { describe, expect, it } from 'vitest';
import { CreateParentOrderRequest, OrderParams } from '../../src/api/order/order-schema.js';
import { STRATEGY_NAMES } from '../../src/domain/order.js';
import { verdictOn } from './order-requests.js';
import { NOW_MS } from '../http/orders.js';
import { at, clip, DAY_MS, ladder, params, rule, TAKEN, would, type Fields, type Row } from './rule-table.js';

/*
 * The contract's rules of a single-leg order, one sentence each. `order-param-rules.spec` has would, trigger and
 * ladder.
 */

const MINUTE_MS = 60_000;

describe('the request', () => {
  rule('1 to 128 printable characters, no comma, no control character (else INVALID_PARAM)', [
    [{ client_order_id: 'a' }, TAKEN],
    [{ client_order_id: 'ünïcode ☂'.padEnd(128, 'x') }, TAKEN],
    [{ client_order_id: null }, TAKEN],
    [{ client_order_id: '' }, 'INVALID_PARAM: client_order_id "" is not 1 to 128 printable characters'],
    [{ client_order_id: 'a'.repeat(129) }, 'INVALID_PARAM: client_order_id'],
    [{ client_order_id: 'a,b' }, 'INVALID_PARAM: client_order_id "a,b"'],
    [{ client_order_id: 'a\nb' }, 'INVALID_PARAM: client_order_id'],
    [{ client_order_id: '\ud800' }, 'INVALID_PARAM: client_order_id'],
    [{ client_order_id: 7 }, 'INVALID_PARAM: client_order_id 7'],
    [{ subaccount: 'a,b' }, 'INVALID_PARAM: subaccount "a,b"'],
  ]);

  rule('INVALID_EXCHANGE, INVALID_SYMBOL, INVALID_TRADE_STRATEGY: missing, unknown or unsupported value', [
    [{ exchange: 'Binance' }, TAKEN],
    [{ exchange: undefined }, 'INVALID_EXCHANGE: exchange is missing'],
    [{ exchange: null }, 'INVALID_EXCHANGE: exchange is missing'],
    [{ exchange: 'NASDAQ' }, 'INVALID_EXCHANGE: exchange "NASDAQ" is not one that takes orders'],
    [{ exchange: 'LIGHTER' }, 'INVALID_EXCHANGE: exchange "LIGHTER" is not one that takes orders'],
    [{ symbol: undefined }, 'INVALID_SYMBOL: symbol is missing'],
    [{ symbol: 5 }, 'INVALID_SYMBOL: symbol 5 is not text'],
    [{ symbol: 'BTCEUR' }, 'INVALID_SYMBOL: symbol "BTCEUR" is no SPOT instrument of BINANCE'],
    [{ symbol: 'BTC/USDT:USDT' }, 'INVALID_SYMBOL: symbol "BTC/USDT:USDT" is no SPOT instrument of BINANCE'],
    [{ symbol: 'ETH/BTC', asset_category: 'FUTURE' }, 'INVALID_SYMBOL: symbol "ETH/BTC" is no FUTURE instrument'],
    [{ strategy: undefined }, 'INVALID_TRADE_STRATEGY: strategy is missing'],
    [{ strategy: 'HODL' }, 'INVALID_TRADE_STRATEGY: strategy "HODL" is not one of TWAP, VWAP, ICEBERG, POV'],
    [{ strategy: 3 }, 'INVALID_TRADE_STRATEGY: strategy 3'],
    ...STRATEGY_NAMES.map((strategy): Row => [
      { ...(strategy === 'SCALE' ? ladder({}) : params({})), strategy: strategy.toLowerCase(), limit_price: '60000' },
      TAKEN,
    ]),
  ]);

  rule('with `asset_category: FUTURE`, `BTC/USDT` names the same contract', [
    [{ asset_category: 'FUTURE' }, TAKEN],
    [{ asset_category: 'future', symbol: 'btc/usdt:usdt' }, TAKEN],
  ]);

  rule('Symbols: `BTCUSDT` is taken too where it names exactly one instrument of that exchange and category', [
    [{ symbol: 'BTCUSDT' }, TAKEN],
    [{ symbol: 'btcusdt' }, TAKEN],
    [{ symbol: 'BTCUSDT', asset_category: 'FUTURE' }, TAKEN],
    [{ symbol: 'BTCUSDT:USDT', asset_category: 'FUTURE' }, TAKEN],
    [{ symbol: 'BTCUSDT:USDT' }, 'INVALID_SYMBOL: symbol "BTCUSDT:USDT" is no SPOT instrument of BINANCE'],
    [{ symbol: '' }, 'INVALID_SYMBOL: symbol "" is no SPOT instrument of BINANCE'],
  ]);

  rule('INVALID_REQUEST: a missing required field that has no code of its own (side, asset_category, ccy)', [
    [{ side: undefined }, 'INVALID_REQUEST: side is missing'],
    [{ side: null }, 'INVALID_REQUEST: side is missing'],
    [{ asset_category: undefined }, 'INVALID_REQUEST: asset_category is missing'],
  ]);

  rule('INVALID_PARAM: any other field with a wrong value (side, asset_category, …)', [
    [{ side: 'LONG' }, 'INVALID_PARAM: side "LONG" is not one of BUY, SELL'],
    [{ asset_category: 'OPTION' }, 'INVALID_PARAM: asset_category "OPTION" is not one of SPOT, FUTURE'],
    [{ params: 'fast' }, 'INVALID_PARAM: params is "fast", not an object'],
    [{ params: [] }, 'INVALID_PARAM: params is an array, not an object'],
    [params({ trading_style: 'BOLD' }), 'INVALID_PARAM: params.trading_style "BOLD" is not one of PASSIVE, AGGRESSIVE'],
    [params({ urgency: 3 }), 'INVALID_PARAM: params.urgency 3 is not one of LOW, MEDIUM, HIGH'],
    [params({ urgency: 'high' }), TAKEN],
    [params({ randomize_amount: 'yes' }), 'INVALID_PARAM: params.randomize_amount "yes" is not true or false'],
    [params({ reduce_only: 1 }), 'INVALID_PARAM: params.reduce_only 1 is not true or false'],
  ]);

  rule('INVALID_QUANTITY: missing, not a positive decimal, off the lot grid, under the minimum', [
    [{ quantity: '00.50000' }, TAKEN],
    [{ quantity: 0.5 }, TAKEN],
    [{ quantity: undefined }, 'INVALID_QUANTITY: quantity is missing'],
    ...[0, '0', -1, '+1', ' 1', '1e3', '1.0.0', '.', '', '١', [1], {}, true, '1'.repeat(5000)].map((quantity): Row => [
      { quantity },
      'is not a decimal above 0',
    ]),
    [{ quantity: 1e-7 }, 'INVALID_QUANTITY: quantity 1e-7 is not a multiple of the lot 0.00001 of BTC/USDT on BINANCE'],
    [{ quantity: '0.0001' }, TAKEN],
    [{ quantity: '0.00009' }, 'INVALID_QUANTITY: quantity "0.00009" is under the minimum 0.0001 of BTC/USDT'],
  ]);

  rule('rejected INVALID_QUANTITY only when the whole order is under the minimum', [
    [{ limit_price: '10' }, TAKEN],
    [{ limit_price: '9.99' }, 'INVALID_QUANTITY: quantity 0.5 × limit_price 9.99 is under the minimum of 5 USDT'],
    [{ limit_price: '9.99', side: 'SELL', strategy: 'LIMIT' }, 'INVALID_QUANTITY: quantity 0.5 × limit_price 9.99'],
    // One rule for all orders, although a schedule may sell above its limit.
    [{ limit_price: '9.99', side: 'SELL' }, 'INVALID_QUANTITY: quantity 0.5 × limit_price 9.99'],
  ]);

  rule("QUANTITY_EXCEED: above the instrument's or the account's maximum", [
    [{ quantity: '9000' }, TAKEN],
    [{ quantity: '9000.00001' }, 'QUANTITY_EXCEED: quantity "9000.00001" is above the maximum 9000 of BTC/USDT'],
    [{ quantity: '123456789012345678901234' }, 'QUANTITY_EXCEED: quantity'],
  ]);

  rule('INVALID_LIMIT_PRICE: not a positive decimal or off the tick grid; LIMIT without limit_price', [
    [{ strategy: 'LIMIT', limit_price: 1e5 }, TAKEN],
    [{ strategy: 'LIMIT' }, 'INVALID_LIMIT_PRICE: limit_price is missing: strategy LIMIT needs one'],
    [{ limit_price: '0' }, 'INVALID_LIMIT_PRICE: limit_price "0" is not a decimal above 0'],
    [{ limit_price: '-5' }, 'INVALID_LIMIT_PRICE: limit_price "-5"'],
    [{ limit_price: '60000.001' }, 'INVALID_LIMIT_PRICE: limit_price "60000.001" is not a multiple of the tick 0.01'],
    [{ limit_price: '10000000.01' }, 'INVALID_LIMIT_PRICE: limit_price "10000000.01" is above the maximum 10000000'],
  ]);

  rule('INVALID_TRADE_TIME: start unparsable, over 60 s in the past, or over 30 days ahead', [
    [{ start_time: at(-MINUTE_MS) }, TAKEN],
    [{ start_time: at(30 * DAY_MS) }, TAKEN],
    [{ start_time: '2026-11-21T12:00Z' }, TAKEN],
    ...['2026-11-21', '2026-02-30T00:00:00Z', '2026-11-21T12:00:00+00:00', NOW_MS].map((start_time): Row => [
      { start_time },
      'is not ISO 8601 in UTC with Z',
    ]),
    [{ start_time: at(-MINUTE_MS - 1) }, 'INVALID_TRADE_TIME: start_time 2026-11-21T11:58:59.999Z is over 60 seconds'],
    [{ start_time: at(30 * DAY_MS + 1) }, 'INVALID_TRADE_TIME: start_time 2026-12-21T12:00:00.001Z is over 30 days'],
  ]);

  rule('INVALID_END_TIME: unparsable, before the start, or in the past', [
    [{ end_time: at(1), params: {} }, TAKEN],
    [{ end_time: 'tomorrow' }, 'INVALID_END_TIME: end_time "tomorrow" is not ISO 8601 in UTC with Z'],
    [{ end_time: at(0) }, 'INVALID_END_TIME: end_time 2026-11-21T12:00:00.000Z is not after'],
    [{ start_time: at(5000), end_time: at(5000) }, 'INVALID_END_TIME: end_time 2026-11-21T12:00:05.000Z is not after'],
    [{ start_time: at(5000), end_time: at(5001) }, TAKEN],
  ]);

  rule('INVALID_END_TIME: end_time lies at most 30 days after the start', [
    [{ end_time: at(30 * DAY_MS), params: {} }, TAKEN],
    [{ end_time: at(30 * DAY_MS + 1) }, 'INVALID_END_TIME: end_time 2026-12-21T12:00:00.001Z is over 30 days after'],
    [{ end_time: at(30 * DAY_MS + 1), params: { duration_seconds: 60 } }, 'INVALID_END_TIME'],
    [{ start_time: at(5000), end_time: at(30 * DAY_MS + 5000) }, TAKEN],
    [{ start_time: at(5000), end_time: at(30 * DAY_MS + 5001) }, 'INVALID_END_TIME'],
    [{ end_time: '9999-12-31T23:59:59Z', params: {} }, 'INVALID_END_TIME'],
  ]);
});

describe('clip and duration', () => {
  rule('duration_seconds: 1 to 2,592,000; required for TWAP and VWAP unless `end_time` is given', [
    [{ params: { duration_seconds: 1 } }, TAKEN],
    [{ params: { duration_seconds: '2592000' } }, TAKEN],
    [{ params: { duration_seconds: '60.5' } }, TAKEN],
    [{ params: { duration_seconds: '0.999' } }, 'INVALID_PARAM: params.duration_seconds "0.999" is not a number'],
    [{ params: { duration_seconds: '2592000.001' } }, 'of seconds from 1 to 2592000'],
    [{ params: { duration_seconds: 'soon' } }, 'INVALID_PARAM: params.duration_seconds "soon"'],
    [{ params: {} }, 'INVALID_PARAM: params.duration_seconds is missing: strategy TWAP needs it, or end_time'],
    [{ params: null, strategy: 'VWAP' }, 'INVALID_PARAM: params.duration_seconds is missing: strategy VWAP'],
    [{ params: null, end_time: at(DAY_MS) }, TAKEN],
    ...['POV', 'ICEBERG', 'MARKET', 'IS'].map((strategy): Row => [{ strategy, params: null }, TAKEN]),
  ]);

  rule('clip_size_val: Required when clip_size_type is ABSOLUTE or PERCENTAGE; ORDER_COUNT: required', [
    [clip('HUGE'), 'INVALID_PARAM: clip_size_type "HUGE" is not one of ABSOLUTE, PERCENTAGE, AUTOMATIC, ORDER_COUNT'],
    [clip('automatic'), TAKEN],
    ...['ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'].map((type): Row => [
      clip(type),
      `INVALID_PARAM: clip_size_val is missing: with clip_size_type ${type}`,
    ]),
    [
      { clip_size_val: 'x' },
      'INVALID_PARAM: clip_size_val "x" is wrong: with clip_size_type AUTOMATIC it is a decimal',
    ],
  ]);

  rule('ABSOLUTE: base units a child', [
    [clip('absolute', 0.0001), TAKEN],
    [clip('ABSOLUTE', '0.00001'), 'INVALID_PARAM: clip_size_val "0.00001" is wrong'],
    [clip('ABSOLUTE', '0.123456'), 'it is a multiple of 0.00001 of at least 0.0001'],
    [clip('ABSOLUTE', '0'), 'INVALID_PARAM: clip_size_val "0" is wrong'],
  ]);

  rule('PERCENTAGE: percent of the parent a child', [
    [clip('PERCENTAGE', '100'), TAKEN],
    [clip('PERCENTAGE', '0.000001'), TAKEN],
    [clip('PERCENTAGE', '0'), 'it is above 0 and up to 100'],
    [clip('PERCENTAGE', '100.000001'), 'INVALID_PARAM: clip_size_val "100.000001" is wrong'],
    [clip('PERCENTAGE', '0.0000001'), 'with at most 6 decimals'],
  ]);

  rule('ORDER_COUNT: `clip_size_val` = number of children', [
    [clip('ORDER_COUNT', '10000.0'), TAKEN],
    [clip('ORDER_COUNT', '0'), 'it is an integer from 1 to 10000'],
    [clip('ORDER_COUNT', '10001'), 'INVALID_PARAM: clip_size_val "10001" is wrong'],
    [clip('ORDER_COUNT', 1.5), 'INVALID_PARAM: clip_size_val 1.5 is wrong'],
  ]);

  rule('for POV the target share of market volume in percent (0 < p ≤ 50)', [
    [{ strategy: 'POV', ...clip('PERCENTAGE', '50') }, TAKEN],
    [{ strategy: 'POV', ...clip('PERCENTAGE', '50.5') }, 'INVALID_PARAM: clip_size_val 50.5 is above 50'],
    [{ strategy: 'POV', ...clip('PERCENTAGE', '0') }, 'INVALID_PARAM: clip_size_val "0" is wrong'],
  ]);

  rule('SCALE: the count from the clip (AUTOMATIC: 10; 2..200)', [
    [ladder({}, clip('ORDER_COUNT', 2)), TAKEN],
    [ladder({}, clip('ORDER_COUNT', 200)), TAKEN],
    [ladder({}, clip('ORDER_COUNT', 1)), 'INVALID_PARAM: clip_size_val 1 of clip_size_type ORDER_COUNT makes 1 rungs'],
    [ladder({}, clip('ORDER_COUNT', 201)), 'the ladder of strategy SCALE has 2 to 200'],
    [ladder({}, clip('PERCENTAGE', '0.5')), TAKEN],
    [ladder({}, clip('PERCENTAGE', '0.49')), 'clip_size_val 0.49 of clip_size_type PERCENTAGE makes 205 rungs'],
    [ladder({}, clip('ABSOLUTE', '0.25')), TAKEN],
    [ladder({}, clip('ABSOLUTE', '0.5')), 'clip_size_val 0.5 of clip_size_type ABSOLUTE makes 1 rungs'],
  ]);
});

const FIELDS = Object.keys(CreateParentOrderRequest.properties);
const PARAMS = Object.keys(OrderParams['properties'] as object);

/** This field and all later ones with a comma as value, which is wrong in each. */
function wrongFrom(fields: readonly string[], index: number): Fields {
  return Object.fromEntries(fields.slice(index).map((name) => [name, ',']));
}

/** The fields in reverse order. */
function reversed(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).toReversed());
}

describe('reports the first of several mistakes in the order of the table', () => {
  it.each(FIELDS.map((field, index) => [field, index] as const))('%s', (field, index) => {
    expect(verdictOn(wrongFrom(FIELDS, index))).toContain(`: ${field} `);
  });

  it.each(PARAMS.map((field, index) => [field, index] as const))('params.%s', (field, index) => {
    expect(verdictOn({ params: wrongFrom(PARAMS, index) })).toContain(`: params.${field} `);
  });

  it('whatever the order of the fields in the request, and with a member without effect', () => {
    for (const [index, field] of FIELDS.entries()) {
      expect(verdictOn({ source: ',', ...reversed(wrongFrom(FIELDS, index)) })).toContain(`: ${field} `);
    }
    for (const [index, field] of PARAMS.entries()) {
      expect(verdictOn({ params: reversed(wrongFrom(PARAMS, index)) })).toContain(`: params.${field} `);
    }
  });

  it.each<Row>([
    // Rules about several fields come after the form of every field, again in the order of the fields.
    [{ end_time: at(1), start_time: at(2), params: { post_only: ',' } }, 'INVALID_PARAM: params.post_only ","'],
    [{ end_time: at(1), start_time: at(2), params: {} }, 'INVALID_END_TIME: end_time'],
    [ladder({ start_ladder_price: null, end_ladder_price: null }, clip('ORDER_COUNT', 1)), 'clip_size_val 1 of'],
    [{ ...would({ would_price: '2' }, { limit_price: '100' }), side: 'SELL', exchange: 'OKX' }, 'INVALID_WOULD_PRICE'],
    [ladder({ reduce_only: true }, { limit_price: '100' }), 'INVALID_PARAM: params.reduce_only true'],
    [
      ladder({ post_only: true }, { limit_price: '100', exchange: 'OKX' }),
      'INVALID_PARAM: params.start_ladder_price 59000',
    ],
    // The checks against the clock come last.
    [{ start_time: at(-DAY_MS), ...params({ reduce_only: true }) }, 'INVALID_PARAM: params.reduce_only true'],
    [{ start_time: at(-DAY_MS), end_time: at(-DAY_MS + 1) }, 'INVALID_TRADE_TIME: start_time'],
  ])('%j is answered: %s', (fields, expected) => {
    expect(verdictOn(fields)).toContain(expected);
  });
});
