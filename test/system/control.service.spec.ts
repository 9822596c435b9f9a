import { describe, expect, it } from 'vitest';
import type { OrderDetails, OrderSummary, SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { restingOrder, twapOrder } from './sample-orders.js';
import { newSite } from './site.js';

const RESTING = { client_order_id: 'rests' };
const WORKED = { client_order_id: 'is-worked' };

async function stateOf(client: SluiceClient, ref: { client_order_id: string }): Promise<OrderDetails> {
  const [order] = await client.byId({ clientOrderIds: [ref.client_order_id], includeTrades: true });
  if (order === undefined) throw new Error(`${ref.client_order_id} is lost`);
  return order;
}

function reaches(client: SluiceClient, ref: { client_order_id: string }, status: string): Promise<OrderDetails> {
  return eventually(
    () => stateOf(client, ref),
    (order) => order.status === status,
  );
}

/** Sends the request of that name for both orders. Expects no refusal. */
async function ask(client: SluiceClient, what: 'pause' | 'resume'): Promise<void> {
  for (const ref of [RESTING, WORKED]) {
    const { error_code: code, message }: OrderSummary = await client[what](ref);
    expect([code, message]).toEqual([undefined, undefined]);
  }
}

// These wait for starts of the service most of the time.
describe.concurrent('a SIGKILL', () => {
  it('orders that are paused, amended and resumed stay so over SIGKILLs at every step', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    let run = site.start();
    let client = site.client(await run.ready(), key);
    const killed = async (): Promise<void> => {
      await run.kill();
      run = site.start();
      client = site.client(await run.ready(), key);
    };
    await client.create(restingOrder(RESTING.client_order_id));
    await client.create({ ...twapOrder(3_600, WORKED.client_order_id), quantity: '1' });
    await reaches(client, RESTING, 'ACCEPTED');
    const begun = await reaches(client, WORKED, 'PARTIALLY_FILLED');
    expect((await client.resume(WORKED)).error_code).toBeUndefined();

    await ask(client, 'pause');
    await killed();
    for (const ref of [RESTING, WORKED]) await reaches(client, ref, 'PAUSED');
    await ask(client, 'pause');
    const paused = await stateOf(client, WORKED);
    expect(paused.filled_quantity).toBeGreaterThanOrEqual(begun.filled_quantity);

    expect(await client.amend({ ...RESTING, quantity: '0.02', limit_price: '40000' })).toMatchObject({
      status: 'PAUSED',
    });
    expect(await client.amend({ ...WORKED, quantity: '0.00001' })).toMatchObject({ error_code: 'INVALID_QUANTITY' });
    await client.amend({ ...WORKED, params: { duration_seconds: '60' } });
    await killed();
    expect(await stateOf(client, RESTING)).toMatchObject({ status: 'PAUSED', leaves_quantity: 0.02 });
    expect(await stateOf(client, WORKED)).toMatchObject({ end_time: (begun.start_time ?? 0) + 60_000 });

    await ask(client, 'resume');
    await killed();
    await reaches(client, RESTING, 'ACCEPTED');
    await eventually(
      () => stateOf(client, WORKED),
      (order) => order.filled_quantity > paused.filled_quantity,
    );
    const { events } = await client.timeline({ clientOrderId: RESTING.client_order_id });
    const kinds = events.map(({ event }) => event);
    for (const kind of ['ParentPaused', 'ParentAmended', 'ParentResumed', 'ParentPlanned'])
      expect(kinds).toContain(kind);
    expect(events.findLast(({ event }) => event === 'ChildSubmitted')).toMatchObject({ quantity: 0.02, price: 40_000 });

    await client.amend({ ...RESTING, limit_price: '41000' });
    await eventually(
      () => client.timeline({ clientOrderId: RESTING.client_order_id }),
      (timeline) => timeline.events.some(({ event, price }) => event === 'ChildSubmitted' && price === 41_000),
    );
    await client.cancelAll();
    for (const ref of [RESTING, WORKED]) await reaches(client, ref, 'CANCELLED');
  });

  it('a cancel-all-after timer that expires while the service is down fires at the next start', async (test) => {
    const site = newSite(test);
    const [key, other] = [await site.issueKey('alice'), await site.issueKey('bob')];
    const run = site.start();
    const port = await run.ready();
    for (const one of [key, other]) await site.client(port, one).create(restingOrder(RESTING.client_order_id));
    const { triggerTime } = await site.client(port, key).cancelAllAfter(1_000);
    expect(triggerTime).toBeGreaterThan(Date.now() - 5_000);
    await run.kill();
    await eventually(
      () => Date.now(),
      (nowMs) => nowMs > (triggerTime ?? 0),
    );
    const again = await site.start().ready();
    await reaches(site.client(again, key), RESTING, 'CANCELLED');
    await reaches(site.client(again, other), RESTING, 'ACCEPTED');
  });
});
