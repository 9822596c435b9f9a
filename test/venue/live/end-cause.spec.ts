import { describe, expect, it } from 'vitest';
import { EXCHANGE_END_AGAIN_MS } from '../../../src/domain/limits/trading.js';
import { causeOfEnd as binance } from '../../../src/venue/live/dialect/binance-errors.js';
import { causeOfEnd as bybit } from '../../../src/venue/live/dialect/bybit-errors.js';
import { causeOfEnd as okx } from '../../../src/venue/live/dialect/okx-errors.js';
import { rejectionOfEnd } from '../../../src/venue/live/end-cause.js';
import { readBinanceFrame } from '../../../src/venue/live/normal/binance-frame.js';
import { readBinanceOrder } from '../../../src/venue/live/normal/binance-account.js';

/** An execution report of Binance spot in a state. */
function reported(state: string, more: object = {}): unknown {
  const order = { e: 'executionReport', E: 1, s: 'BTCUSDT', c: '1-1', S: 'BUY', o: 'LIMIT', f: 'GTC', q: '1', p: '5' };
  const event = {
    ...order,
    x: 'EXPIRED',
    X: state,
    r: 'NONE',
    i: 7,
    l: '0',
    z: '0',
    L: '0',
    T: 1,
    t: -1,
    m: false,
    ...more,
  };
  const [record] = readBinanceFrame({ event }, () => undefined);
  return record?.kind === 'Order' ? record.reason : undefined;
}

describe('the end of an order by its exchange', () => {
  it.each([
    ['binance', binance, 'UNFILLED_IOC_QUANTITY_EXPIRED'],
    ['binance', binance, 'UNFILLED_FOK_ORDER_EXPIRED'],
    ['binance', binance, 'INSUFFICIENT_LIQUIDITY'],
    ['binance futures', binance, '2'],
    ['bybit', bybit, 'EC_PerCancelRequest'],
    ['bybit', bybit, 'CancelByUser'],
    ['bybit', bybit, 'EC_NoImmediateQtyToFill'],
    ['okx', okx, '1'],
    ['okx', okx, '14: IOC order'],
  ])('has no cause when it was wanted: %s %#', (_exchange, causeOf, reason) => {
    expect(causeOf(reason)).toBeNull();
  });

  it.each([
    ['binance', binance, 'EXPIRED_IN_MATCH', 'SELF_TRADE: Binance: EXPIRED_IN_MATCH'],
    ['binance', binance, 'EXPIRED', 'EXPIRED: Binance: EXPIRED'],
    ['binance', binance, 'EXCHANGE_CANCELED', 'Binance: EXCHANGE_CANCELED'],
    ['binance futures', binance, '3', 'SELF_TRADE: Binance: 3'],
    ['binance futures', binance, '4', 'REDUCE_ONLY: Binance: 4'],
    ['bybit', bybit, 'CancelBySmp', 'SELF_TRADE: Bybit: CancelBySmp'],
    ['bybit', bybit, 'CancelByReduceOnly', 'REDUCE_ONLY: Bybit: CancelByReduceOnly'],
    ['bybit', bybit, 'CancelByAdmin', 'Bybit: CancelByAdmin'],
    ['okx', okx, '32', 'SELF_TRADE: OKX cancelSource 32'],
  ])('has its cause and the words of the exchange: %s %#', (_exchange, causeOf, reason, message) => {
    expect(causeOf(reason)).toEqual({ code: 'EXCHANGE_ERROR', message, retryAfterMs: EXCHANGE_END_AGAIN_MS });
  });

  it('refuses a post-only order as an order', () => {
    expect(bybit('EC_PostOnlyWillTakeLiquidity')).toMatchObject({ code: 'INVALID_ORDER' });
    expect(rejectionOfEnd('POST_ONLY', 'words')).toMatchObject({ code: 'INVALID_ORDER', message: 'POST_ONLY: words' });
  });
});

describe('the reason of an end at Binance', () => {
  it('is its state where the exchange prevented a self-trade, also with another reason', () => {
    expect(reported('EXPIRED_IN_MATCH')).toBe('EXPIRED_IN_MATCH');
    expect(reported('EXPIRED_IN_MATCH', { eR: 'UNFILLED_IOC_QUANTITY_EXPIRED', f: 'IOC' })).toBe('EXPIRED_IN_MATCH');
  });

  it('is missing only for an order that may not rest, and for a cancel', () => {
    expect(reported('CANCELED')).toBeNull();
    expect(reported('EXPIRED', { f: 'IOC' })).toBeNull();
    expect(reported('EXPIRED', { o: 'MARKET' })).toBeNull();
    expect(reported('EXPIRED')).toBe('EXPIRED');
    expect(reported('EXPIRED', { eR: 'EXCHANGE_CANCELED' })).toBe('EXCHANGE_CANCELED');
  });

  it('is read from the answer of a look-up in the same way', () => {
    const answer = { symbol: 'BTCUSDT', orderId: 7, clientOrderId: '1-1', side: 'BUY', origQty: '1', executedQty: '0' };
    const reasonOf = (more: object): unknown =>
      readBinanceOrder({ ...answer, updateTime: 1, ...more }, () => undefined)?.reason;
    expect(reasonOf({ status: 'EXPIRED_IN_MATCH', type: 'LIMIT', timeInForce: 'IOC' })).toBe('EXPIRED_IN_MATCH');
    expect(reasonOf({ status: 'EXPIRED', type: 'LIMIT', timeInForce: 'IOC' })).toBeNull();
    expect(reasonOf({ status: 'EXPIRED', type: 'LIMIT', timeInForce: 'GTX' })).toBe('GTX');
    expect(binance('GTX')).toMatchObject({ code: 'INVALID_ORDER' });
  });
});
