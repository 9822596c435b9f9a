import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { backUp } from './running-stores.js';
import { eventually } from './eventually.js';
import { MortalThreads } from './mortal-threads.js';
import { marketOrder, restingOrder } from './sample-orders.js';
import { newSite } from './site.js';

const ORDERS_COUNT = 5;

/** The samples of /metrics by name and labels. */
async function scrape(port: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

function sumOf(samples: ReadonlyMap<string, number>, name: string): number {
  return [...samples].reduce((sum, [sample, value]) => (sample.startsWith(name) ? sum + value : sum), 0);
}

it('the metrics of a running service show its orders, streams, journal, rings and threads', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const threads = new MortalThreads(site);
  const run = site.start(threads.options({ SLUICE_SHARDS: '2' }));
  const port = await run.ready();
  const client = site.client(port, key);
  const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
  await once(stream, 'open');
  stream.send('{"method":"subscribe","topic":"order","exchange":"BINANCE"}');
  await once(stream, 'message');
  await client.createMany(Array.from({ length: ORDERS_COUNT }, () => restingOrder()));

  const samples = await eventually(
    () => scrape(port),
    (found) =>
      sumOf(found, 'sluice_open_parents') === ORDERS_COUNT &&
      found.get('sluice_journal_seq{step="committed"}') === found.get('sluice_journal_seq{step="appended"}'),
  );
  expect(samples.get('sluice_journal_seq{step="committed"}')).toBeGreaterThanOrEqual(ORDERS_COUNT);
  expect(samples.get('sluice_open_streams')).toBe(1);
  expect(samples.get('sluice_stream_subscriptions{topic="order"}')).toBe(1);
  expect(samples.get('sluice_pending_commands')).toBe(0);
  expect(samples.get('sluice_venue_up')).toBe(1);
  expect(sumOf(samples, 'sluice_worker_restarts_total')).toBe(0);
  expect(samples.get('sluice_http_requests_total{route="/api/v2/trading/order/createMany",status="2xx"}')).toBe(1);
  const rings = [...samples].filter(([sample]) => sample.startsWith('sluice_ring_used_ratio'));
  expect(rings).toHaveLength(17);
  for (const [, used] of rings) expect(used).toBeGreaterThanOrEqual(0);

  await client.create(marketOrder());
  const traded = await eventually(
    () => scrape(port),
    (found) => found.get('sluice_orders_ended_total{status="FILLED",code=""}') === 1,
  );
  expect(traded.get('sluice_fills_total{venue="BINANCE",liquidity="TAKER"}')).toBeGreaterThan(0);
  expect(traded.get('sluice_traded_value_total{venue="BINANCE",currency="USDT"}')).toBeGreaterThan(0);
  expect(traded.get('sluice_child_acknowledge_seconds_count{venue="BINANCE"}')).toBeGreaterThan(0);
  expect(sumOf(traded, 'sluice_child_refusals_total')).toBe(0);
  expect(traded.get('sluice_last_backup_timestamp_seconds')).toBe(0);
  await backUp(site.dataDir, join(site.folder, 'backup'), false);
  const ageS = Date.now() / 1_000 - (await scrape(port)).get('sluice_last_backup_timestamp_seconds')!;
  expect(ageS).toBeGreaterThanOrEqual(0);
  expect(ageS).toBeLessThan(600);

  threads.hold('shard-0');
  threads.doom('shard-0', 'exit');
  await run.line('thread died');
  const down = await scrape(port);
  expect(down.get('sluice_shard_up{shard="0"}')).toBe(0);
  expect(down.get('sluice_shard_up{shard="1"}')).toBe(1);
  expect(down.get('sluice_ready')).toBe(0);
  expect(down.get('sluice_worker_restarts_total{worker="shard-0"}')).toBe(1);
  threads.spare('shard-0', 'exit');
  threads.release('shard-0');
  await run.ready();
  expect(sumOf(await scrape(port), 'sluice_open_parents')).toBe(ORDERS_COUNT);
  stream.terminate();
});
