import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MultiLegOrderRequest, OrderDetails, SluiceClient } from '../../src/client/index.js';
import { stateFolder } from '../../src/storage/data-directory.js';
import { backUp } from './running-stores.js';
import { stateIn } from '../../src/journal/state/order-row.js';
import { orderKey } from '../../src/journal/state/rows.js';
import { openStateTables } from '../../src/journal/state/state-tables.js';
import type { OrderId } from '../../src/domain/ids.js';
import { ORDER_HISTORY_MS } from '../../src/domain/limits/trading.js';
import { openRestored } from '../../src/runtime/identity.js';
import { hedgingIndexOf, legAt } from '../../src/domain/pair.js';
import { leadingLeg } from '../../src/domain/order-legs.js';
import { operate } from '../../src/admin/admin-client.js';
import { finishRestore, restoreBackup, type RestoreChoices } from '../../src/cli/operator/restored-data.js';
import { sluice } from '../cli/command-line.js';
import { eventually } from './eventually.js';
import { filledByParent, ordersAtExchanges } from './exchange-book.js';
import { reconciled, resumed } from './resumed.js';
import { marketOrder, pairOrder, restingOrder, twapOrder } from './sample-orders.js';
import type { ServiceRun } from './service-run.js';
import { Site, type Key } from './site.js';
import { expectSound } from './soundness.js';
import { leadingOf } from '../../src/domain/order-state.js';

const ACCOUNT = 'trader';
/** Its order is quarantined. */
const SICK_ACCOUNT = 'sick';
const KEPT = { keys: 'keep', killSwitches: 'keep', timers: 'drop' } as const;
/** Orders of each kind, of which there are five. */
const EACH_COUNT = Number(process.env['RESTORE_ORDERS'] ?? 100) / 5;

/** Number of orders, from the first one, whose children the tests check. */
const WATCHED_COUNT = 20;

/** An exchange takes VENUE_OPEN_ORDERS_MAX resting orders of an account: thousands of them rest at many exchanges. */
const EXCHANGES = ['BINANCE', 'OKX', 'BYBIT', 'BITGET', 'GATEIO', 'KUCOIN', 'MEXC', 'HUOBI'] as const;

/** Small, as all of these orders: thousands of them must be covered by the money of one account. */
function smallPair(): MultiLegOrderRequest {
  const pair = pairOrder();
  return { ...pair, legs: pair.legs.map((leg) => ({ ...leg, target_value: '200' })) };
}

/** Orders of all kinds at work, some of them paused. */
async function placeMixed(client: SluiceClient): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < EACH_COUNT; n += 1) {
    const clip = { clip_size_type: 'ABSOLUTE', clip_size_val: '0.001' } as const;
    const exchange = EXCHANGES[n % EXCHANGES.length]!;
    const iceberg = {
      ...restingOrder(),
      exchange,
      quantity: '0.004',
      strategy: 'ICEBERG',
      limit_price: '90000',
      ...clip,
    } as const;
    const placed = [
      await client.create(twapOrder(3600)),
      await client.create(twapOrder(60)),
      await client.create({ ...restingOrder(), exchange, quantity: '0.002' }),
      await client.create(iceberg),
      await client.createMultiLegs(smallPair()),
    ];
    const numbers = placed.map(({ order_id: id, message }) => id ?? expect.fail(message ?? 'an order has an id'));
    ids.push(...numbers);
    if (n % 10 === 0) {
      // An order can be paused once it is accepted.
      await eventually(
        () => client.byId({ orderIds: [numbers[0]!] }),
        ([order]) => order !== undefined && order.status !== 'PENDING_NEW',
      );
      await client.pause({ order_id: numbers[0]! });
    }
  }
  return ids;
}

async function filledTotal(client: SluiceClient): Promise<number> {
  const open = await client.open();
  return open.reduce((sum, { filled_quantity: filled }) => sum + filled, 0);
}

