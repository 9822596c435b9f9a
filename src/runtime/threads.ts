import type { Logger } from 'pino';
import type { CorrelationId, OrderId } from '../domain/ids.js';
import { BEAT_MS_MAX, WRITER_END_MS_MAX, SHUTDOWN_MS_MAX, SHUTDOWN_POLL_MS } from '../domain/limits/process.js';
import { LIVE_THREAD_HEAP_MEGABYTES } from '../domain/limits/live.js';
import { SUSPECT_DEATHS_MIN } from '../domain/limits/trading.js';
import type { RestoreMark } from '../domain/restore.js';
import type { ShardClient } from '../intake/shard-client.js';
import { shardLeader } from '../journal/lead.js';
import { SharedJournal } from '../journal/shared-journal.js';
import { BellRinger } from '../wire/bell.js';
import { BEAT_SLOTS, realVenueSlot, type ShardWorkerData, ThreadBeats } from '../wire/worker-data.js';
import { monotonicMs } from './clock.js';
import type { MainThread } from './main-thread.js';
import { type SilenceBound, silenceBounds } from './silence-bounds.js';
import { Supervisor, type WorkerPlan } from './supervisor.js';
import {
  JOURNAL,
  KEEPER,
  PROJECTOR,
  realVenueThread,
  shardName,
  type SingleThread,
  ThreadData,
  type ThreadDataParts,
  VENUE,
  WATCHDOG,
} from './thread-data.js';
import { ThreadWatch, type WatchedThread } from './thread-watch.js';

interface ServiceThreadsParts extends ThreadDataParts {
  readonly log: Logger;
  readonly main: MainThread;
  /** Called when a shard is up, perhaps the last missing one. */
  readonly onShardBack: () => void;
  /** The unfinished restore; null: none. */
  readonly restore: () => RestoreMark | null;
  readonly onFatal: (reason: string) => void;
  readonly onStuck: (reason: string) => void;
}

/** The worker threads of the service: their starts, the handlers of their start and end, and the shutdown. */
export class ServiceThreads {
  readonly #parts: ServiceThreadsParts;
  readonly #supervisor: Supervisor;
  readonly #watch: ThreadWatch;
  readonly #restarts: Record<string, number> = {};
  readonly #ready = new Set<string>();
  #beating: NodeJS.Timeout | null = null;
  readonly #suspects = new Suspects();

