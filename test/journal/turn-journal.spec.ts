import { describe, expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import type { NumberedEvent } from '../../src/journal/port.js';
import { SharedJournal } from '../../src/journal/shared-journal.js';
import { COMMIT_WAIT_MS_MAX } from '../../src/domain/limits/process.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, VenueTradeId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ShardJournal } from '../../src/journal/turn/turn-journal.js';
import type { Disk } from '../../src/storage/disk.js';
import { dataFolders } from './data-folders.js';
import { dump, JournalWorld } from './journal-world.js';
import { ScriptedOrders, START_MS } from './scripted-orders.js';
import { unsyncedDisk } from './unsynced-disk.js';

const folders = dataFolders();

const DEMO = 'demo' as AccountId;

/** Lets reads of this test wait for the projector for 1 ms only. */
function shortWait(): MockInstance {
  const { awaitProjected } = SharedJournal.prototype;
  const wait = vi.spyOn(SharedJournal.prototype, 'awaitProjected').mockImplementation(function (
    this: SharedJournal,
    seq,
  ) {
    return awaitProjected.call(this, seq, 1);
  });
  onTestFinished(() => wait.mockRestore());
  return wait;
}

describe('a turn', () => {
  test('numbers its events without a gap and marks their frames', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.completeOrder();
    const first = world.commit(orders);
    orders.create();
    const second = world.commit(orders);
    expect([...first, ...second].map(({ envelope }) => envelope.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(first.at(-1)?.marks).toEqual([
      { topic: 'child_order', n: 3 },
      { topic: 'trade', n: 1 },
      { topic: 'order', n: 3 },
    ]);
    expect(second[0]?.marks).toEqual([{ topic: 'order', n: 4 }]);
    await world.close();
  });

  test('resolves a causation within the turn', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create();
    world.commit(orders);
    orders.completeOrder();
    const { events, touched } = orders.take();
    const caused = events.map((event, index) => ({ ...event, causationSeq: -index }));
    const numbered = world.threads.commit(world.shard, caused, touched);
    expect(numbered.map(({ envelope }) => Math.abs(envelope.causationSeq))).toEqual([0, 2, 2, 2, 2, 2]);
    await world.close();
  });

  test('writes no entry when it is empty', async () => {
    const world = new JournalWorld(folders.fresh());
    expect(world.threads.commit(world.shard, [], [])).toEqual([]);
    expect(world.main.reader.recent().lastSeq()).toBe(0);
    await world.close();
  });

  test('is released when it is durable, perhaps before LMDB contains it; a read then waits for LMDB', async () => {
    const world = new JournalWorld(folders.fresh());
    const { reader } = world.main;
    const orders = new ScriptedOrders();
    const orderId = orders.create();
    const { events, touched } = orders.take();
    const released: NumberedEvent[] = [];
    world.shard.commit(events, touched, (turn) => released.push(...turn));
    world.shard.releaseDurable();
    expect(released).toEqual([]);
    expect(world.shard.waitingCount).toBe(1);
    world.threads.sequencer.round();
    world.shard.releaseDurable();
    expect(released.map(({ envelope }) => envelope.event.kind)).toEqual(['ParentCreated']);
    const wait = shortWait();
    expect(reader.complete(), 'the projector does not run while this thread waits').toBeNull();
    expect(wait).toHaveBeenLastCalledWith(1, COMMIT_WAIT_MS_MAX);
    expect(reader.recent().order(orderId)).toBeNull();
    world.threads.projector.round();
    expect(reader.complete()).not.toBeNull();
    expect(reader.recent().order(orderId)).toEqual(touched[0]);
    await world.close();
  });

  test('is not released before the end of its sync, however often its shard looks', async () => {
    const diary: string[] = [];
    let shard: ShardJournal | null = null;
    const look = (): void => shard?.releaseDurable();
    const disk: Disk = {
      ...unsyncedDisk,
      write(...args) {
        look();
        return unsyncedDisk.write(...args);
      },
      datasync() {
        look();
        diary.push('synced');
      },
    };
    const world = new JournalWorld(folders.fresh(), { disk });
    shard = world.shard;
    const orders = new ScriptedOrders();
    for (const name of ['first', 'second']) {
      orders.create();
      const { events, touched } = orders.take();
      world.shard.commit(events, touched, () => diary.push(name));
    }
    world.threads.sequencer.round();
    look();
    expect(diary).toEqual(['synced', 'first', 'second']);
    await world.close();
  });

  test('without events waits for the turns before it', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create();
    const { events, touched } = orders.take();
    const diary: string[] = [];
    world.shard.commit([], [], () => diary.push('nothing waits'));
    world.shard.commit(events, touched, () => diary.push('order'));
    world.shard.commit([], [], () => diary.push('answers'));
    expect(diary).toEqual(['nothing waits']);
    world.threads.settle();
    world.shard.releaseDurable();
    expect(diary).toEqual(['nothing waits', 'order', 'answers']);
    expect(world.shard.waitingCount).toBe(0);
    await world.close();
  });

  test('is read by its shard before it is durable', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const orderId = orders.create();
    orders.accept(orderId);
    const child = orders.submit(orderId, 1_000);
    const tradeId = orders.fill(orderId, child, 1_000);
    const { events, touched } = orders.take();
    expect(touched[0]).toMatchObject({ status: 'FILLED' });
    world.shard.commit(events, touched, () => undefined);
    expect(world.shard.state(orderId)).toBe(touched[0]);
    expect(world.shard.hasTrade(orderId, child, tradeId)).toBe(true);
    world.threads.settle();
    world.shard.releaseDurable();
    expect(world.shard.state(orderId), 'LMDB contains it').toEqual(touched[0]);
    expect(world.shard.hasTrade(orderId, child, tradeId)).toBe(true);
    await world.close();
  });

  test('must hand over the states of exactly the orders it has events of', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create();
    const { events, touched } = orders.take();
    expect(() => world.threads.commit(world.shard, events, [])).toThrow('0 states for the events of 1 orders');
    world.threads.commit(world.shard, events, touched);
    await world.close();
  });
});

