import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { Keeper } from '../../src/journal/keeper.js';
import { readEntry } from '../../src/journal/entry.js';
import { eventPlaces } from '../../src/journal/state/order-row.js';
import { feedFrameKey, orderKey, positionKey, PRESENT, type StateRow } from '../../src/journal/state/rows.js';
import { openStateTables, type StateTables } from '../../src/journal/state/state-tables.js';
import { verifyJournal } from '../../src/journal/verification.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { isTerminal } from '../../src/domain/order.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { dataFolders } from './data-folders.js';
import {
  alter,
  dump,
  JournalWorld,
  loseState,
  recover,
  segmentFile,
  silentLog,
  SMALL_SEGMENT_BYTES,
} from './journal-world.js';
import { runs } from '../runs.js';
import { ScriptedOrders, START_MS } from './scripted-orders.js';

const folders = dataFolders();

const DEMO = 'demo' as AccountId;

async function filled(): Promise<JournalWorld> {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  for (let turn = 0; turn < 24; turn++) {
    orders.completeOrder(DEMO, `client-${turn}`);
    orders.create('other' as AccountId);
    orders.balance();
    world.commit(orders);
  }
  return world;
}

describe('a check finds', () => {
  test('no problem in a running service and in a stopped one', async () => {
    const world = await filled();
    const expected = { entries: 192, orders: 48, feeds: 5, problems: [] };
    expect(await verifyJournal(world.dataDir, foldEnvelope)).toEqual(expected);
    await world.close();
    expect(await verifyJournal(world.dataDir, foldEnvelope)).toEqual(expected);
  });

  test('a snapshot that cannot be read, which no row has', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create(DEMO);
    const { events, touched } = orders.take();
    const wrong = events.map((event) => ({ ...event, parent: { ...event.parent!, quoteRate: 2, legs: [] as never } }));
    world.threads.commit(world.shard, wrong, touched);
    await world.close();
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems).toContainEqual(
      expect.stringMatching(/replay stops after seq 0: OrderSnapshot.legs: 0, not 1 or 2/),
    );
  });

  test.each([
    ['is missing', (folder: string) => rmSync(join(folder, 'data.mdb'))],
    ['is empty', (folder: string) => writeFileSync(join(folder, 'data.mdb'), '')],
    ['has other bytes', (folder: string) => writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(65_536, 7))],
    [
      'has no tables',
      async (folder: string) => {
        rmSync(folder, { recursive: true });
        await open({ path: folder, noSubdir: false }).close();
      },
    ],
  ] as const)('that a power loss took the state, when its file %s', async (_what, lose) => {
    const world = await filled();
    await world.close();
    await lose(join(world.dataDir, 'state'));
    await expect(verifyJournal(world.dataDir, foldEnvelope)).rejects.toThrow(
      `${join(world.dataDir, 'state')} has no complete state; the next start of the service builds it from the journal`,
    );
  });

  test('no problem in a journal without entries', async () => {
    const world = new JournalWorld(folders.fresh());
    expect(await verifyJournal(world.dataDir, foldEnvelope)).toMatchObject({ entries: 0, problems: [] });
    await world.close();
  });

  test.each<[string, (tables: StateTables) => void, RegExp]>([
    [
      'a changed state',
      ({ table }) => table.orders.putSync(orderKey(1_000 as OrderId), Buffer.from('?')),
      /table orders differs from the journal/,
    ],
    [
      'lost frames',
      ({ table }) => table.feed.removeSync(feedFrameKey(DEMO, 'order', 'BINANCE', 1)),
      /table feed is in the journal but not in the state/,
    ],
    [
      'frames that point elsewhere',
      ({ table }) => table.feed.putSync(feedFrameKey(DEMO, 'order', 'BINANCE', 1), Buffer.of(9)),
      /table feed differs from the journal/,
    ],
    [
      'an order that is open no more',
      ({ table }) => table.open.putSync(Buffer.from('?'), PRESENT),
      /table open is in the state but not in the journal/,
    ],
    [
      'a latest frame that points elsewhere',
      ({ table }) => {
        const [{ key, value }] = [...table.feed_heads.getRange({ limit: 1 })] as [StateRow];
        table.feed_heads.putSync(key, Buffer.concat([value, Buffer.of(1)]));
      },
      /table feed_heads differs from the journal/,
    ],
    ['a lost index', ({ table }) => table.by_client_id.clearSync(), /table by_client_id is in the journal/],
  ])('%s', async (_, harm, problem) => {
    const world = await filled();
    const tables = openStateTables(join(world.dataDir, 'state'));
    tables.root.transactionSync(() => harm(tables));
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatch(problem);
    await tables.root.close();
    await world.close();
  });

  test('a damaged entry', async () => {
    const world = await filled();
    alter(segmentFile(world.dataDir, 1), (bytes) => bytes.fill(0x5a, 3000, 3004));
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems[0]).toMatch(/replay stops after seq \d+: journal entry seq \d+ in .* is damaged/);
    await world.close();
  });

  test('no problem when it begins with a checkpoint because older segments were removed', async () => {
    const world = await filled();
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    const orders = new ScriptedOrders(5_000);
    for (let round = 0; round < 5; round++) {
      orders.nowMs = (START_MS + IDEMPOTENCY_MS + 1) as EpochMs;
      for (let count = 0; count < 10; count++) {
        orders.completeOrder();
        world.commit(orders);
      }
      await keeper.checkpoint();
      await keeper.retain();
    }
    expect(existsSync(segmentFile(world.dataDir, 1))).toBe(false);
    expect(await verifyJournal(world.dataDir, foldEnvelope)).toMatchObject({ problems: [] });
    rmSync(join(world.dataDir, 'checkpoint'), { recursive: true });
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems[0]).toBe('older segments are gone, and no intact checkpoint covers them');
    await keeper.close();
    await world.close();
  });

  test('an event whose segment was removed before it was carried', async () => {
    const world = await filled();
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    await keeper.checkpoint();
    rmSync(segmentFile(world.dataDir, 1));
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems[0]).toBe('event 1 of order 1000 is neither in the journal nor carried');
    await keeper.close();
    await world.close();
  });

  test('a carried entry that differs from the journal or that no order has', async () => {
    const world = await filled();
    const tables = openStateTables(join(world.dataDir, 'state'));
    const [first, second] = eventPlaces(tables, 1_000 as OrderId).map(({ position }) => position);
    const journal = readFileSync(segmentFile(world.dataDir, 1));
    const payload = Buffer.from(readEntry(journal, second! - SMALL_SEGMENT_BYTES)!.payload);
    tables.root.transactionSync(() => tables.table.carried.putSync(positionKey(first!), payload));
    const { problems } = await verifyJournal(world.dataDir, foldEnvelope);
    expect(problems).toEqual([
      `the carried entry of position ${first} is no event of an order`,
      `the carried entry of position ${first} differs from the journal`,
    ]);
    await tables.root.close();
    await world.close();
  });
});

