import type { ExchangeMode, Venue } from '../../domain/exchange.js';
import type { ReconciliationReport } from '../../domain/restore.js';
import type { TradingFigures } from '../../domain/trading-figures.js';
import type { TradingHalt } from '../../domain/command.js';
import type { KillSwitches } from '../../domain/trading-state.js';

export interface ExchangeFigures {
  readonly venue: Venue;
  readonly mode: ExchangeMode;
  readonly accountsDown: number;
}

/** Figures of the service for its metrics, besides its answers. Each is read once per scrape. */
export interface ServiceFigures {
  /** The release, as in package.json. */
  readonly version: string;
  readonly isReady: () => boolean;
  readonly trading: TradingFigures;
  readonly keyExpiries: () => KeyExpiries;
  /** Real time of the last finished backup, epoch milliseconds; null: there was none. */
  readonly lastBackupAtMs: () => number | null;
  /** The reasons why trading is halted; empty: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  /** Progress of the reconciliation after a restore; null: there is none. */
  readonly reconciliation: () => ReconciliationReport | null;
  readonly isVenueUp: () => boolean;
  /** For each venue: whether the venue worker has a connection to it. */
  readonly venueLinks: () => Readonly<Record<string, boolean>>;
  /** For each exchange: how the service trades there, and how many accounts with a key are not connected. */
  readonly exchanges: () => readonly ExchangeFigures[];
  readonly killSwitches: () => KillSwitches;
  /** By shard: whether it accepts commands, and its open parent orders. */
  readonly shards: () => readonly ShardFigures[];
  /** Open orders that an account without a limit of its own may have; 0: any number. */
  readonly accountOpenOrdersMax: number;
  /** The accounts with the most open orders. */
  readonly largestAccounts: () => readonly { readonly account: string; readonly openOrders: number }[];
  /** The accounts that write the most to the journal, as a mean of about a minute. */
  readonly heaviestAccounts: () => readonly { readonly account: string; readonly bytesPerSecond: number }[];
  /** Open orders that are quarantined or set aside. */
  readonly quarantinedOrders: () => number;
  /** Contradictory reports so far, by kind. */
  readonly contradictions: () => Readonly<Record<string, number>>;
  /** Commands without an answer of their shard. */
  readonly pendingCommands: () => number;
  readonly openStreams: () => number;
  /** Subscriptions of all streams, by topic. */
  readonly subscriptions: () => Readonly<Record<string, number>>;
  readonly sessions: () => SessionFigures;
  readonly rings: () => readonly RingFigures[];
  /** Requests to each venue, by request class. Without classes that were never used. */
  readonly venueRequests: () => readonly VenueRequestFigures[];
  /** Request rate of each venue for one account, in requests per second. Without venues that have no bound. */
  readonly venueRates: () => Readonly<Record<string, number>>;
  /** Milliseconds until a venue takes requests of this address again, by venue. Without venues that take them now. */
  readonly venueBansMs: () => Readonly<Record<string, number>>;
  readonly journal: () => JournalFigures;
  /** Durable events that the state does not contain yet. */
  readonly journalLagEvents: () => number;
  /** Restarts of each worker thread. */
  readonly workerRestarts: () => Readonly<Record<string, number>>;
  /** Milliseconds since the last heartbeat of each worker thread; for analysts, the duration of the current report. */
  readonly threadSilences: () => Readonly<Record<string, number>>;
  readonly clock: () => ClockFigures;
  readonly disk: () => DiskFigures;
}

/** The earliest expiry of the keys of each kind, real time, epoch milliseconds; null: no key expires. */
export interface KeyExpiries {
  readonly api: number | null;
  readonly exchange: number | null;
}

/** The sessions of order entry. */
export interface SessionFigures {
  /** Open sockets, and those of them that have authenticated. */
  readonly open: number;
  readonly authenticated: number;
  /** Requests without an answer. */
  readonly openRequests: number;
  /** Stored sessions with cancel_on_disconnect. */
  readonly records: number;
  /** Counts since the start: opened sockets, refused authentications, closed sockets by reason. */
  readonly opened: number;
  readonly refused: number;
  readonly closed: Readonly<Record<string, number>>;
}

/** Service time compared with the wall clock. */
export interface ClockFigures {
  /** Service time − wall clock. */
  readonly offsetMs: number;
  /** The part of it that does not come from simulated speeds. It is slewed away. */
  readonly errorMs: number;
  /** Steps of the wall clock since the start. */
  readonly stepCount: number;
  /** Latest step, positive when the clock was set forward; 0: no step so far. */
  readonly lastStepMs: number;
  /** Service milliseconds per real millisecond: the speed, unless an error is slewed away. */
  readonly pace: number;
}

/** State of the data directory's disk. */
export interface DiskFigures {
  readonly freeBytes: number;
  /** LOW: below the bound of the alarm. FULL: below the bound of trading. */
  readonly state: 'OK' | 'LOW' | 'FULL';
}

export interface ShardFigures {
  readonly shard: number;
  readonly isUp: boolean;
  readonly openParents: number;
}

/** Requests of all accounts to one venue: counts so far, and the number waiting now. */
export interface VenueRequestFigures {
  readonly venue: string;
  readonly requestClass: string;
  readonly sent: number;
  /** Requests that could not be sent at once. Some of them were sent later. */
  readonly delayed: number;
  readonly refused: number;
  /** Replaced by a cancel or a status request before they were sent. */
  readonly withdrawn: number;
  readonly waiting: number;
}

/** A ring, the thread whose messages it carries, and its used part: 0 to 1. */
export interface RingFigures {
  readonly ring: string;
  readonly thread: string;
  readonly usedRatio: number;
}

/** Event numbers. Each one is at most the one before it. */
export interface JournalFigures {
  readonly appended: number;
  readonly released: number;
  readonly committed: number;
}
