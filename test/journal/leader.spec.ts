import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { LEAD_TURNS_MAX, QUIET_TURN_MS } from '../../src/domain/limits/process.js';
import { IntakeJournal } from '../../src/journal/turn/intake-journal.js';
import { MAIN_LEADER } from '../../src/journal/lead.js';
import { JournalFailure, type NumberedEvent } from '../../src/journal/port.js';
import { SharedJournal } from '../../src/journal/shared-journal.js';
import type { ShardJournal } from '../../src/journal/turn/turn-journal.js';
import { RECORD } from '../../src/journal/turn/turn-record.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { BlockingBell } from '../../src/wire/bell.js';
import { RingProducer } from '../../src/wire/ring.js';
import { randomFrom } from '../wire/random.js';
import { dataFolders } from './data-folders.js';
import { failingDisk, type Fault } from './failing-disk.js';
import { dump, JournalWorld, recover, SMALL_SEGMENT_BYTES } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';
import { unsyncedDisk } from './unsynced-disk.js';

const folders = dataFolders();
const ACCOUNTS = ['alice', 'bob', 'carol'] as readonly string[] as readonly AccountId[];

/** Two shards that may lead, and the journal thread. Their turns are in its first segment from the start. */
class World {
  readonly journal: JournalWorld;
  readonly shards: readonly ShardJournal[];
  readonly released: NumberedEvent[][] = [[], []];
  readonly orders = [new ScriptedOrders(1), new ScriptedOrders(1_000_000)] as const;
  readonly bell: BlockingBell;
  readonly shared: SharedJournal;

  constructor(disk = unsyncedDisk) {
    this.journal = new JournalWorld(folders.fresh(), { shardCount: 2, disk });
    const { threads, main } = this.journal;
    this.shards = [0, 1].map((shard) => {
      const leader = threads.leaderOf(shard);
      onTestFinished(() => leader.close());
      return threads.openShard(shard, leader);
    });
    this.shared = new SharedJournal(main.shared);
    this.commit(0);
    threads.settle();
    this.shards[0]!.releaseDurable();
    this.bell = new BlockingBell(main.shared.bell);
    this.bell.wait(0);
  }

  get isRung(): boolean {
    return this.bell.wait(0) === 'rung';
  }

  commit(shard: number, isAwaited = true, account: AccountId = ACCOUNTS[0]!): void {
    this.orders[shard]!.create(account);
    const { events, touched } = this.orders[shard]!.take();
    this.shards[shard]!.commit(events, touched, (numbered) => this.released[shard]!.push(...numbered), isAwaited);
  }

  /** Lets the shard write, or wakes the journal thread. True: it has written. */
  lead(shard: number): boolean {
    return this.shards[shard]!.wakeLater() === 0;
  }

  async close(): Promise<void> {
    for (const shard of this.shards) shard.close();
    await this.journal.close();
  }
}

function seqsOf(events: readonly NumberedEvent[]): number[] {
  return events.map(({ envelope }) => envelope.seq);
}

describe('a thread that leads', () => {
  it('writes its own turns, also quiet ones, and has their places at once', async () => {
    const world = new World();
    world.commit(0, false);
    world.commit(0);
    world.commit(1);
    expect([world.lead(0), world.isRung]).toEqual([true, false]);
    expect(world.shared.durableSeq).toBe(3);
    world.shards[0]!.releaseDurable();
    expect(seqsOf(world.released[0]!)).toEqual([1, 2, 3]);
    expect([world.lead(1), world.shared.durableSeq]).toEqual([true, 4]);
    await world.close();
  });

  it('leaves more turns, and turns at a time when it may not lead, to the journal thread', async () => {
    const world = new World();
    for (let count = 0; count <= LEAD_TURNS_MAX; count += 1) world.commit(0);
    expect(world.isRung).toBe(true);
    expect(world.lead(0)).toBe(false);
    world.journal.threads.settle();
    world.shards[0]!.releaseDurable();
    world.commit(0);
    expect([world.isRung, world.shards[0]!.wakeLater(false), world.isRung]).toEqual([false, Infinity, true]);
    world.commit(1);
    world.shared.beginSyncPoint();
    expect([world.lead(1), world.isRung], 'while the keeper syncs the state').toEqual([false, true]);
    await world.close();
  });

  it('wakes the journal thread while another thread leads', async () => {
    const world = new World();
    world.commit(0);
    expect(world.shared.lead.tryTake(MAIN_LEADER)).toBe(true);
    expect([world.lead(0), world.isRung, world.shared.durableSeq]).toEqual([false, true, 1]);
    expect([world.shared.lead.claim(), world.shared.lead.free()]).toEqual([false, true]);
    world.journal.threads.settle();
    expect(world.shared.durableSeq).toBe(2);
    await world.close();
  });

  it('does not take a turn of which the journal thread holds the first records', async () => {
    const world = new World();
    const { threads } = world.journal;
    // The first record of a turn, of a thread that is about to send the last one.
    new RingProducer(threads.memoryOf(1).appends).tryWrite(Uint8Array.of(RECORD.continued, 0, 0, 0, 0));
    threads.write();
    expect(threads.sequencer.isClear).toBe(false);
    world.commit(0);
    expect([world.lead(0), world.isRung]).toEqual([false, true]);
    threads.settle();
    expect(world.shared.durableSeq).toBe(2);
    await world.close();
  });

  it('asks to be woken for a quiet turn that follows an awaited one before the journal thread is woken', async () => {
    const world = new World();
    world.commit(0);
    world.journal.threads.write();
    world.commit(0, false);
    expect(world.shards[0]!.wakeLater(false)).toBeLessThanOrEqual(QUIET_TURN_MS);
    world.journal.threads.write();
    world.shards[0]!.releaseDurable();
    expect(seqsOf(world.released[0]!)).toEqual([1, 2, 3]);
    world.commit(0);
    world.commit(0, false);
    expect(world.shards[0]!.wakeLater(false), 'its own time').toBeLessThanOrEqual(QUIET_TURN_MS);
    await world.close();
  });

  it('is woken for a quiet turn that another leader has made durable', async () => {
    const world = new World();
    world.commit(0, false);
    world.journal.threads.write();
    world.shards[0]!.commit([], [], () => world.released[0]!.push(), true);
    expect(world.lead(0)).toBe(true);
    world.shards[0]!.releaseDurable();
    expect([world.shards[0]!.waitingCount, seqsOf(world.released[0]!)]).toEqual([0, [1, 2]]);
    await world.close();
  });
});

