import { join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, it, type TestContext } from 'vitest';
import { finishRestore, restoreBackup } from '../../src/cli/operator/restored-data.js';
import type { OrderDetails, SluiceClient } from '../../src/client/index.js';
import { BinanceLoopback } from '../loopback/binance/binance-loopback.js';
import { openSite, type ProxiedSite } from '../loopback/proxied-site.js';
import { eventually } from './eventually.js';
import { accepted, sluice } from './live-site.js';
import { resumed } from './resumed.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';

/* The service trades on paper at a loopback Binance under its real host names: the exchange must never see an order. */

const MOVE_EVERY_MS = 250;
const SPOT = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;
const FUTURE = { exchange: 'BINANCE', symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;
/** Hosts of orders and private streams. */
const PRIVATE_HOSTS = ['ws-api.binance.com', 'ws-fapi.binance.com'];

interface RealBinance {
  readonly loopback: BinanceLoopback;
  readonly site: ProxiedSite;
  readonly env: Readonly<Record<string, string>>;
}

async function openBinance(mode: 'paper' | 'shadow', test: Pick<TestContext, 'onTestFinished'>): Promise<RealBinance> {
  const loopback = await BinanceLoopback.start({ seed: mode });
  const site = await openSite(loopback.ports);
  const mover = setInterval(() => {
    loopback.spot.background.wander();
    loopback.futures.background.wander();
  }, MOVE_EVERY_MS);
  test.onTestFinished(async () => {
    clearInterval(mover);
    await site.close();
    await loopback.close();
  });
  const env = {
    SLUICE_LIVE: `BINANCE:${mode}`,
    SLUICE_LIVE_PROXY: site.proxy.url,
    NODE_EXTRA_CA_CERTS: site.certificateFile,
    SLUICE_PAPER_WALLET: 'USDT=100000,BTC=1',
    SLUICE_SHARDS: '2',
  };
  return { loopback, site, env };
}

function expectNoOrder({ loopback, site }: RealBinance): void {
  // Orders of the background have no client id.
  for (const { exchange } of [loopback.spot, loopback.futures]) expect(exchange.ledger.ordersOf(1)).toEqual([]);
  for (const host of PRIVATE_HOSTS) expect(site.proxy.dialled.has(host), host).toBe(false);
  expect(site.proxy.dialled.has('api.binance.com')).toBe(true);
}

function filled(client: SluiceClient, ids: readonly number[]): Promise<readonly OrderDetails[]> {
  return eventually(
    () => client.byId({ orderIds: [...ids], includeTrades: true }),
    (orders) => orders.every(({ status }) => status === 'FILLED'),
  );
}

// These wait for connections and fills most of the time.
describe.concurrent('a service with SLUICE_LIVE=BINANCE:paper', () => {
  it('fills orders with exact balances, also after a SIGKILL in the middle, and sends none', async (test) => {
    const binance = await openBinance('paper', test);
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: binance.env });
    const client = site.client(await run.ready(), key);
    await run.line('the account is connected');
    const bought = await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' });
    await filled(client, [bought]);
    const params = { duration_seconds: '30', trading_style: 'AGGRESSIVE' } as const;
    const sold = await accepted(client, { ...SPOT, side: 'SELL', strategy: 'TWAP', quantity: '0.05', params });
    await eventually(
      () => client.byId({ orderIds: [sold] }),
      ([order]) => (order?.filled_quantity ?? 0) > 0,
    );
    await run.kill();

    const next = site.start({ env: binance.env });
    const survivor = site.client(await next.ready(), key);
    await next.line('the account is connected');
    await endSoon(survivor, [sold]);
    const orders = await filled(survivor, [bought, sold]);
    let [usdt, btc] = [new Big(100_000), new Big(1)];
    for (const { side, filled_quantity: quantity, trades = [] } of orders) {
      expect(trades.reduce((sum, trade) => sum.plus(trade.quantity), new Big(0)).toNumber()).toBe(quantity);
      for (const trade of trades) {
        const notional = new Big(trade.quantity).times(trade.price);
        btc = side === 'BUY' ? btc.plus(trade.quantity) : btc.minus(trade.quantity);
        usdt = (side === 'BUY' ? usdt.minus(notional) : usdt.plus(notional)).minus(trade.fee);
      }
    }
    const balances = await survivor.balances('BINANCE');
    const totalOf = (name: string) => balances.filter(({ symbol }) => symbol === name).map(({ balance }) => balance);
    // Spot and futures have a wallet each.
    expect(totalOf('BTC')).toEqual([btc.plus(1).toNumber()]);
    expect(totalOf('USDT')).toEqual([usdt.plus(100_000).toNumber()]);
    expectNoOrder(binance);
  });

  it('keeps a position in a perpetual across a restart', async (test) => {
    const binance = await openBinance('paper', test);
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: binance.env });
    const client = site.client(await run.ready(), key);
    await run.line('the account is connected');
    const order = { ...FUTURE, side: 'SELL', strategy: 'MARKET', quantity: '0.02' } as const;
    await filled(client, [await accepted(client, order)]);
    await run.kill();
    const next = site.start({ env: binance.env });
    const survivor = site.client(await next.ready(), key);
    const [position] = await eventually(
      () => survivor.positions('BINANCE').catch(() => []),
      (positions) => positions.length > 0,
    );
    expect(position).toMatchObject({ symbol: 'BTC/USDT:USDT', side: 'SHORT' });
    expectNoOrder(binance);
  });
});

