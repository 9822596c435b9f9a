import { expect, it } from 'vitest';
import type { MultiLegOrderRequest, OrderCost, OrderRequest, SluiceClient } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { newSite } from '../system/site.js';
import { journalEntries } from './journal-entries.js';
import { expectTextbook } from './report-figures.js';
import { textbookFigures } from './textbook.js';
import { Course } from './textbook-course.js';

/** Service seconds per second, so that markouts after a minute are known in six seconds. */
const SPEED = 10;

const BUY = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY', quantity: '0.2' } as const;
const LEG = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY' } as const;
const SELL = { ...BUY, exchange: 'OKX', symbol: 'ETH/USDT', side: 'SELL', quantity: '2' } as const;
const timed = (seconds: number) => ({ params: { duration_seconds: String(seconds) } });
const taking = { params: { duration_seconds: '60', trading_style: 'AGGRESSIVE' } } as const;

const ORDERS: readonly OrderRequest[] = [
  { ...BUY, strategy: 'TWAP', ...timed(60) },
  { ...BUY, strategy: 'IS', ...timed(60), side: 'SELL' },
  { ...SELL, strategy: 'VWAP', ...timed(60) },
  { ...SELL, strategy: 'POV', ...timed(60), clip_size_type: 'PERCENTAGE', clip_size_val: '20' },
  { ...BUY, strategy: 'MARKET' },
  { ...SELL, strategy: 'ICEBERG', ...timed(45) },
  { ...BUY, strategy: 'LIMIT', ...timed(30), limit_price: '50000' },
  { ...SELL, strategy: 'TWAP', ...taking, side: 'BUY', client_order_id: 'paused' },
  { ...BUY, strategy: 'TWAP', ...taking, quantity: '0.3', client_order_id: 'cancelled' },
];

/** In the order of the request below. */
const LEGS = ['leading', 'following'] as const;
const PAIR: MultiLegOrderRequest = {
  algo: 'PAIR',
  legs: [
    { ...LEG, target_value: '0.1', ccy: 'BTC', strategy: 'TWAP', params: { duration_seconds: '40', is_leading: true } },
    { ...LEG, exchange: 'OKX', side: 'SELL', target_value: '0.1', ccy: 'BTC', strategy: 'MARKET' },
  ],
};

async function reportOf(client: SluiceClient, orderId: number): Promise<OrderCost> {
  return eventually(
    () => client.orderCost({ orderId }),
    (report) => report.is_final,
  );
}

async function pauseForAWhile(client: SluiceClient): Promise<void> {
  const ref = { client_order_id: 'paused' };
  const reaches = (status: string) =>
    eventually(
      () => client.byId({ clientOrderIds: ['paused'] }),
      ([order]) => order?.status === status || order?.status === 'FILLED',
    );
  await eventually(
    () => client.byId({ clientOrderIds: ['paused', 'cancelled'] }),
    (orders) => orders.every((order) => order.filled_quantity > 0),
  );
  await client.pause(ref);
  await reaches('PAUSED');
  await client.resume(ref);
  await client.cancel({ client_order_id: 'cancelled' });
}

it("every figure of every report equals the textbook's figure from the journal", async () => {
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { SLUICE_SIM_SPEED: String(SPEED) } });
  const client = site.client(await run.ready(), key);
  const placed = await Promise.all(ORDERS.map((order) => client.create(order)));
  placed.push(await client.createMultiLegs(PAIR));
  await pauseForAWhile(client);
  const reports = await Promise.all(placed.map(({ order_id: id }) => reportOf(client, id ?? 0)));
  const window = await client.windowCost({ by: ['strategy', 'side'] });
  await run.stop();

  const journal = journalEntries(site.dataDir);
  const arrivalErrors: (number | null)[] = [];
  for (const [index, report] of reports.entries()) {
    const names = report.legs.length === 2 ? LEGS : (['only'] as const);
    for (const [place, name] of names.entries()) {
      const figures = textbookFigures(journal, report.order_id, report.as_of, name);
      expectTextbook(report.legs[place]!, figures, `${index} ${name} ${report.status}`);
      arrivalErrors.push(new Course(journal, report.order_id, report.as_of, name).arrivalErrorBps);
    }
  }
  // The journalled arrival mids agree with the observed markets, which move by a few basis points in a second.
  const known = arrivalErrors.filter((error) => error !== null);
  expect(known.length).toBeGreaterThanOrEqual(ORDERS.length);
  expect(Math.max(...known)).toBeLessThan(20);
  // Nearly all orders that could trade have fills, a market VWAP and markouts.
  expect(
    reports.filter(({ legs }) => (legs[0]?.cost?.vwap_slippage_bps ?? null) !== null).length,
  ).toBeGreaterThanOrEqual(7);
  // A process that waits for 500 ms misses more service time than an observation is valid for.
  const markouts = reports.map(({ legs }) => legs[0]?.cost?.markouts ?? []);
  expect(markouts.filter((all) => all.some(({ coverage }) => coverage > 0.5)).length).toBeGreaterThanOrEqual(7);
  expect(markouts.some((all) => (all.at(-1)?.coverage ?? 0) > 0.5)).toBe(true);
  expect(
    reports.filter(({ legs }) => (legs[0]?.cost?.schedule_deviation ?? null) !== null).length,
  ).toBeGreaterThanOrEqual(5);
  expect(window).toMatchObject({ orders: ORDERS.length + 1, is_complete: true });
  expect(window.groups.reduce((sum, { legs }) => sum + legs, 0)).toBe(ORDERS.length + 2);
});
