import type { Logger } from 'pino';
import { monotonicMs } from './clock.js';
import type { Config } from './config.js';
import type { CorrelationId } from './model/ids.js';
import {
  BEAT_MS_MAX,
  KEEPER_SILENCE_MS_MAX,
  KEEPER_SILENCE_MS_WARNING,
  SHARD_SILENCE_MS_MAX,
  SHUTDOWN_MS_MAX,
  THREAD_SILENCE_MS_MAX,
  THREAD_SILENCE_MS_WARNING,
} from './model/limits.js';
import type { RestoreMark } from './model/restore.js';
import type { ShardLink } from './route/shard-link.js';
import { Supervisor, type WorkerPlan } from './route/supervisor.js';
import { ThreadWatch, type WatchedThread } from './route/thread-watch.js';
import type {
  CommonWorkerData,
  KeeperWorkerData,
  ShardWorkerData,
  VenueWorkerData,
  WatchdogWorkerData,
} from './route/worker-data.js';
import { Suspects } from './route/suspects.js';
import type { MainThread } from './service-main-thread.js';
import type { ServiceMemory } from './service-memory.js';
import { isSoBy } from './service-waits.js';
import { BellRinger } from './wire/doorbell.js';
import { BEAT_SLOTS, ThreadBeats } from './wire/thread-beats.js';

const VENUE = 'venue';
const KEEPER = 'keeper';
const WATCHDOG = 'watchdog';
/** Threads that exist once. */
type SingleThread = typeof VENUE | typeof KEEPER | typeof WATCHDOG;

export interface ServiceThreadsParts {
  readonly config: Config;
  readonly log: Logger;
  readonly memory: ServiceMemory;
  readonly common: CommonWorkerData;
  /** RecoveredJournal.shared. */
  readonly journal: SharedArrayBuffer;
  readonly main: MainThread;
  /** A shard is up, perhaps the last one that was awaited. */
  readonly onShardBack: () => void;
  /** The restore that is not over; null: there is none. */
  readonly restore: () => RestoreMark | null;
  readonly onFatal: (reason: string) => void;
  readonly onStuck: (reason: string) => void;
}