describe('what was committed', () => {
  test('is read by another thread’s handle after a refresh', async () => {
    const world = new JournalWorld(folders.fresh());
    const { reader } = world.main;
    const orders = new ScriptedOrders();
    const open = orders.create(DEMO, 'mine');
    expect(reader.recent().order(open)).toBeNull();
    world.commit(orders);
    reader.latest();
    expect(reader.recent().order(open)).toEqual(orders.states.get(open));
    expect([...reader.recent().openOrders(DEMO)].map(({ order }) => order.orderId)).toEqual([open]);
    expect([...reader.recent().openOrders('dem' as AccountId)]).toEqual([]);
    expect(reader.recent().byClientOrderId(DEMO, 'mine' as ClientOrderId)).toEqual({
      orderId: open,
      requestDigest: '1000'.padStart(32, '0'),
    });
    expect(reader.recent().byClientOrderId('other' as AccountId, 'mine' as ClientOrderId)).toBeNull();
    expect(reader.recent().lastSeq()).toBe(1);
    await world.close();
  });

  test('leaves the open orders when it ends an order, and keeps its history', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const done = orders.completeOrder();
    const open = orders.create();
    orders.balance(DEMO, done);
    world.commit(orders);
    const reader = world.main.reader.latest();
    expect([...reader.openOrders(DEMO)].map(({ order }) => order.orderId)).toEqual([open]);
    expect(reader.events(done).map(({ event }) => event.kind)).toEqual([
      'ParentCreated',
      'ParentAccepted',
      'ParentStarted',
      'ChildSubmitted',
      'ChildAccepted',
      'ChildFilled',
    ]);
    expect(reader.trades(done).map(({ seq }) => seq)).toEqual([6]);
    expect([...world.shard.openParents(() => true)].map(({ order }) => order.orderId)).toEqual([open]);
    expect([...world.shard.openParents((slot) => slot !== open % 256)]).toEqual([]);
    await world.close();
  });

  test('lists trades in journal order, not in that of their ids', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const orderId = orders.create();
    orders.accept(orderId);
    const [first, second] = [orders.submit(orderId, 500), orders.submit(orderId, 500)];
    orders.fill(orderId, second, 500);
    orders.fill(orderId, first, 100);
    const numbered = world.commit(orders);
    const trades = world.main.reader.latest().trades(orderId);
    expect(trades).toEqual(numbered.slice(-2).map(({ envelope }) => envelope));
    expect(world.shard.hasTrade(orderId, second, 1 as VenueTradeId)).toBe(true);
    expect(world.shard.hasTrade(orderId, first, 1 as VenueTradeId)).toBe(false);
    expect(world.shard.hasTrade(orderId, 3 as ChildNumber, 1 as VenueTradeId)).toBe(false);
    await world.close();
  });

  test('is found by time, newest first and within the limits', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const ids: OrderId[] = [];
    for (let minute = 0; minute < 5; minute++) {
      orders.nowMs = (START_MS + minute * 60_000) as EpochMs;
      ids.push(orders.create());
    }
    world.commit(orders);
    const reader = world.main.reader.latest();
    const find = (from: number, to: number, limit: number): OrderId[] =>
      reader
        .find(DEMO, (START_MS + from * 60_000) as EpochMs, (START_MS + to * 60_000) as EpochMs, limit)
        .map(({ order }) => order.orderId);
    expect(find(0, 4, 10)).toEqual(ids.toReversed());
    expect(find(1, 3, 10)).toEqual([ids[3], ids[2], ids[1]]);
    expect(find(1, 3, 2)).toEqual([ids[3], ids[2]]);
    expect(find(5, 9, 10)).toEqual([]);
    await world.close();
  });

  test('is replayed from a feed after any frame', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const { reader } = world.main;
    expect([
      reader.recent().feedHead({ account: DEMO, topic: 'order', venue: 'BINANCE' }),
      reader.recent().feedTail({ account: DEMO, topic: 'order', venue: 'BINANCE' }),
    ]).toEqual([0, 1]);
    for (let count = 0; count < 4; count++) {
      orders.completeOrder();
      world.commit(orders);
    }
    reader.latest();
    expect([
      reader.recent().feedHead({ account: DEMO, topic: 'order', venue: 'BINANCE' }),
      reader.recent().feedTail({ account: DEMO, topic: 'order', venue: 'BINANCE' }),
    ]).toEqual([12, 1]);
    expect(
      reader
        .recent()
        .feed({ account: DEMO, topic: 'order', venue: 'BINANCE' }, 7, 3)
        .map(({ n, envelope }) => [n, envelope.event.kind]),
    ).toEqual([
      [8, 'ParentAccepted'],
      [9, 'ChildFilled'],
      [10, 'ParentCreated'],
    ]);
    expect(reader.recent().feed({ account: DEMO, topic: 'order', venue: 'BINANCE' }, 12, 3)).toEqual([]);
    expect(reader.recent().feed({ account: DEMO, topic: 'order', venue: 'KRAKEN' }, 0, 3)).toEqual([]);
    await world.close();
  });
});

