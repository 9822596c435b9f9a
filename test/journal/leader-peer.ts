import { parentPort, workerData } from 'node:worker_threads';
import type { AccountId } from '../../src/domain/ids.js';
import { runJournalLoop } from '../../src/journal/journal-loop.js';
import { shardLeader } from '../../src/journal/lead.js';
import { Leader } from '../../src/journal/leader.js';
import { Sequencer } from '../../src/journal/sequencer.js';
import type { NumberedEvent } from '../../src/journal/port.js';
import { type ProducerMemory, SharedJournal } from '../../src/journal/shared-journal.js';
import { TurnProducer } from '../../src/journal/turn/turn-producer.js';
import { type Disk, nodeDisk } from '../../src/storage/disk.js';
import { BlockingBell } from '../../src/wire/bell.js';
import type { JournalWords } from '../../src/wire/worker-data.js';
import { randomFrom } from '../wire/random.js';
import { ScriptedOrders } from './scripted-orders.js';

/** A thread that contends for the journal: a producer by its number, or the journal thread. */
export interface LeaderPeerData {
  readonly role: number | 'journal';
  readonly dataDir: string;
  readonly shared: JournalWords;
  readonly producers: readonly ProducerMemory[];
  readonly turnCount: number;
  /** Word 0: threads between a write and its sync. Word 1: syncs. Word 2: 1 ends the journal thread. */
  readonly watch: SharedArrayBuffer;
}

/** What a producer has seen. */
export interface LeaderPeerAnswer {
  /** Order ids of the released turns by their seq. */
  readonly released: readonly (readonly [seq: number, orderId: number])[];
  /** Number of writes of the thread itself. */
  readonly ledCount: number;
}

/** One of so many turns is large: its records are longer than a quarter of the ring. */
const LARGE_TURNS = 100;
const LARGE_TURN_EVENTS = 500;

const WRITING = 0;
const SYNCS = 1;
const ENDING = 2;
/** Longer than any pause of the machine: a wait of this length means that no ring arrived. */
const LOST_RING_MS = 120_000;

const data = workerData as LeaderPeerData;
const watch = new Int32Array(data.watch);

/** Syncs nothing, and sees when two threads write at once. */
const watchedDisk: Disk = {
  ...nodeDisk,
  sync: () => undefined,
  write(...request) {
    const [, bytes] = request;
    const isJournal = bytes.length < 1024 * 1024 && Atomics.add(watch, WRITING, 1) !== 0;
    if (isJournal) throw new Error('two threads write the journal at once');
    return nodeDisk.write(...request);
  },
  datasync() {
    if (Atomics.sub(watch, WRITING, 1) !== 1) throw new Error('two threads sync the journal at once');
    Atomics.add(watch, SYNCS, 1);
  },
};

function lead(): void {
  const { dataDir, shared, producers } = data;
  const sequencer = new Sequencer({ dataDir, shared, producers, disk: watchedDisk });
  runJournalLoop({
    sequencer,
    lead: new SharedJournal(shared).lead,
    bell: new BlockingBell(shared.bell),
    beat: () => undefined,
    isEnding: () => Atomics.load(watch, ENDING) === 1,
  });
}

function produce(number: number): LeaderPeerAnswer {
  const { dataDir, shared, producers, turnCount } = data;
  const memory = producers[number]!;
  const journal = new SharedJournal(shared);
  const own = { dataDir, shared, memory };
  const leader = new Leader({ ...own, thread: shardLeader(number), disk: watchedDisk, isFast: () => true });
  const producer = new TurnProducer({ ...own, leader });
  const bell = new BlockingBell(memory.bell);
  const below = randomFrom(number + 1);
  const orders = new ScriptedOrders(1_000_000 * (number + 1));
  const released: (readonly [number, number])[] = [];
  let ledCount = 0;
  for (let turn = 0; turn < turnCount; turn += 1) {
    // Accounts of all producers, so that they number the same feeds. A large turn has several records.
    const count = below(LARGE_TURNS) === 0 ? LARGE_TURN_EVENTS : 1;
    const orderIds = Array.from({ length: count }, () => orders.create(`account-${below(40)}` as AccountId));
    const syncsBefore = Atomics.load(watch, SYNCS);
    const release = (numbered: readonly NumberedEvent[]): void => {
      const { seq } = numbered.at(-1)!.envelope;
      if (journal.durableSeq < seq) throw new Error(`event ${seq} is released before it is durable`);
      if (Atomics.load(watch, SYNCS) === syncsBefore) throw new Error(`event ${seq} is released before a sync`);
      for (const [index, { envelope }] of numbered.entries()) released.push([envelope.seq, orderIds[index]!]);
    };
    producer.append(orders.take().events, release, below(5) > 0);
    // Some rounds hand several turns over, so that the journal thread leads too.
    if (below(4) === 0) continue;
    for (;;) {
      const untilMs = producer.wakeLater(below(8) > 0);
      if (untilMs === 0) ledCount += 1;
      producer.releaseDurable();
      if (producer.waitingCount <= below(4)) break;
      if (untilMs === Infinity) wait(bell);
      else bell.wait(untilMs);
    }
  }
  producer.wake();
  while (producer.waitingCount > 0) {
    bell.wait(1);
    producer.releaseDurable();
  }
  leader.close();
  return { released, ledCount };
}

function wait(bell: BlockingBell): void {
  if (bell.wait(LOST_RING_MS) === 'timed out') throw new Error('a ring was lost');
}

const { role } = data;
if (role === 'journal') lead();
parentPort!.postMessage(role === 'journal' ? 'done' : produce(role));