/** The worker threads of the service: what each is started with, who hears of its coming and going, how all end. */
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

  /** How often each thread has died and was started again, by name. */
  get restarts(): Readonly<Record<string, number>> {
    return this.#restarts;
  }

  /** Milliseconds since each worker thread was last seen moving, by name. */
  get silences(): Readonly<Record<string, number>> {
    return this.#watch.silences;
  }

  /** Names of the threads that are up and do not move. */
  get silent(): readonly string[] {
    return this.#watch.silent;
  }

  start(): void {
    const { config, common, journal, main } = this.#parts;
    const { shards, requests, reports, feedInterest, marketUpdates, tapeClaims, venueControl, budgetFigures } =
      this.#parts.memory;
    const { beats, watchdogControl } = this.#parts.memory;
    const venueData: VenueWorkerData = {
      ...common,
      shards,
      requests,
      reports,
      feedInterest,
      marketUpdates,
      control: venueControl,
      beats,
      seed: config.simSeed,
      faultScript: config.simFaultScript,
      distance: config.simLatency,
      rates: config.venueRates,
      budgetFigures,
    };
    this.#start({ name: VENUE, entry: entryOf('venue'), data: () => venueData });
    for (const link of main.links) {
      this.#start({
        name: shardName(link.shard),
        entry: entryOf('shard'),
        data: (): ShardWorkerData => ({
          ...common,
          shard: link.shard,
          memory: link.memory,
          tapeClaims,
          journal,
          trading: main.trading.mode,
          restore: this.#parts.restore(),
          suspects: this.#suspects.list,
        }),
      });
    }
    const { dataDir, logLevel, diskHaltBytes } = config;
    const { clock } = common;
    const keeperData: KeeperWorkerData = { dataDir, logLevel, clock, journal, beats, diskHaltBytes };
    this.#start({ name: KEEPER, entry: entryOf('keeper'), data: () => keeperData });
    const ownBeats = new ThreadBeats(beats);
    this.#beating = setInterval(() => ownBeats.beat(BEAT_SLOTS.main), BEAT_MS_MAX / 2);
    const watchdogData: WatchdogWorkerData = { logLevel, beats, control: watchdogControl };
    this.#start({ name: WATCHDOG, entry: entryOf('watchdog'), data: () => watchdogData });
  }

  /** Names of the threads that have not started yet, or are down. */
  get awaited(): string[] {
    const names = this.#parts.main.links.filter(({ isUp }) => !isUp).map(({ shard }) => shardName(shard));
    if (!this.#parts.main.venueLine.isVenueUp) names.push(VENUE);
    return names;
  }

  /** To be called about once a second. A thread lost within a transaction is not reported dead: its silence shows it. */
  watchOver(): void {
    this.#watch.look();
  }

  /** Ends all threads, the shards first. Rejects when they have not ended at `endMs` of the monotonic clock. */
  async end(endMs: number): Promise<void> {
    const { memory } = this.#parts;
    const { links } = this.#parts.main;
    const shardsEnded = links.map(async (link) => {
      const ended = this.#supervisor.expectEnd(shardName(link.shard));
      // Its ring may be full of commands that it takes later: without this one the shard would never end.
      await isSoBy(endMs, () => link.post({ kind: 'StopShard', correlationId: 0 as CorrelationId }));
      await ended;
      this.#parts.main.onShardEnded(link);
    });
    await inTime(Promise.all(shardsEnded), endMs);
    const venueEnded = this.#supervisor.expectEnd(VENUE);
    Atomics.store(new Int32Array(memory.venueControl), 0, 1);
    new BellRinger(memory.venueBell).ring();
    const keeperEnded = this.#supervisor.end(KEEPER);
    await inTime(Promise.all([venueEnded, keeperEnded]), endMs);
    this.#parts.main.setVenueUp(false);
    // The last one: until then it ends a shutdown that hangs.
    const watchdogEnded = this.#supervisor.expectEnd(WATCHDOG);
    const watchdogControl = new Int32Array(memory.watchdogControl);
    Atomics.store(watchdogControl, 0, 1);
    Atomics.notify(watchdogControl, 0);
    await inTime(watchdogEnded, endMs);
    if (this.#beating !== null) clearInterval(this.#beating);
  }

  #watchedThreads(): readonly WatchedThread[] {
    const beats = new ThreadBeats(this.#parts.memory.beats);
    const single = (name: SingleThread): WatchedThread => ({
      name,
      beat: () => beats.read(BEAT_SLOTS[name]),
      isUp: () => this.#ready.has(name),
      isRestartable: true,
      silenceMsWarning: name === KEEPER ? KEEPER_SILENCE_MS_WARNING : THREAD_SILENCE_MS_WARNING,
      silenceMsMax: name === KEEPER ? KEEPER_SILENCE_MS_MAX : THREAD_SILENCE_MS_MAX,
    });
    const shards = this.#parts.main.links.map((link) => ({
      name: shardName(link.shard),
      beat: () => link.beat,
      isUp: () => link.isUp,
      isRestartable: false,
      silenceMsWarning: THREAD_SILENCE_MS_WARNING,
      silenceMsMax: SHARD_SILENCE_MS_MAX,
    }));
    return [...shards, single(VENUE), single(KEEPER), single(WATCHDOG)];
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

  #linkOf(name: string): ShardLink | null {
    return this.#parts.main.links.find((link) => shardName(link.shard) === name) ?? null;
  }
}

/** Where a worker's compiled code lies. */
export function entryOf(worker: string): URL {
  return new URL(`../workers/${worker}.js`, import.meta.url);
}

function shardName(shard: number): string {
  return `shard-${shard}`;
}

/** Rejects when the threads have not ended by then: the state must not be marked clean under a thread that writes. */
async function inTime(threads: Promise<unknown>, endMs: number): Promise<void> {
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`threads did not end within ${SHUTDOWN_MS_MAX} ms`);
    setTimeout(() => reject(error), Math.max(0, endMs - monotonicMs()));
  });
  await Promise.race([threads, late]);
}
