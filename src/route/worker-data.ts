import type { OrderId } from '../model/ids.js';
import type { ReadPage, ReadQuestion } from './read-question.js';
import type { Venue } from '../model/exchange.js';
import type { RestoreMark } from '../model/restore.js';
import type { DurationMs } from '../model/time.js';
import type { TradingMode } from '../model/trading-halt.js';

/** What every thread needs to compute the same service time. */
export interface ClockOrigin {
  /** The machine's monotonic clock at the start, in milliseconds. */
  readonly monotonicMs: number;
  /** Service time − wall clock at the start, as far as simulated speeds explain it. */
  readonly leadMs: number;
  /** Regular service milliseconds a real millisecond. */
  readonly speed: number;
  /** The present pace, shared by all threads: it differs from the speed while a difference is slewed away. */
  readonly pace: SharedArrayBuffer;
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
  /** Rung by whoever writes to the shard. */
  readonly bell: SharedArrayBuffer;
  /** Word 0 grows with every turn: a shard that is rung and does not answer with it is stuck. Word 1: its open parents. */
  readonly beat: SharedArrayBuffer;
  /** Figures of quarantined orders and contradictory reports. */
  readonly faults: SharedArrayBuffer;
}

/** The thread that watches the main thread. */
export interface WatchdogWorkerData {
  readonly logLevel: string;
  readonly beats: SharedArrayBuffer;
  /** Word 0 is set to 1 when the worker is to end. */
  readonly control: SharedArrayBuffer;
}

/** What every worker thread shares with the others. */
export interface CommonWorkerData {
  readonly dataDir: string;
  readonly logLevel: string;
  readonly clock: ClockOrigin;
  readonly shardCount: number;
  readonly slate: SharedArrayBuffer;
  readonly depth: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly venueBell: SharedArrayBuffer;
}

export interface ShardWorkerData extends CommonWorkerData {
  readonly shard: number;
  /** Orders to be quarantined at the start. */
  readonly suspects: readonly OrderId[];
  readonly memory: ShardMemory;
  readonly tapeClaims: SharedArrayBuffer;
  readonly journal: SharedArrayBuffer;
  /** What holds when the thread starts; later changes come as commands. */
  readonly trading: TradingMode;
  /** The restore that is not over; null: there is none. */
  readonly restore: RestoreMark | null;
}

export interface VenueWorkerData extends CommonWorkerData {
  readonly shards: readonly ShardMemory[];
  /** Main → venue and venue → main. */
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
  /** Which market feeds the main thread follows, and their updates: venue → main. */
  readonly feedInterest: SharedArrayBuffer;
  readonly marketUpdates: SharedArrayBuffer;
  readonly seed: number;
  /** What the venues have to cope with: a fault script that parses, and how far away they are. */
  readonly faultScript: string;
  readonly distance: 'none' | 'profile';
  /** What each venue takes of one account, null where that is as much as is sent; and memory for what is counted of it. */
  readonly rates: Readonly<Record<Venue, { readonly count: number; readonly perMs: DurationMs } | null>>;
  readonly budgetFigures: SharedArrayBuffer;
  /** Word 0 is set to 1 when the worker is to end. */
  readonly control: SharedArrayBuffer;
  readonly beats: SharedArrayBuffer;
}

export interface KeeperWorkerData {
  /** Free space below which no order is placed. */
  readonly diskHaltBytes: number;
  readonly beats: SharedArrayBuffer;
  readonly dataDir: string;
  readonly logLevel: string;
  readonly clock: ClockOrigin;
  readonly journal: SharedArrayBuffer;
}

/** A thread that reckons execution costs. */
export interface AnalystWorkerData {
  readonly dataDir: string;
  readonly journal: SharedArrayBuffer;
}

/** The thread that reads the larger answers. */
export interface ReaderWorkerData {
  readonly dataDir: string;
  readonly logLevel: string;
  /** RecoveredJournal.shared. */
  readonly journal: SharedArrayBuffer;
}

/** Main → reader. */
export type ReaderCommand =
  | { readonly kind: 'page'; readonly job: number; readonly question: ReadQuestion | null }
  | { readonly kind: 'drop'; readonly job: number }
  | { readonly kind: 'end' };

/** Reader → main, one for each page that was asked for. */
export interface ReaderAnswer {
  readonly page: ReadPage | null;
}

/** Worker → main, over the thread's own port: life-cycle only, nothing hot. */
export type WorkerNotice =
  | { readonly kind: 'ready'; readonly openParents: number }
  /** The thread ends because of this; `isFatal` when a restart cannot help (the journal failed). */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFatal: boolean };
