import type { InstrumentCatalogue } from '../domain/instrument.js';
import { BEAT_MS_MAX } from '../domain/limits/process.js';
import type { ThreadClock } from '../domain/time.js';
import type { SharedListingReader } from '../wire/shared-listing.js';
import type { Shard } from './shard.js';

/** A full ring does not ring when it has room again, so the thread polls. */
const HELD_BACK_POLL_MS = 1;

/** The journal as the loop of a shard needs it. */
interface LoopJournal {
  /**
   * Wakes the journal thread, or writes in this thread (`mayLead`), when an awaited turn was committed or a quiet one
   * has waited long enough. Returns the real milliseconds until the next call; 0: turns are durable now.
   */
  wakeLater(mayLead: boolean): number;
  /** Wakes the journal thread for all turns. */
  wake(): void;
}

/** The shard as its loop needs it. */
type LoopShard = Pick<
  Shard,
  | 'recover'
  | 'turn'
  | 'releaseDurable'
  | 'nextWakeMs'
  | 'isRecovered'
  | 'isStopped'
  | 'isWaiting'
  | 'isBackpressured'
  | 'openParentCount'
>;

interface ShardLoopParts {
  readonly shard: LoopShard;
  readonly clock: Pick<ThreadClock, 'nowMs' | 'realMsUntil'>;
  readonly journal: LoopJournal;
  readonly catalogue: InstrumentCatalogue;
  /** Instruments of real exchanges; null: there are none. */
  readonly listing: SharedListingReader | null;
  /** ShardMemory.beat: the turns so far, then the open parents. */
  readonly beat: SharedArrayBuffer;
  /** Called once, after every order found at the start was checked. */
  readonly onReady: () => void;
}

/** The turns of a shard's thread, from its start to its end. The thread waits between them. */
export class ShardLoop {
  readonly #parts: ShardLoopParts;
  readonly #beat: Int32Array;
  #isReady = false;
  /** Real milliseconds until a quiet turn must be written. 0: turns are durable, and the next turn releases them. */
  #quietMs = 0;

  constructor(parts: ShardLoopParts) {
    this.#parts = parts;
    this.#beat = new Int32Array(parts.beat);
  }

  /** Loads the open parents. Returns their number. */
  recover(): number {
    this.#takeListed();
    return this.#parts.shard.recover();
  }

  /** True when the shard is stopped and all its turns are durable and released. */
  get hasEnded(): boolean {
    const { shard } = this.#parts;
    return shard.isStopped && !shard.isWaiting;
  }

  /**
   * Runs one turn; after the stop it only releases turns. Returns true when the next turn must follow without a wait.
   */
  turn(): boolean {
    const { shard, journal, clock } = this.#parts;
    if (shard.isStopped) {
      shard.releaseDurable();
      return false;
    }
    this.#takeListed();
    const isBusy = shard.turn();
    this.#note();
    // A write in this thread would delay the orders that are due.
    const mayLead = !isBusy && shard.nextWakeMs() > clock.nowMs();
    this.#quietMs = journal.wakeLater(mayLead);
    if (shard.isStopped) journal.wake();
    return isBusy || shard.isStopped;
  }

  /** Real milliseconds until the next turn is due without a ring of the bell: 0..BEAT_MS_MAX. */
  waitMs(): number {
    const { shard, clock } = this.#parts;
    if (shard.isStopped) return HELD_BACK_POLL_MS;
    // A turn has a whole millisecond as its time: before the next one it would find nothing due.
    const dueMs = Math.ceil(shard.nextWakeMs());
    const untilNextMs = Math.min(clock.realMsUntil(dueMs), this.#quietMs, BEAT_MS_MAX);
    return shard.isBackpressured ? Math.min(untilNextMs, HELD_BACK_POLL_MS) : untilNextMs;
  }

  #takeListed(): void {
    const { listing, catalogue } = this.#parts;
    listing?.take((instrument) => catalogue.put(instrument));
  }

  /** Shows the other threads that this one runs. */
  #note(): void {
    const { shard, onReady } = this.#parts;
    Atomics.add(this.#beat, 0, 1);
    Atomics.store(this.#beat, 1, shard.openParentCount);
    if (this.#isReady || !shard.isRecovered) return;
    this.#isReady = true;
    onReady();
  }
}
