import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Keeper } from '../../src/journal/keeper.js';
import { backupData, restoreData } from '../../src/journal/backup.js';
import type { StateSnapshot } from '../../src/journal/port.js';
import { openStateTables } from '../../src/journal/state/state-tables.js';
import { RETENTION_KEPT_ORDERS_MAX } from '../../src/domain/limits/process.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { SegmentFolder } from '../../src/journal/segments.js';
import type { AccountId, ClientOrderId, OrderId } from '../../src/domain/ids.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { dataFolders } from './data-folders.js';
import { dump, JournalWorld, recover, silentLog, SMALL_SEGMENT_BYTES } from './journal-world.js';
import { ScriptedOrders, START_MS } from './scripted-orders.js';
import { unsyncedDisk } from './unsynced-disk.js';

const folders = dataFolders();

const DEMO = 'demo' as AccountId;
const DAY_MS = 24 * 3600 * 1000;
const OLD_MS = IDEMPOTENCY_MS + 1;

/** Everything that a reader returns of one order. */
function historyIn(reader: StateSnapshot, orderId: OrderId) {
  return {
    order: reader.order(orderId),
    events: reader.events(orderId),
    trades: reader.trades(orderId),
    formerTerms: [0, 1, 2, 3].map((revision) => reader.formerTerms(orderId, revision)),
  };
}

class AgingWorld {
  readonly world: JournalWorld;
  readonly orders = new ScriptedOrders();
  readonly keeper: Keeper;
  #count = 0;

  constructor(segmentBytes = SMALL_SEGMENT_BYTES) {
    this.world = new JournalWorld(folders.fresh(), { segmentBytes });
    const { dataDir, main } = this.world;
    this.keeper = new Keeper({ dataDir, shared: main.shared, log: silentLog, disk: unsyncedDisk });
  }

  /** Turns of ended orders at an age of the journal; returns the orders. */
  trade(ageMs: number, turns = 12): OrderId[] {
    this.orders.nowMs = (START_MS + ageMs) as EpochMs;
    return Array.from({ length: turns }, () => {
      const orderId = this.orders.completeOrder(DEMO, `client-${this.#count++}`);
      this.world.commit(this.orders);
      return orderId;
    });
  }

  /** Makes two checkpoints, so that only age keeps segments, and runs retention once. */
  async retain(): Promise<void> {
    await this.keeper.checkpoint();
    this.trade(this.orders.nowMs - START_MS, 1);
    await this.keeper.checkpoint();
    await this.keeper.retain();
    this.world.main.reader.latest();
  }

  /** An order that stays open, with fills and amendments. */
  workForWeeks(): OrderId {
    const { orders, world } = this;
    const orderId = orders.create(DEMO, 'patient');
    orders.accept(orderId);
    world.commit(orders);
    for (let round = 0; round < 3; round++) {
      orders.fill(orderId, orders.submit(orderId, 100), 100);
      orders.amend(orderId);
      world.commit(orders);
    }
    return orderId;
  }

  historyOf(orderId: OrderId): ReturnType<typeof historyIn> {
    return historyIn(this.world.main.reader.latest(), orderId);
  }

  carriedCount(): number {
    const tables = openStateTables(`${this.world.dataDir}/state`);
    const count = tables.table.carried.getKeysCount();
    void tables.root.close();
    return count;
  }

  segments(): number[] {
    return new SegmentFolder(`${this.world.dataDir}/journal`, SMALL_SEGMENT_BYTES).numbers();
  }

  async problems(): Promise<readonly string[]> {
    return (await verifyJournal(this.world.dataDir, foldEnvelope)).problems;
  }

  async close(): Promise<void> {
    await this.keeper.close();
    await this.world.close();
  }
}

