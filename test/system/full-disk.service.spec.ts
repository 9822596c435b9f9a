import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { isRejected } from '../../src/domain/rejection.js';
import { eventually } from './eventually.js';
import { marketOrder, restingOrder } from './sample-orders.js';
import { smallDisk } from './small-disk.js';
import { newSite, type Key } from './site.js';
import { expectSound } from './soundness.js';

const MEGABYTE = 1_000_000;
const DISK_MEGABYTES = 400;
const BOUNDS = { SLUICE_DISK_WARNING_MB: '120', SLUICE_DISK_HALT_MB: '60' };

async function keyIn(dataDir: string): Promise<Key> {
  const identity = openIdentity(dataDir);
  const key = identity.keys.createKey({ account: 'trader', permissions: ['trade'], kind: 'HMAC' }, Date.now());
  await identity.close();
  if (isRejected(key)) throw new Error(key.rejection.message);
  return { apiKey: key.apiKey, apiSecret: key.apiSecret ?? '' };
}

describe('a disk that fills up', () => {
  it('is reported below a bound, halts creates below the next, and the service starts on it only to cancel', async () => {
    const site = newSite();
    const disk = await smallDisk(site, DISK_MEGABYTES);
    const dataDir = join(disk.folder, 'data');
    const key = await keyIn(dataDir);
    const env = { ...BOUNDS, ...disk.env };
    const run = site.start({ env }, dataDir);
    const port = await run.ready();
    const client = site.client(port, key);
    const orders = await client.createMany(Array.from({ length: 20 }, () => restingOrder()));
    const orderIds = orders.map(({ order_id: orderId }) => orderId as number);
    await eventually(
      () => client.byId({ orderIds }),
      (found) => found.every(({ status }) => status === 'ACCEPTED'),
    );
    await eventually(
      () => existsSync(join(dataDir, 'reserve')),
      (isThere) => isThere,
    );

    disk.fill(100 * MEGABYTE);
    const stateOf = async (): Promise<string> => (await client.health()).disk.state;
    await eventually(stateOf, (state) => state === 'LOW');
    expect((await client.create(restingOrder())).status).toBe('PENDING_NEW');
    disk.fill(40 * MEGABYTE);
    await eventually(stateOf, (state) => state === 'FULL');
    await expect(client.create(marketOrder())).rejects.toMatchObject({ status: 503, code: 'SYSTEM_BUSY' });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(Number(/\nsluice_disk_free_bytes (\d+)\n/.exec(metrics)?.[1])).toBeLessThan(60 * MEGABYTE);
    expect((await client.cancel({ order_id: orderIds[0] })).status).toBe('PENDING_CANCEL');

    await run.kill();

    // Other programs take the rest: the start gives up the reserve and lives on it.
    disk.fill(0);
    expect(disk.freeBytes).toBeLessThan(MEGABYTE / 10);
    const second = site.start({ env }, dataDir);
    const again = site.client(await second.ready(), key);
    await expect(again.create(marketOrder())).rejects.toMatchObject({ status: 503, code: 'SYSTEM_BUSY' });
    expect(existsSync(join(dataDir, 'reserve'))).toBe(false);
    expect(await again.byId({ orderIds })).toHaveLength(orderIds.length);
    expect((await again.cancel({ order_id: orderIds[1] })).status).toBe('PENDING_CANCEL');
    await eventually(
      () => again.byId({ orderIds: orderIds.slice(0, 2) }),
      (found) => found.every(({ status }) => status === 'CANCELLED'),
    );

    disk.clear();
    await eventually(
      async () => (await again.health()).disk.state,
      (state) => state === 'OK',
    );
    expect((await again.create(marketOrder())).status).toBe('PENDING_NEW');
    expect((await second.stop()).status).toBe(0);
    await expectSound(dataDir);
  });
});
