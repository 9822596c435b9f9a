import { expect, it } from 'vitest';
import { SluiceError } from '../../src/client/index.js';
import { freeBytesOf } from '../../src/storage/disk-reserve.js';
import { eventually } from './eventually.js';
import { marketOrder, pairOrder, restingOrder, smallOrder } from './sample-orders.js';
import { sessionAt } from './session-client.js';
import { MortalThreads } from './mortal-threads.js';
import { newSite } from './site.js';

const MAX = 5;
const ENV = { SLUICE_ACCOUNT_OPEN_ORDERS: String(MAX), SLUICE_SHARDS: '2' };
const BEYOND = {
  status: 'REJECTED',
  error_code: 'QUANTITY_EXCEED',
  message: expect.stringContaining(`${MAX} open orders, and SLUICE_ACCOUNT_OPEN_ORDERS ${MAX}`) as string,
};

async function metrics(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

it('an account has at most its open orders on each way, also after a crash of a shard or of all, and metrics name it', async () => {
  const site = newSite();
  const [greedyKey, modestKey] = [await site.issueKey('greedy'), await site.issueKey('modest')];
  const threads = new MortalThreads(site);
  const run = site.start(threads.options(ENV));
  const port = await run.ready();
  const [greedy, modest] = [site.client(port, greedyKey), site.client(port, modestKey)];
  const batch = await greedy.createMany(Array.from({ length: MAX + 2 }, (_, index) => restingOrder(`rests-${index}`)));
  expect(batch.slice(0, MAX).map(({ status }) => status)).toEqual(Array.from({ length: MAX }, () => 'PENDING_NEW'));
  expect(batch.slice(MAX)).toMatchObject([BEYOND, BEYOND]);
  expect(await greedy.create(restingOrder())).toMatchObject(BEYOND);
  expect(await greedy.createMultiLegs(pairOrder())).toMatchObject(BEYOND);
  const { client: session } = await sessionAt(port, greedyKey);
  session.send({ id: 'one', op: 'order.create', args: restingOrder() });
  expect(await session.next()).toMatchObject({ status: 201, data: BEYOND });
  // A repeated create is the same order, and not a further one.
  expect(await greedy.create(restingOrder('rests-0'))).toMatchObject({ order_id: batch[0]!.order_id });

  expect(await modest.create(marketOrder())).toMatchObject({ status: 'PENDING_NEW' });
  const text = await eventually(
    () => metrics(port),
    // The order of the other account has ended, and a second has passed.
    (shown) => !shown.includes('orders{account="modest"}') && shown.includes('second{account="greedy"}'),
  );
  expect(text).toContain(`sluice_account_open_orders{account="greedy"} ${MAX}\n`);
  expect(text).toContain(`sluice_account_open_orders_limit ${MAX}\n`);
  expect(text).toMatch(/sluice_account_journal_bytes_per_second\{account="greedy"\} [\d.]+\n/);

  await greedy.cancel({ client_order_id: 'rests-0' });
  const room = await eventually(
    () => greedy.create(restingOrder('rests-0-again')),
    ({ status }) => status === 'PENDING_NEW',
  );
  expect(room.status).toBe('PENDING_NEW');

  threads.hold('shard-0');
  threads.doom('shard-0', 'exit');
  await eventually(
    () => metrics(port),
    (shown) => shown.includes('sluice_shard_up{shard="0"} 0\n'),
  );
  threads.spare('shard-0', 'exit');
  threads.release('shard-0');
  expect(await run.ready()).toBe(port);
  expect(await greedy.create(restingOrder())).toMatchObject(BEYOND);
  expect(await metrics(port)).toContain(`sluice_account_open_orders{account="greedy"} ${MAX}\n`);

  await run.kill();
  const again = site.start({ env: ENV });
  const portAgain = await again.ready();
  const after = site.client(portAgain, greedyKey);
  expect(await after.create(restingOrder())).toMatchObject(BEYOND);
  expect(await metrics(portAgain)).toContain(`sluice_account_open_orders{account="greedy"} ${MAX}\n`);
  await after.cancelAll();
  await eventually(
    () => after.create(restingOrder('last')),
    ({ status }) => status === 'PENDING_NEW',
  );
});

it('the account that fills the disk is halted before all are, and metrics name it', async () => {
  const site = newSite();
  const [greedyKey, modestKey] = [await site.issueKey('greedy'), await site.issueKey('modest')];
  // The free space is between the bound of trading and twice this bound.
  const haltMegabytes = Math.round((0.7 * freeBytesOf(site.folder)) / 1_000_000);
  const bounds = { SLUICE_DISK_HALT_MB: String(haltMegabytes), SLUICE_DISK_WARNING_MB: '0' };
  const port = await site.start({ env: bounds }).ready();
  const [greedy, modest] = [site.client(port, greedyKey), site.client(port, modestKey)];
  let count = 0;
  const flood = async (): Promise<unknown> => {
    const orders = Array.from({ length: 200 }, () => smallOrder(`flood-${(count += 1)}`, count));
    return greedy.createMany(orders).catch((error: unknown) => error);
  };
  const refusal = await eventually(flood, (answer) => answer instanceof SluiceError);
  expect(refusal).toMatchObject({ status: 503, code: 'SYSTEM_BUSY', reason: 'TRADING_HALTED' });
  expect(await metrics(port)).toContain('\nsluice_account_halted{account="greedy"} 1\n');
  expect(await metrics(port)).toContain('\nsluice_trading_halted{reason="DISK_FULL"} 0\n');
  expect(await modest.create(restingOrder())).toMatchObject({ status: 'PENDING_NEW' });
});
