import type { Logger } from 'pino';
import type { CorrelationId, OrderId } from '../domain/ids.js';
import {
  BEAT_MS_MAX,
  WRITER_END_MS_MAX,
  KEEPER_SILENCE_MS_MAX,
  KEEPER_SILENCE_MS_WARNING,
  SHARD_SILENCE_MS_MAX,
  SHUTDOWN_MS_MAX,
  SHUTDOWN_POLL_MS,
  THREAD_SILENCE_MS_MAX,
  THREAD_SILENCE_MS_WARNING,
} from '../domain/limits/process.js';
import { SUSPECT_DEATHS_MIN } from '../domain/limits/trading.js';
import type { RestoreMark } from '../domain/restore.js';
import type { ShardClient } from '../intake/shard-client.js';
import { SharedJournal } from '../journal/shared-journal.js';
import { BellRinger } from '../wire/bell.js';
import {
  BEAT_SLOTS,
  type CommonWorkerData,
  type JournalWords,
  type JournalWorkerData,
  type KeeperWorkerData,
  type LogMemory,
  type ProjectorWorkerData,
  type ShardWorkerData,
  ThreadBeats,
  type VenueWorkerData,
  type WatchdogWorkerData,
} from '../wire/worker-data.js';
import { monotonicMs } from './clock.js';
import type { Config } from './config.js';
import type { MainThread } from './main-thread.js';
import type { ServiceMemory } from './shared-memory.js';
import { Supervisor, type WorkerPlan } from './supervisor.js';
import { ThreadWatch, type WatchedThread } from './thread-watch.js';

const VENUE = 'venue';
const KEEPER = 'keeper';
const JOURNAL = 'journal';
const PROJECTOR = 'projector';
const WATCHDOG = 'watchdog';
export const READER = 'reader';
/** Threads that exist once. */
type SingleThread = typeof VENUE | typeof KEEPER | typeof JOURNAL | typeof PROJECTOR | typeof WATCHDOG;

interface ServiceThreadsParts {
  readonly config: Config;
  readonly log: Logger;
  readonly logMemoryOf: (thread: string) => LogMemory;
  readonly memory: ServiceMemory;
  readonly common: CommonWorkerData;
  /** RecoveredJournal.shared. */
  readonly journal: JournalWords;
  readonly main: MainThread;
  /** Called when a shard is up, perhaps the last missing one. */
  readonly onShardBack: () => void;
  /** The unfinished restore; null: none. */
  readonly restore: () => RestoreMark | null;
  readonly onFatal: (reason: string) => void;
  readonly onStuck: (reason: string) => void;
}

