import { describe, expect, it } from 'vitest';
import { TAKEN, fieldRules } from './field-rules.js';
import { IMMEDIATE, RESTING, SCHEDULED, without } from './orders.js';
import { useService } from './service-under-rules.js';

const service = useService();

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

/** An instant this far from now, in UTC with Z. */
const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

const { field, verdict } = fieldRules(service);

describe('CreateParentOrderRequest', () => {
  field('exchange', RESTING, [
    [undefined, 'INVALID_EXCHANGE'],
    [null, 'INVALID_EXCHANGE'],
    ['', 'INVALID_EXCHANGE'],
    ['NASDAQ', 'INVALID_EXCHANGE'],
    [1, 'INVALID_EXCHANGE'],
    // These exchanges list instruments only.
    ['COINBASE_ADV', 'INVALID_EXCHANGE'],
    ['EXTENDED', 'INVALID_EXCHANGE'],
    ['LIGHTER', 'INVALID_EXCHANGE'],
    ['okx', TAKEN],
  ]);

  it.each(
    'BINANCE HUOBI GATEIO KRAKEN KUCOIN OKX BYBIT BITGET WOO MEXC BULLISH B2C2 COINBASE_PRIME COINBASE_INTL HYPERLIQUID'.split(
      ' ',
    ),
  )('accepts the trading exchange %s', async (exchange) => {
    expect(await verdict({ ...IMMEDIATE, exchange, symbol: 'ETH/USDT', quantity: '1' })).toMatchObject({
      verdict: TAKEN,
    });
  });

  field('subaccount', RESTING, [
    ['hedge', TAKEN],
    [7, 'INVALID_PARAM'],
    [{}, 'INVALID_PARAM'],
  ]);

  field('symbol', RESTING, [
    [undefined, 'INVALID_SYMBOL'],
    ['', 'INVALID_SYMBOL'],
    ['BTC', 'INVALID_SYMBOL'],
    ['BTCUSDT', TAKEN],
    ['BTCUSD', 'INVALID_SYMBOL'],
    ['BTC-USDT', 'INVALID_SYMBOL'],
    ['NOPE/USDT', 'INVALID_SYMBOL'],
    [['BTC/USDT'], 'INVALID_SYMBOL'],
  ]);

  // A missing required field that has no code of its own is INVALID_REQUEST, a wrong value INVALID_PARAM.
  field('asset_category', RESTING, [
    [undefined, 'INVALID_REQUEST'],
    [null, 'INVALID_REQUEST'],
    ['OPTION', 'INVALID_PARAM'],
    ['', 'INVALID_PARAM'],
    [1, 'INVALID_PARAM'],
  ]);

  field('side', RESTING, [
    [undefined, 'INVALID_REQUEST'],
    [null, 'INVALID_REQUEST'],
    ['LONG', 'INVALID_PARAM'],
    ['', 'INVALID_PARAM'],
    [true, 'INVALID_PARAM'],
  ]);

  // Missing, not a positive decimal, off the lot grid, under the minimum; above the instrument's maximum
  // QUANTITY_EXCEED.
  field('quantity', RESTING, [
    [undefined, 'INVALID_QUANTITY'],
    ['0', 'INVALID_QUANTITY'],
    ['0.000', 'INVALID_QUANTITY'],
    [0, 'INVALID_QUANTITY'],
    ['-1', 'INVALID_QUANTITY'],
    ['much', 'INVALID_QUANTITY'],
    ['0.0000000001', 'INVALID_QUANTITY'],
    ['0.00001', 'INVALID_QUANTITY'],
    ['1000000000000', 'QUANTITY_EXCEED'],
    ['9'.repeat(40), 'QUANTITY_EXCEED'],
    [0.02, TAKEN],
  ]);

  field('strategy', RESTING, [
    [undefined, 'INVALID_TRADE_STRATEGY'],
    ['', 'INVALID_TRADE_STRATEGY'],
    ['SNIPER', 'INVALID_TRADE_STRATEGY'],
    ['PAIR', 'INVALID_TRADE_STRATEGY'],
    [3, 'INVALID_TRADE_STRATEGY'],
  ]);

  // Not a positive decimal or off the tick grid; LIMIT without limit_price.
  field('limit_price', RESTING, [
    [undefined, 'INVALID_LIMIT_PRICE'],
    [null, 'INVALID_LIMIT_PRICE'],
    ['0', 'INVALID_LIMIT_PRICE'],
    ['-50000', 'INVALID_LIMIT_PRICE'],
    ['market', 'INVALID_LIMIT_PRICE'],
    ['50000.0001', 'INVALID_LIMIT_PRICE'],
    ['5e4', 'INVALID_LIMIT_PRICE'],
    [50000, TAKEN],
    ['50000.00', TAKEN],
  ]);

  // Unparsable, over 60 s in the past (less than that starts now), or over 30 days ahead.
  field('start_time', RESTING, [
    ['soon', 'INVALID_TRADE_TIME'],
    ['', 'INVALID_TRADE_TIME'],
    [Date.now(), 'INVALID_TRADE_TIME'],
    ['2026-13-01T00:00:00Z', 'INVALID_TRADE_TIME'],
    ['2027-02-30T00:00:00Z', 'INVALID_TRADE_TIME'],
    ['2027-01-01T00:00:00', 'INVALID_TRADE_TIME'],
    ['2027-01-01T00:00:00+01:00', 'INVALID_TRADE_TIME'],
    ['2027-01-01', 'INVALID_TRADE_TIME'],
    [() => ahead(-90 * SECOND_MS), 'INVALID_TRADE_TIME'],
    [() => ahead(31 * DAY_MS), 'INVALID_TRADE_TIME'],
    [() => ahead(-30 * SECOND_MS), TAKEN],
    [() => ahead(29 * DAY_MS), TAKEN],
    [() => ahead(DAY_MS).replace(/\.\d+Z$/, 'Z'), TAKEN],
  ]);

  // Unparsable, before the start, or in the past.
  field('end_time', RESTING, [
    ['never', 'INVALID_END_TIME'],
    [7, 'INVALID_END_TIME'],
    [() => ahead(DAY_MS).replace('Z', ''), 'INVALID_END_TIME'],
    [() => ahead(-SECOND_MS), 'INVALID_END_TIME'],
    [() => ahead(DAY_MS), TAKEN],
  ]);

  it('refuses an end_time before or at the start_time with INVALID_END_TIME', async () => {
    const start = ahead(DAY_MS);
    for (const end of [start, ahead(DAY_MS / 2)]) {
      expect(await verdict({ ...RESTING, start_time: start, end_time: end })).toMatchObject({
        verdict: 'INVALID_END_TIME',
      });
    }
  });

  it('starts an order now when its start is less than 60 s in the past', async () => {
    const askedAtMs = Date.now();
    const orderId = await service.trader.place({ ...RESTING, start_time: ahead(-30 * SECOND_MS) });
    expect((await service.trader.details(orderId)).start_time).toBeGreaterThanOrEqual(askedAtMs - 50);
  });

  field('clip_size_type', RESTING, [
    ['AUTOMATIC', TAKEN],
    ['HUGE', 'INVALID_PARAM'],
    ['', 'INVALID_PARAM'],
    [5, 'INVALID_PARAM'],
  ]);

  // Required when clip_size_type is ABSOLUTE or PERCENTAGE; ORDER_COUNT: `clip_size_val` = number of children,
  // required.
  for (const [type, right, wrong] of [
    ['ABSOLUTE', ['0.01', 0.02], [undefined, null, '', '0', '-1', 'big', '0.0000000001']],
    ['PERCENTAGE', ['10', '100', 0.5], [undefined, '0', '-10', '101', 'half']],
    ['ORDER_COUNT', ['5', 2], [undefined, '0', '-1', '2.5', 'some']],
  ] as const) {
    field('clip_size_val', { ...SCHEDULED, clip_size_type: type }, [
      ...right.map((value) => [value, TAKEN] as const),
      ...wrong.map((value) => [value, 'INVALID_PARAM'] as const),
    ]);
  }
});

