import { LEAD_BYTES_MAX, LEAD_TURNS_MAX } from '../domain/limits/process.js';
import type { Disk } from '../storage/disk.js';
import { assert } from '../domain/rejection.js';
import { BellRinger } from '../wire/bell.js';
import { capacityOf, usedBytesOf } from '../wire/ring.js';
import type { JournalWords } from '../wire/worker-data.js';
import { JournalFailure } from './port.js';
import { Sequencer } from './sequencer.js';
import { type ProducerMemory, SharedJournal } from './shared-journal.js';

/** Bytes of entries that a byte in the ring makes, at most. */
const ENTRIES_PER_RING = 4;

export interface LeaderOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  /** The thread's own rings, and the bell that its sequencer rings. */
  readonly memory: ProducerMemory;
  /** The thread's number in the leader's word. */
  readonly thread: number;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
  /** Whether the disk syncs fast enough. Default: by the latest syncs. */
  readonly isFast?: () => boolean;
}

/**
 * Writes and syncs a thread's own few turns in this thread, in place of the journal thread: an order then changes
 * threads twice less (adr/0096). More turns, a slow disk or another leader leave them to the journal thread.
 */
export class Leader {
  readonly #shared: SharedJournal;
  readonly #memory: ProducerMemory;
  readonly #thread: number;
  readonly #sequencer: Sequencer;
  readonly #journalBell: BellRinger;
  readonly #isFast: () => boolean;

  constructor({ thread, isFast, ...options }: LeaderOptions) {
    const { shared, memory } = options;
    this.#shared = new SharedJournal(shared);
    this.#isFast = isFast ?? (() => this.#shared.lead.isFast);
    this.#memory = memory;
    this.#thread = thread;
    this.#sequencer = new Sequencer({ ...options, producers: [memory] });
    this.#journalBell = new BellRinger(shared.bell);
  }

  /**
   * Makes all turns in the thread's ring durable, and hands their places to the thread. False: nothing is durable, and
   * the journal thread must be woken. `waitingCount`: turns of the thread that are not released yet.
   */
  tryLead(waitingCount: number): boolean {
    const { lead } = this.#shared;
    if (!this.#isWorthwhile(waitingCount) || !lead.tryTake(this.#thread)) return false;
    const isWritten = this.#write();
    if (lead.free()) this.#journalBell.ring();
    return isWritten;
  }

  close(): void {
    this.#sequencer.close();
  }

  /** After a failure the journal thread ends the process and gives the reason. Another error leaves the word taken. */
  #write(): boolean {
    try {
      this.#sequencer.resume();
      do this.#sequencer.round();
      while (this.#sequencer.isCarrying);
    } catch (error) {
      if (error instanceof JournalFailure) return false;
      throw error;
    }
    // The thread hands over whole turns, and `#isWorthwhile` has seen room for their places.
    assert(this.#sequencer.isClear, 'a leader leaves nothing of a turn behind');
    return true;
  }

  #isWorthwhile(waitingCount: number): boolean {
    if (waitingCount > LEAD_TURNS_MAX || !this.#isFast()) return false;
    const { appends, places } = this.#memory;
    const { isStateSyncing, durableEnd, segmentBytes } = this.#shared;
    const usedBytes = usedBytesOf(appends);
    if (isStateSyncing || usedBytes > LEAD_BYTES_MAX) return false;
    // A turn has more bytes than its places.
    if (capacityOf(places) - usedBytesOf(places) < 2 * usedBytes) return false;
    // The journal thread begins each segment, because it may have to create it first.
    const offset = durableEnd % segmentBytes;
    return offset > 0 && segmentBytes - offset >= ENTRIES_PER_RING * usedBytes;
  }
}
