import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, API_SECRET, FakeService } from '../client/fake-service.js';
import { commandAgainst } from './command-against.js';
import { sluice } from './command-line.js';
import type { Outcome } from './command-line.js';

const DETAILS = {
  order_id: 7,
  symbol: 'BTC/USDT',
  status: 'ACCEPTED',
  exchange: 'BINANCE',
  strategy: 'TWAP',
  side: 'BUY',
  filled_quantity: 0.25,
  leaves_quantity: 0.75,
  average_price: 60_000.5,
};
let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

const run = (...args: string[]): Promise<Outcome> => commandAgainst(service, ...args);

describe('sluice order', () => {
  beforeEach(() => {
    for (const name of ['open', 'find', 'byId', 'cancelAll']) {
      service.on(`GET /api/v2/trading/order/${name}`, ({ query }) => ({
        content: { orders: query.get('orderIds') === '9' ? [] : [DETAILS] },
      }));
    }
  });

  it('prints a table, or JSON with --json', async () => {
    const { out } = await run('order', 'open');
    expect(out.split('\n')[0]).toMatch(/^ORDER {2}STATUS/);
    expect(out.split('\n')[1]).toMatch(/^ {4}7 {2}ACCEPTED {2}TWAP .* 0\.25 {4}0\.75 {2}60000\.5$/);
    expect(JSON.parse((await run('order', 'open', '--json')).out)).toEqual([DETAILS]);
  });

  it('shows who ended an order, and why', async () => {
    const ended = [
      { ...DETAILS, status: 'CANCELLED', cause: { by: 'CLIENT', api_key: 'abc' } },
      { ...DETAILS, status: 'EXPIRED', error_code: 'EXPIRY_REACHED', message: 'time ran out' },
    ];
    service.on('GET /api/v2/trading/order/find', () => ({ content: { orders: ended } }));
    const [titles, cancelled, expired] = (await run('order', 'find')).out.split('\n');
    expect(titles).toMatch(/CAUSE$/);
    expect(cancelled).toMatch(/CANCELLED .* by CLIENT, API key abc$/);
    expect(expired).toMatch(/EXPIRED .* EXPIRY_REACHED time ran out$/);
  });

  it('shows the legs of a multi-leg order', async () => {
    const { symbol: _symbol, side: _side, exchange: _exchange, strategy: _strategy, ...rest } = DETAILS;
    const legs = [
      { symbol: 'BTC/USDT', side: 'BUY', exchange: 'OKX', live_mode: 'live' },
      { symbol: 'BTC/USDT:USDT', side: 'SELL', exchange: 'BYBIT' },
    ];
    const pair = { ...rest, algo: 'PAIR', legs };
    service.on('GET /api/v2/trading/order/open', () => ({ content: { orders: [pair] } }));
    expect((await run('order', 'open')).out).toMatch(/PAIR +BUY\+SELL +BTC\/USDT\+BTC\/USDT:USDT +OKX:live\+BYBIT/);
  });

  it('gets orders by ids, with fills and fees on request', async () => {
    expect((await run('order', 'get', '7', '8', '--fees')).status).toBe(0);
    expect(Object.fromEntries(service.asked[0]?.query ?? [])).toEqual({ orderIds: '7,8', include_fees: 'true' });
    expect(await run('order', 'get', '9')).toMatchObject({ status: 1, error: 'sluice: there is no order 9\n' });
    expect((await run('order', 'get', '1.5')).status).toBe(2);
  });

  it('finds orders in a time window', async () => {
    await run('order', 'find', '--from', '2026-11-20T00:00:00Z', '--to', '1795219200000', '--limit', '5');
    const startMs = String(Date.parse('2026-11-20T00:00:00Z'));
    expect(Object.fromEntries(service.asked[0]?.query ?? [])).toEqual({ startMs, endMs: '1795219200000', limit: '5' });
    expect((await run('order', 'find', '--from', 'yesterday')).status).toBe(2);
  });

  it('cancels by id, by client order id, and all orders', async () => {
    service.on('POST /api/v2/trading/order/cancel', ({ body }) => ({
      content: { ...(body as object), status: 'PENDING_CANCEL', created_at: '' },
    }));
    expect((await run('order', 'cancel', '7')).status).toBe(0);
    expect((await run('order', 'cancel', '--client-order-id', 'mine')).status).toBe(0);
    expect(service.asked.map(({ body }) => body)).toEqual([{ order_id: 7 }, { client_order_id: 'mine' }]);
    expect((await run('order', 'cancel', '--all')).out).toContain('ACCEPTED');
    expect((await run('order', 'cancel')).status).toBe(2);
    expect((await run('order', 'cancel', '7', '--all')).status).toBe(2);
  });

  it('exits with status 1 when the cancel is rejected', async () => {
    const answer = {
      status: 'CANCEL_REJECTED',
      error_code: 'INVALID_ORDER',
      message: 'order 7 is over',
      created_at: '',
    };
    service.on('POST /api/v2/trading/order/cancel', () => ({ content: answer }));
    expect(await run('order', 'cancel', '7')).toMatchObject({
      status: 1,
      error: 'sluice: INVALID_ORDER: order 7 is over\n',
    });
  });

  it('cancels several orders and prints the number of refusals', async () => {
    const rejected = {
      status: 'CANCEL_REJECTED',
      error_code: 'INVALID_ORDER',
      message: 'order 8 is over',
      created_at: '',
    };
    const answer = [{ order_id: 7, status: 'PENDING_CANCEL', created_at: '' }, rejected, rejected];
    service.on('POST /api/v2/trading/order/cancelMany', () => ({ content: answer }));
    const { status, out, error } = await run('order', 'cancel', '7', '8', '--client-order-id', 'mine', '--json');
    expect({ status, error }).toEqual({
      status: 1,
      error: 'sluice: 2 of 3 were refused, the first: INVALID_ORDER: order 8 is over\n',
    });
    expect(JSON.parse(out)).toEqual(answer);
    expect(service.asked[0]?.body).toEqual({ orders: [{ order_id: 7 }, { order_id: 8 }, { client_order_id: 'mine' }] });
  });

  it('lists the fills of orders', async () => {
    const fill = { trade_id: 1, symbol: 'BTC/USDT', quantity: 0.1, price: 5, execTime: 0 };
    service.on('GET /api/v2/trading/order/byId', () => ({
      content: { orders: [{ ...DETAILS, trades: [fill, fill] }] },
    }));
    expect((await run('order', 'trades', '7')).out).toContain('1970-01-01T00:00:00.000Z');
    expect(Object.fromEntries(service.asked[0]?.query ?? [])).toEqual({ orderIds: '7', include_trades: 'true' });
    expect(JSON.parse((await run('order', 'trades', '7', '--json')).out)).toEqual([fill, fill]);
  });

  it.each(['get', 'trades'])('%s accepts client order ids and needs at least one id', async (command) => {
    expect((await run('order', command, '--client-order-id', 'mine', 'other')).status).toBe(0);
    expect(service.asked[0]?.query.get('clientOrderIds')).toBe('mine,other');
    expect((await run('order', command)).status).toBe(2);
  });
});

