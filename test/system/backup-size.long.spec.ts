import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { stateFolder } from '../../src/storage/data-directory.js';
import { eventually } from './eventually.js';
import { reconciled } from './resumed.js';
import { restingOrder } from './sample-orders.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';
import { missingOrders } from './soundness.js';

/** Open orders in the backup. Starts from a compacted copy died with 1,000. */
const ORDERS_COUNT = 1_200;
/** Orders that each later run places and cancels again. */
const ADDED_COUNT = 150;
const BATCH_COUNT = 100;

/** Runs the command line on a data directory; resolves with its standard output. Rejects when its status is not 0. */
async function sluice(dataDir: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, SLUICE_DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'dist/service/src/cli/main.js'), ...args],
    {
      env,
    },
  );
  return stdout;
}

async function expectVerified(dataDir: string): Promise<void> {
  expect(await sluice(dataDir, 'journal', 'verify')).toContain('all agree');
}

/** Resting orders, acknowledged. */
async function place(client: SluiceClient, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const orders = Array.from({ length: Math.min(BATCH_COUNT, count - ids.length) }, () => ({
      ...restingOrder(),
      quantity: '0.001',
    }));
    const placed = await client.createMany(orders);
    ids.push(...placed.map(({ order_id: id, message }) => id ?? expect.fail(message ?? 'an order has an id')));
  }
  return ids;
}

/** Cancels orders and waits for their end. */
async function cancel(client: SluiceClient, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += BATCH_COUNT) {
    const orderIds = ids.slice(from, from + BATCH_COUNT);
    await client.cancelMany(orderIds.map((id) => ({ order_id: id })));
    await eventually(
      () => client.byId({ orderIds }),
      (orders) => orders.every(({ status }) => status === 'CANCELLED'),
    );
  }
}

describe(`a backup of ${ORDERS_COUNT} open orders`, () => {
  it('is restored by the command line, and survives clean stops, a SIGKILL and a lost state folder', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } });
    const client = site.client(await run.ready(), key);
    const ids = await place(client, ORDERS_COUNT);
    const [copy, restored] = [join(site.folder, 'copy'), join(site.folder, 'restored')];
    const [added] = await Promise.all([
      place(client, ADDED_COUNT),
      sluice(site.dataDir, 'backup', copy, '--with-master-key'),
    ]);
    expect(added).toHaveLength(ADDED_COUNT);
    expect(await run.stop()).toMatchObject({ status: 0 });
    await sluice(restored, 'restore', copy, '--keys', 'keep', '--kill-switches', 'keep', '--timers', 'drop', '--yes');

    const first = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const halted = site.client(await first.ready(), key);
    await expect(halted.create(restingOrder())).rejects.toMatchObject({ status: 503 });
    expect(await missingOrders(halted, ids)).toEqual([]);
    expect(await first.stop()).toMatchObject({ status: 0 });

    const second = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const resumed = site.client(await second.ready(), key);
    // A process of the command line for each look would take more time than the reconciliation.
    await reconciled(second, restored);
    expect(await sluice(restored, 'trading', 'status')).toContain('Every order is reconciled.');
    expect(await sluice(restored, 'trading', 'resume')).toContain('Trading is open');
    await cancel(resumed, [...(await place(resumed, ADDED_COUNT)), ...ids.slice(0, ADDED_COUNT)]);
    expect(await second.stop()).toMatchObject({ status: 0 });
    await expectVerified(restored);

    const third = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const survivor = site.client(await third.ready(), key);
    const kept = await place(survivor, ADDED_COUNT);
    await third.kill();
    rmSync(stateFolder(restored), { recursive: true });

    const fourth = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const last = site.client(await fourth.ready(), key);
    expect(await missingOrders(last, [...ids, ...kept])).toEqual([]);
    await cancel(last, [...kept, ...ids.slice(ADDED_COUNT, 2 * ADDED_COUNT)]);
    expect(await fourth.stop()).toMatchObject({ status: 0 });
    await expectVerified(restored);
  });
});
