import type { SessionCreates } from '../domain/session.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import type { MarketFeed, MarketUpdate } from '../domain/market-feed.js';
import type { Market } from '../domain/market.js';
import type { OrRejection, RefusalCounts } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { AssetBalance, PositionsReport } from '../domain/venue-report.js';
import type { CompleteReadsParts } from '../journal/complete-reads.js';
import type { Followers, StateReader } from '../journal/port.js';

/** Real time for keep-alive and waits; never service time. */
export interface Timers {
  /** A monotonic clock, in milliseconds. */
  nowMs(): number;
  /** Runs once, after at least `delayMs`. */
  after(delayMs: number, run: () => void): void;
  /** Runs once, after the sockets of this turn of the event loop. */
  soon(run: () => void): void;
  /** Runs until the returned function is called. */
  every(intervalMs: number, run: () => void): () => void;
}

/** API key and address of a connection. */
export interface StreamHolder {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** IPv4 or IPv6 as text. */
  readonly address: string;
}

/** The holder of an authenticated session. */
export interface SessionHolder extends StreamHolder {
  /** null: its orders stay open when it ends. */
  readonly creates: SessionCreates | null;
}

export interface StreamSettings {
  /** Market data subscriptions of one connection; 0: market data is off. */
  readonly marketDataCap: number;
  /** Simultaneous connections of all accounts, and of one. */
  readonly connectionsMax: number;
  readonly accountConnectionsMax: number;
  /** Client messages per second on one connection; 0: no limit. */
  readonly messageRate: number;
  /** A longer client frame ends its connection. */
  readonly frameBytesMax: number;
  readonly pingMs: number;
  /** A connection without a client message for this time is closed with 1001. */
  readonly silenceMs: number;
}

type BalancesAnswer = (result: OrRejection<readonly AssetBalance[]>) => void;
type PositionsAnswer = (result: OrRejection<PositionsReport>) => void;

/** Dependencies of the streams. */
export interface StreamDeps {
  readonly settings: StreamSettings;
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StateReader;
  readonly latestEventOf: CompleteReadsParts['latestEventOf'];
  /** Accounts whose events `onPublished` gets. */
  readonly followed: Followers;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whole seconds until a peer at this address may connect; 0: now. */
  readonly waitOf: (address: ArrayBuffer) => number;
  /**
   * null: forged, expired, or not valid from this address. Rejected: valid, and its API key is suspended or expired.
   * Addresses are as the socket reports them.
   */
  readonly verifyListenKey: (token: string, address: ArrayBuffer) => OrRejection<StreamHolder> | null;
  /**
   * The reason why the API key of a connection is no longer valid; null while it is. Cheap: called for every
   * connection.
   */
  readonly keyFailure: (holder: StreamHolder) => string | null;
  /** Counts the refusals of the limits. */
  readonly refusals: RefusalCounts;
  readonly balances: (account: AccountId, venue: Venue, answer: BalancesAnswer) => void;
  readonly positions: (account: AccountId, venue: Venue, answer: PositionsAnswer) => void;
  readonly market: (instrument: InstrumentIndex) => Market;
  /** Called at the first and after the last subscription to an instrument's market. */
  readonly watchMarket: (instrument: InstrumentIndex, isWatched: boolean) => void;
  /**
   * Calls `follower` with every later update of a feed until the returned function is called. Closed candles have no
   * gap.
   */
  readonly followFeed: (feed: MarketFeed, follower: (update: MarketUpdate) => void) => () => void;
  /** Called for each closed WebSocket. True: its descriptor stays open for at most WS_END_MS. */
  readonly onSocketClosed: (isDescriptorKept: boolean) => void;
  /** Value of the header X-Request-Id in the handshake's answer. */
  readonly nextRequestId: () => string;
  /**
   * Reports an internal error. It ended one connection (1011), one stream (7001) or one handshake (500), nothing else.
   */
  readonly onFault: (error: unknown) => void;
}

/** The timers of this process. */
export const SYSTEM_TIMERS: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => void setTimeout(run, delayMs),
  soon: (run) => void setImmediate(run),
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
};
