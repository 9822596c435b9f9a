import { describe, expect, it } from 'vitest';
import type { Balance, Exchange, Position } from '../../src/client/wire.js';
import { AccountHoldings, balanceTotals, positionTotals } from '../../src/console/account-holdings.js';

function position(symbol: string, side: 'LONG' | 'SHORT', notional: number, unrealizedPnl: number): Position {
  return { symbol, side, notional, unrealizedPnl } as Position;
}

const exchange = (name: string, mode: 'SIMULATED' | 'LIVE' = 'SIMULATED') => ({ exchange: name, mode }) as Exchange;

/** Holdings at exchanges that answer with one balance, unless they are in `silent`. */
function holdingsOf(silent: Set<string>) {
  const asked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const holdings = new AccountHoldings({
    positions: async (name) => {
      most = Math.max(most, (atOnce += 1));
      await Promise.resolve();
      atOnce -= 1;
      asked.push(name);
      if (silent.has(name)) throw new Error(`${name} is not available`);
      return [position('BTC/USDT:USDT', 'SHORT', 100, -1)];
    },
    balances: (name) =>
      silent.has(name)
        ? Promise.reject(new Error(`${name} is not available`))
        : Promise.resolve([{ symbol: 'USDT', balance: 5, free: 4 }]),
    nowMs: () => 1_800_000_000_000,
    onChange: () => undefined,
  });
  return { holdings, asked, most: () => most };
}

describe('the totals of the account', () => {
  it('are exact sums, of positions by quote currency with shorts below zero', () => {
    const held = [
      position('BTC/USDT:USDT', 'LONG', 0.1, 0.1),
      position('ETH/USDT:USDT', 'SHORT', 0.3, 0.2),
      position('BTC/USDC:USDC', 'SHORT', 9_007_199.12345678, -0.5),
    ];
    expect(positionTotals(held)).toEqual([
      { currency: 'USDC', count: 1, gross: '9007199.12345678', net: '-9007199.12345678', unrealizedPnl: '-0.5' },
      { currency: 'USDT', count: 2, gross: '0.4', net: '-0.2', unrealizedPnl: '0.3' },
    ]);
  });

  it('are exact sums of balances by asset, with the number of exchanges', () => {
    const held: Balance[] = [
      { symbol: 'USDT', balance: 0.1, free: 0.1 },
      { symbol: 'BTC', balance: 3, free: 1 },
      { symbol: 'USDT', balance: 0.2, free: 0 },
    ];
    expect(balanceTotals(held)).toEqual([
      { asset: 'BTC', exchangeCount: 1, total: '3', free: '1' },
      { asset: 'USDT', exchangeCount: 2, total: '0.3', free: '0.1' },
    ]);
  });
});

describe('the holdings of the account', () => {
  it('are those of every exchange, asked two at a time', async () => {
    const { holdings, asked, most } = holdingsOf(new Set());
    expect(holdings.isRead).toBe(false);
    await holdings.read(['BINANCE', 'OKX', 'KRAKEN'].map((name) => exchange(name)));
    expect([asked.length, holdings.positions.length, holdings.balances.length]).toEqual([15, 15, 15]);
    expect([most(), holdings.silent, holdings.isRead]).toEqual([2, [], true]);
    expect(holdings.balances[0]).toEqual({ symbol: 'USDT', balance: 5, free: 4, exchange: 'BINANCE' });
  });

  it('name an exchange that does not answer, and keep the rows of its last answer', async () => {
    const silent = new Set(['OKX']);
    const { holdings } = holdingsOf(silent);
    const real = [exchange('BINANCE', 'LIVE'), exchange('OKX', 'LIVE'), exchange('KRAKEN')];
    await holdings.read(real);
    expect(holdings.exchanges).toEqual(['BINANCE', 'OKX']);
    expect(holdings.silent).toEqual([{ exchange: 'OKX', answeredAtMs: null, why: 'OKX is not available' }]);
    expect(holdings.positions.map((one) => one.exchange)).toEqual(['BINANCE']);
    silent.clear();
    await holdings.read(real);
    expect([holdings.silent, holdings.positions.length]).toEqual([[], 2]);
    silent.add('BINANCE');
    await holdings.read(real);
    expect(holdings.silent[0]).toMatchObject({ exchange: 'BINANCE', answeredAtMs: 1_800_000_000_000 });
    expect(holdings.positions.map((one) => one.exchange)).toEqual(['BINANCE', 'OKX']);
  });
});