  constructor(parts: ServiceThreadsParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor(
      {
        onReady: (name, openParents) => this.#onReady(name, openParents),
        onDown: (name, reason) => this.#onDown(name, reason),
        onFatal: (name, reason) => parts.onFatal(`${name}: ${reason}`),
      },
      monotonicMs,
    );
    this.#watch = new ThreadWatch(this.#watchedThreads(), {
      nowMs: monotonicMs,
      log: parts.log,
      terminate: (name, reason) => this.#supervisor.terminate(name, reason),
      onStuck: parts.onStuck,
    });
  }

  /** Number of restarts of each thread, by name. */
  get restarts(): Readonly<Record<string, number>> {
    return this.#restarts;
  }

  /** Milliseconds since the last heartbeat of each worker thread, by name. */
  get silences(): Readonly<Record<string, number>> {
    return this.#watch.silences;
  }

  /** Names of the threads that are up and have no heartbeat. */
  get silent(): readonly string[] {
    return this.#watch.silent;
  }

  start(): void {
    const { main, memory, restore, journal } = this.#parts;
    const data = new ThreadData(this.#parts);
    this.#startAlways(VENUE, data.venue());
    for (const real of memory.real) {
      const live = data.live(real);
      const resourceLimits = { maxOldGenerationSizeMb: LIVE_THREAD_HEAP_MEGABYTES };
      this.#start({ name: realVenueThread(real.venue), entry: entryOf('live'), data: () => live, resourceLimits });
    }
    // A leader of the journal that dies leaves turns without an answer, and a projector a transaction: only a new
    // start helps.
    this.#start({ name: JOURNAL, entry: entryOf('journal'), data: () => data.journal(), isRestartable: never });
    this.#start({ name: PROJECTOR, entry: entryOf('projector'), data: () => data.projector(), isRestartable: never });
    for (const link of main.shardClients) {
      const shard = (): ShardWorkerData =>
        data.shard(link, { trading: main.trading.mode, restore: restore(), suspects: this.#suspects.list });
      const isRestartable = (): boolean => !new SharedJournal(journal).lead.isHeldBy(shardLeader(link.shard));
      this.#start({ name: shardName(link.shard), entry: entryOf('shard'), data: shard, isRestartable });
    }
    this.#startAlways(KEEPER, data.keeper());
    const ownBeats = new ThreadBeats(memory.beats);
    this.#beating = setInterval(() => ownBeats.beat(BEAT_SLOTS.main), BEAT_MS_MAX / 2);
    this.#startAlways(WATCHDOG, data.watchdog());
  }

  /** Names of the threads that have not started yet or are down. */
  get awaited(): string[] {
    const names = this.#parts.main.shardClients.filter(({ isUp }) => !isUp).map(({ shard }) => shardName(shard));
    const { venues } = this.#parts.main;
    if (!venues.isWorkerUp(null)) names.push(VENUE);
    for (const { venue } of this.#parts.memory.real) {
      if (!venues.isWorkerUp(venue)) names.push(realVenueThread(venue));
    }
    return names;
  }

  /**
   * Call it about once a second. A thread that dies within a transaction causes no event: only its silence shows it.
   */
  checkBeats(): void {
    this.#watch.check();
  }

  /** Ends all threads, the shards first. Rejects when they have not ended at `endMs` of the monotonic clock. */
  async end(endMs: number): Promise<void> {
    const { memory } = this.#parts;
    const { shardClients } = this.#parts.main;
    const shardsEnded = shardClients.map(async (link) => {
      const ended = this.#supervisor.expectEnd(shardName(link.shard));
      // A full ring may delay this command. Without it the shard would never end.
      await waitUntil(endMs, () => link.post({ kind: 'StopShard', correlationId: 0 as CorrelationId }));
      await ended;
      this.#parts.main.onShardEnded(link);
    });
    await withDeadline(Promise.all(shardsEnded), endMs);
    await this.#endThread(JOURNAL, memory.journalControl, this.#parts.journal.bell, endMs);
    await this.#endThread(PROJECTOR, memory.projectorControl, this.#parts.journal.projectorBell, endMs);
    const venueEnded = this.#supervisor.expectEnd(VENUE);
    Atomics.store(new Int32Array(memory.venueControl), 0, 1);
    new BellRinger(memory.venueBell).ring();
    const keeperEnded = this.#supervisor.end(KEEPER);
    const realEnded = memory.real.map(({ venue }) => this.#supervisor.end(realVenueThread(venue)));
    await withDeadline(Promise.all([venueEnded, keeperEnded, ...realEnded]), endMs);
    this.#parts.main.setVenueUp(false);
    for (const { venue } of memory.real) this.#parts.main.setVenueUp(false, venue);
    // The watchdog ends last, because it ends a shutdown that hangs.
    const watchdogEnded = this.#supervisor.expectEnd(WATCHDOG);
    const watchdogControl = new Int32Array(memory.watchdogControl);
    Atomics.store(watchdogControl, 0, 1);
    Atomics.notify(watchdogControl, 0);
    await withDeadline(watchdogEnded, endMs);
    if (this.#beating !== null) clearInterval(this.#beating);
  }

  /**
   * Lets the writers of LMDB finish their transactions before the process ends by a failure. Node joins all threads at
   * an exit. A thread that is terminated within a transaction keeps LMDB's lock, and its own end, or that of another
   * thread, would wait for the lock without end. Returns false when a writer has not finished in time.
   */
  endWriters(): boolean {
    const { journal, memory } = this.#parts;
    const ended = [
      new SharedJournal(journal).stopKeeperWrites(WRITER_END_MS_MAX),
      this.#endWriter(PROJECTOR, memory.projectorControl, journal.projectorBell),
      this.#endWriter(VENUE, memory.venueControl, memory.venueBell),
      ...memory.real.map(({ venue, control, bell }) => this.#endWriter(realVenueThread(venue), control, bell)),
    ];
    return ended.every(Boolean);
  }

  /** The thread sets its control word to 2 when it has written for the last time. */
  #endWriter(name: string, control: SharedArrayBuffer, bell: SharedArrayBuffer): boolean {
    if (!this.#ready.has(name)) return true;
    const word = new Int32Array(control);
    if (Atomics.compareExchange(word, 0, 0, 1) === 2) return true;
    new BellRinger(bell).ring();
    return Atomics.wait(word, 0, 1, WRITER_END_MS_MAX) !== 'timed-out';
  }

  async #endThread(
    name: SingleThread,
    control: SharedArrayBuffer,
    bell: SharedArrayBuffer,
    endMs: number,
  ): Promise<void> {
    const ended = this.#supervisor.expectEnd(name);
    Atomics.store(new Int32Array(control), 0, 1);
    new BellRinger(bell).ring();
    await withDeadline(ended, endMs);
  }

  #watchedThreads(): readonly WatchedThread[] {
    const beats = new ThreadBeats(this.#parts.memory.beats);
    const bounds = silenceBounds(this.#parts.config.hangMs);
    const single = (name: SingleThread): WatchedThread => ({
      name,
      beat: () => beats.read(BEAT_SLOTS[name]),
      isUp: () => this.#ready.has(name),
      isRestartable: name !== JOURNAL && name !== PROJECTOR,
      ...silenceOf(name === KEEPER ? bounds.keeper : bounds.thread),
    });
    const shards = this.#parts.main.shardClients.map((link) => ({
      name: shardName(link.shard),
      beat: () => link.beat,
      isUp: () => link.isUp,
      isRestartable: true,
      ...silenceOf(bounds.shard),
    }));
    const real = this.#parts.memory.real.map(({ venue }) => ({
      name: realVenueThread(venue),
      beat: () => beats.read(realVenueSlot(venue)),
      isUp: () => this.#ready.has(realVenueThread(venue)),
      isRestartable: true,
      ...silenceOf(bounds.thread),
    }));
    return [
      ...shards,
      ...real,
      ...[VENUE, KEEPER, JOURNAL, PROJECTOR, WATCHDOG].map((name) => single(name as SingleThread)),
    ];
  }

  /** Starts a thread that gets the same data at each start. */
  #startAlways(name: SingleThread, data: object): void {
    this.#start({ name, entry: entryOf(name), data: () => data });
  }

  #start(plan: WorkerPlan): void {
    this.#restarts[plan.name] = 0;
    this.#supervisor.start(plan);
  }

  #onReady(name: string, openParents: number): void {
    this.#parts.log.info({ thread: name, openParents }, 'thread ready');
    this.#ready.add(name);
    this.#setVenueUp(name, true);
    const link = this.#linkOf(name);
    if (link === null) return;
    this.#parts.main.onShardUp(link);
    this.#parts.onShardBack();
  }

  #onDown(name: string, reason: string): void {
    this.#parts.log.error({ thread: name, reason }, 'thread died');
    this.#restarts[name] = (this.#restarts[name] ?? 0) + 1;
    this.#ready.delete(name);
    this.#watch.forget(name);
    this.#setVenueUp(name, false);
    const link = this.#linkOf(name);
    if (link === null) return;
    this.#suspects.noteDeath(link.faults.atWork);
    this.#parts.main.onShardDown(link);
  }

  #setVenueUp(name: string, isUp: boolean): void {
    if (name === VENUE) this.#parts.main.setVenueUp(isUp);
    const real = this.#parts.memory.real.find(({ venue }) => realVenueThread(venue) === name);
    if (real !== undefined) this.#parts.main.setVenueUp(isUp, real.venue);
  }

  #linkOf(name: string): ShardClient | null {
    return this.#parts.main.shardClients.find((link) => shardName(link.shard) === name) ?? null;
  }
}

