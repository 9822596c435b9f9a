import { afterAll, expect, test } from 'vitest';
import { JournalFailure } from '../../src/journal/port.js';
import { openTurnJournal } from '../../src/journal/turn-journal.js';
import type { AccountId } from '../../src/domain/ids.js';
import { ENTRY_BYTES_MAX } from '../../src/domain/limits/process.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { failingDisk, type Fault } from './failing-disk.js';
import { dump, Folders, JournalWorld, recover } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = new Folders();
afterAll(() => folders.removeAll());

const FAULTS: readonly Fault[] = [
  { kind: 'full', atWrite: 3, bytesTaken: 1 },
  { kind: 'full', atWrite: 3, bytesTaken: 700 },
  { kind: 'sync', atSync: 3 },
];

test.each(FAULTS)(
  'a disk that fails ($kind) fails the turn, every later one, and those of other shards',
  async (fault) => {
    const world = new JournalWorld(folders.fresh(), { disk: failingDisk(fault) });
    const other = openTurnJournal({ dataDir: world.dataDir, shared: world.main.shared });
    const orders = new ScriptedOrders();
    for (let turn = 0; turn < 2; turn++) {
      orders.completeOrder();
      world.commit(orders);
    }
    const before = dump(world.dataDir);

    const lost = orders.completeOrder();
    const { events, touched } = orders.take();
    const commit = (): unknown => world.shard.commit(events, touched);
    expect(commit).toThrow(JournalFailure);
    expect(commit).toThrow(/the journal could not take a turn: (ENOSPC|EIO)/);
    expect(() => other.commit(events, touched)).toThrow(/was appended but not committed/);
    const successor = (): unknown => openTurnJournal({ dataDir: world.dataDir, shared: world.main.shared });
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

function dying(): void {
  throw new Error('the thread dies');
}

test('a turn that was released and never committed is there after the next start', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  const orderId = orders.create();
  const { events, touched } = orders.take();
  expect(() => world.shard.commit(events, touched, dying)).toThrow(JournalFailure);
  const image = folders.crashImage(world.dataDir);
  await world.close();
  const again = new JournalWorld(image);
  expect(again.main.reader.recent().order(orderId)).toEqual(touched[0]);
  await again.close();
});

test('an event too large for an entry fails the turn and leaves the journal as it was', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  orders.create();
  const { events, touched } = orders.take();
  const account = 'a'.repeat(ENTRY_BYTES_MAX) as AccountId;
  const large = events.map((event) => ({ ...event, account }));
  expect(() => world.shard.commit(large, touched)).toThrow(JournalFailure);
  await world.close();
  const again = recover(world.dataDir);
  expect(again.report).toMatchObject({ lastSeq: 0, isTornTurnCut: false });
  await again.close();
});
