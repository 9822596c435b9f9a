import type { Venue } from '../domain/exchange.js';
import type { ShardClient } from '../intake/shard-client.js';
import type {
  CommonWorkerData,
  JournalWords,
  JournalWorkerData,
  KeeperWorkerData,
  LiveWorkerData,
  LogMemory,
  ProjectorWorkerData,
  RealVenueMemory,
  ShardWorkerData,
  VenueWorkerData,
  WatchdogWorkerData,
} from '../wire/worker-data.js';
import type { Config } from './config.js';
import type { ServiceMemory } from './shared-memory.js';
import { silenceBounds } from './silence-bounds.js';

export const VENUE = 'venue';
export const KEEPER = 'keeper';
export const JOURNAL = 'journal';
export const PROJECTOR = 'projector';
export const WATCHDOG = 'watchdog';
export const READER = 'reader';
/** Threads that exist once. Each name is also that of the thread's code. */
export type SingleThread = typeof VENUE | typeof KEEPER | typeof JOURNAL | typeof PROJECTOR | typeof WATCHDOG;

export function shardName(shard: number): string {
  return `shard-${shard}`;
}

/** Name of the thread of a real exchange. */
export function realVenueThread(venue: Venue): string {
  return `live-${venue}`;
}

/** Names of the threads that write a log, besides the main one. */
export function loggingThreads(shardCount: number, realVenues: Iterable<Venue>): readonly string[] {
  const shards = Array.from({ length: shardCount }, (_, shard) => shardName(shard));
  return [...Array.from(realVenues, realVenueThread), VENUE, KEEPER, JOURNAL, PROJECTOR, WATCHDOG, READER, ...shards];
}

export interface ThreadDataParts {
  readonly config: Config;
  readonly logMemoryOf: (thread: string) => LogMemory;
  readonly memory: ServiceMemory;
  readonly common: CommonWorkerData;
  /** Text of SLUICE_MASTER_KEY. */
  readonly masterKey: string | undefined;
  /** RecoveredJournal.shared. */
  readonly journal: JournalWords;
}

/** Start data of a shard that can differ at each of its starts. */
type ShardStart = Pick<ShardWorkerData, 'trading' | 'restore' | 'suspects'>;

/** Start data of the worker threads. */
export class ThreadData {
  readonly #parts: ThreadDataParts;

  constructor(parts: ThreadDataParts) {
    this.#parts = parts;
  }

  venue(): VenueWorkerData {
    const { config, common, logMemoryOf, memory } = this.#parts;
    const { shards, requests, reports, feedSubscriptions, marketUpdates, beats, throttleFigures } = memory;
    return {
      ...common,
      log: logMemoryOf(VENUE),
      shards,
      requests,
      reports,
      feedSubscriptions,
      marketUpdates,
      control: memory.venueControl,
      beats,
      seed: config.simSeed,
      faultScript: config.simFaultScript,
      distance: config.simLatency,
      rates: config.venueRates,
      throttleFigures,
    };
  }

  live(real: RealVenueMemory): LiveWorkerData {
    const { config, common, logMemoryOf, memory, masterKey } = this.#parts;
    return {
      ...common,
      log: logMemoryOf(realVenueThread(real.venue)),
      memory: real,
      shardBells: memory.shards.map(({ bell }) => bell),
      feedSubscriptions: memory.feedSubscriptions,
      rates: config.venueRates,
      throttleFigures: memory.throttleFigures,
      beats: memory.beats,
      proxy: config.liveProxy,
      origin: config.liveOrigins.get(real.venue) ?? null,
      masterKey: masterKey ?? null,
    };
  }

  shard(link: Pick<ShardClient, 'shard' | 'memory'>, start: ShardStart): ShardWorkerData {
    const { common, logMemoryOf, memory, journal } = this.#parts;
    const { shard } = link;
    const { real, quoteClaims } = memory;
    return {
      ...common,
      log: logMemoryOf(shardName(shard)),
      shard,
      memory: link.memory,
      real,
      quoteClaims,
      journal,
      ...start,
    };
  }

  journal(): JournalWorkerData {
    const { memory } = this.#parts;
    return {
      ...this.#journalData(JOURNAL),
      producers: [...memory.shards, memory.intake],
      control: memory.journalControl,
    };
  }

  projector(): ProjectorWorkerData {
    const { projectorControl: control, tradingFigures, accounts } = this.#parts.memory;
    return { ...this.#journalData(PROJECTOR), control, tradingFigures, accounts };
  }

  keeper(): KeeperWorkerData {
    const { config, common } = this.#parts;
    return { ...this.#journalData(KEEPER), clock: common.clock, diskHaltBytes: config.diskHaltBytes };
  }

  watchdog(): WatchdogWorkerData {
    const { config, logMemoryOf, memory } = this.#parts;
    const { logLevel } = config;
    return {
      logLevel,
      log: logMemoryOf(WATCHDOG),
      beats: memory.beats,
      control: memory.watchdogControl,
      mainSilence: silenceBounds(config.hangMs).main,
    };
  }

  #journalData(thread: SingleThread) {
    const { config, logMemoryOf, memory, journal } = this.#parts;
    const { dataDir, logLevel } = config;
    return { dataDir, logLevel, log: logMemoryOf(thread), journal, beats: memory.beats };
  }
}
