import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finishRestore, restoreBackup, SAFE_CHOICES } from '../../src/cli/operator/restored-data.js';
import type { SluiceClient } from '../../src/client/index.js';
import { SESSION_RESUME_AFTER_START_MS, SESSION_RESUME_MS } from '../../src/domain/limits/clients.js';
import { backUp } from './running-stores.js';
import { eventually } from './eventually.js';
import { smallOrder } from './sample-orders.js';
import { sessionAt, type SystemSession } from './session-client.js';
import { newSite } from './site.js';

const ORDERS_COUNT = 100;
const WISH = { cancel_on_disconnect: true } as const;
/** Sends creates named `<name>-<n>` without waiting for their answers. */
function send({ client }: SystemSession, name: string, from: number, count: number): void {
  for (let index = from; index < from + count; index += 1) {
    client.send({ id: `${name}-${index}`, op: 'order.create', args: smallOrder(`${name}-${index}`, index) });
  }
}

async function place(session: SystemSession, name: string, count = ORDERS_COUNT): Promise<void> {
  send(session, name, 0, count);
  const answers = await session.client.take(count);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
}

/** Number of open orders without a cancel, by the name of their session. */
async function openByName(client: SluiceClient): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { client_order_id: id, status } of await client.open()) {
    const name = (id ?? '').replace(/-\d+$/, '');
    if (status !== 'PENDING_CANCEL') counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

// All of them wait for the end of the time in which a session can be resumed.
describe.concurrent('orders of a session that is gone', () => {
  it('after a SIGKILL the orders of a session are cancelled, unless it resumes: no others', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } });
    const port = await run.ready();
    const [gone, kept, plain] = [
      await sessionAt(port, key, WISH),
      await sessionAt(port, key, WISH),
      await sessionAt(port, key),
    ];
    await Promise.all([place(gone, 'gone'), place(kept, 'kept'), place(plain, 'plain')]);
    const rest = Array.from({ length: ORDERS_COUNT }, (_, index) => smallOrder(`rest-${index}`, index));
    await site.client(port, key).createMany(rest);
    // Creates in flight at the kill: some become durable, some do not.
    send(gone, 'gone', ORDERS_COUNT, ORDERS_COUNT);
    await gone.client.take(1);
    await run.kill();

    const again = site.start({ env: { SLUICE_SHARDS: '2' } });
    const nextPort = await again.ready();
    const client = site.client(nextPort, key);
    // Soon: a loaded machine needs a part of the time that the session can be resumed.
    const resumed = await sessionAt(nextPort, key, { resume: kept.data['session'] });
    expect((await openByName(client))['gone']).toBeGreaterThan(ORDERS_COUNT);
    expect(resumed.data).toMatchObject({ session: kept.data['session'], resumed: true });
    const others = { kept: ORDERS_COUNT, plain: ORDERS_COUNT, rest: ORDERS_COUNT };
    expect(await openByName(client)).toMatchObject(others);
    await eventually(
      () => openByName(client),
      ({ gone: count = 0 }) => count === 0,
    );
    expect(performance.now() - again.unreadyAtMs).toBeGreaterThan(SESSION_RESUME_AFTER_START_MS);
    expect(await openByName(client)).toEqual(others);
    await place(resumed, 'later');
    resumed.client.socket.terminate();
    const endedAtMs = performance.now();
    await eventually(
      () => openByName(client),
      ({ kept: count = 0, later = 0 }) => count + later === 0,
    );
    expect(performance.now() - endedAtMs).toBeGreaterThan(SESSION_RESUME_MS - 100);
    expect(await openByName(client)).toEqual({ plain: ORDERS_COUNT, rest: ORDERS_COUNT });
  });

  it('a SIGKILL during the cancels of a session loses none of them, and the session cannot be resumed', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start();
    const port = await run.ready();
    const session = await sessionAt(port, key, WISH);
    const count = 500;
    await place(session, 'gone', count);
    session.client.socket.terminate();
    const client = site.client(port, key);
    await eventually(
      () => openByName(client),
      ({ gone = 0 }) => gone < count,
    );
    await run.kill();
    const nextPort = await site.start().ready();
    const resumed = await sessionAt(nextPort, key, { resume: session.data['session'] });
    expect(resumed.data).toMatchObject({ resumed: false });
    const next = site.client(nextPort, key);
    await place(resumed, 'new', 10);
    await eventually(
      () => openByName(next),
      ({ gone = 0 }) => gone === 0,
    );
    expect(await openByName(next)).toEqual({ new: 10 });
  });

  it('a shutdown leaves the orders to the next start, where the session can be resumed', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start();
    const session = await sessionAt(await run.ready(), key, WISH);
    await place(session, 'kept', 10);
    await run.stop();
    expect(await session.client.closed).toMatchObject({ code: 1001 });
    const port = await site.start().ready();
    const resumed = await sessionAt(port, key, { resume: session.data['session'] });
    expect(resumed.data).toMatchObject({ resumed: true });
    expect(await openByName(site.client(port, key))).toEqual({ kept: 10 });
  });
});

describe.concurrent('a restore of orders of a session', () => {
  it.for(['drop', 'keep'] as const)('timers: %s', async (timers, test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start();
    const session = await sessionAt(await run.ready(), key, WISH);
    await place(session, 'gone', 20);
    const copy = join(site.folder, 'copy');
    await backUp(site.dataDir, copy);
    await run.kill();
    const restored = join(site.folder, 'restored');
    expect((await restoreBackup(copy, restored)).sessions).toEqual([{ account: 'trader', count: 1 }]);
    await finishRestore(copy, restored, { ...SAFE_CHOICES, keys: 'keep', timers });
    // Trading is halted all the time.
    const port = await site.start({}, restored).ready();
    const client = site.client(port, key);
    const clientOrderIds = Array.from({ length: 20 }, (_, index) => `gone-${index}`);
    expect(await client.byId({ clientOrderIds })).toHaveLength(20);
    if (timers === 'keep') {
      await eventually(
        () => openByName(client),
        ({ gone = 0 }) => gone === 0,
      );
    } else {
      await new Promise((resolve) => setTimeout(resolve, SESSION_RESUME_AFTER_START_MS + 3_000));
      expect(await openByName(client)).toEqual({ gone: 20 });
    }
  });
});