describe('a command that calls the API', () => {
  it('exits with status 2 without a key or with a bad address', async () => {
    expect(await sluice(['order', 'open'], {})).toMatchObject({
      status: 2,
      error: expect.stringMatching(/SLUICE_API_KEY.*demo-key\.json.*npx sluice keys create/) as string,
    });
    const env = { SLUICE_URL: 'here', SLUICE_API_KEY: 'k', SLUICE_API_SECRET: 's' };
    expect(await sluice(['order', 'open'], env)).toMatchObject({
      status: 2,
      error: expect.stringContaining('SLUICE_URL=here') as string,
    });
  });

  it('takes the address from SLUICE_HOST and SLUICE_PORT', async () => {
    const { hostname, port } = new URL(service.url);
    service.on('GET /api/v2/trading/order/open', () => ({ content: { orders: [] } }));
    const key = { SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET };
    for (const host of [hostname, '0.0.0.0']) {
      expect(await sluice(['order', 'open'], { SLUICE_HOST: host, SLUICE_PORT: port, ...key })).toEqual({
        status: 0,
        out: 'No orders.\n',
        error: '',
      });
    }
    // SLUICE_URL wins.
    const both = await sluice(['order', 'open'], { SLUICE_URL: service.url, SLUICE_PORT: '1', ...key });
    expect(both.status).toBe(0);
    for (const wrong of ['0', '65536', 'http']) {
      expect(await sluice(['order', 'open'], { SLUICE_PORT: wrong, ...key })).toMatchObject({
        status: 2,
        error: expect.stringContaining(`SLUICE_PORT=${wrong}`) as string,
      });
    }
  });

  it('exits with status 1 and prints code and request id when the service refuses', async () => {
    const env = { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: 'AAAA' };
    expect(await sluice(['order', 'open'], env)).toMatchObject({
      status: 1,
      error: 'sluice: INVALID_SIGNATURE: bad (request r-1)\n',
    });
  });
});
