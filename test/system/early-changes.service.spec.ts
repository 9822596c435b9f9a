import { describe, expect, it } from 'vitest';
import type { OrderSummary, SluiceClient } from '../../src/client/index.js';
import type { Frame } from '../stream/stream-rig.js';
import { eventually } from './eventually.js';
import { smallOrder } from './sample-orders.js';
import { sessionAt } from './session-client.js';
import { newSite } from './site.js';

/* Changes that come right after a create, before its answer. */

/** Without budgets: the tests send as fast as they can. */
const ENVIRONMENT = { SLUICE_SHARDS: '2', SLUICE_RATE_LIMIT_ORDERS: '0', SLUICE_RATE_LIMIT_READS: '0' } as const;
const PAIRS_COUNT = 1_000;
const PAIRS_IN_FLIGHT = 50;
const BATCH_COUNT = 300;
const DELAYS_MS = Array.from({ length: 26 }, (_, index) => 2 * index);

interface SentBatch {
  readonly client: SluiceClient;
  readonly delayMs: number;
  readonly names: readonly string[];
  readonly summaries: Promise<readonly OrderSummary[]>;
}

/** Sends one batch after the other, and calls `ask` after another delay each time. Cancels all orders in between. */
async function besideBatches(ask: (batch: SentBatch) => Promise<void>): Promise<void> {
  const site = newSite();
  const key = await site.issueKey();
  const port = await site.start({ env: ENVIRONMENT }).ready();
  const client = site.client(port, key, 8);
  for (const delayMs of DELAYS_MS) {
    const names = Array.from({ length: BATCH_COUNT }, (_, index) => `at-${delayMs}-${index}`);
    const summaries = client.createMany(names.map(smallOrder));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await ask({ client, delayMs, names, summaries });
    await client.cancelAll();
    await eventually(
      async () => (await client.open()).length,
      (open) => open === 0,
    );
  }
}

describe('a change right after a create', () => {
  it('on the same session cancels each order', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const port = await site.start({ env: ENVIRONMENT }).ready();
    const { client: session } = await sessionAt(port, key);
    for (let index = 0; index < PAIRS_COUNT; index += 1) {
      const name = `pair-${index}`;
      session.send({ id: `create-${index}`, op: 'order.create', args: smallOrder(name, index) });
      session.send({ id: `cancel-${index}`, op: 'order.cancel', args: { client_order_id: name } });
      // A session may have so many requests in flight.
      if (index % PAIRS_IN_FLIGHT < PAIRS_IN_FLIGHT - 1) continue;
      const answers = await session.take(2 * PAIRS_IN_FLIGHT);
      expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
      const cancels = answers.filter(({ id }) => String(id).startsWith('cancel'));
      expect(new Set(cancels.map(({ data }) => (data as Frame)['status']))).toEqual(new Set(['PENDING_CANCEL']));
    }
    await eventually(
      async () => (await site.client(port, key).open()).length,
      (count) => count === 0,
    );
  });

  it('on another connection finds the first and the last member of a batch, or none of them', async () => {
    await besideBatches(async ({ client, delayMs, names, summaries }) => {
      const [first, last] = [{ client_order_id: names[0]! }, { client_order_id: names.at(-1)! }];
      const cancelled = await client.cancelMany([first, last]);
      const statuses = cancelled.map(({ status }) => status);
      // The cancel may come before the end of the larger body.
      expect(new Set(statuses).size, `${delayMs} ms: ${statuses.join(' ')}`).toBe(1);
      if (statuses[0] === 'PENDING_CANCEL') {
        // The batch was taken before.
        const amended: unknown = await client.amend({ ...last, quantity: '0.002' }).catch((error: unknown) => error);
        expect(String(amended)).not.toMatch(/is unknown/);
      }
      await summaries;
    });
  });

  it('cancelAll beside a batch leaves none of the orders that were admitted before it', async () => {
    await besideBatches(async ({ client, delayMs, summaries }) => {
      const cancelled = await client.cancelAll();
      const ids = new Set((await summaries).map(({ order_id: id }) => id));
      const count = cancelled.filter(({ order_id: id }) => ids.has(id)).length;
      // A cancelAll that was read before the batch covers nothing of it, a later one everything.
      expect([0, BATCH_COUNT], `${delayMs} ms`).toContain(count);
    });
  });
});
