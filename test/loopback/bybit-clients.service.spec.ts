import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey } from './accounts.js';
import { BybitLoopback } from './bybit/bybit-loopback.js';
import { type ClientFindings, runClient } from './clients/client-run.js';
import { units } from './decimal.js';
import { openSite, type ProxiedSite } from './proxied-site.js';

function ccxtTraded(name: string, currency: string): object {
  const fill = { amount: 0.01, price: expect.closeTo(50_000, -1) as unknown, currency };
  return {
    isBook: true,
    resting: 'open',
    foundId: `ccxt-${name}-1`,
    amended: 48_900,
    taken: 'closed',
    trades: [fill, fill],
    open: 0,
  };
}

function sieblyTraded(name: string, absence: number, quantity: string): object {
  return {
    codes: [0, 0, absence, 0],
    found: [[`siebly-${name}-1`, 'New']],
    history: [
      [`siebly-${name}-2`, 'Filled'],
      [`siebly-${name}-1`, 'Cancelled'],
    ],
    trades: [[quantity, `siebly-${name}-2`]],
  };
}

/** Clients that were written for the real Bybit trade here without a change, under the real host names. */
describe('an unmodified client of Bybit', () => {
  let loopback: BybitLoopback;
  let site: ProxiedSite;

  beforeAll(async () => {
    loopback = await BybitLoopback.start();
    site = await openSite(loopback.ports);
  });

  afterAll(async () => {
    // No client dialled a host that is not served here.
    expect(site.proxy.refused).toEqual([]);
    await site.close();
    await loopback.close();
  });

  const run = (script: string, key: ApiKey): Promise<ClientFindings> => runClient(script, { site, key });

  it.concurrent('ccxt.pro trades spot and perpetuals', async () => {
    const account = loopback.openAccount();
    expect(await run('ccxt-bybit-peer', account.keys[0]!)).toEqual({
      spot: ccxtTraded('spot', 'BTC'),
      linear: ccxtTraded('linear', 'USDT'),
      btc: expect.closeTo(10.02, 3) as number,
      positions: [{ side: 'long', contracts: 0.02 }],
      candles: 5,
      rates: [0.0001, 0.0001, 0.0001],
    });
    const clientIds = loopback.linear.exchange.ledger.ordersOf(account.id).map(({ terms }) => terms.clientId);
    expect(clientIds).toEqual(['ccxt-linear-1', 'ccxt-linear-2', 'ccxt-linear-3']);
    expect(loopback.linear.exchange.ledger.positionOf(account.id, 'BTCUSDT')).toBe(units('0.02'));
  });

  it.concurrent('bybit-api (Siebly) trades spot and perpetuals', async () => {
    const account = loopback.openAccount();
    expect(await run('siebly-bybit-peer', account.keys[0]!)).toEqual({
      spot: sieblyTraded('spot', 170213, '0.010000'),
      linear: sieblyTraded('linear', 110001, '0.010'),
      spotPermissions: ['SpotTrade'],
      coins: ['USDT'],
    });
    expect(loopback.spot.exchange.ledger.fillsOf(account.id)).toHaveLength(1);
  });
});
