import type { StateReader } from '../journal/port.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, ApiKeyId, OrderId } from '../model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../model/instrument.js';
import type { MarketFeed, MarketUpdate } from '../model/market-feed.js';
import type { Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import type { RefusalCounts } from '../model/refusal-counts.js';
import type { OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import type { AssetBalance, PositionsReport } from '../model/venue-message.js';

/** Real time for keep-alive and waits; never service time. */
export interface Timers {
  /** A monotonic clock, in milliseconds. */
  nowMs(): number;
  /** Runs once, not before `delayMs`. */
  after(delayMs: number, run: () => void): void;
  /** Runs once after the sockets have been served: gives way to everybody else. */
  soon(run: () => void): void;
  /** Runs until the returned function is called. */
  every(intervalMs: number, run: () => void): () => void;
}

/** Who has opened a connection: by which API key, and from where. */
export interface StreamHolder {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** IPv4 or IPv6 as text. */
  readonly address: string;
}

export interface StreamSettings {
  /** Market-data subscriptions a connection may hold; 0 turns market data off. */
  readonly marketDataCap: number;
  /** Connections at once, of all accounts and of one. */
  readonly connectionsMax: number;
  readonly accountConnectionsMax: number;
  /** Client messages a second on one connection; 0 = no limit. */
  readonly messageRate: number;
  /** A longer client frame ends its connection. */
  readonly frameBytesMax: number;
  readonly pingMs: number;
  /** A connection without a client message for so long is closed with 1001. */
  readonly silenceMs: number;
}

type BalancesAnswer = (result: OrRejection<readonly AssetBalance[]>) => void;
type PositionsAnswer = (result: OrRejection<PositionsReport>) => void;

/** All the streams need of the rest of the service. */
export interface StreamDeps {
  readonly settings: StreamSettings;
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StateReader;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whole seconds a peer at this address must wait before it may connect; 0: it may now. */
  readonly waitOf: (address: ArrayBuffer) => number;
  /** null: forged, expired, or of no use from this address. Addresses are as the socket tells them. */
  readonly verifyListenKey: (token: string, address: ArrayBuffer) => StreamHolder | null;
  /** Why the API key of a connection is not good any more; null while it is. Cheap: asked of every connection. */
  readonly keyFailure: (holder: StreamHolder) => string | null;
  /** Counts what the limits refuse. */
  readonly refusals: RefusalCounts;
  /** The constant part of an order; null when it is no longer kept. */
  readonly parentOrder: (orderId: OrderId) => ParentOrder | null;
  readonly balances: (account: AccountId, venue: Venue, answer: BalancesAnswer) => void;
  readonly positions: (account: AccountId, venue: Venue, answer: PositionsAnswer) => void;
  readonly market: (instrument: InstrumentIndex) => Market;
  /** Told of the first and of the last subscriber of an instrument's market. */
  readonly watchMarket: (instrument: InstrumentIndex, isWatched: boolean) => void;
  /** Tells every update of a feed from the next one on, until the returned function is called; closed candles without a gap. */
  readonly followFeed: (feed: MarketFeed, follower: (update: MarketUpdate) => void) => () => void;
  /** Called for each socket that has been a WebSocket, when it is closed. */
  readonly onSocketClosed: () => void;
  /** For the header X-Request-Id of the handshake's answer. */
  readonly nextRequestId: () => string;
  /** A bug of ours: it ended one connection (1011), one stream (7001) or one handshake (500), nothing else. */
  readonly onFault: (error: unknown) => void;
}
