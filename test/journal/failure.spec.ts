import { expect, test } from 'vitest';
import { JournalFailure } from '../../src/journal/port.js';
import type { AccountId } from '../../src/domain/ids.js';
import { ENTRY_BYTES_MAX } from '../../src/domain/limits/process.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import type { Fold } from '../../src/journal/replay.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { failingDisk, type Fault } from './failing-disk.js';
import { dataFolders } from './data-folders.js';
import { dump, JournalWorld, recover } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = dataFolders();

const FAULTS: readonly Fault[] = [
  { kind: 'full', atWrite: 3, bytesTaken: 1 },
  { kind: 'full', atWrite: 3, bytesTaken: 700 },
  { kind: 'sync', atSync: 3 },
];

function release(): void {
  expect.unreachable('the turn is not durable');
}

test.each(FAULTS)(
  'a disk that fails ($kind) releases nothing of the turn, and fails every later one, also of other shards',
  async (fault) => {
    const world = new JournalWorld(folders.fresh(), { disk: failingDisk(fault), shardCount: 2 });
    const other = world.threads.openShard(1);
    const orders = new ScriptedOrders();
    for (let turn = 0; turn < 2; turn++) {
      orders.completeOrder();
      world.commit(orders);
    }
    const before = dump(world.dataDir);

    const lost = orders.completeOrder();
    const { events, touched } = orders.take();
    world.shard.commit(events, touched, release);
    expect(() => world.threads.settle()).toThrow(/the journal could not take a turn: (ENOSPC|EIO)/);
    expect(() => world.threads.settle()).toThrow(JournalFailure);
    for (const shard of [world.shard, other]) {
      expect(() => shard.releaseDurable()).toThrow(JournalFailure);
      expect(() => shard.commit(events, touched, release)).toThrow(JournalFailure);
    }
    const successor = (): unknown => world.threads.openShard();
    expect(successor, 'a new thread takes no place in this process').toThrow(JournalFailure);
    expect(world.main.reader.latest().order(lost), 'nothing of the turn is seen').toBeNull();
    expect(dump(world.dataDir)).toEqual(before);

    const image = folders.crashImage(world.dataDir);
    other.close();
    await world.close();
    const again = new JournalWorld(image);
    // A failed sync may have written the whole turn. Then the turn counts, although it was not published.
    const isWhole = fault.kind === 'sync';
    expect(again.main.report).toMatchObject({ lastSeq: isWhole ? 18 : 12, isTornTurnCut: !isWhole });
    orders.create();
    again.commit(orders);
    expect((await verifyJournal(image, foldEnvelope)).problems).toEqual([]);
    await again.close();
  },
);

test('a turn that is durable and not in LMDB yet is there after the next start', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  const orderId = orders.create();
  const { events, touched } = orders.take();
  world.shard.commit(events, touched, () => undefined);
  world.threads.sequencer.round();
  const image = folders.crashImage(world.dataDir);
  await world.close();
  const again = new JournalWorld(image);
  expect(again.main.reader.recent().order(orderId)).toEqual(touched[0]);
  await again.close();
});

test('a thread that takes the place of a dead one gets its turns from LMDB and none of its answers', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  const written = orders.create();
  const first = orders.take();
  world.shard.commit(first.events, first.touched, () => expect.unreachable('the thread is dead'));
  world.threads.sequencer.round();
  const handedOver = orders.create();
  const second = orders.take();
  world.shard.commit(second.events, second.touched, () => expect.unreachable('the thread is dead'));
  const successor = world.threads.openShard();
  const open = [...successor.openParents(() => true)].map(({ order }) => order.orderId);
  expect(open).toEqual([written, handedOver]);
  orders.create();
  const numbered = world.commit(orders, successor);
  expect(numbered.map(({ envelope }) => envelope.seq)).toEqual([3]);
  successor.close();
  await world.close();
});

test('an event too large for an entry fails the turn and leaves the journal as it was', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  orders.create();
  const { events, touched } = orders.take();
  const account = 'a'.repeat(ENTRY_BYTES_MAX) as AccountId;
  const large = events.map((event) => ({ ...event, account }));
  expect(() => world.shard.commit(large, touched, () => undefined)).toThrow(JournalFailure);
  await world.close();
  const again = recover(world.dataDir);
  expect(again.report).toMatchObject({ lastSeq: 0, isTornTurnCut: false });
  await again.close();
});

/** A fold that fails as LMDB does, at these of its calls, and counts them. */
function refusedAt(calls: ReadonlySet<number>): { readonly fold: Fold; readonly count: () => number } {
  let count = 0;
  const fold: Fold = (state, envelope) => {
    if (calls.has((count += 1))) throw Object.assign(new Error('MDB_BAD_VALSIZE'), { code: -30_781 });
    return foldEnvelope(state, envelope);
  };
  return { fold, count: () => count };
}

function tradeIn(world: JournalWorld, turns: number, firstId = 1_000): void {
  const orders = new ScriptedOrders(firstId);
  for (let turn = 0; turn < turns; turn++) {
    orders.completeOrder();
    orders.completeOrder();
    world.commit(orders);
  }
}

test('a transaction that LMDB refuses is repeated from the last commit, and the state is as without it', async () => {
  const [plain, troubled] = [
    new JournalWorld(folders.fresh()),
    // In the middle of a turn; twice in a row, in its first and in its last event; in a later one.
    new JournalWorld(folders.fresh(), { fold: refusedAt(new Set([5, 30, 41, 600])).fold }),
  ];
  tradeIn(plain, 100);
  tradeIn(troubled, 100);
  expect(dump(troubled.dataDir)).toEqual(dump(plain.dataDir));
  expect((await verifyJournal(folders.crashImage(troubled.dataDir), foldEnvelope)).problems).toEqual([]);
  await plain.close();
  await troubled.close();
});

test('the third refusal in a row ends the projector, and a new start continues', async () => {
  const refused = refusedAt(new Set([20, 21, 22]));
  const world = new JournalWorld(folders.fresh(), { fold: refused.fold });
  expect(() => tradeIn(world, 10)).toThrow('MDB_BAD_VALSIZE');
  expect(refused.count()).toBe(22);
  const image = folders.crashImage(world.dataDir);
  await world.close();
  const again = new JournalWorld(image);
  tradeIn(again, 1, 2_000);
  expect((await verifyJournal(image, foldEnvelope)).problems).toEqual([]);
  await again.close();
});
