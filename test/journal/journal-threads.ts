import type { UnnumberedEvent } from '../../src/domain/event.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { NumberedEvent } from '../../src/journal/port.js';
import { leadRound } from '../../src/journal/journal-loop.js';
import { type Lead, shardLeader } from '../../src/journal/lead.js';
import { Leader } from '../../src/journal/leader.js';
import { Projector } from '../../src/journal/projector.js';
import { Sequencer } from '../../src/journal/sequencer.js';
import { openTurnJournal, type ShardJournal } from '../../src/journal/turn/turn-journal.js';
import type { Fold } from '../../src/journal/replay.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import type { DataFormat } from '../../src/storage/format/format-steps.js';
import type { Disk } from '../../src/storage/disk.js';
import { type ProducerMemory, SharedJournal } from '../../src/journal/shared-journal.js';
import { assert } from '../../src/domain/rejection.js';
import { createBell } from '../../src/wire/bell.js';
import { createRing } from '../../src/wire/ring.js';
import type { JournalWords } from '../../src/wire/worker-data.js';

const RING_BYTES = 512 * 1024;

export interface JournalThreadsOptions {
  readonly dataDir: string;
  readonly shared: JournalWords;
  readonly fold?: Fold;
  readonly shardCount?: number;
  readonly disk?: Disk;
  readonly format?: DataFormat;
}

/** The journal thread, the projector and the shards' handles of one process, all run by the test's thread. */
export class JournalThreads {
  readonly sequencer: Sequencer;
  readonly projector: Projector;
  readonly #options: JournalThreadsOptions;
  readonly #producers;
  readonly #lead: Lead;

  constructor(options: JournalThreadsOptions) {
    const { dataDir, shared, fold = foldEnvelope, shardCount = 1, disk, format } = options;
    this.#options = options;
    this.#lead = new SharedJournal(shared).lead;
    this.#producers = Array.from({ length: shardCount }, () => ({
      appends: createRing(RING_BYTES),
      places: createRing(RING_BYTES),
      bell: createBell(),
    }));
    this.sequencer = new Sequencer({
      dataDir,
      shared,
      producers: this.#producers,
      ...(disk === undefined ? {} : { disk }),
      ...(format === undefined ? {} : { format }),
    });
    this.projector = new Projector({
      dataDir,
      shared,
      fold,
      ...(format === undefined ? {} : { format }),
    });
  }

  /**
   * Opens a shard's handle, as its thread does at each start. With a leader, the shard may write within `wakeLater`.
   */
  openShard(shard = 0, leader?: Leader): ShardJournal {
    const { dataDir, shared } = this.#options;
    return openTurnJournal({
      dataDir,
      shared,
      memory: this.#producers[shard]!,
      pause: () => this.settle(),
      ...(leader === undefined ? {} : { leader }),
    });
  }

  /** The leader of a shard, for which the disk is fast. */
  leaderOf(shard = 0, disk: Disk | undefined = this.#options.disk): Leader {
    const { dataDir, shared } = this.#options;
    return new Leader({
      dataDir,
      shared,
      memory: this.#producers[shard]!,
      thread: shardLeader(shard),
      isFast: () => true,
      ...(disk === undefined ? {} : { disk }),
    });
  }

  /** Memory of a producer that the caller writes to itself. */
  memoryOf(producer: number): ProducerMemory {
    return this.#producers[producer]!;
  }

  /** Writes, syncs and projects everything that the shards have handed over. */
  settle(): void {
    this.write();
    while (!this.projector.isCurrent) this.projector.round();
  }

  /** Writes and syncs as the journal thread. */
  write(): void {
    for (let result = null; result !== 'idle';) {
      result = leadRound(this.sequencer, this.#lead);
      assert(result !== 'taken', 'no thread leads between two calls');
    }
  }

  /** Commits a turn of a shard. Returns its events after they are durable and projected. */
  commit(
    shard: ShardJournal,
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
  ): readonly NumberedEvent[] {
    const released: NumberedEvent[] = [];
    shard.commit(events, touched, (numbered) => released.push(...numbered));
    this.settle();
    shard.releaseDurable();
    return released;
  }

  close(): void {
    this.sequencer.close();
    this.projector.close();
  }
}
