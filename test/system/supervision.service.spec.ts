import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { shardOf, type OrderId } from '../../src/domain/ids.js';
import { WRITER_END_MS_MAX } from '../../src/domain/limits/process.js';
import { openDatabase, type IdentityDatabase } from '../../src/keys/database.js';
import { checkFills } from '../torture/checks.js';
import { ExactReader } from '../torture/exact.js';
import { listedPrecisions } from '../torture/exchange-records.js';
import { newLedger } from '../torture/ledger.js';
import { eventually } from './eventually.js';
import { MortalThreads, type Death } from './mortal-threads.js';
import { marketOrder, restingOrder, twapOrder } from './sample-orders.js';
import { ROOT, statusOf, type LogLine, type ServiceRun } from './service-run.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';
import { expectSound } from './soundness.js';

const COMMAND_LINE = join(ROOT, 'dist/service/src/cli/main.js');
const SHARDS = { SLUICE_SHARDS: '2' };
const FATAL = 60;
/** Longer than two deaths of a thread take on a slow machine. */
const TWAP_SECONDS = 300;
/** A command has started and sent its timer by then, also on a loaded machine: the service has begun to write it. */
const PENDING_FOR_SURE_MS = 5_000;
const DEATH_SEEN_MS = 300;
const BOUND_PASSED_MS = 1_000;

// These wait for starts and ends of the service most of the time.
describe.concurrent('a shard that dies', () => {
  it.for<Death>(['throw', 'exit'])(
    'by %s is restarted; requests for its orders are refused meanwhile, and the orders continue',
    async (death, test) => {
      const site = newSite(test);
      const key = await site.issueKey();
      const threads = new MortalThreads(site);
      const run = site.start(threads.options(SHARDS));
      const port = await run.ready();
      const client = site.client(port, key);
      const [mine, others] = await restingOrders(client);

      await kill(run, threads, 'shard-0', death);
      expect(await statusOf(port, '/status/ready')).toBe(503);
      await expect(client.cancel({ order_id: mine[0] })).rejects.toMatchObject({
        status: 503,
        code: 'EMS_INSTANCES_DOWN',
      });
      expect(await client.cancel({ order_id: others[0] })).toMatchObject({ status: 'PENDING_CANCEL' });
      const created = await client.createMany(Array.from({ length: 8 }, () => restingOrder()));
      expect(new Set(created.map((summary) => summary.error_code))).toEqual(new Set([undefined, 'EMS_INSTANCES_DOWN']));
      for (const { error_code: code, order_id: orderId } of created)
        expect(orderId === undefined).toBe(code !== undefined);
      expect(await client.byId({ orderIds: mine })).toHaveLength(mine.length);

      threads.release('shard-0');
      await run.ready();
      expect(await client.cancel({ order_id: mine[0] })).toMatchObject({ status: 'PENDING_CANCEL' });
      await eventually(
        () => client.byId({ orderIds: [mine[0], others[0]] as number[] }),
        (orders) => orders.every(({ status }) => status === 'CANCELLED'),
      );
      const filled = await Promise.all(Array.from({ length: 4 }, () => client.create(marketOrder())));
      await eventually(
        () => client.byId({ orderIds: filled.map(({ order_id: orderId }) => orderId as number) }),
        (orders) => orders.every(({ status }) => status === 'FILLED'),
      );
      expect(fatal(run)).toHaveLength(death === 'throw' ? 1 : 0);
      await run.stop();
      await expectSound(site.dataDir);
    },
  );

  it('again and again ends the service, which logs the reason', async (test) => {
    const site = newSite(test);
    const threads = new MortalThreads(site);
    const run = site.start(threads.options(SHARDS));
    await run.ready();
    threads.doom('shard-1', 'throw');
    expect(await run.ended).toEqual({ status: 1, signal: null });
    const last = fatal(run).at(-1);
    expect(last?.['reason']).toMatch(
      /^shard-1: 4 workers died within 60 s; the last one: .*the test makes this thread throw/,
    );
  });
});

describe.concurrent('a thread of the journal that dies', () => {
  it.for<[string, Death]>([
    ['journal', 'lose'],
    ['journal', 'throw'],
    ['projector', 'throw'],
    ['projector', 'exit'],
  ])('%s (%s) ends the service, which loses no acknowledged order', async ([thread, death], test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const threads = new MortalThreads(site);
    const run = site.start(threads.options(SHARDS));
    const client = site.client(await run.ready(), key);
    const [mine, others] = await restingOrders(client);
    threads.doom(thread, death);
    const acknowledged: number[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const summary = await client.create(restingOrder()).catch(() => null);
        if (summary !== null) acknowledged.push(summary.order_id as number);
      }),
    );
    expect(await run.ended, run.output).toEqual({ status: 1, signal: null });
    // The thread logs its own failure too, before or after the main thread.
    const reasons = fatal(run).flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []));
    expect(reasons.at(-1), run.output).toMatch(new RegExp(`^${thread}: `));

    const again = site.start({ env: SHARDS });
    const survivor = site.client(await again.ready(), key);
    const orderIds = [...mine, ...others, ...acknowledged];
    expect(await survivor.byId({ orderIds })).toHaveLength(orderIds.length);
    await again.stop();
    await expectSound(site.dataDir);
  });

  it('ends the service also while the venue worker does not end its transaction', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const threads = new MortalThreads(site);
    const run = site.start(threads.options(SHARDS));
    const client = site.client(await run.ready(), key);
    threads.doom('venue', 'hang');
    await eventually(
      () => threads.hangs('venue'),
      (hangs) => hangs,
    );
    threads.doom('journal', 'throw');
    await client.create(restingOrder()).catch(() => null);
    expect(await run.ended, run.output).toEqual({ status: null, signal: 'SIGKILL' });
    expect(fatal(run).map(({ reason }) => reason)).toContain('a thread does not end its transaction');
  });
});

