import type { TradingMode } from '../domain/command.js';
import { type RealVenues, type Venue, VENUES } from '../domain/exchange.js';
import type { OrderId } from '../domain/ids.js';
import { type Contradiction, CONTRADICTIONS } from '../domain/quarantine.js';
import type { ReadPage, ReadRequest } from '../domain/query.js';
import type { RestoreMark } from '../domain/restore.js';
import type { DurationMs } from '../domain/time.js';
import type { AccountMemory } from './account-counts.js';

/** The data from which every thread computes the same service time. */
export interface ClockOrigin {
  /** The machine's monotonic clock at the start, in milliseconds. */
  readonly monotonicMs: number;
  /** The part of service time − wall clock at the start that simulated speeds caused. */
  readonly leadMs: number;
  /** Regular number of service milliseconds in a real millisecond. */
  readonly speed: number;
  /** The present pace, shared by all threads. It differs from the speed while the clock is slewed. */
  readonly pace: SharedArrayBuffer;
}

/** RecoveredJournal.shared: the memory that all threads of the journal share. */
export interface JournalWords {
  readonly words: SharedArrayBuffer;
  readonly bell: SharedArrayBuffer;
  readonly projectorBell: SharedArrayBuffer;
  /** The word of the leader (journal/lead). */
  readonly lead: SharedArrayBuffer;
  /** Numbers of the latest frames (journal/feed-heads). */
  readonly feedHeads: SharedArrayBuffer;
}

/** Memory of one thread's log lines on their way to the log writer. */
export interface LogMemory {
  readonly ring: SharedArrayBuffer;
  /** The log writer's bell. */
  readonly bell: SharedArrayBuffer;
  /** Lines sent, written, and dropped since the last notice. */
  readonly counts: SharedArrayBuffer;
}

/** Start data of the thread that writes all logs. */
export interface LogWriterWorkerData {
  readonly bell: SharedArrayBuffer;
  /** Keyed by the thread's name. */
  readonly threads: Readonly<Record<string, LogMemory>>;
}

/** Rings between the main thread, one shard and the venue worker. */
export interface ShardMemory {
  /** Main → shard. */
  readonly commands: SharedArrayBuffer;
  /** Shard → main. */
  readonly events: SharedArrayBuffer;
  /** Shard → venue. */
  readonly requests: SharedArrayBuffer;
  /** Venue → shard. */
  readonly reports: SharedArrayBuffer;
  /** Shard → journal thread: turns. */
  readonly appends: SharedArrayBuffer;
  /** Journal thread → shard: places of durable turns. */
  readonly places: SharedArrayBuffer;
  /** Rung after every write to the shard. */
  readonly bell: SharedArrayBuffer;
  /** Word 0 grows with every turn. A shard that is rung and makes no turn is stuck. Word 1: number of open parents. */
  readonly beat: SharedArrayBuffer;
  /** Figures of quarantined orders and contradictory reports. */
  readonly faults: SharedArrayBuffer;
  /** The accounts whose events the main thread needs, the same memory for all shards. */
  readonly followed: SharedArrayBuffer;
  /** Numbers of accounts, the same memory for all threads. */
  readonly accounts: AccountMemory;
  /** Open orders of the shard by account. A new start of its thread gets new counts. */
  readonly openOrders: SharedArrayBuffer;
  /** The latest event of each account that the shard has released. */
  readonly latestEvents: SharedArrayBuffer;
}

/** Rings between one shard and the worker of a real exchange. */
export interface VenueRings {
  /** Shard → worker and worker → shard. */
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
}

/** Memory between the worker of a real exchange and the other threads. */
export interface RealVenueMemory extends VenueRings {
  readonly venue: Venue;
  readonly bell: SharedArrayBuffer;
  /** Word 0: 1 ends the worker's writes, and the worker sets 2 when it has written for the last time. */
  readonly control: SharedArrayBuffer;
  /** By number of the shard. The rings of this object itself are those of the main thread. */
  readonly shards: readonly VenueRings[];
  /** Worker → main. */
  readonly marketUpdates: SharedArrayBuffer;
}

