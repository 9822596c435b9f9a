import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { IMMEDIATE } from './orders.js';
import { useService } from './service-under-rules.js';

/** Service time runs 60 times as fast. */
const service = useService({ env: { SLUICE_SIM_SPEED: '60' } });

const ORDER = '/api/v2/trading/order/tca';
const WINDOW = '/api/v2/trading/tca';

interface Report {
  readonly is_final: boolean;
  readonly legs: readonly { readonly cost: Record<string, unknown> | null }[];
}

describe('`GET /api/v2/trading/order/tca` with `orderId` or `clientOrderId`', () => {
  it('answers while the order works, and a final report after its end', async () => {
    const orderId = await service.trader.place(IMMEDIATE);
    await service.trader.reaches(orderId, 'FILLED');
    const { status, body } = await eventually(
      () => service.trader.get<Report>(ORDER, `orderId=${orderId}`),
      (answer) => answer.body.is_final,
    );
    expect(status).toBe(200);
    expect(body.legs).toHaveLength(1);
    expect(body.legs[0]?.cost).toMatchObject({ maker_share: 0, arrival_slippage_bps: expect.any(Number) as number });
  });

  it.each([
    ['orderId=4000000000000', 404, 'INVALID_ORDER'],
    ['clientOrderId=nobody', 404, 'INVALID_ORDER'],
    ['', 400, 'INVALID_REQUEST'],
    ['orderId=x', 400, 'INVALID_PARAM'],
  ])('answers the query %s with %i %s', async (query, status, code) => {
    const answer = await service.trader.get<{ error_code: string }>(ORDER, query);
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  });
});

describe('`GET /api/v2/trading/tca`: over a window, by strategy, symbol, exchange, side', () => {
  it('groups the orders of the window', async () => {
    await service.trader.reaches(await service.trader.place(IMMEDIATE), 'FILLED');
    const { body } = await service.trader.get<{ groups: { legs: number }[] }>(WINDOW, 'by=strategy,side');
    expect(body.groups[0]).toMatchObject({ strategy: 'MARKET', currency: 'USDT' });
    expect(body.groups[0]?.legs).toBeGreaterThan(0);
  });

  it('answers 400 INVALID_PARAM to an unknown dimension', async () => {
    const answer = await service.trader.get<{ error_code: string }>(WINDOW, 'by=mood');
    expect([answer.status, answer.body.error_code]).toEqual([400, 'INVALID_PARAM']);
  });
});
