import { describe, expect, it } from 'vitest';
import { SluiceError, type SluiceClient } from '../../src/client/index.js';
import { marketOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { expectSound } from './soundness.js';

const CONNECTIONS_COUNT = 32;
const NAMES = Array.from({ length: 8 }, (_, index) => `once-${index}`);

describe('one client_order_id', () => {
  it('names one order, however often it is sent, over SIGKILL and restart', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const placed = new Map<string, Set<number>>(NAMES.map((name) => [name, new Set()]));

    const first = site.start();
    const client = site.client(await first.ready(), key, CONNECTIONS_COUNT);
    await storm(client, NAMES.slice(0, 4), placed);
    // The service dies while the second half is being sent.
    const dying = storm(client, NAMES.slice(4), placed).catch((error: unknown) => error);
    await new Promise(setImmediate);
    await first.kill();
    expect(await dying).toSatisfy((end) => end === undefined || (end instanceof SluiceError && end.status === 0));

    const second = site.start({ env: { SLUICE_SHARDS: '2' } });
    const again = site.client(await second.ready(), key, CONNECTIONS_COUNT);
    await storm(again, NAMES, placed);
    for (const [name, orderIds] of placed) {
      expect([...orderIds], name).toHaveLength(1);
      expect(await again.byId({ clientOrderIds: [name] })).toMatchObject([{ order_id: [...orderIds][0] }]);
    }
    expect(await again.find({ limit: 1000 })).toHaveLength(NAMES.length);

    const [name] = NAMES;
    const different = await again.create({ ...marketOrder(name), quantity: '0.02' });
    expect(different).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_REQUEST' });
    const sameMeaning = await again.create({ ...marketOrder(name), quantity: '0.010' });
    expect(placed.get(name as string)).toContain(sameMeaning.order_id);
    await second.stop();
    await expectSound(site.dataDir);
  });
});

/** Sends every name on all connections at once, and notes which orders they were answered. */
async function storm(
  client: SluiceClient,
  names: readonly string[],
  placed: ReadonlyMap<string, Set<number>>,
): Promise<void> {
  const send = async (name: string): Promise<void> => {
    const { order_id: orderId } = await client.create(marketOrder(name));
    expect(orderId).toBeDefined();
    placed.get(name)?.add(orderId as number);
  };
  for (const name of names) await Promise.all(Array.from({ length: CONNECTIONS_COUNT }, () => send(name)));
}