/** Start data of the thread that watches the main thread. */
export interface WatchdogWorkerData {
  readonly logLevel: string;
  readonly log: LogMemory;
  readonly beats: SharedArrayBuffer;
  /** Word 0: 1 ends the worker. */
  readonly control: SharedArrayBuffer;
  /** Silence of the main thread that is logged, and that ends the process. */
  readonly mainSilence: { readonly warningMs: number; readonly maxMs: number };
}

/** Start data of every worker thread. */
export interface CommonWorkerData {
  readonly dataDir: string;
  readonly logLevel: string;
  readonly clock: ClockOrigin;
  readonly shardCount: number;
  readonly marketCache: SharedArrayBuffer;
  readonly depth: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly venueBell: SharedArrayBuffer;
  readonly realVenues: RealVenues;
  /** Instruments of real exchanges (SharedListingReader); null: there are none. */
  readonly listing: SharedArrayBuffer | null;
}

export interface ShardWorkerData extends CommonWorkerData {
  readonly log: LogMemory;
  readonly shard: number;
  /** Orders to quarantine at the start. */
  readonly suspects: readonly OrderId[];
  readonly memory: ShardMemory;
  /** Workers of real exchanges. */
  readonly real: readonly RealVenueMemory[];
  readonly quoteClaims: SharedArrayBuffer;
  readonly journal: JournalWords;
  /** The trading mode at the start of the thread. Later changes arrive as commands. */
  readonly trading: TradingMode;
  /** The unfinished restore; null: none. */
  readonly restore: RestoreMark | null;
}

export interface VenueWorkerData extends CommonWorkerData {
  readonly log: LogMemory;
  readonly shards: readonly ShardMemory[];
  /** Main → venue and venue → main. */
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
  /** The market feeds that the main thread follows, and their updates: venue → main. */
  readonly feedSubscriptions: SharedArrayBuffer;
  readonly marketUpdates: SharedArrayBuffer;
  readonly seed: number;
  /** Test conditions for the venues: a valid fault script, and the network distance. */
  readonly faultScript: string;
  readonly distance: 'none' | 'profile';
  /** Requests that each venue accepts for one account, null without a limit; and memory for their figures. */
  readonly rates: Readonly<Record<Venue, { readonly count: number; readonly perMs: DurationMs } | null>>;
  readonly throttleFigures: SharedArrayBuffer;
  /** Word 0: 1 ends the worker. */
  readonly control: SharedArrayBuffer;
  readonly beats: SharedArrayBuffer;
}

/** Start data of the worker of one real exchange. */
export interface LiveWorkerData extends CommonWorkerData {
  readonly log: LogMemory;
  readonly memory: RealVenueMemory;
  readonly shardBells: readonly SharedArrayBuffer[];
  readonly feedSubscriptions: SharedArrayBuffer;
  readonly rates: VenueWorkerData['rates'];
  readonly throttleFigures: SharedArrayBuffer;
  readonly beats: SharedArrayBuffer;
  /** A CONNECT proxy for the connections to the exchange; null: none. */
  readonly proxy: string | null;
  /** The address that replaces the hosts of the exchange; null: none. */
  readonly origin: string | null;
  /** Text of SLUICE_MASTER_KEY; null: the file of the data directory. */
  readonly masterKey: string | null;
}

export interface KeeperWorkerData {
  /** Free space below which no order is placed. */
  readonly diskHaltBytes: number;
  readonly beats: SharedArrayBuffer;
  readonly dataDir: string;
  readonly logLevel: string;
  readonly log: LogMemory;
  readonly clock: ClockOrigin;
  readonly journal: JournalWords;
}

/** Start data of the journal thread. */
export interface JournalWorkerData {
  readonly dataDir: string;
  readonly logLevel: string;
  readonly log: LogMemory;
  readonly journal: JournalWords;
  /** The rings and the bell of each producer: the shards by number, then the main thread. */
  readonly producers: readonly Pick<ShardMemory, 'appends' | 'places' | 'bell'>[];
  readonly beats: SharedArrayBuffer;
  /** Word 0: 1 ends the worker. */
  readonly control: SharedArrayBuffer;
}

