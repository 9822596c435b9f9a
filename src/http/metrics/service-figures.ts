import type { ReconciliationReport } from '../../model/restore.js';
import type { DiskFigures } from '../../route/disk-watch.js';
import type { TradingHalt } from '../../model/trading-halt.js';

/** What the service knows of itself besides its answers, for its metrics. Everything is asked once a scrape. */
export interface ServiceFigures {
  readonly isReady: () => boolean;
  /** Why no order is placed; none: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  /** How far the orders are compared with their exchanges after a restore; null: there is nothing to compare. */
  readonly reconciliation: () => ReconciliationReport | null;
  readonly isVenueUp: () => boolean;
  /** By shard: whether it takes commands, and how many parent orders it works. */
  readonly shards: () => readonly ShardFigures[];
  /** Open orders that are quarantined or set aside. */
  readonly quarantinedOrders: () => number;
  /** Contradictory reports so far, by kind. */
  readonly contradictions: () => Readonly<Record<string, number>>;
  /** Commands whose shard has not answered yet. */
  readonly pendingCommands: () => number;
  readonly openStreams: () => number;
  /** Subscriptions of all streams, by topic. */
  readonly subscriptions: () => Readonly<Record<string, number>>;
  readonly rings: () => readonly RingFigures[];
  /** What was asked of venues, of each in each class of urgency that was ever used. */
  readonly venueRequests: () => readonly VenueRequestFigures[];
  /** What each venue takes of one account, in requests a second; without those that take as much as is sent. */
  readonly venueRates: () => Readonly<Record<string, number>>;
  readonly journal: () => JournalFigures;
  /** How often each worker thread has died and was started again. */
  readonly workerRestarts: () => Readonly<Record<string, number>>;
  /** Milliseconds since each worker thread was last seen moving; of analysts, for how long one works on a question. */
  readonly threadSilences: () => Readonly<Record<string, number>>;
  readonly clock: () => ClockFigures;
  readonly disk: () => DiskFigures;
}

/** How service time and the wall clock agree. */
export interface ClockFigures {
  /** Service time − wall clock. */
  readonly offsetMs: number;
  /** The part of it that simulated speeds do not explain; it is slewed away. */
  readonly errorMs: number;
  /** Steps of the wall clock seen while running. */
  readonly stepCount: number;
  /** Latest step, positive when the clock was put forward; 0 before the first. */
  readonly lastStepMs: number;
  /** Service milliseconds a real millisecond: the speed, unless an error is slewed away. */
  readonly pace: number;
}

export interface ShardFigures {
  readonly shard: number;
  readonly isUp: boolean;
  readonly openParents: number;
}

/** Requests of all accounts to one venue: how many so far, and how many wait now. */
export interface VenueRequestFigures {
  readonly venue: string;
  readonly requestClass: string;
  readonly sent: number;
  /** Could not be sent at once; of these some were sent later. */
  readonly delayed: number;
  readonly refused: number;
  /** Cancelled, or asked for, before they were sent. */
  readonly withdrawn: number;
  readonly waiting: number;
}

/** A ring, whose messages it carries, and the part of it that is in use: 0 to 1. */
export interface RingFigures {
  readonly ring: string;
  readonly thread: string;
  readonly usedRatio: number;
}

/** Numbers of events. None is above the one before it while no turn is under way. */
export interface JournalFigures {
  readonly appended: number;
  readonly released: number;
  readonly committed: number;
}
