import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import type { Summary } from './answers.js';
import { FUTURE, IMMEDIATE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';

const GUARDRAILS = '/api/v2/account/guardrails';
const KILL_SWITCH = '/api/v2/trading/killSwitch';

const service = useService();

/** Sets the limits of account `trader` on the data directory of the running service. */
const hold = (...flags: readonly string[]): Promise<string> =>
  service.sluice('guardrails', 'set', '--account', 'trader', ...flags);

async function refused(order: object): Promise<{ error_code: string | undefined; message: string | undefined }> {
  const { status, error_code: code, message, order_id: orderId } = await service.trader.create(order);
  expect([status, orderId]).toEqual(['REJECTED', undefined]);
  return { error_code: code, message };
}

describe('risk limits (Ours): set by the operator, effective at once, each refusal with code and message', () => {
  it('refuse an order above its maximum notional', async () => {
    await hold('--max-notional', '1000');
    expect(await refused({ ...RESTING, quantity: '0.03' })).toEqual({
      error_code: 'QUANTITY_EXCEED',
      message: 'quantity 0.03 is worth 1500 USD, above max_order_notional 1000 USD of the account',
    });
    await service.trader.place(RESTING);
    await hold('--max-notional', 'off');
  });

  it('refuse other exchanges and symbols than the allowed ones', async () => {
    await hold('--exchanges', 'BINANCE,KRAKEN', '--symbols', 'BTC/USDT');
    expect((await refused({ ...RESTING, exchange: 'OKX' })).error_code).toBe('INVALID_EXCHANGE');
    expect((await refused(FUTURE)).error_code).toBe('INVALID_SYMBOL');
    await hold('--exchanges', 'off', '--symbols', 'off');
  });

  it('refuse a limit price outside the collar around the mid, also in an amendment', async () => {
    const orderId = await service.trader.place(RESTING);
    await hold('--price-collar-bps', '100');
    expect((await refused(RESTING)).error_code).toBe('INVALID_LIMIT_PRICE');
    const { body } = await service.trader.post<Summary>('/api/v2/trading/order/amend', {
      order_id: orderId,
      limit_price: '50001',
    });
    expect(body).toMatchObject({ status: 'ACCEPTED', error_code: 'INVALID_LIMIT_PRICE' });
    await hold('--price-collar-bps', 'off');
  });

  it('refuse an order that could trade with an own open order, when self-cross prevention is on', async () => {
    const orderId = await service.trader.place({ ...SCHEDULED, symbol: 'ETH/USDT', quantity: '1' });
    const crossing = { ...IMMEDIATE, symbol: 'ETH/USDT', quantity: '0.1' };
    await service.trader.place({ ...crossing, params: {} });
    await hold('--self-cross', 'refuse');
    const { error_code: code, message } = await refused(crossing);
    expect([code, message]).toEqual(['INVALID_ORDER', expect.stringContaining(`order_id ${orderId}`)]);
    await hold('--self-cross', 'off');
  });

  it('refuse orders above the maximum of open orders, each batch member separately, and no repetition', async () => {
    await service.trader.list('cancelAll');
    await eventually(
      () => service.trader.list('open'),
      (open) => open.length === 0,
    );
    await hold('--max-open-orders', '1');
    const order = { ...RESTING, client_order_id: 'the-one' };
    const { body } = await service.trader.post<{ orders: Summary[] }>('/api/v2/trading/order/createMany', {
      orders: [order, RESTING, { ...RESTING, exchange: 'NOWHERE' }],
    });
    expect(body.orders.map(({ error_code: code }) => code)).toEqual([undefined, 'QUANTITY_EXCEED', 'INVALID_EXCHANGE']);
    expect((await service.trader.create(order)).order_id).toBe(body.orders[0]?.order_id);
    await hold('--max-open-orders', 'off');
  });

  it('apply to one key only when they are set for a key', async () => {
    const other = await service.client('trader');
    await service.sluice('guardrails', 'set', '--key', other.key.api_key, '--max-open-orders', '0');
    expect((await other.create(RESTING)).message).toContain('max_open_orders 0 of the API key');
    await service.trader.place(RESTING);
  });
});

describe('the permissions of a key for its risk limits (Ours)', () => {
  it('include to read them', async () => {
    await hold('--max-exposure', '123456.5', '--exchanges', 'BINANCE');
    const reader = await service.client('trader', 'read');
    const { status, body } = await reader.get<object>(GUARDRAILS);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      account: { max_gross_exposure: 123_456.5, allowed_exchanges: ['BINANCE'] },
      key: {},
      kill_switch: { engaged: false },
      usage: { open_orders: expect.any(Number) as number, gross_exposure: expect.any(Number) as number },
    });
    await hold('--max-exposure', 'off', '--exchanges', 'off');
  });

  it('do not include to set them', async () => {
    expect((await service.trader.post(GUARDRAILS, {})).status).toBe(405);
  });

  it.each([
    [{}, 'INVALID_REQUEST'],
    [{ engaged: false }, 'INVALID_PARAM'],
    [{ engaged: 'true' }, 'INVALID_PARAM'],
  ])('do not include to release a kill switch by %j', async (request, code) => {
    const { status, body } = await service.trader.post(KILL_SWITCH, request);
    expect([status, body.error_code]).toEqual([400, code]);
  });

  it('include to engage it with permission trade: it cancels open orders and refuses others until its release', async () => {
    const reader = await service.client('trader', 'read');
    expect((await reader.post(KILL_SWITCH, { engaged: true })).status).toBe(403);
    const orderId = await service.trader.place(RESTING);
    const { status, body } = await service.trader.post<object>(KILL_SWITCH, { engaged: true });
    expect([status, body]).toMatchObject([200, { engaged: true, scope: 'ACCOUNT', engaged_by: 'API_KEY' }]);
    expect((await refused(RESTING)).error_code).toBe('OTHER');
    await service.trader.reaches(orderId, 'CANCELLED');
    await service.sluice('kill-switch', 'off', '--account', 'trader');
    await service.trader.place(RESTING);
  });
});
