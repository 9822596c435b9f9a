import { describe, expect, it } from 'vitest';
import { amendedOrder } from '../../src/api/order/amendment.js';
import { pairDraftOf, parsePairRequest } from '../../src/api/pair/pair-parser.js';
import type { OrderId, SessionNumber } from '../../src/domain/ids.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import { CATALOGUE, DEMO, NOW_MS, parentState } from '../http/orders.js';
import { pairBody } from './pairs.js';

/** Half a bitcoin on BINANCE within a minute. The other leg is sized in quote currency. */
function pairOrder(second: Record<string, unknown> = {}, first: Record<string, unknown> = {}): ParentOrder {
  const body = pairBody({}, first, { target_value: '30000', ccy: 'USDT', ...second });
  const request = parsePairRequest(body, CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  const quantities = [request.legs[0].values.quantity!, 400_000 as Lots] as const;
  return {
    ...pairDraftOf(request, quantities, { requestDigest: 'digest', account: DEMO }, NOW_MS),
    orderId: 7 as OrderId,
  };
}

function amended(terms: Record<string, unknown>, order = pairOrder()): ParentOrder {
  const made = amendedOrder(terms, parentState(order), CATALOGUE);
  if (isRejected(made)) throw new Error(`${made.rejection.code}: ${made.rejection.message}`);
  return made;
}

describe('an amendment of a pair', () => {
  it('keeps every term that the request does not name', () => {
    const placed = pairOrder({ limit_price: '59000' }, { params: { duration_seconds: '60', urgency: 'HIGH' } });
    const order = { ...placed, session: 3 as SessionNumber };
    const twice = amended({ params: { hedge_slippage_bps: '50' } }, order);
    expect(twice).toEqual({ ...order, revision: 1 });
  });

  it('sets the quantity of the leading leg and scales the other leg and both targets', () => {
    const order = pairOrder();
    const { legs } = amended({ quantity: '0.25' }, order);
    expect(legs.map((leg) => [leg.quantity, leg.target?.value])).toEqual([
      [order.legs[0].quantity / 2, '0.25'],
      [200_000, '15000'],
    ]);
  });

  it('sets limit, style and end time of the leading leg', () => {
    const end = new Date(NOW_MS + 90_000).toISOString();
    const order = amended({ limit_price: '61000', end_time: end, params: { trading_style: 'passive' } });
    const [lead, other] = order.legs;
    expect(lead).toMatchObject({ limitPrice: 6_100_000, style: 'PASSIVE', durationMs: null });
    expect(order.endAtMs).toBe(NOW_MS + 90_000);
    expect(JSON.parse(lead.requestEcho)).toEqual({ params: { trading_style: 'PASSIVE' } });
    expect(other).toEqual(pairOrder().legs[1]);
  });

  it('sets the end time of both legs when neither leads', () => {
    const leg = { params: { duration_seconds: '60', is_leading: false } };
    const order = amended({ params: { duration_seconds: '120' } }, pairOrder({ ...leg, strategy: 'TWAP' }, leg));
    expect([order.endAtMs, order.pair!.isLed]).toEqual([NOW_MS + 120_000, false]);
    expect(order.legs.map(({ durationMs }) => durationMs)).toEqual([120_000, 120_000]);
  });

  it('sets the bounds of the unhedged value, its time and the hedge slippage', () => {
    const params = { max_unhedged_value: '750.5', max_unhedged_seconds: '12', hedge_slippage_bps: '80' };
    const order = amended({ params });
    expect(order.pair).toMatchObject({ maxUnhedgedMs: 12_000, hedgeSlippageBps: 80 });
    expect(order.pair!.maxUnhedgedValue).toBe(7_505n * 10n ** 17n);
    expect(JSON.parse(order.pair!.requestEcho)).toEqual({
      params: { max_unhedged_value: 750.5, max_unhedged_seconds: 12, hedge_slippage_bps: 80 },
    });
  });

  it.each([
    [{ quantity: '0' }, 'INVALID_QUANTITY: quantity "0" is not a decimal above 0'],
    [{ quantity: '0.00001' }, 'INVALID_QUANTITY: quantity "0.00001" is under the minimum'],
    [{ limit_price: '1.001' }, 'INVALID_LIMIT_PRICE: limit_price "1.001"'],
    [{ end_time: '2001-01-01T00:00:00Z' }, 'INVALID_END_TIME: end_time'],
    [{ end_time: '9999-12-31T23:59:59Z' }, 'is over 30 days after the start'],
    [{ params: 5 }, 'INVALID_PARAM: params is 5'],
    [{ params: { trading_style: 'ANY' } }, 'INVALID_PARAM: params.trading_style'],
    [{ params: { max_unhedged_seconds: '0' } }, 'INVALID_PARAM: params.max_unhedged_seconds'],
    [{ params: { is_leading: true } }, 'INVALID_PARAM: params.is_leading cannot be amended in a multi-leg order'],
    [{ params: { price_lock_bps: 5 } }, 'INVALID_PARAM: params.price_lock_bps cannot be amended in a multi-leg order'],
  ])('refuses terms that a create refuses: %j', (terms, message) => {
    expect(() => amended(terms)).toThrow(message);
  });
});