function never(): false {
  return false;
}

function silenceOf({ warningMs, maxMs }: SilenceBound): Pick<WatchedThread, 'silenceMsWarning' | 'silenceMsMax'> {
  return { silenceMsWarning: warningMs, silenceMsMax: maxMs };
}

/** URL of a worker's compiled code. */
export function entryOf(worker: string): URL {
  return new URL(`../../workers/${worker}.js`, import.meta.url);
}

/** Rejects at the deadline. The state must not be marked clean while a thread writes to it. */
async function withDeadline(threads: Promise<unknown>, endMs: number): Promise<void> {
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`threads did not end within ${SHUTDOWN_MS_MAX} ms`);
    setTimeout(() => reject(error), Math.max(0, endMs - monotonicMs()));
  });
  await Promise.race([threads, late]);
}

/**
 * Calls `isSo` every SHUTDOWN_POLL_MS until it returns true, but not after `endMs` of the monotonic clock. Resolves
 * with its last result. Calls it at least once.
 */
export async function waitUntil(endMs: number, isSo: () => boolean): Promise<boolean> {
  while (!isSo()) {
    if (monotonicMs() >= endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, SHUTDOWN_POLL_MS));
  }
  return true;
}

/**
 * Counts the deaths of threads by the order in work. The next start quarantines orders with SUSPECT_DEATHS_MIN
 * deaths.
 */
class Suspects {
  readonly #deaths = new Map<OrderId, number>();

  /** Counts one death. `orderId`: the order in work, or null without one. */
  noteDeath(orderId: OrderId | null): void {
    if (orderId !== null) this.#deaths.set(orderId, (this.#deaths.get(orderId) ?? 0) + 1);
  }

  get list(): readonly OrderId[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= SUSPECT_DEATHS_MIN).map(([orderId]) => orderId);
  }
}
