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

describe('sluice', () => {
  it('lists balances', async () => {
    const rows = [{ symbol: 'USDT', balance: 1e6, free: 999_999.5 }];
    expect(await shown('/api/v2/trading/balance', rows, 'balances')).toMatch(/USDT +1000000 +999999\.5/);
    expect(service.asked[0]?.query.toString()).toBe('exchange=BINANCE');
  });

  it('prints an amount as the service wrote it, without digits of its binary form', async () => {
    const rows = [
      { symbol: 'USDT', balance: 123_456_789.1, free: 100_000_000.1 },
      { symbol: 'BTC', balance: 0.000_000_1, free: 0.1 },
    ];
    const out = await shown('/api/v2/trading/balance', rows, 'balances');
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
    const out = await shown('/api/v2/trading/position', [position], 'positions', '--exchange', 'OKX');
    expect(out).toMatch(/BTC\/USDT:USDT +LONG +0\.25 +60000\.5 +60100 +24\.8[78] +15025 +3005 +5 +0 +CROSS/);
    expect(service.asked[0]?.query.toString()).toBe('exchange=OKX');
    expect(await shown('/api/v2/trading/position', [], 'positions')).toBe('No positions.\n');
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