/** Replaces the restored exchange by one that traded after the backup. */
function withNewerExchange(from: string, restored: string): void {
  rmSync(join(restored, 'venue'), { recursive: true });
  cpSync(join(from, 'venue'), join(restored, 'venue'), { recursive: true });
}

interface Future {
  readonly site: Site;
  readonly key: Key;
  readonly copy: string;
  readonly ids: number[];
  readonly lostIds: number[];
  /** Of an order that was quarantined before the backup. */
  readonly sickKey: Key;
  readonly sickId: number;
}

/** A site whose service was backed up at work, traded on and was killed. */
async function lostFuture(site: Site): Promise<Future> {
  const key = await site.issueKey(ACCOUNT);
  const sickKey = await site.issueKey(SICK_ACCOUNT);
  const script = join(site.folder, 'faults');
  writeFileSync(script, JSON.stringify({ fault: 'overfill', account: SICK_ACCOUNT, count: 1 }));
  const run = site.start({ env: { SLUICE_SHARDS: '2', SLUICE_SIM_FAULTS: script } });
  const port = await run.ready();
  const client = site.client(port, key);
  const sick = site.client(port, sickKey);
  const { order_id: sickId } = await sick.create(twapOrder(3600));
  const ids = await placeMixed(client);
  await eventually(
    () => sick.byId({ orderIds: [sickId!] }),
    ([order]) => order?.quarantine !== undefined,
  );
  await eventually(
    () => filledTotal(client),
    (filled) => filled > 0,
  );
  const copy = join(site.folder, 'copy');
  await backUp(site.dataDir, copy);
  const watched = ids.slice(0, WATCHED_COUNT);
  const known = await childrenWith('ChildSubmitted', client, watched);
  const lost = await Promise.all([
    client.create(restingOrder()),
    client.create(restingOrder()),
    client.create(marketOrder()),
  ]);
  // The backup does not have these children. The restored orders must adopt them.
  await eventually(
    () => childrenWith('ChildFilled', client, watched),
    (children) => children.some((child) => !known.includes(child)),
  );
  const lostIds = lost.map(({ order_id: id }) => id!);
  // With thousands of orders a request waits in the throttle. An unsent request is unknown to the exchange.
  await eventually(
    async () => (await Promise.all(lostIds.map((id) => isAtExchange(client, id)))).filter(Boolean).length,
    (count) => count === lostIds.length,
  );
  await run.kill();
  return { site, key, sickKey, sickId: sickId!, copy, ids, lostIds };
}

/** The ids of those children of the orders that have such an event. */
async function childrenWith(kind: string, client: SluiceClient, orderIds: readonly number[]): Promise<string[]> {
  const pages = await Promise.all(orderIds.map((orderId) => client.timeline({ orderId, limit: 1000 })));
  const found = pages.flatMap(({ events }) => events.filter(({ event }) => event === kind));
  return found.map(({ child_order_id: child }) => child!);
}

async function isAtExchange(client: SluiceClient, orderId: number): Promise<boolean> {
  const { events } = await client.timeline({ orderId });
  return events.some(({ event }) => event === 'ChildAccepted' || event === 'ChildFilled');
}

async function restore(
  { site, copy }: { site: Site; copy: string },
  name: string,
  exchange = site.dataDir,
  choices: RestoreChoices = KEPT,
): Promise<string> {
  const restored = join(site.folder, name);
  await restoreBackup(copy, restored);
  await finishRestore(copy, restored, choices);
  withNewerExchange(exchange, restored);
  return restored;
}

