import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeService } from '../client/fake-service.js';
import { commandAgainst } from './command-against.js';
import type { Outcome } from './command-line.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

const run = (...args: string[]): Promise<Outcome> => commandAgainst(service, ...args);

/** Sets the answer of the service and runs the command, once with text output and once with --json. */
async function shown(path: string, rows: readonly object[], ...args: string[]): Promise<string> {
  service.on(`GET ${path}`, () => ({ content: rows }));
  const json = await run(...args, '--json');
  expect(json).toEqual({ status: 0, out: `${JSON.stringify(rows)}\n`, error: '' });
  const people = await run(...args);
  expect(people).toMatchObject({ status: 0, error: '' });
  return people.out;
}

/** The service has these exchanges; `live`: with real ones. */
function exchangesAre(names: readonly string[], live: readonly string[] = []): void {
  const content = names.map((exchange) => ({ exchange, mode: live.includes(exchange) ? 'LIVE' : 'SIMULATED' }));
  service.on('GET /api/v2/data/exchanges', () => ({ content }));
}

describe('sluice', () => {
  it('lists the balances of all exchanges, each with its exchange', async () => {
    exchangesAre(['BINANCE', 'OKX']);
    service.on('GET /api/v2/trading/balance', ({ query }) => ({
      content: [{ symbol: query.get('exchange') === 'OKX' ? 'BTC' : 'USDT', balance: 1e6, free: 999_999.5 }],
    }));
    const { status, out } = await run('balances');
    expect(status).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual([
      'EXCHANGE  ASSET  BALANCE      FREE',
      'BINANCE   USDT   1000000  999999.5',
      'OKX       BTC    1000000  999999.5',
    ]);
    expect(JSON.parse((await run('balances', '--json')).out)).toEqual([
      { exchange: 'BINANCE', symbol: 'USDT', balance: 1e6, free: 999_999.5 },
      { exchange: 'OKX', symbol: 'BTC', balance: 1e6, free: 999_999.5 },
    ]);
    expect((await run('balances', '--exchange', 'okx')).out).toMatch(/^OKX +USDT/m);
    expect(service.asked.at(-1)?.query.toString()).toBe('exchange=okx');
  });

  it('asks only real exchanges where the service trades at some', async () => {
    exchangesAre(['BINANCE', 'OKX'], ['OKX']);
    service.on('GET /api/v2/trading/position', () => ({ content: [] }));
    expect(await run('positions')).toEqual({ status: 0, out: 'No positions.\n', error: '' });
    expect(service.asked.slice(1).map(({ query }) => query.get('exchange'))).toEqual(['OKX']);
  });

  it('prints what it has, and fails, when an exchange does not answer', async () => {
    exchangesAre(['BINANCE', 'OKX']);
    service.on('GET /api/v2/trading/balance', ({ query }) =>
      query.get('exchange') === 'OKX'
        ? { status: 400, content: { error_code: 'EXCHANGE_NOT_AVAILABLE', message: 'OKX is not connected' } }
        : { content: [{ symbol: 'USDT', balance: 1, free: 1 }] },
    );
    const { status, out, error } = await run('balances');
    expect([status, error]).toEqual([
      1,
      'sluice: OKX: OKX is not connected\nsluice: OKX did not answer: its rows are missing\n',
    ]);
    expect(out).toMatch(/BINANCE +USDT/);
  });

  it('prints an amount as the service wrote it, without digits of its binary form', async () => {
    const rows = [
      { symbol: 'USDT', balance: 123_456_789.1, free: 100_000_000.1 },
      { symbol: 'BTC', balance: 0.000_000_1, free: 0.1 },
    ];
    service.on('GET /api/v2/trading/balance', () => ({ content: rows }));
    const { out } = await run('balances', '--exchange', 'BINANCE');
    expect(out).toMatch(/USDT +123456789\.1 +100000000\.1\n/);
    expect(out).toMatch(/BTC +0\.0000001 +0\.1\n/);
  });

  it('lists positions', async () => {
    const position = {
      symbol: 'BTC/USDT:USDT',
      side: 'LONG',
      marginMode: 'CROSS',
      leverage: 5,
      contracts: 0.25,
      entryPrice: 60_000.5,
      markPrice: 60_100,
      liquidationPrice: 0,
      notional: 15_025,
      unrealizedPnl: 24.875,
      collateral: 3005,
      timestamp: 0,
    };
    service.on('GET /api/v2/trading/position', () => ({ content: [position] }));
    const { out } = await run('positions', '--exchange', 'OKX');
    expect(out).toMatch(/OKX +BTC\/USDT:USDT +LONG +0\.25 +60000\.5 +60100 +24\.8[78] +15025 +3005 +5 +0 +CROSS/);
    expect(JSON.parse((await run('positions', '--exchange', 'OKX', '--json')).out)).toEqual([
      { exchange: 'OKX', ...position },
    ]);
    expect(service.asked[0]?.query.toString()).toBe('exchange=OKX');
  });

  it('lists exchanges', async () => {
    const exchange = { id: 1, exchange: 'BINANCE', name: 'Binance', asset_classes: ['SPOT', 'FUTURE'] };
    const simulated = { ...exchange, tradable: true, mode: 'SIMULATED', status: 'UP' };
    const rows = [simulated, { ...simulated, exchange: 'BYBIT', name: 'Bybit', mode: 'LIVE', live_mode: 'testnet' }];
    const out = await shown('/api/v2/data/exchanges', rows, 'exchanges', '--all');
    expect(out).toMatch(/1 +BINANCE +Binance +SPOT,FUTURE +yes +SIMULATED +UP/);
    // The mode of a real exchange says whether the money is real.
    expect(out).toMatch(/1 +BYBIT +Bybit +SPOT,FUTURE +yes +TESTNET +UP/);
    expect(service.asked[0]?.query.toString()).toBe('all=true');
  });

  it('lists instruments', async () => {
    const limits = { minQuantityLimit: 0.00001, maxQuantityLimit: 9000, minCostLimit: 5 };
    const instrument = { exchange: 'OKX', symbol: 'BTC/USDT', assetClass: 'SPOT', enabled: true, ...limits };
    const rows = [{ ...instrument, quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 }];
    const out = await shown('/api/v2/data/instruments', rows, 'instruments', '--exchange', 'okx');
    expect(out).toMatch(/OKX +BTC\/USDT +SPOT +0\.00001 +0\.01 +0\.00001 to 9000 +5 +yes/);
    expect(service.asked[0]?.query.toString()).toBe('exchange=okx');
  });

  it('lists funding rates, the last ones or the past', async () => {
    const entry = {
      exchange: 'OKX',
      symbol: 'BTC/USDT:USDT',
      time: '2026-11-21T08:00:00.000Z',
      nextTime: '2026-11-21T16:00:00.000Z',
      rate: 0.0001,
    };
    service.on('GET /api/v2/data/lastFundingRates', () => ({
      content: [{ ...entry, nextRate: -0.003, markPrice: 5 }],
    }));
    service.on('GET /api/v2/data/fundingRateHistory', () => ({ content: [entry] }));
    expect((await run('funding', '--symbol', 'BTC/USDT')).out).toMatch(/0\.0100 % +-0\.3000 % +5/);
    expect(service.asked.at(-1)?.query.toString()).toBe('symbol=BTC%2FUSDT');
    const past = await run('funding', '--history', '--exchange', 'OKX', '--symbol', 'BTC/USDT', '--json');
    expect(JSON.parse(past.out)).toEqual([entry]);
    expect(await run('funding', '--history')).toMatchObject({ status: 2 });
  });
});