/** The worker threads of the service: their start data, the handlers of their start and end, and the shutdown. */
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
    const { config, common, journal, main, logMemoryOf } = this.#parts;
    const { shards, requests, reports, feedSubscriptions, marketUpdates, quoteClaims, venueControl, throttleFigures } =
      this.#parts.memory;
    const { beats, watchdogControl } = this.#parts.memory;
    const venueData: VenueWorkerData = {
      ...common,
      log: logMemoryOf(VENUE),
      shards,
      requests,
      reports,
      feedSubscriptions,
      marketUpdates,
      control: venueControl,
      beats,
      seed: config.simSeed,
      faultScript: config.simFaultScript,
      distance: config.simLatency,
      rates: config.venueRates,
      throttleFigures,
    };
    this.#start({ name: VENUE, entry: entryOf('venue'), data: () => venueData });
    this.#startJournal();
    for (const link of main.shardClients) {
      this.#start({
        name: shardName(link.shard),
        entry: entryOf('shard'),
        data: (): ShardWorkerData => ({
          ...common,
          log: logMemoryOf(shardName(link.shard)),
          shard: link.shard,
          memory: link.memory,
          quoteClaims,
          journal,
          trading: main.trading.mode,
          restore: this.#parts.restore(),
          suspects: this.#suspects.list,
        }),
      });
    }
    const { dataDir, logLevel, diskHaltBytes } = config;
    const { clock } = common;
    const keeperData: KeeperWorkerData = {
      dataDir,
      logLevel,
      log: logMemoryOf(KEEPER),
      clock,
      journal,
      beats,
      diskHaltBytes,
    };
    this.#start({ name: KEEPER, entry: entryOf('keeper'), data: () => keeperData });
    const ownBeats = new ThreadBeats(beats);
    this.#beating = setInterval(() => ownBeats.beat(BEAT_SLOTS.main), BEAT_MS_MAX / 2);
    const watchdogData: WatchdogWorkerData = {
      logLevel,
      log: logMemoryOf(WATCHDOG),
      beats,
      control: watchdogControl,
    };
    this.#start({ name: WATCHDOG, entry: entryOf('watchdog'), data: () => watchdogData });
  }

  /** A journal thread that dies leaves turns without an answer, and a projector a transaction: only a new start helps. */
  #startJournal(): void {
    const { config, journal, logMemoryOf, memory } = this.#parts;
    const { dataDir, logLevel } = config;
    const common = { dataDir, logLevel, journal, beats: memory.beats };
    const journalData: JournalWorkerData = {
      ...common,
      log: logMemoryOf(JOURNAL),
      producers: [...memory.shards, memory.intake],
      control: memory.journalControl,
    };
    const projectorData: ProjectorWorkerData = {
      ...common,
      log: logMemoryOf(PROJECTOR),
      control: memory.projectorControl,
    };
    this.#start({ name: JOURNAL, entry: entryOf('journal'), data: () => journalData, isRestartable: false });
    this.#start({ name: PROJECTOR, entry: entryOf('projector'), data: () => projectorData, isRestartable: false });
  }

  /** Names of the threads that have not started yet or are down. */
  get awaited(): string[] {
    const names = this.#parts.main.shardClients.filter(({ isUp }) => !isUp).map(({ shard }) => shardName(shard));
    if (!this.#parts.main.venueClient.isVenueUp) names.push(VENUE);
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
    await withDeadline(Promise.all([venueEnded, keeperEnded]), endMs);
    this.#parts.main.setVenueUp(false);
    // The watchdog ends last, because it ends a shutdown that hangs.
    const watchdogEnded = this.#supervisor.expectEnd(WATCHDOG);
    const watchdogControl = new Int32Array(memory.watchdogControl);
    Atomics.store(watchdogControl, 0, 1);
    Atomics.notify(watchdogControl, 0);
    await withDeadline(watchdogEnded, endMs);
    if (this.#beating !== null) clearInterval(this.#beating);
  }

  /**
   * Lets the writers of LMDB finish their transactions before the process ends by a failure. Node joins all threads at an
   * exit. A thread that is terminated within a transaction keeps LMDB's lock, and the join of another one would wait
   * for it.
   */
  endWriters(): void {
    new SharedJournal(this.#parts.journal).stopKeeperWrites(WRITER_END_MS_MAX);
    if (!this.#ready.has(PROJECTOR)) return;
    const control = new Int32Array(this.#parts.memory.projectorControl);
    if (Atomics.compareExchange(control, 0, 0, 1) === 2) return;
    new BellRinger(this.#parts.journal.projectorBell).ring();
    Atomics.wait(control, 0, 1, WRITER_END_MS_MAX);
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
    const single = (name: SingleThread): WatchedThread => ({
      name,
      beat: () => beats.read(BEAT_SLOTS[name]),
      isUp: () => this.#ready.has(name),
      isRestartable: name !== JOURNAL && name !== PROJECTOR,
      silenceMsWarning: name === KEEPER ? KEEPER_SILENCE_MS_WARNING : THREAD_SILENCE_MS_WARNING,
      silenceMsMax: name === KEEPER ? KEEPER_SILENCE_MS_MAX : THREAD_SILENCE_MS_MAX,
    });
    const shards = this.#parts.main.shardClients.map((link) => ({
      name: shardName(link.shard),
      beat: () => link.beat,
      isUp: () => link.isUp,
      isRestartable: true,
      silenceMsWarning: THREAD_SILENCE_MS_WARNING,
      silenceMsMax: SHARD_SILENCE_MS_MAX,
    }));
    return [...shards, ...[VENUE, KEEPER, JOURNAL, PROJECTOR, WATCHDOG].map((name) => single(name as SingleThread))];
  }

  #start(plan: WorkerPlan): void {
    this.#restarts[plan.name] = 0;
    this.#supervisor.start(plan);
  }

  #onReady(name: string, openParents: number): void {
    this.#parts.log.info({ thread: name, openParents }, 'thread ready');
    this.#ready.add(name);
    if (name === VENUE) this.#parts.main.setVenueUp(true);
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
    if (name === VENUE) this.#parts.main.setVenueUp(false);
    const link = this.#linkOf(name);
    if (link === null) return;
    this.#suspects.noteDeath(link.faults.atWork);
    this.#parts.main.onShardDown(link);
  }

  #linkOf(name: string): ShardClient | null {
    return this.#parts.main.shardClients.find((link) => shardName(link.shard) === name) ?? null;
  }
}

/** URL of a worker's compiled code. */
export function entryOf(worker: string): URL {
  return new URL(`../../workers/${worker}.js`, import.meta.url);
}

/** Names of the threads that write a log, besides the main one. */
export function loggingThreads(shardCount: number): readonly string[] {
  const shards = Array.from({ length: shardCount }, (_, shard) => shardName(shard));
  return [VENUE, KEEPER, JOURNAL, PROJECTOR, WATCHDOG, READER, ...shards];
}

function shardName(shard: number): string {
  return `shard-${shard}`;
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