/** Start data of the projector. It sets word 0 of `control` to 2 when it has ended. */
export type ProjectorWorkerData = Omit<JournalWorkerData, 'producers'> & {
  readonly tradingFigures: SharedArrayBuffer;
  readonly accounts: AccountMemory;
};

/** Start data of a thread that computes execution costs. */
export interface AnalystWorkerData {
  readonly dataDir: string;
  readonly journal: JournalWords;
}

/** Start data of the thread that reads larger answers. */
export interface ReaderWorkerData {
  readonly dataDir: string;
  readonly logLevel: string;
  readonly log: LogMemory;
  readonly journal: JournalWords;
}

/** Main → reader. */
export type ReaderCommand =
  | { readonly kind: 'page'; readonly job: number; readonly request: ReadRequest | null }
  | { readonly kind: 'drop'; readonly job: number }
  | { readonly kind: 'end' };

/** Reader → main, one for each requested page. */
export interface ReaderAnswer {
  readonly page: ReadPage | null;
}

/** Worker → main, through the thread's own port. Only life-cycle messages use it. */
export type WorkerNotice =
  | { readonly kind: 'ready'; readonly openParents: number }
  /** The thread ends for this reason. `isFatal`: a restart cannot help, because the journal failed. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFatal: boolean };

/** Slots of the threads that exist once. Each shard has a heartbeat in its own memory. */
export const BEAT_SLOTS = { main: 0, watchdog: 1, venue: 2, keeper: 3, journal: 4, projector: 5 } as const;

const SINGLE_COUNT = Object.keys(BEAT_SLOTS).length;
/** Each trading exchange has a slot for the worker of the real exchange. */
const SLOT_COUNT = SINGLE_COUNT + VENUES.length;

/** Slot of the worker of a real exchange. */
export function realVenueSlot(venue: Venue): number {
  return SINGLE_COUNT + VENUES.indexOf(venue);
}

/**
 * Heartbeats: one word for each thread, which grows while the thread runs. A waiting thread wakes at least every
 * BEAT_MS_MAX.
 */
export class ThreadBeats {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  static create(): SharedArrayBuffer {
    return new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT);
  }

  beat(slot: number): void {
    Atomics.add(this.#words, slot, 1);
  }

  read(slot: number): number {
    return Atomics.load(this.#words, slot);
  }
}

/** Bytes of the order id in work, before the counters of 32 bits. */
const ORDER_BYTES = 8;
/**
 * Index of the first counter. Word 0 is the number of quarantined orders. Each kind of contradiction has one counter.
 */
const COUNTERS_FROM = 1;

/** Creates the memory of one shard's figures. It outlives the thread. */
export function createFaultFigures(): SharedArrayBuffer {
  return new SharedArrayBuffer(ORDER_BYTES + Int32Array.BYTES_PER_ELEMENT * (COUNTERS_FROM + CONTRADICTIONS.length));
}

/** Figures of one shard's faulty orders. Its thread writes them, the main thread reads them. */
export class FaultFigures {
  readonly #order: Float64Array;
  readonly #counts: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#order = new Float64Array(memory, 0, 1);
    this.#counts = new Int32Array(memory, ORDER_BYTES);
  }

  /** The order in work, now or when the thread died; null: none. */
  get atWork(): OrderId | null {
    const orderId = this.#order[0] ?? 0;
    return orderId === 0 ? null : (orderId as OrderId);
  }

  setAtWork(orderId: OrderId | null): void {
    this.#order[0] = orderId ?? 0;
  }

  /** Open orders that are quarantined or set aside. */
  get quarantinedCount(): number {
    return Atomics.load(this.#counts, 0);
  }

  setQuarantinedCount(count: number): void {
    if (Atomics.load(this.#counts, 0) !== count) Atomics.store(this.#counts, 0, count);
  }

  count(contradiction: Contradiction): void {
    Atomics.add(this.#counts, COUNTERS_FROM + CONTRADICTIONS.indexOf(contradiction), 1);
  }

  countOf(contradiction: Contradiction): number {
    return Atomics.load(this.#counts, COUNTERS_FROM + CONTRADICTIONS.indexOf(contradiction));
  }
}
