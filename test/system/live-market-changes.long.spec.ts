import { describe, expect, it } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { type Units, units } from '../loopback/decimal.js';
import type { TestnetSite } from '../loopback/testnet-site.js';
import { eventually } from './eventually.js';
import { addKey, BTC_USDT, openTestnet } from './live-site.js';
import type { ServiceRun } from './service-run.js';
import { sessionAt } from './session-client.js';
import { newSite } from './site.js';
import { isFilledInPart, isTerminal, refused, resting, twap, watched, type WatchedOrders } from './watched-orders.js';

/* A loopback Binance whose markets change while orders of a running service work in them. */

const ETH_USDT = { ...BTC_USDT, symbol: 'ETH/USDT' } as const;

interface Rig extends WatchedOrders {
  readonly testnet: TestnetSite;
  readonly account: { readonly id: number };
  readonly run: ServiceRun;
  readonly client: SluiceClient;
  /** Children of an order that the exchange has accepted, and their quantities. */
  readonly accepted: (id: number) => readonly Units[];
}

/** A service with a connected account. At the end no secret is in its log, and nothing was sent twice. */
async function openRig(): Promise<Rig & { readonly close: () => Promise<void> }> {
  const testnet = await openTestnet();
  const account = testnet.loopback.openAccount();
  const { ledger } = testnet.loopback.spot.exchange;
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
  const client = site.client(await run.ready(), key);
  await addKey(site.dataDir, account);
  await run.line('the account is connected');
  return {
    testnet,
    account,
    run,
    client,
    ...watched(client),
    accepted: (id) =>
      ledger
        .ordersOf(account.id)
        .filter(({ terms }) => terms.clientId.startsWith(`${id}-`))
        .map(({ terms }) => terms.quantity),
    close: async () => {
      expect(ledger.repeatedClientIds(account.id)).toEqual([]);
      expect(run.output).not.toContain(account.keys[0]!.secret);
      expect(run.output).not.toMatch(/signature=|listenKey=/);
      expect(await run.stop()).toMatchObject({ status: 0 });
    },
  };
}

describe('an order at a real exchange', () => {
  it('waits while its market is halted, goes on when it opens, and ends when its market is delisted', async () => {
    const rig = await openRig();
    const { testnet, account, run, client } = rig;
    const { exchange } = testnet.loopback.spot;
    const halted = await rig.place(twap(BTC_USDT, '0.05'));
    const delisted = await rig.place(twap(ETH_USDT, '0.5'));
    const [rests, ends] = [
      await rig.place(resting(BTC_USDT, '0.01', '30000')),
      await rig.place(resting(ETH_USDT, '0.1', '1500')),
    ];
    await eventually(
      () => exchange.openOrders(account.id).length,
      (open) => open >= 2,
    );
    for (const id of [halted, delisted]) await eventually(() => rig.order(id), isFilledInPart);

    // The exchange itself refuses what comes before the service has read its list.
    const fault = { kind: 'maintenance', status: 503 } as const;
    const release = testnet.loopback.faults.add({ on: 'GET /api/v3/exchangeInfo', fault });
    exchange.halt('BTCUSDT');
    exchange.delist('ETHUSDT');
    const before = new Map([halted, delisted, rests, ends].map((id) => [id, rig.accepted(id)]));
    await eventually(
      () => rig.refusals(delisted),
      (codes) => codes.length > 0,
    );
    release();
    expect(await rig.ended(ends)).toMatchObject({ error_code: 'INVALID_SYMBOL', filled_quantity: 0 });
    await run.line('instruments do not trade now');
    await run.line('instruments are not listed any more, or with another grid');
    const symbolsOf = (message: string): unknown => run.lines.find(({ msg }) => msg === message)?.['symbols'];
    expect(symbolsOf('instruments do not trade now')).toEqual(['BTC/USDT']);
    expect(symbolsOf('instruments are not listed any more, or with another grid')).toEqual(['ETH/USDT']);
    for (const place of [BTC_USDT, ETH_USDT]) {
      expect(await client.create(resting(place, '0.1', '1500'))).toMatchObject(refused('INVALID_SYMBOL'));
    }
    const listed = await client.instruments({ exchange: 'BINANCE' });
    for (const symbol of ['BTC/USDT', 'ETH/USDT']) {
      expect(listed.find((one) => one.symbol === symbol)).toMatchObject({ enabled: false });
    }
    await eventually(
      async () => new Set(await rig.refusals(halted)),
      (codes) => codes.has('EXCHANGE_NOT_AVAILABLE'),
    );
    expect(isTerminal(await rig.order(halted))).toBe(false);
    expect(await rig.order(rests)).toMatchObject({ status: 'ACCEPTED' });
    for (const [id, quantities] of before) expect(rig.accepted(id)).toEqual(quantities);

    exchange.reopen('BTCUSDT');
    await run.line('instruments trade again');
    expect(await rig.ended(halted)).toMatchObject({ status: 'FILLED', filled_quantity: 0.05 });
    expect(new Set(await rig.refusals(halted))).toEqual(new Set(['EXCHANGE_NOT_AVAILABLE']));
    expect(await rig.ended(delisted)).toMatchObject({ status: 'EXPIRED', error_code: 'EXPIRY_REACHED' });
    const [first, ...later] = await rig.refusals(delisted);
    expect(first).toBe('INVALID_SYMBOL');
    expect(new Set(later)).toEqual(new Set(['EXCHANGE_NOT_AVAILABLE']));
    expect(rig.accepted(delisted)).toEqual(before.get(delisted));
    expect(await rig.order(rests)).toMatchObject({ status: 'ACCEPTED' });
    await client.cancel({ order_id: rests });
    expect(await rig.ended(rests)).toMatchObject({ status: 'CANCELLED' });
    expect(exchange.openOrders(account.id)).toEqual([]);
    await rig.close();
  });

  it('obeys a filter that changes, and ends when its lots do not exist any more', async () => {
    const rig = await openRig();
    const { testnet, client, run } = rig;
    const { exchange, background } = testnet.loopback.spot;
    const least = await rig.place(twap(BTC_USDT, '0.1'));
    const old = await rig.place(twap(ETH_USDT, '0.5'));
    const rests = await rig.place(resting(ETH_USDT, '0.1234', '1500'));
    await eventually(
      () => rig.accepted(rests).length,
      (count) => count === 1,
    );
    for (const id of [least, old]) await eventually(() => rig.order(id), isFilledInPart);

    exchange.changeRules('BTCUSDT', { notionalMin: units('1000') });
    const [lot, tick] = [units('0.01'), units('0.1')];
    exchange.changeRules('ETHUSDT', { lot, tick, quantityMin: lot, priceMin: tick });
    const count = rig.accepted(least).length;
    expect(await rig.ended(old)).toMatchObject({ error_code: 'INVALID_SYMBOL' });
    expect(
      run.lines.find(({ msg }) => msg === 'instruments are not listed any more, or with another grid'),
    ).toMatchObject({ symbols: ['ETH/USDT'] });
    expect(await client.create(resting(ETH_USDT, '0.1234', '1500'))).toMatchObject(refused('INVALID_QUANTITY'));
    const fresh = await rig.place({ ...ETH_USDT, side: 'BUY', strategy: 'MARKET', quantity: '0.05' });
    expect(await rig.ended(fresh)).toMatchObject({ status: 'FILLED', filled_quantity: 0.05 });

    expect(await rig.ended(least)).toMatchObject({ status: 'FILLED', filled_quantity: 0.1 });
    const after = rig.accepted(least).slice(count);
    // A child that was sent before the list was read again.
    expect(new Set(await rig.refusals(least))).toEqual(new Set(['INVALID_QUANTITY']));
    expect(new Set(await rig.refusals(old))).toEqual(new Set(['INVALID_SYMBOL']));
    expect(after.length).toBeGreaterThan(0);
    for (const quantity of after) expect(quantity).toBeGreaterThanOrEqual(units('0.018'));
    // The child that rests keeps the lots that it was placed with.
    expect(await rig.order(rests)).toMatchObject({ status: 'ACCEPTED' });
    background.quote('ETHUSDT', units('1490'));
    expect(await rig.ended(rests)).toMatchObject({ status: 'FILLED', filled_quantity: 0.1234 });
    await rig.close();
  });
});