type Step = { readonly order: number; readonly kind: 'create' | 'accept' | 'submit' | 'fill' | 'cancel' | 'balance' };

const steps = fc.array(
  fc.record<Step>({
    order: fc.nat(6),
    kind: fc.constantFrom('create', 'accept', 'submit', 'fill', 'cancel', 'balance'),
  }),
  { minLength: 1, maxLength: 25 },
);

/** Does the step if the order's state allows it. */
function apply(orders: ScriptedOrders, ids: OrderId[], { order, kind }: Step): void {
  if (kind === 'create') ids.push(orders.create(order % 2 === 0 ? DEMO : ('other' as AccountId), `c-${ids.length}`));
  if (kind === 'balance') orders.balance();
  const orderId = ids[order];
  const state = orderId === undefined ? undefined : orders.states.get(orderId);
  if (orderId === undefined || state === undefined || isTerminal(state.status)) return;
  const [child] = state.legs[0].children;
  const isTrading = state.status === 'ACCEPTED' || state.status === 'PARTIALLY_FILLED';
  if (kind === 'accept' && state.status === 'PENDING_NEW') orders.accept(orderId);
  if (kind === 'submit' && isTrading && state.legs[0].childCount < 5) orders.submit(orderId, 200);
  if (kind === 'fill' && isTrading && child !== undefined) orders.fill(orderId, child.order.child, 100);
  if (kind === 'cancel' && isTrading && child === undefined) orders.cancel(orderId);
}

test('rebuilds the live state from the journal alone after any events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async (turns) => {
      const world = new JournalWorld(folders.fresh());
      const orders = new ScriptedOrders();
      const ids: OrderId[] = [];
      for (const turn of turns) {
        for (const step of turn) apply(orders, ids, step);
        world.commit(orders);
      }
      const live = dump(world.dataDir);
      await world.close();
      loseState(world.dataDir);
      const rebuilt = recover(world.dataDir);
      expect(dump(world.dataDir)).toEqual(live);
      for (const [orderId, state] of orders.states) expect(rebuilt.reader.recent().order(orderId)).toEqual(state);
      await rebuilt.close();
    }),
    { numRuns: runs(25, 500) },
  );
});