describe.concurrent('a service on paper that is restored from a backup', () => {
  it('has the wallets and orders of the backup, and trades on', async (test) => {
    const binance = await openBinance('paper', test);
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: binance.env });
    const client = site.client(await run.ready(), key);
    await run.line('the account is connected');
    const bought = await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' });
    const limit = { ...SPOT, side: 'BUY', strategy: 'LIMIT', quantity: '0.01', limit_price: '30000' } as const;
    const resting = await accepted(client, limit);
    await filled(client, [bought]);
    await eventually(
      () => client.timeline({ orderId: resting }),
      ({ events }) => events.some(({ event }) => event === 'ChildAccepted'),
    );
    const before = await client.balances('BINANCE');
    const copy = join(site.folder, 'copy');
    // The exchange runs in this process, and goes on meanwhile.
    expect(await sluice(site.dataDir, ['backup', copy, '--with-master-key'])).toBe(0);
    await filled(client, [await accepted(client, { ...SPOT, side: 'SELL', strategy: 'MARKET', quantity: '0.5' })]);
    await run.kill();

    const restored = join(site.folder, 'restored');
    await restoreBackup(copy, restored);
    await finishRestore(copy, restored, { keys: 'keep', killSwitches: 'keep', timers: 'drop' });
    const next = site.start({ env: binance.env }, restored);
    const survivor = site.client(await next.ready(), key);
    const { report } = await resumed(next, restored);
    expect(report).toMatchObject({ adoptedCount: 0, orphans: [] });
    expect(await survivor.balances('BINANCE')).toEqual(before);
    await filled(survivor, [await accepted(survivor, { ...SPOT, side: 'SELL', strategy: 'MARKET', quantity: '0.01' })]);
    await survivor.cancel({ order_id: resting });
    const [order] = await eventually(
      () => survivor.byId({ orderIds: [resting] }),
      ([found]) => found?.status === 'CANCELLED',
    );
    expect(order).toMatchObject({ filled_quantity: 0 });
    expectNoOrder(binance);
  });
});

describe.concurrent('a service with SLUICE_LIVE=BINANCE:shadow', () => {
  it('logs each request that live mode would send, fills on paper, and sends none', async (test) => {
    const binance = await openBinance('shadow', test);
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: binance.env });
    const client = site.client(await run.ready(), key);
    await run.line('the account is connected');
    await filled(client, [await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' })]);
    const lines = run.lines.filter(({ msg, call }) => msg === 'would send' && call === 'order.place');
    expect(lines.length).toBeGreaterThan(0);
    for (const { account, thread, fields } of lines) {
      expect({ account, thread }).toEqual({ account: 'trader', thread: 'live-BINANCE' });
      const sent = new URLSearchParams(String(fields));
      expect(sent.get('symbol')).toBe('BTCUSDT');
      expect(sent.get('newClientOrderId')).toMatch(/^\d+-\d+$/);
      for (const name of ['apiKey', 'signature', 'timestamp']) expect(sent.has(name)).toBe(false);
    }
    expectNoOrder(binance);
  });
});
