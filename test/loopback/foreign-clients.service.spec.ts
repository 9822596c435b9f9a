import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiKey, newEd25519Key, newKey } from './accounts.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { type ClientFindings, runClient } from './clients/client-run.js';
import { units } from './decimal.js';
import { OkxLoopback } from './okx/okx-loopback.js';
import { openSite, type ProxiedSite } from './proxied-site.js';

/**
 * Clients that were written for the real exchange trade here without a change, under the real host names. They judge
 * whether the loopback exchange speaks the protocol.
 */
describe('an unmodified client', () => {
  let loopback: BinanceLoopback;
  let site: ProxiedSite;

  beforeAll(async () => {
    loopback = await BinanceLoopback.start();
    site = await openSite(loopback.ports);
  });

  afterAll(async () => {
    // No client dialled a host that is not served here.
    expect(site.proxy.refused).toEqual([]);
    await site.close();
    await loopback.close();
  });

  const run = (script: string, key: ApiKey, secret?: string): Promise<ClientFindings> => {
    return runClient(script, { site, key, ...(secret !== undefined && { secret }) });
  };

  it.concurrent('ccxt.pro trades spot and futures', async () => {
    const account = loopback.openAccount();
    const findings = await run('ccxt-peer', account.keys[0]!);
    const fill = [{ isOwn: true, amount: 0.01, price: expect.any(Number) as number }];
    const traded = { resting: 'open', taken: 'closed', trades: fill, open: 0 };
    expect(findings).toMatchObject({
      spot: { ...traded, foundId: 'ccxt-spot-1', usdt: expect.closeTo(999_500, -1) as number },
      futures: { ...traded, foundId: 'ccxt-usdm-1', usdt: expect.closeTo(1_000_000, -1) as number },
    });
    const clientIds = loopback.spot.exchange.ledger.ordersOf(account.id).map(({ terms }) => terms.clientId);
    expect(clientIds).toEqual(['ccxt-spot-1', 'ccxt-spot-2']);
    expect(loopback.futures.exchange.ledger.positionOf(account.id, 'BTCUSDT')).toBe(units('0.01'));
  });

  it.concurrent('@binance/spot trades by REST and by the socket API', async () => {
    const account = loopback.openAccount();
    expect(await run('binance-spot-peer', account.keys[0]!)).toMatchObject({
      placed: 'NEW',
      found: 'spot-rest-1',
      cancelled: 'spot-rest-1',
      status: 'NEW',
      taken: 'FILLED',
      fills: 1,
      trades: [['0.01000000', expect.stringMatching(/^50000/)]],
      cancelNames: { C: 'spot-rest-1', isOther: true },
    });
    expect(loopback.spot.exchange.ledger.fillsOf(account.id)).toHaveLength(1);
  });

  it.concurrent('@binance/derivatives-trading-usds-futures trades by REST and by the socket API', async () => {
    const account = loopback.openAccount();
    expect(await run('binance-futures-peer', account.keys[0]!)).toMatchObject({
      placed: 'NEW',
      found: 'usdm-rest-1',
      cancelled: 'CANCELED',
      status: 'NEW',
      taken: 'FILLED',
      trades: [['0.010', expect.stringMatching(/^50000/)]],
      positions: [['0.01', expect.stringMatching(/^50000/)]],
      update: ['0.01'],
    });
    expect(loopback.futures.exchange.ledger.fillsOf(account.id)).toHaveLength(1);
  });

  const sieblyFindings = {
    spot: { found: 'siebly-spot-1', taken: 'FILLED' },
    usdm: { found: 'siebly-usdm-1', taken: 'siebly-usdm-2' },
  };

  it.concurrent('binance (Siebly) trades spot and futures with an HMAC key', async () => {
    const account = loopback.openAccount();
    expect(await run('siebly-peer', account.keys[0]!)).toEqual(sieblyFindings);
    expect(loopback.spot.exchange.ledger.fillsOf(account.id)).toHaveLength(1);
  });

  it.concurrent('binance (Siebly) logs on with an Ed25519 key', async () => {
    const { key, privateKey } = newEd25519Key();
    const account = loopback.openAccount([key]);
    expect(await run('siebly-peer', key, privateKey)).toEqual(sieblyFindings);
    expect(loopback.futures.exchange.ledger.fillsOf(account.id)).toHaveLength(1);
  });

  it.concurrent('that dials a host without the proxy ends at once', async () => {
    await expect(run('direct-dial-peer', newKey())).rejects.toThrow('dialled 192.0.2.1:443 without the proxy');
  });

  it.concurrent('that dials an unknown host is refused by the proxy', async () => {
    const other = await openSite(loopback.ports);
    const findings = await runClient('unknown-host-peer', { site: other, key: newKey() });
    expect(findings).toEqual({ status: 403 });
    expect(other.proxy.refused).toEqual([{ authority: 'unknown.example:443' }]);
    await other.close();
  });
});

describe('an unmodified client of OKX', () => {
  let loopback: OkxLoopback;
  let site: ProxiedSite;

  beforeAll(async () => {
    loopback = await OkxLoopback.start();
    site = await openSite(loopback.ports);
  });

  afterAll(async () => {
    expect(site.proxy.refused).toEqual([]);
    await site.close();
    await loopback.close();
  });

  it.concurrent('ccxt.pro trades spot and perpetuals by REST and on sockets', async () => {
    const account = loopback.openAccount();
    const findings = await runClient('okx-ccxt-peer', { site, key: account.keys[0]! });
    const price = expect.any(Number) as number;
    const traded = { resting: 'open', amended: 48900, taken: 'closed', open: 0, closed: expect.any(Number) as number };
    expect(findings).toMatchObject({
      spot: { ...traded, foundId: 'ccxtspot1', trades: [{ isOwn: true, amount: 0.01, price }] },
      swap: { ...traded, foundId: 'ccxtswap1', trades: [{ isOwn: true, amount: 1, price }] },
      usdt: expect.closeTo(999_500, -2) as number,
      positions: [{ contracts: 1, side: 'long' }],
      funding: 0.0001,
      candles: 5,
    });
    expect(loopback.trading.spot.ledger.ordersOf(account.id).map(({ terms }) => terms.clientId)).toEqual([
      'ccxtspot1',
      'ccxtspot2',
      'ccxtspot3',
    ]);
    expect(loopback.trading.swap.ledger.positionOf(account.id, 'BTC-USDT-SWAP')).toBe(units('0.01'));
  });

  it.concurrent('okx-api (Siebly) trades spot and perpetuals by REST and on sockets', async () => {
    const account = loopback.openAccount();
    const traded = { pending: ['48900'], refused: true, taken: '0', fill: '0.01' };
    expect(await runClient('okx-siebly-peer', { site, key: account.keys[0]! })).toEqual({
      spot: { ...traded, found: 'sieblyspot1' },
      swap: { ...traded, found: 'sieblyswap1' },
      position: '0.01',
    });
    expect(loopback.trading.spot.ledger.fillsOf(account.id)).toHaveLength(1);
    expect(loopback.trading.swap.ledger.positionOf(account.id, 'BTC-USDT-SWAP')).toBe(units('0.0001'));
  });
});