describe('a service with a new data directory', () => {
  it('refuses a create as not available until it has read the market list of the exchange', async () => {
    const testnet = await openTestnet();
    const account = testnet.loopback.openAccount();
    const fault = { kind: 'maintenance', status: 503 } as const;
    const silences = ['GET /api/v3/exchangeInfo', 'GET /fapi/v1/exchangeInfo'].map((on) =>
      testnet.loopback.faults.add({ on, fault }),
    );
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
    const port = await run.ready();
    const client = site.client(port, key);
    await addKey(site.dataDir, account);
    await run.line('the market list was not read');
    const order = resting(BTC_USDT, '0.01', '30000');
    const early = refused('EXCHANGE_NOT_AVAILABLE');
    expect(await client.create(order)).toMatchObject(early);
    expect(await client.createMany([order])).toMatchObject([early]);
    const { client: session } = await sessionAt(port, key);
    session.send({ id: 'early', op: 'order.create', args: order });
    expect(await session.next()).toMatchObject({ id: 'early', data: early });
    // It is up, names the exchange that it does not reach, and simulates nothing in its place.
    expect((await client.health()).detail).toContain('not connected, and the log says why: BINANCE');
    expect((await client.exchanges()).find(({ exchange }) => exchange === 'BINANCE')).toMatchObject({ status: 'DOWN' });
    expect(await client.create({ ...order, exchange: 'KRAKEN' })).toMatchObject(early);
    for (const end of silences) end();
    await run.line('the account is connected');
    await eventually(
      () => client.instruments({ exchange: 'BINANCE' }),
      (listed) => listed.some(({ symbol }) => symbol === 'BTC/USDT'),
    );
    expect(await client.create(order)).toMatchObject({ status: 'PENDING_NEW' });
    const unknown = { ...order, symbol: 'NOSUCH/USDT' };
    expect(await client.create(unknown)).toMatchObject(refused('INVALID_SYMBOL'));
    session.send({ id: 'unknown', op: 'order.create', args: unknown });
    expect(await session.next()).toMatchObject({ id: 'unknown', data: refused('INVALID_SYMBOL') });
    expect(await run.stop()).toMatchObject({ status: 0 });
  });
});
