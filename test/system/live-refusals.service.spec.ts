import { describe, expect, it } from 'vitest';
import { newKey, TRADING_PERMISSIONS } from '../loopback/accounts.js';
import { BinanceLoopback } from '../loopback/binance/binance-loopback.js';
import { openSite } from '../loopback/proxied-site.js';
import { eventually } from './eventually.js';
import { accepted, addKey, BTC_USDT, openTestnet, sluice } from './live-site.js';
import type { ServiceRun } from './service-run.js';
import { newSite } from './site.js';

/* Keys, answers and clocks that do not fit, at a loopback Binance in a running service. */

const MARKET = { ...BTC_USDT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' } as const;
const RESTING = { ...BTC_USDT, side: 'BUY', strategy: 'LIMIT', quantity: '0.01', limit_price: '30000' } as const;

function statesOf({ lines }: ServiceRun): unknown[] {
  return lines.flatMap(({ msg, state }) => (msg === 'the account cannot trade' ? [state] : []));
}

function connectionsOf({ lines }: ServiceRun): number {
  return lines.filter(({ msg }) => msg === 'the account is connected').length;
}

// Both wait for checks of keys and accounts most of the time.
describe.concurrent('a service at a real exchange', () => {
  it('names what is wrong with a key, places nothing with it, and goes on when it is right', async (test) => {
    const testnet = await openTestnet(test);
    const { loopback } = testnet;
    loopback.clock.offsetMs = 2_000;
    const elsewhere = newKey({ addresses: ['10.9.9.9'] });
    const account = loopback.openAccount([newKey(), elsewhere]);
    const { exchange } = loopback.spot;
    const { ledger } = exchange;
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
    const client = site.client(await run.ready(), key);
    const rejected = async (): Promise<void> => {
      const { order_id: id } = await client.create(MARKET);
      await eventually(
        () => client.byId({ orderIds: [id!] }),
        ([order]) => order?.status === 'REJECTED',
      );
    };
    const wrong = newKey();
    for (const refused of [wrong, { ...account.keys[0]!, secret: wrong.secret }, elsewhere]) {
      const before = statesOf(run).length;
      // Each key replaces the one before.
      // oxlint-disable-next-line no-await-in-loop
      await addKey(site.dataDir, { keys: [refused] }, { isReplacing: before > 0 });
      // oxlint-disable-next-line no-await-in-loop
      await run.until(() => statesOf(run).length >= before + 2, 'it refuses the key in both wallets');
      // oxlint-disable-next-line no-await-in-loop
      await rejected();
    }
    expect(new Set(statesOf(run))).toEqual(new Set(['KEY_REFUSED']));
    expect(ledger.ordersOf(account.id)).toEqual([]);

    await addKey(site.dataDir, account, { isReplacing: true });
    await run.line('the account is connected');
    await run.line('the clock of the exchange differs: requests are corrected by the difference');
    const resting = await accepted(client, RESTING);
    await eventually(
      () => exchange.openOrders(account.id).length,
      (open) => open === 1,
    );

    // HTML for each read after a cut: the account is not connected before the open orders are known.
    for (const on of ['GET /api/v3/openOrders', 'GET /api/v3/account']) {
      loopback.faults.add({ on, fault: { kind: 'maintenance', status: 502 }, times: 3 });
    }
    const before = connectionsOf(run);
    loopback.cut('ws-api.binance.com');
    await run.until(() => connectionsOf(run) > before, 'it connects the account again');

    // An answer that leaves open whether the order was placed.
    const fault = { kind: 'fail', failure: 'unknown', executed: true } as const;
    loopback.faults.add({ on: 'spot order.place', fault, times: 1 });
    const { order_id: unclear } = await client.create(MARKET);
    await eventually(
      () => client.byId({ orderIds: [unclear!] }),
      ([order]) => order?.status === 'FILLED',
    );

    const states = statesOf(run).length;
    loopback.accounts.setAccepted(account.keys[0]!.key, false);
    const { order_id: withdrawn } = await client.create(MARKET);
    await run.until(() => statesOf(run).length > states, 'it notices the withdrawn key');
    expect(statesOf(run).at(-1)).toBe('KEY_REFUSED');
    await eventually(
      () => client.byId({ orderIds: [withdrawn!] }),
      ([order]) => order?.status === 'REJECTED',
    );
    const connected = connectionsOf(run);
    loopback.accounts.setAccepted(account.keys[0]!.key, true);
    await run.until(() => connectionsOf(run) > connected, 'it checks the key again by itself');
    await client.cancel({ order_id: resting });
    await eventually(
      () => client.byId({ orderIds: [resting] }),
      ([order]) => order?.status === 'CANCELLED',
    );
    expect(exchange.openOrders(account.id)).toEqual([]);
    expect(ledger.repeatedClientIds(account.id)).toEqual([]);
    for (const { secret } of [...account.keys, wrong]) expect(run.output).not.toContain(secret);
    expect(run.output).not.toMatch(/signature=|listenKey=/);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });

  it('with real money refuses a key that may withdraw, not trade or work from any address, hedge mode, and an account without risk limits', async (test) => {
    const loopback = await BinanceLoopback.start({ seed: 'real-money' });
    const way = await openSite(loopback.ports);
    test.onTestFinished(async () => {
      await way.close();
      await loopback.close();
    });
    const addresses = ['127.0.0.1'];
    const rich = newKey({ addresses, permissions: { ...TRADING_PERMISSIONS, withdrawals: true } });
    const permissions = { ...TRADING_PERMISSIONS, spotTrading: false, futures: false };
    const reader = newKey({ addresses, permissions });
    const open = newKey();
    const account = loopback.openAccount([newKey({ addresses }), rich, reader, open]);
    loopback.futures.clearing.settings(account.id).isDualSide = true;
    const { exchange } = loopback.spot;
    const site = newSite(test);
    const key = await site.issueKey();
    const env = {
      SLUICE_LIVE: 'BINANCE:live',
      SLUICE_LIVE_CONFIRM: 'real-money',
      SLUICE_LIVE_PROXY: way.proxy.url,
      NODE_EXTRA_CA_CERTS: way.certificateFile,
      SLUICE_SHARDS: '1',
    };
    const run = site.start({ env });
    const client = site.client(await run.ready(), key);
    await addKey(site.dataDir, { keys: [rich] }, { environment: 'live' });
    await run.until(() => statesOf(run).includes('KEY_MAY_WITHDRAW'), 'it refuses the key');
    await addKey(site.dataDir, { keys: [reader] }, { environment: 'live', isReplacing: true });
    await run.until(() => statesOf(run).includes('KEY_MAY_NOT_TRADE'), 'it misses the permission');
    const { order_id: forbidden } = await client.create(MARKET);
    await eventually(
      () => client.byId({ orderIds: [forbidden!] }),
      ([order]) => order?.status === 'REJECTED' && order.error_code === 'EXCHANGE_NOT_AVAILABLE',
    );
    await addKey(site.dataDir, { keys: [open] }, { environment: 'live', isReplacing: true });
    await run.until(() => statesOf(run).includes('NO_ADDRESS_LIST'), 'it misses the address list');
    await addKey(site.dataDir, account, { environment: 'live', isReplacing: true });
    await run.until(() => statesOf(run).includes('NO_RISK_LIMITS'), 'it asks for risk limits');
    await run.until(() => statesOf(run).includes('NOT_ONE_WAY'), 'it notices hedge mode');
    expect(connectionsOf(run)).toBe(0);
    const limits = ['risk-limits', 'set', '--account', 'trader'];
    expect(await sluice(site.dataDir, [...limits, '--max-open-orders', '10'])).toBe(0);
    await run.line('the account is connected');
    // Spot has no position mode. Futures wait for one-way mode.
    const { order_id: hedged } = await client.create({ ...MARKET, symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' });
    const resting = await accepted(client, RESTING);
    await eventually(
      () => exchange.openOrders(account.id).length,
      (open) => open === 1,
    );
    const refused = await eventually(
      () => client.timeline({ orderId: hedged! }),
      ({ events }) => events.some(({ event }) => event === 'ChildRejected'),
    );
    expect(refused.events.find(({ event }) => event === 'ChildRejected')?.error_code).toBe('EXCHANGE_NOT_AVAILABLE');
    expect(loopback.futures.exchange.ledger.ordersOf(account.id)).toEqual([]);
    await client.cancel({ order_id: hedged! });
    expect(await sluice(site.dataDir, [...limits, '--max-open-orders', 'off'])).toBe(0);
    await run.line('the account has no risk limits: nothing is placed until they are set');
    const waiting = await accepted(client, { ...RESTING, limit_price: '30001' });
    await eventually(
      () => client.timeline({ orderId: waiting }),
      ({ events }) => events.some(({ event }) => event === 'ChildRejected'),
    );
    expect(exchange.openOrders(account.id)).toHaveLength(1);
    await client.cancel({ order_id: resting });
    await eventually(
      () => exchange.openOrders(account.id).length,
      (open) => open === 0,
    );
    for (const { secret } of account.keys) expect(run.output).not.toContain(secret);
    expect(await run.stop()).toMatchObject({ status: 0 });
  });
});