describe('the end of an order', () => {
  it('comes from `end_time` for a TWAP without a duration or without params', async () => {
    const timed = { ...without(SCHEDULED, 'params'), end_time: ahead(3600 * SECOND_MS) };
    expect(await verdict(timed)).toMatchObject({ verdict: TAKEN });
    expect(await verdict(without(SCHEDULED, 'params'))).toMatchObject({ verdict: 'INVALID_PARAM' });
  });

  it('is the earlier one of `duration_seconds` and `end_time`', async () => {
    for (const [seconds, endMs] of [
      ['60', 3600 * SECOND_MS],
      ['7200', 3600 * SECOND_MS],
    ] as const) {
      const endTime = ahead(endMs);
      const orderId = await service.trader.place({
        ...SCHEDULED,
        end_time: endTime,
        params: { duration_seconds: seconds },
      });
      const { start_time: startMs, end_time: endAtMs } = await service.trader.details(orderId);
      expect(endAtMs).toBe(Math.min(startMs + Number(seconds) * SECOND_MS, Date.parse(endTime)));
    }
  });
});

describe('the first broken rule, in the order of the table', () => {
  it('gives the code of a request with several errors', async () => {
    const broken = { exchange: 'NASDAQ', symbol: 'NOPE', side: 'UP', quantity: '0', strategy: 'SNIPER' };
    expect(await verdict(broken)).toMatchObject({ verdict: 'INVALID_EXCHANGE' });
    expect(await verdict({})).toMatchObject({ verdict: 'INVALID_EXCHANGE' });
  });
});