/** The filled quantities of every order are those of the exchanges, to the lot. The service does not run. */
async function expectExact(dataDir: string, ids: readonly number[]): Promise<void> {
  const filled = filledByParent(ordersAtExchanges(dataDir, ACCOUNT));
  const tables = openStateTables(stateFolder(dataDir), { readOnly: true });
  for (const id of ids) {
    const state = stateIn(tables.table.orders.get(orderKey(id as OrderId))!);
    const { legs, pair } = state.order;
    const { instrument, quantity } = leadingLeg(state.order);
    expect([id, leadingOf(state).progress.filled]).toEqual([id, filled.get(`${id}/${instrument}`) ?? 0]);
    expect(leadingOf(state).progress.filled).toBeLessThanOrEqual(quantity);
    if (pair === null) continue;
    const hedging = hedgingIndexOf(pair);
    const other = legAt(legs, hedging);
    expect([id, legAt(state.legs, hedging).progress.filled]).toEqual([
      id,
      filled.get(`${id}/${other.instrument}`) ?? 0,
    ]);
  }
  await tables.root.close();
}

function expectNoRepeat({ lines, output }: ServiceRun): void {
  expect(
    lines.filter(({ msg }) => msg === 'a client id was sent again'),
    output,
  ).toEqual([]);
}

async function endAll(client: SluiceClient): Promise<void> {
  await client.cancelAll();
  await eventually(
    () => client.open() as Promise<OrderDetails[]>,
    (open) => open.length === 0,
  );
}