describe('the main thread', () => {
  it('leads once in a turn of its event loop: creates that begin in a release go to the journal thread', async () => {
    const world = new World();
    const { threads, main } = world.journal;
    const atEnd: (() => void)[] = [];
    const leader = threads.leaderOf(1);
    onTestFinished(() => leader.close());
    const create = (): void => {
      world.orders[1].create();
      const [event] = world.orders[1].take().events;
      expect(intake.append(event!, intake.encode(event!), release)).toBe(true);
    };
    let releasedCount = 0;
    const release = (): void => {
      releasedCount += 1;
      if (releasedCount < 3) create();
    };
    const intake = new IntakeJournal({
      shared: main.shared,
      memory: threads.memoryOf(1),
      atEndOfTurn: (run) => atEnd.push(run),
      leader,
      onLed: () => intake.releaseDurable(),
    });
    create();
    expect([atEnd.length, world.isRung]).toEqual([1, false]);
    atEnd.shift()!();
    expect([releasedCount, atEnd.length, world.isRung]).toEqual([1, 0, true]);
    threads.settle();
    intake.releaseDurable();
    expect([releasedCount, atEnd.length, world.isRung]).toEqual([2, 1, false]);
    atEnd.shift()!();
    expect([releasedCount, world.shared.durableSeq]).toEqual([3, 4]);
    await world.close();
  });
});

describe('leaders in turn', () => {
  it.each([1, 2, 3, 4])(
    'number events and frames without a gap, over many segments, and a new start finds all of them (seed %i)',
    async (seed) => {
      const world = new World();
      const below = randomFrom(seed);
      let ledCount = 0;
      for (let step = 0; step < 1_500; step += 1) {
        const shard = below(2);
        if (below(3) > 0) world.commit(shard, below(4) > 0, ACCOUNTS[below(ACCOUNTS.length)]);
        if (below(2) === 0 && world.lead(shard)) ledCount += 1;
        if (below(6) === 0) world.journal.threads.write();
        if (below(5) === 0) world.journal.threads.settle();
        if (below(2) === 0) for (const one of world.shards) one.releaseDurable();
      }
      world.journal.threads.settle();
      for (const one of world.shards) one.releaseDurable();
      expect(ledCount).toBeGreaterThan(100);
      const seqs = world.released.flatMap(seqsOf).sort((one, other) => one - other);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      const frames = new Map<string, number[]>();
      for (const { envelope, marks } of world.released.flat()) {
        for (const { topic, n } of marks) {
          const feed = `${envelope.account} ${topic}`;
          frames.set(feed, [...(frames.get(feed) ?? []), n]);
        }
      }
      for (const numbers of frames.values()) {
        expect(numbers.sort((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1));
      }
      const image = folders.crashImage(world.journal.dataDir);
      const before = dump(world.journal.dataDir);
      await world.close();
      const again = recover(image);
      expect(again.report).toMatchObject({ lastSeq: seqs.length, isTornTurnCut: false });
      expect(dump(image)).toEqual(before);
      expect((await verifyJournal(image, foldEnvelope)).problems).toEqual([]);
      expect(again.report.end / SMALL_SEGMENT_BYTES, 'segments').toBeGreaterThan(5);
      await again.close();
    },
  );
});

const FAULTS: readonly Fault[] = [
  { kind: 'full', atWrite: 1, bytesTaken: 100 },
  { kind: 'sync', atSync: 1 },
];

describe('a disk that fails while a thread leads', () => {
  it.each(FAULTS)(
    '($kind) releases nothing, and the journal thread ends the process with the reason',
    async (fault) => {
      const world = new World();
      const { threads, main } = world.journal;
      const leader = threads.leaderOf(0, failingDisk(fault));
      onTestFinished(() => leader.close());
      const shard = threads.openShard(0, leader);
      world.bell.wait(0);
      world.orders[0].create();
      const { events, touched } = world.orders[0].take();
      shard.commit(events, touched, () => expect.unreachable('the turn is not durable'));
      expect(shard.wakeLater(), 'it is not durable').toBe(Infinity);
      expect([world.isRung, world.shared.durableSeq, world.shared.isFailed]).toEqual([true, 1, true]);
      expect(() => shard.releaseDurable()).toThrow(JournalFailure);
      expect(() => world.shards[1]!.releaseDurable()).toThrow(JournalFailure);
      const bells = [0, 1].map((producer) => new BlockingBell(threads.memoryOf(producer).bell));
      for (const bell of bells) bell.wait(0);
      expect(() => threads.settle()).toThrow(/^the journal could not take a turn: .*(ENOSPC|EIO)/);
      expect(bells.map((bell) => bell.wait(0))).toEqual(['rung', 'rung']);
      expect(main.reader.latest().lastSeq()).toBe(1);
      shard.close();
      await world.close();
    },
  );
});
