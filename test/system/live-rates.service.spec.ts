import { expect, it } from 'vitest';
import type { OrderRequest } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { addKey, BTC_USDT, openTestnet } from './live-site.js';
import { newSite } from './site.js';

/* A burst of small orders of one account at a loopback Binance with its published limits, in a running service. */

/** The exchange takes 100 new orders of an account in 10 s. */
const ORDERS = 110;

it('keeps a burst of orders within the limits of the exchange: nothing is refused for its rate, nothing is dropped', async () => {
  const testnet = await openTestnet();
  const account = testnet.loopback.openAccount();
  const { exchange, limits } = testnet.loopback.spot;
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '2' } });
  const port = await run.ready();
  const client = site.client(port, key);
  await addKey(site.dataDir, account);
  await run.line('the account is connected');
  const resting: OrderRequest = {
    ...BTC_USDT,
    side: 'BUY',
    strategy: 'LIMIT',
    quantity: '0.001',
    limit_price: '30000',
  };
  const placed = [...(await client.createMany(Array.from({ length: ORDERS / 2 }, () => resting)))];
  placed.push(...(await client.createMany(Array.from({ length: ORDERS / 2 }, () => resting))));
  const [first] = placed;
  await eventually(
    () => exchange.openOrders(account.id).length,
    (open) => open >= 40,
  );
  // A cancel goes before the placements that wait: they are placed after it.
  await client.cancel({ order_id: first!.order_id! });
  await eventually(
    () => client.byId({ orderIds: [first!.order_id!] }),
    ([order]) => order?.status === 'CANCELLED',
  );
  expect(exchange.openOrders(account.id).length).toBeLessThan(ORDERS - 1);
  await eventually(
    () => exchange.openOrders(account.id).length,
    (open) => open === ORDERS - 1,
  );
  const open = await client.open();
  expect(open).toHaveLength(ORDERS - 1);
  await client.cancelAll();
  await eventually(
    () => exchange.openOrders(account.id).length,
    (count) => count === 0,
  );
  expect(limits.refusals).toBe(0);
  expect(exchange.ledger.repeatedClientIds(account.id)).toEqual([]);
  expect(await run.stop()).toMatchObject({ status: 0 });
});