// Each of these waits most of the time: for a start, the reconciliation and fills.
describe.concurrent('a restored directory whose exchange traded after the backup', () => {
  // Each test restores the same backup into a directory of its own.
  const site = new Site();
  let future: Future;
  beforeAll(async () => {
    future = await lostFuture(site);
  });
  afterAll(() => site.close());

  it('starts halted, adopts the children of the exchange, and then trades without a repeated client id', async () => {
    const { key, ids, lostIds, sickKey, sickId } = future;
    const restored = await restore(future, 'restored');
    const run = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const client = site.client(await run.ready(), key);
    await expect(client.create(marketOrder())).rejects.toMatchObject({ status: 503, code: 'SYSTEM_BUSY' });
    const { report } = await reconciled(run, restored);
    expect(report!.adoptedCount).toBeGreaterThan(0);
    expect(report!.orphans.map(({ clientId }) => Number(clientId.split('-')[0]))).toEqual(
      expect.arrayContaining(lostIds),
    );
    expect(report!.openOrphanCount).toBe(0);
    expect(
      ordersAtExchanges(restored, ACCOUNT).filter(
        ({ orderId, state }) => lostIds.includes(orderId) && state === 'OPEN',
      ),
    ).toEqual([]);
    // A halted service sends nothing, so the filled quantities are exact.
    await run.kill();
    await expectExact(restored, ids);
    const again = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const port = await again.ready();
    const survivor = site.client(port, key);
    const { quarantined } = await resumed(again, restored);
    expect(quarantined.map(({ orderId }) => orderId)).toEqual([sickId]);
    const sick = site.client(port, sickKey);
    expect(await sick.byId({ orderIds: [sickId] })).toMatchObject([{ quarantine: { reason: 'CONTRADICTORY_REPORT' } }]);
    await operate({ path: restored, masterKey: undefined }, 'quarantine.release', { order: String(sickId) });
    await eventually(
      () => sick.byId({ orderIds: [sickId] }),
      ([order]) => order?.status === 'CANCELLED',
    );
    const before = await filledTotal(survivor);
    await eventually(
      () => filledTotal(survivor),
      (filled) => filled !== before,
    );
    await survivor.create(marketOrder());
    await endAll(survivor);
    expectNoRepeat(run);
    expectNoRepeat(again);
    await again.stop();
    await expectExact(restored, ids);
    await expectSound(restored);
  });

  it('is reconciled after a SIGKILL, with keys that are confirmed and accounts that are resumed one by one', async () => {
    const { key, sickKey, ids } = future;
    const restored = await restore(future, 'suspended', site.dataDir, { ...KEPT, keys: 'suspend' });
    const first = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    await first.ready();
    await first.kill();
    const second = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    const port = await second.ready();
    const client = site.client(port, key);
    const sick = site.client(port, sickKey);
    // Requests with a suspended key are refused until the operator confirms it.
    const suspended = { status: 401, code: 'INVALID_API_KEY', reason: 'KEY_SUSPENDED' };
    await expect(client.open()).rejects.toMatchObject(suspended);
    const cli = (...args: string[]): ReturnType<typeof sluice> => sluice(args, { SLUICE_DATA_DIR: restored });
    for (const { apiKey } of [key, sickKey]) expect((await cli('keys', 'confirm', apiKey)).status).toBe(0);
    await client.open();
    // Trading is resumed account by account.
    await reconciled(second, restored);
    expect((await cli('trading', 'resume', '--account', ACCOUNT)).out).toContain(`Resumed already: ${ACCOUNT}`);
    const placed = await client.create(marketOrder());
    await eventually(
      () => client.byId({ orderIds: [placed.order_id!] }),
      ([order]) => order?.status === 'FILLED',
    );
    const halted = { status: 503, code: 'SYSTEM_BUSY', reason: 'TRADING_HALTED' };
    await expect(sick.create(marketOrder())).rejects.toMatchObject(halted);
    await resumed(second, restored);
    await sick.create(marketOrder());
    await endAll(client);
    expectNoRepeat(second);
    await second.stop();
    await expectExact(restored, ids);
    await expectSound(restored);
  });

  it('stays halted when the order history of the exchanges begins after the backup', async () => {
    const restored = await restore(future, 'old');
    const identity = openRestored(restored);
    const record = identity.trading.restore()!;
    identity.trading.begin({ ...record, backupServiceMs: record.backupServiceMs - ORDER_HISTORY_MS });
    await identity.close();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } }, restored);
    await run.ready();
    const cli = (...args: string[]): ReturnType<typeof sluice> => sluice(args, { SLUICE_DATA_DIR: restored });
    await eventually(
      () => cli('trading', 'status'),
      ({ out }) => out.includes('BINANCE (its order history begins at '),
    );
    const { status, error } = await cli('trading', 'resume');
    expect([status, error]).toEqual([1, expect.stringContaining('the backup is too old')]);
    const client = site.client(await run.ready(), future.key);
    await expect(client.create(marketOrder())).rejects.toMatchObject({ status: 503, code: 'SYSTEM_BUSY' });
    await run.stop();
  });

  it('is refused when its backup is older than the order history of the exchanges', async () => {
    const old = join(site.folder, 'old-copy');
    mkdirSync(old);
    cpSync(join(future.copy, 'format.json'), join(old, 'format.json'));
    const marker = JSON.parse(readFileSync(join(future.copy, 'backup.json'), 'utf8')) as { takenAtMs: number };
    const takenAtMs = marker.takenAtMs - ORDER_HISTORY_MS;
    writeFileSync(join(old, 'backup.json'), JSON.stringify({ ...marker, takenAtMs }));
    await expect(restoreBackup(old, join(site.folder, 'refused'))).rejects.toThrow(
      'the exchanges know ended orders for 14',
    );
  });

  it('may be restored again from the same backup after another future', async () => {
    const { key, ids } = future;
    const one = await restore(future, 'one');
    const run = site.start({ env: { SLUICE_SHARDS: '2' } }, one);
    const client = site.client(await run.ready(), key);
    await resumed(run, one);
    const before = await filledTotal(client);
    await eventually(
      () => filledTotal(client),
      (filled) => filled !== before,
    );
    await run.kill();
    const two = await restore(future, 'two', one);
    const again = site.start({ env: { SLUICE_SHARDS: '2' } }, two);
    const survivor = site.client(await again.ready(), key);
    await resumed(again, two);
    await endAll(survivor);
    expectNoRepeat(run);
    expectNoRepeat(again);
    await again.stop();
    await expectExact(two, ids);
    await expectSound(two);
  });
});
