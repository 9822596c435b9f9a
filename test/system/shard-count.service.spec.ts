import { describe, expect, it } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { FeedWatch } from '../torture/feed-watch.js';
import { eventually } from './eventually.js';
import { restingOrder, twapOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { expectSound } from './soundness.js';

const ORDERS_COUNT = 6;
/** An hour's schedule trades once a second. */
const SPEED = '30';
const SCHEDULE_SECONDS = 3600;
const REPLAY_SILENCE_MS = 20_000;

describe('another number of shards', () => {
  it('keeps open orders, and their feeds have neither gap nor repeat', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const feeds = new FeedWatch(['BINANCE']);
    const orderIds: number[] = [];
    for (const shards of [1, 3, 2]) {
      const run = site.start({ env: { SLUICE_SHARDS: String(shards), SLUICE_SIM_SPEED: SPEED } });
      const port = await run.ready();
      const client = site.client(port, key);
      await feeds.follow(client, port);
      const trades = await tradeCounts(client, orderIds);
      for (let count = 0; count < ORDERS_COUNT; count += 1) {
        orderIds.push((await client.create(twapOrder(SCHEDULE_SECONDS))).order_id as number);
        orderIds.push((await client.create(restingOrder())).order_id as number);
      }
      // Every schedule continues: the old orders trade again, the new ones for the first time.
      await eventually(
        () => tradeCounts(client, orderIds),
        (counts) => orderIds.every((id, index) => index % 2 === 1 || (counts.get(id) ?? 0) > (trades.get(id) ?? 0)),
      );
      const open = await client.open();
      expect(new Set(open.map(({ order_id: orderId }) => orderId))).toEqual(new Set(orderIds));
      if (shards === 2) await endAll(client, feeds, port);
      await (shards === 1 ? run.kill() : run.stop());
    }
    expect(feeds.problems).toEqual([]);
    await expectSound(site.dataDir);
  });
});

async function tradeCounts(client: SluiceClient, orderIds: readonly number[]): Promise<Map<number, number>> {
  const orders = orderIds.length === 0 ? [] : await client.byId({ orderIds, includeTrades: true });
  return new Map(orders.map(({ order_id: orderId, trades = [] }) => [orderId, trades.length]));
}

/** Cancels the open orders, then requests all frames again and compares them with those received. */
async function endAll(client: SluiceClient, feeds: FeedWatch, port: number): Promise<void> {
  await client.cancelAll();
  await eventually(
    () => client.open(),
    (open) => open.length === 0,
  );
  await feeds.compareReplay(client, port, REPLAY_SILENCE_MS);
  expect(feeds.frameCount).toBeGreaterThan(0);
}