test('two shards share one order of events and one numbering of feeds', async () => {
  const world = new JournalWorld(folders.fresh(), { shardCount: 2 });
  const other = world.threads.openShard(1);
  const scripts = [new ScriptedOrders(1_000), new ScriptedOrders(900_000)] as const;
  const seqs: number[] = [];
  const frames: number[] = [];
  for (let round = 0; round < 60; round++) {
    const script = scripts[round % 3 === 0 ? 0 : 1];
    script.completeOrder();
    const numbered = world.commit(script, round % 2 === 0 ? world.shard : other);
    for (const { envelope, marks } of numbered) {
      seqs.push(envelope.seq);
      frames.push(...marks.filter(({ topic }) => topic === 'order').map(({ n }) => n));
    }
  }
  expect(seqs).toEqual(Array.from({ length: 360 }, (_, index) => index + 1));
  expect(frames).toEqual(Array.from({ length: 180 }, (_, index) => index + 1));
  const before = dump(world.dataDir);
  other.close();
  await world.close();
  expect(dump(world.dataDir)).toEqual(before);
});

function timerCount(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('reads of a thread without a turning event loop leave no timers and see its own turns', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  const before = timerCount();
  for (let turn = 0; turn < 50; turn++) {
    const orderId = orders.create();
    orders.accept(orderId);
    const child = orders.submit(orderId, 500);
    const tradeId = orders.fill(orderId, child, 500);
    expect(world.shard.hasTrade(orderId, child, tradeId)).toBe(false);
    world.commit(orders);
    expect(world.shard.hasTrade(orderId, child, tradeId)).toBe(true);
    expect(world.shard.state(orderId)).toEqual(orders.states.get(orderId));
  }
  expect(timerCount() - before).toBeLessThan(5);
  await world.close();
});