describe.concurrent('the venue worker dies', () => {
  it('fills every order whole and counts each fill once', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const threads = new MortalThreads(site);
    const run = site.start(threads.options(SHARDS));
    const port = await run.ready();
    const client = site.client(port, key);
    const ledger = newLedger();
    for (const [round, death] of (['throw', 'exit'] as const).entries()) {
      for (let count = 0; count < 20; count += 1) {
        const name = `${round}-${count}`;
        const request = count % 2 === 0 ? twapOrder(TWAP_SECONDS, name) : marketOrder(name);
        const { order_id: orderId } = await client.create(request);
        ledger.acknowledged.set(name, { orderId: orderId as number, request });
      }
      // An order that is not admitted when the exchange goes down is refused, as the next one is.
      await eventually(
        () => client.byId({ orderIds: [...ledger.acknowledged.values()].map(({ orderId }) => orderId) }),
        (orders) => orders.every(({ status }) => status !== 'PENDING_NEW'),
      );
      await kill(run, threads, 'venue', death);
      const { order_id: refused } = await client.create(marketOrder());
      await eventually(
        () => client.byId({ orderIds: [refused as number] }),
        ([order]) => order?.status === 'REJECTED' && order.error_code === 'EXCHANGE_NOT_AVAILABLE',
      );
      threads.release('venue');
      await run.ready();
    }
    const orderIds = [...ledger.acknowledged.values()].map(({ orderId }) => orderId);
    await endSoon(client, orderIds);
    const ended = await eventually(
      () => client.byId({ orderIds }),
      (orders) => orders.every(({ status }) => status === 'FILLED'),
    );
    for (const order of ended) expect(order).toMatchObject({ filled_quantity: 0.01, leaves_quantity: 0 });
    const precisionOf = await listedPrecisions(client);
    const witness = { dataDir: site.dataDir, account: 'trader', precisionOf };
    expect(await checkFills(new ExactReader(port, key), ledger, 'BINANCE', witness)).toEqual([]);
    await run.stop();
    await expectSound(site.dataDir);
  });
});

// These stop the thread of the tests.
describe('the journal dies while a write to the keys is pending', () => {
  it('ends the service with status 1 once the write is done', async () => {
    const { run, threads, database, setTimer } = await startedWithOpenKeys();
    const written = setTimer();
    database.root.transactionSync(() => {
      pause(PENDING_FOR_SURE_MS);
      threads.doom('journal', 'throw');
      pause(DEATH_SEEN_MS);
    });
    expect(await run.ended, run.output).toEqual({ status: 1, signal: null });
    await written;
  });

  it('kills the service when the write is never done', async () => {
    const { run, threads, database, setTimer } = await startedWithOpenKeys();
    const written = setTimer();
    database.root.transactionSync(() => {
      pause(PENDING_FOR_SURE_MS);
      threads.doom('journal', 'throw');
      pause(DEATH_SEEN_MS + WRITER_END_MS_MAX + BOUND_PASSED_MS);
    });
    expect(await run.ended, run.output).toEqual({ status: null, signal: 'SIGKILL' });
    await written;
  });
});

/** A running service, and its database of keys in this process too: its writes wait for a transaction of this one. */
async function startedWithOpenKeys(): Promise<{
  readonly run: ServiceRun;
  readonly threads: MortalThreads;
  readonly database: IdentityDatabase;
  /** Starts a command that has the service write a timer. Resolves when the command ends, with whatever status. */
  readonly setTimer: () => Promise<void>;
}> {
  const site = newSite();
  const key = await site.issueKey();
  const threads = new MortalThreads(site);
  const run = site.start(threads.options(SHARDS));
  const port = await run.ready();
  const database = openDatabase(site.dataDir);
  onTestFinished(() => database.root.close());
  const setTimer = async (): Promise<void> => {
    const settings = { SLUICE_API_KEY: key.apiKey, SLUICE_API_SECRET: key.apiSecret };
    const env = { ...process.env, ...settings, SLUICE_URL: `http://127.0.0.1:${port}` };
    await once(spawn(process.execPath, [COMMAND_LINE, 'cancel-all-after', '60000'], { env, stdio: 'ignore' }), 'exit');
  };
  return { run, threads, database, setTimer };
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Ends a thread once and holds its successor before its start. Resolves when the service has logged it. */
async function kill(run: ServiceRun, threads: MortalThreads, thread: string, death: Death): Promise<void> {
  const deaths = (): LogLine[] =>
    run.lines.filter((line) => line['msg'] === 'thread died' && line['thread'] === thread);
  const before = deaths().length;
  threads.hold(thread);
  threads.doom(thread, death);
  await run.until(() => deaths().length > before, `it notices the death of ${thread}`);
  threads.spare(thread, death);
}

/** Resting orders of shard 0 and of shard 1. */
async function restingOrders(client: SluiceClient): Promise<readonly [number[], number[]]> {
  const summaries = await Promise.all(Array.from({ length: 8 }, () => client.create(restingOrder())));
  const orderIds = summaries.map(({ order_id: orderId }) => orderId as number);
  await eventually(
    () => client.byId({ orderIds }),
    (orders) => orders.every(({ status }) => status === 'ACCEPTED'),
  );
  return [
    orderIds.filter((id) => shardOf(id as OrderId, 2) === 0),
    orderIds.filter((id) => shardOf(id as OrderId, 2) === 1),
  ];
}

function fatal(run: ServiceRun): LogLine[] {
  return run.lines.filter(({ level }) => level === FATAL);
}
