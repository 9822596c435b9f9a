import { expect, it } from 'vitest';
import { formatUnits } from '../loopback/decimal.js';
import { eventually } from './eventually.js';
import { accepted, addKey, BTC_USDT, openTestnet } from './live-site.js';
import { newSite } from './site.js';

/*
 * An exchange executes an order 90 s after it has answered that the outcome is unknown. By then the child counts as
 * absent, and another one has filled the order. The position is the exchange's truth: it is booked, and shown
 * everywhere.
 */

const LATE_MS = 90_000;
const QUANTITY = 0.01;

it('books an execution beyond the fence at once, and shows the over-fill in order, timeline, cost and alert', async () => {
  const testnet = await openTestnet();
  const account = testnet.loopback.openAccount();
  const { ledger } = testnet.loopback.spot.exchange;
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { ...testnet.environment, SLUICE_SHARDS: '1' } });
  const port = await run.ready();
  const client = site.client(port, key);
  await addKey(site.dataDir, account);
  await run.line('the account is connected');
  const { faults } = testnet.loopback;
  const firstOrder = { on: 'spot order.place', nth: 1 } as const;
  faults.add({ ...firstOrder, fault: { kind: 'late', ms: LATE_MS } });
  faults.add({ ...firstOrder, fault: { kind: 'fail', failure: 'timeout', executed: true } });

  const terms = { side: 'BUY', strategy: 'LIMIT', limit_price: '60000' } as const;
  const orderId = await accepted(client, { ...BTC_USDT, ...terms, quantity: String(QUANTITY) });
  const order = async () => (await client.byId({ orderIds: [orderId], includeTrades: true }))[0]!;
  await eventually(order, ({ status }) => status === 'FILLED');
  expect(await order()).toMatchObject({ filled_quantity: QUANTITY });
  const before = ledger.ordersOf(account.id);
  expect(before.map(({ terms: { clientId } }) => clientId)).toEqual([`${orderId}-2`]);

  await eventually(
    () => ledger.fillsOf(account.id).filter(({ clientId }) => clientId === `${orderId}-1`).length,
    (fills) => fills > 0,
  );
  const executedAtMs = Date.now();
  const shown = await eventually(order, ({ over_filled_quantity: over }) => over !== undefined);
  expect(Date.now() - executedAtMs).toBeLessThan(5_000);
  expect(shown).toMatchObject({
    status: 'FILLED',
    filled_quantity: 2 * QUANTITY,
    leaves_quantity: 0,
    over_filled_quantity: QUANTITY,
  });
  const fills = ledger.fillsOf(account.id);
  expect(shown.trades?.map(({ exchangeOrderId }) => exchangeOrderId).toSorted()).toEqual(
    fills.map(({ orderId: id }) => String(id)).toSorted(),
  );
  const { events } = await client.timeline({ orderId, limit: 1_000 });
  const late = events.filter(({ event, is_late: isLate }) => event === 'ChildFilled' && isLate === true);
  expect(late.at(-1)).toMatchObject({ child_order_id: `${orderId}-1`, over_filled_quantity: QUANTITY });
  expect(events.map(({ event }) => event)).toContain('ChildNeverPlaced');
  const cost = await client.orderCost({ orderId });
  expect(cost).toMatchObject({ legs: [{ filled_quantity: 2 * QUANTITY, over_filled_quantity: QUANTITY }] });
  // The alert SluiceOrderOverfilled watches this counter.
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    (text) => /^sluice_contradictory_reports_total\{kind="ORDER_OVERFILL"\} [1-9]/m.test(text),
  );
  const bought = fills.reduce((sum, { quantity }) => sum + quantity, 0n);
  expect(Number(formatUnits(bought))).toBe(2 * QUANTITY);
  const balance = async () => (await client.balances('BINANCE')).find(({ symbol }) => symbol === 'BTC')?.balance;
  const wallet = testnet.loopback.accounts.at(account.id).spot.balance('BTC');
  await eventually(balance, (total) => total === Number(formatUnits(wallet.free + wallet.locked)));
  expect(await run.stop()).toMatchObject({ status: 0 });
});
