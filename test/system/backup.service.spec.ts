import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from './running-stores.js';
import { finishRestore, restoreBackup } from '../../src/cli/operator/restored-data.js';
import { resumed } from './resumed.js';
import { eventually } from './eventually.js';
import { acknowledgedCount, placeUntilRefused } from './placing-client.js';
import { marketOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { expectSound, missingOrders } from './soundness.js';

describe('a backup taken while the service runs', () => {
  it('holds all that was acknowledged before it, and a service continues from it', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } });
    const client = site.client(await run.ready(), key);
    const filled = (await client.create(marketOrder())).order_id as number;
    await eventually(
      () => client.byId({ orderIds: [filled] }),
      ([order]) => order?.status === 'FILLED',
    );
    const placing = [placeUntilRefused(client, 'a'), placeUntilRefused(client, 'b')];
    await eventually(
      () => acknowledgedCount(placing),
      (count) => count > 50,
    );
    const before = placing.flatMap(({ orderIds }) => orderIds);
    const [copy, restored] = [join(site.folder, 'copy'), join(site.folder, 'restored')];
    await backUp(site.dataDir, copy);
    await run.kill();
    const all = placing.flatMap(({ orderIds }) => orderIds);
    expect(all.length).toBeGreaterThan(before.length);

    await restoreBackup(copy, restored);
    await finishRestore(copy, restored, { keys: 'keep', killSwitches: 'keep', timers: 'drop' });
    const next = site.start({}, restored);
    const survivor = site.client(await next.ready(), key);
    expect(await missingOrders(survivor, [filled, ...before])).toEqual([]);
    const [order] = await survivor.byId({ orderIds: [filled], includeTrades: true });
    expect(order).toMatchObject({ status: 'FILLED', filled_quantity: 0.01 });
    await expect(survivor.create(marketOrder())).rejects.toMatchObject({ code: 'SYSTEM_BUSY' });
    await resumed(next, restored);
    // Greater also than the ids that the backup does not have.
    const { order_id: newest } = await survivor.create(marketOrder());
    expect(newest).toBeGreaterThan(Math.max(...all));
    await eventually(
      () => survivor.byId({ orderIds: [newest as number] }),
      ([found]) => found?.status === 'FILLED',
    );
    await next.kill();
    await expectSound(restored);
  });
});