describe('retention', () => {
  test('removes no order before its time', async () => {
    const aging = new AgingWorld();
    aging.trade(0);
    aging.trade(2 * DAY_MS);
    const before = aging.segments();
    await aging.retain();
    expect(aging.segments().slice(0, before.length)).toEqual(before);
    expect(aging.world.main.reader.recent().feedTail({ account: DEMO, topic: 'order', venue: 'BINANCE' })).toBe(1);
    await aging.close();
  });

  test('takes ended orders out after 3 days, with their rows, frames and segments', async () => {
    const aging = new AgingWorld();
    const old = aging.trade(0);
    const young = aging.trade(OLD_MS);
    const reader = aging.world.main.reader.recent();
    await aging.retain();
    expect(old.map((orderId) => reader.order(orderId))).toEqual(old.map(() => null));
    expect(reader.events(old[0]!)).toEqual([]);
    expect(reader.trades(old[0]!)).toEqual([]);
    expect(reader.byClientOrderId(DEMO, 'client-0' as ClientOrderId)).toBeNull();
    expect(reader.find(DEMO, 0 as EpochMs, (START_MS + DAY_MS) as EpochMs, 100)).toEqual([]);
    expect(young.every((orderId) => reader.events(orderId).length === 6)).toBe(true);
    expect(aging.segments()[0]).toBeGreaterThan(1);
    const tail = reader.feedTail({ account: DEMO, topic: 'order', venue: 'BINANCE' });
    expect(tail).toBeGreaterThan(1);
    const kept = reader.feed({ account: DEMO, topic: 'order', venue: 'BINANCE' }, tail - 1, 1_000);
    expect(kept.map(({ n }) => n)).toEqual(Array.from({ length: 75 - tail + 1 }, (_, index) => tail + index));
    expect(await aging.problems()).toEqual([]);
    await aging.close();
  });

  test('keeps an open order with its history, however old, and removes its segments', async () => {
    const aging = new AgingWorld();
    aging.trade(0);
    const open = aging.workForWeeks();
    const first = aging.segments().at(-1)!;
    const before = aging.historyOf(open);
    expect(before.events.length).toBeGreaterThan(12);
    for (let week = 1; week <= 4; week++) {
      aging.trade(week * 7 * DAY_MS);
      await aging.retain();
    }
    expect(aging.segments()[0]).toBeGreaterThan(first);
    expect(aging.historyOf(open)).toEqual(before);
    const reader = aging.world.main.reader.recent();
    expect([...reader.openOrders(DEMO)].map(({ order }) => order.orderId)).toEqual([open]);
    expect(reader.byClientOrderId(DEMO, 'patient' as ClientOrderId)?.orderId).toBe(open);
    expect(await aging.problems()).toEqual([]);
    await aging.close();
  });

  test('keeps the history of an old order through a restart, a power loss and a restore', async () => {
    const aging = new AgingWorld();
    const open = aging.workForWeeks();
    const before = aging.historyOf(open);
    for (let week = 1; week <= 4; week++) {
      aging.trade(week * 7 * DAY_MS);
      await aging.retain();
    }
    expect(aging.segments()[0]).toBeGreaterThan(1);
    const { dataDir } = aging.world;
    const [copy, restored, image] = [folders.fresh(), folders.fresh(), folders.crashImage(dataDir)];
    await backupData(dataDir, copy, { withMasterKey: false });
    await restoreData(copy, restored);
    await aging.close();
    for (const [folder, bootId, origin] of [
      [dataDir, 'boot-1', 'state'],
      [image, 'boot-2', 'checkpoint'],
      [restored, 'boot-2', 'checkpoint'],
    ] as const) {
      const again = recover(folder, { bootId });
      expect(again.report.origin).toBe(origin);
      expect(historyIn(again.reader.recent(), open), folder).toEqual(before);
      expect((await verifyJournal(folder, foldEnvelope)).problems).toEqual([]);
      await again.close();
    }
  });

  test('removes no segment before a sync point and two checkpoints contain what was carried from it', async () => {
    const aging = new AgingWorld();
    aging.workForWeeks();
    aging.trade(0);
    await aging.keeper.checkpoint();
    aging.trade(OLD_MS);
    await aging.keeper.checkpoint();
    await aging.keeper.retain();
    await aging.keeper.retain();
    expect(aging.segments()[0]).toBe(1);
    aging.trade(OLD_MS, 1);
    await aging.keeper.checkpoint();
    await aging.keeper.retain();
    expect(aging.segments()[0]).toBe(1);
    aging.trade(OLD_MS, 1);
    await aging.keeper.checkpoint();
    await aging.keeper.retain();
    expect(aging.segments()[0]).toBeGreaterThan(1);
    expect(await aging.problems()).toEqual([]);
    await aging.close();
  });

  test('removes the carried entries with their order', async () => {
    const aging = new AgingWorld();
    const open = aging.workForWeeks();
    aging.trade(0);
    aging.trade(7 * DAY_MS);
    await aging.retain();
    expect(aging.carriedCount()).toBe(aging.historyOf(open).events.length);
    aging.orders.cancel(open);
    aging.trade(14 * DAY_MS);
    await aging.retain();
    expect(aging.world.main.reader.recent().order(open)).toBeNull();
    expect(aging.carriedCount()).toBe(0);
    expect(await aging.problems()).toEqual([]);
    await aging.close();
  });

  test('checks a bounded number of remaining orders in a round, and continues in the next one', async () => {
    // Turns of many orders, because each turn takes time.
    const aging = new AgingWorld(1024 * 1024);
    for (let count = 0; count < RETENTION_KEPT_ORDERS_MAX + 300; count++) {
      aging.orders.create();
      if (count % 500 === 0) aging.world.commit(aging.orders);
    }
    const old = aging.trade(0, 3);
    aging.trade(OLD_MS);
    await aging.keeper.checkpoint();
    aging.trade(OLD_MS, 1);
    await aging.keeper.checkpoint();
    const reader = aging.world.main.reader;
    await aging.keeper.retain();
    expect(old.every((orderId) => reader.latest().order(orderId) !== null)).toBe(true);
    await aging.keeper.retain();
    expect(old.map((orderId) => reader.latest().order(orderId))).toEqual([null, null, null]);
    await aging.close();
  });

  test('keeps a client order id that was used again', async () => {
    const aging = new AgingWorld();
    aging.orders.completeOrder(DEMO, 'again');
    aging.world.commit(aging.orders);
    aging.orders.nowMs = (START_MS + OLD_MS) as EpochMs;
    const second = aging.orders.completeOrder(DEMO, 'again');
    aging.world.commit(aging.orders);
    await aging.retain();
    expect(aging.world.main.reader.recent().byClientOrderId(DEMO, 'again' as ClientOrderId)?.orderId).toBe(second);
    await aging.close();
  });

  test('waits for two checkpoints and keeps the segments that a replay from the older one needs', async () => {
    const aging = new AgingWorld();
    aging.trade(0);
    await aging.keeper.checkpoint();
    aging.trade(0);
    aging.trade(OLD_MS);
    await aging.keeper.retain();
    expect(aging.segments()[0]).toBe(1);
    await aging.keeper.checkpoint();
    await aging.keeper.retain();
    const image = folders.crashImage(aging.world.dataDir);
    await aging.close();
    rmSync(join(image, 'checkpoint', '0000000000000216'), { recursive: true });
    const again = recover(image, { bootId: 'boot-2' });
    expect(again.report).toMatchObject({ origin: 'checkpoint', lastSeq: 216, replayedCount: 144 });
    await again.close();
  });

  test('done again after a power loss gives the same state', async () => {
    const aging = new AgingWorld();
    aging.trade(0);
    aging.trade(OLD_MS);
    await aging.retain();
    const after = dump(aging.world.dataDir);
    const image = folders.crashImage(aging.world.dataDir);
    await aging.close();
    const again = new JournalWorld(image, { bootId: 'boot-2' });
    expect(dump(image).length).toBeGreaterThan(after.length);
    const keeper = new Keeper({ dataDir: image, shared: again.main.shared, log: silentLog });
    await keeper.retain();
    expect(dump(image)).toEqual(after);
    await keeper.close();
    await again.close();
  });
});

describe('the keeper', () => {
  test('prepares the segment after the current one', async () => {
    const aging = new AgingWorld();
    aging.keeper.prepareSegment();
    expect(aging.segments()).toEqual([1]);
    aging.trade(0, 1);
    aging.keeper.prepareSegment();
    expect(aging.segments()).toEqual([1, 2]);
    aging.trade(0, 20);
    expect(await aging.problems()).toEqual([]);
    await aging.close();
  });

  test('makes no checkpoint while little happened', async () => {
    const aging = new AgingWorld();
    aging.trade(0, 3);
    await aging.keeper.runRound(0);
    await aging.keeper.runRound(3_600_000);
    const image = folders.crashImage(aging.world.dataDir);
    await aging.close();
    const again = recover(image, { bootId: 'boot-2' });
    expect(again.report.origin).toBe('nothing');
    await again.close();
  });
});
