import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { StreamClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { addKey, BTC_USDT as SPOT, openTestnet, PLACE, sluice } from './live-site.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';
import { expectFills, tradedThroughKill } from './traded-through-kill.js';

/* The service in its own process trades at a loopback Binance under the host names of Binance's test environment. */

const KEYS_TRIED_MAX = 5;

describe('a service with SLUICE_LIVE=BINANCE:testnet', () => {
  // The first three wait for connections and orders most of the time. The last one measures a time.
  it.concurrent('loads the library of the exchange in the thread of the exchange only', async (test) => {
    const testnet = await openTestnet(test);
    const { run, modulesOf } = startListed(test, testnet.environment);
    await run.ready();
    await eventually(
      () => [...modulesOf()].filter(([, modules]) => modules.some(isOfLibrary)).map(([thread]) => thread),
      (threads) => threads.length > 0,
    );
    const loaded = [...modulesOf()].filter(([, modules]) => modules.some(isOfLibrary));
    expect(loaded.map(([thread]) => thread)).toEqual(['live']);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });

  it.concurrent('fills orders over REST as the ledger of the exchange says, also after a SIGKILL in the middle', async (test) => {
    const testnet = await openTestnet(test);
    const account = testnet.loopback.openAccount();
    const { ledger } = testnet.loopback.spot.exchange;
    const { environment } = testnet;
    const { orders } = await tradedThroughKill({ environment, account, markets: [SPOT] }, test);
    expect(ledger.repeatedClientIds(account.id)).toEqual([]);
    expectFills(
      orders,
      ledger.fillsOf(account.id).map((fill) => ({ ...fill, orderId: String(fill.orderId) })),
    );
    expect(testnet.refused).toEqual([]);
  });

  it.concurrent('streams the candles of the exchange and of simulated ones side by side', async (test) => {
    const testnet = await openTestnet(test);
    const site = newSite(test);
    const key = await site.issueKey('trader', 'read');
    const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
    const port = await run.ready();
    const client = site.client(port, key);
    const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
    test.onTestFinished(() => stream.close());
    await stream.connect();
    const frames: string[] = [];
    for (const exchange of ['BINANCE', 'OKX'] as const) {
      const feed = { topic: 'ohlcv', exchange, symbol: 'BTC/USDT' } as const;
      // The exchange lists its markets soon after the start.
      await eventually(
        () =>
          stream
            .subscribe(feed, () => frames.push(exchange))
            .then(
              () => true,
              () => false,
            ),
        (isSubscribed) => isSubscribed,
      );
    }
    await eventually(
      () => ['BINANCE', 'OKX'].filter((exchange) => frames.includes(exchange)),
      (exchanges) => exchanges.length === 2,
    );
    expect(run.lines.filter(({ msg }) => msg === 'thread died')).toEqual([]);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });

  it('uses a key within a second, and ends the session of a removed one', async () => {
    const testnet = await openTestnet();
    const account = testnet.loopback.openAccount();
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
    const client = site.client(await run.ready(), key);
    await expect(client.balances('BINANCE')).rejects.toMatchObject({ code: 'EXCHANGE_NOT_AVAILABLE' });
    const said = (message: string, times: number): Promise<void> => {
      return run.until(() => run.lines.filter(({ msg }) => msg === message).length === times, `${times}: ${message}`);
    };
    const waitsMs: number[] = [];
    const removeKey = async (): Promise<void> => {
      expect(await sluice(site.dataDir, ['venue-keys', 'remove', ...PLACE, '--yes'])).toBe(0);
      await said('the key of the account is removed', waitsMs.length);
    };
    // A machine with much other work may withhold a second from the service. Then a later key is used in time.
    while (!waitsMs.some((ms) => ms < 1_000)) {
      expect(waitsMs.length, `the waits in ms: ${waitsMs.join(' ')}`).toBeLessThan(KEYS_TRIED_MAX);
      if (waitsMs.length > 0) await removeKey();
      await addKey(site.dataDir, account);
      const addedAtMs = Date.now();
      await said('an account has a key', waitsMs.length + 1);
      waitsMs.push(Date.now() - addedAtMs);
    }
    await run.line('the account is connected');
    const balances = await client.balances('BINANCE');
    expect(balances.find(({ symbol }) => symbol === 'BTC')?.balance).toBe(10);
    const [binance, okx] = await Promise.all(
      ['BINANCE', 'OKX'].map(async (name) => (await client.exchanges()).find(({ exchange }) => exchange === name)),
    );
    expect(binance).toMatchObject({ mode: 'LIVE', live_mode: 'testnet', status: 'UP', tradable: true });
    // A process that trades at a real exchange simulates no orders.
    expect(okx).toMatchObject({ mode: 'SIMULATED', tradable: false });
    expect(okx).not.toHaveProperty('live_mode');

    await removeKey();
    await expect(client.balances('BINANCE')).rejects.toMatchObject({ code: 'EXCHANGE_NOT_AVAILABLE' });
    const order = { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' } as const;
    const { order_id: refused } = await client.create(order);
    await eventually(
      () => client.byId({ orderIds: [refused!] }),
      ([found]) => found?.status === 'REJECTED',
    );
    expect(testnet.loopback.spot.exchange.ledger.ordersOf(account.id)).toEqual([]);
    expect(run.output).not.toContain(account.keys[0]!.secret);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });
});

/** A service that writes down the modules that each of its threads loads. */
function startListed(test: TestContext, env: Readonly<Record<string, string>> = {}) {
  const site = newSite(test);
  const folder = join(site.folder, 'modules');
  mkdirSync(folder);
  const preload = join(ROOT, 'dist/test/system/module-list-peer.js');
  const run = site.start({
    env: { SLUICE_SHARDS: '1', MODULE_LIST: folder, ...env },
    nodeArgs: [`--import=${preload}`],
  });
  const modulesOf = (): Map<string, readonly string[]> =>
    new Map(
      readdirSync(folder).map((file) => [file.split('.')[0]!, readFileSync(join(folder, file), 'utf8').split('\n')]),
    );
  return { run, modulesOf };
}

function isOfLibrary(url: string): boolean {
  return url.includes('node_modules/undici');
}

describe.concurrent('a service without SLUICE_LIVE', () => {
  it('starts no thread of a real exchange, and loads no library for one in any thread', async (test) => {
    const { run, modulesOf } = startListed(test);
    await run.ready();
    expect(run.output).not.toContain('live-BINANCE');
    const threads = modulesOf();
    expect([...threads.keys()]).toEqual(expect.arrayContaining(['main', 'shard', 'venue', 'keeper', 'journal']));
    for (const [thread, modules] of threads) expect([thread, modules.filter(isOfLibrary)]).toEqual([thread, []]);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });

  it.for([
    [{ SLUICE_LIVE: 'BINANCE:live' }, 'confirm it with SLUICE_LIVE_CONFIRM=real-money'],
    [{ SLUICE_LIVE: 'BINANCE:testnet', SLUICE_SIM_SPEED: '60' }, 'SLUICE_SIM_SPEED=60 is not 1'],
  ] as const)('refuses the start with %j', async ([env, message], test) => {
    const run = newSite(test).start({ env });
    expect(await run.ended).toMatchObject({ status: 2 });
    expect(run.output).toContain(message);
  });
});
