import type { AssetCategory, Venue, VenueEnvironment } from '../../domain/exchange.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { CandleInterval } from '../../domain/market-feed.js';
import type { OrRejection, Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { RequestClass } from '../../domain/venue-message.js';
import type { VenueCredentials } from '../../keys/port.js';
import type { ChildName } from './client-id/codec.js';
import type { ExchangeClient, OrderUpdate, SendingRules } from './exchange-client.js';
import type { ListingFinding } from './listing/market-list.js';
import type { ListedMarket } from './listing/listed-market.js';
import type { MessageFinding } from './normal/message.js';
import type { Balances, CandleRecord, FundingRecord, MarketRecord, Positions } from './normal/records.js';
import type { TradedInstrument } from './wire-guard.js';

/*
 * The port between the live gateway and one exchange. An exchange with several wallets, such as Binance spot and
 * Binance USD-M, has one implementation for each of them. The gateway joins them into one venue.
 *
 *     gateway ──▶ LiveExchange   listMarkets, measureClock, market data
 *                  └▶ LiveAccount × accounts   orders (ExchangeClient), private stream, balances, positions, check
 *
 * - All calls are made by one thread with an event loop. Callbacks come from the same loop, never inside the call.
 * - A failure of the exchange or the network is a value (`OrRejection`). A promise rejects only for a defect of the
 *   code.
 * - Each request ends within its own time limit. Nothing is sent twice by itself, except a read.
 * - Sockets are opened, kept alive and opened again by the implementation, with a wait that doubles up to a bound.
 * - Records have the exchange's own symbols and units. The gateway converts them to lots and ticks.
 * - No text of a rejection, finding or log line contains a key, a signature or a listen key.
 */

/** Opens the connection to an exchange. Rejected: its configuration is not usable. It needs no network yet. */
export type OpenLiveExchange = (options: LiveExchangeOptions) => Promise<OrRejection<LiveExchange>>;

export interface LiveExchangeOptions {
  readonly environment: VenueEnvironment;
  /** A CONNECT proxy for all connections, as a URL; null: none. */
  readonly proxy: string | null;
  /** The address for all requests and sockets, from `exchangeOrigin`; absent or null: the hosts of the environment. */
  readonly origin?: string | null;
  /** The instruments that the gateway has listed so far. Look them up at each use: they change. */
  readonly instruments: LiveInstruments;
  /** Time of the service in milliseconds. It is the `nowMs` of each callback. */
  readonly nowMs: () => EpochMs;
  readonly market: MarketEvents;
  /** Something unexpected in a message or a market list. The gateway logs each one once. */
  readonly onFinding: (finding: MessageFinding | ListingFinding) => void;
}

/** An instrument of the exchange with the rules that its messages need. */
export interface LiveInstrument extends TradedInstrument {
  readonly index: InstrumentIndex;
  /** Base units in one unit of quantity of the exchange, as decimal text: 1 except for contracts. */
  readonly contractSize: string;
}

/** The instruments of one implementation, by both names. */
export interface LiveInstruments {
  /** Throws RangeError for an instrument that this implementation does not list. */
  at(index: InstrumentIndex): LiveInstrument;
  /** Takes the exchange's own symbol. null: it is not listed here. */
  bySymbol(exchangeSymbol: string): InstrumentIndex | null;
}

/** One wallet of one real exchange: what the gateway asks of it. */
export interface LiveExchange {
  readonly venue: Venue;
  /** The instruments that trade in this wallet. No two implementations of a venue share a category. */
  readonly categories: readonly AssetCategory[];
  readonly rules: SendingRules;
  /**
   * Reads all markets of the categories, also halted ones (`isTrading` false). A market that is missing from the answer
   * is delisted, so an answer that is incomplete is a rejection.
   */
  listMarkets(): Promise<OrRejection<readonly ListedMarket[]>>;
  /**
   * Measures the exchange's clock with one request. From then on the implementation corrects the timestamps of its
   * requests by the offset. The gateway calls it before the first account and every few minutes.
   */
  measureClock(): Promise<OrRejection<ClockReading>>;
  /**
   * Milliseconds in which the exchange takes no request of this address, not even a cancel: it has banned the address,
   * or has warned after a cancel. 0: it takes them.
   */
  barredMs(): number;
  readonly market: LiveMarketData;
  /**
   * Opens the session of one account. Needs no network: the private stream is opened by `start`. Rejected: the kind of
   * key is not supported.
   */
  openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>>;
  /** Ends all connections. No callback follows. */
  close(): Promise<void>;
}

export interface ClockReading {
  /** The exchange's clock minus `nowMs`, at the middle of the round trip. */
  readonly offsetMs: number;
  readonly roundTripMs: DurationMs;
}

/** A request about a child that waits for its turn. */
export interface QueuedRequest {
  readonly kind: 'Submit' | 'Cancel' | 'QueryStatus';
  readonly requestClass: RequestClass;
  readonly instrument: InstrumentIndex;
}

/** One account at one exchange. */
export interface LiveAccount {
  /** Orders. Requests may be sent while the stream is cut. */
  readonly client: ExchangeClient;
  /**
   * Milliseconds until the exchange's own counts leave room for the request; 0: now. A request that is sent earlier is
   * refused here or by the exchange.
   */
  turnMs(request: QueuedRequest): number;
  /** Opens the private stream and keeps it open until `close`. */
  start(): void;
  /** All balances (`isSnapshot`). */
  balances(): Promise<OrRejection<Balances>>;
  /** All open positions (`isSnapshot`); of a wallet without futures: none. */
  positions(): Promise<OrRejection<Positions>>;
  /** Asks with read-only requests what the key may do. The gateway opens no session before it has the answer. */
  check(): Promise<OrRejection<AccountCheck>>;
  close(): Promise<void>;
}

/** Callbacks of one account, in the order of the exchange's messages. */
export interface AccountEvents {
  /** The private stream delivers from now on. What happened before is unknown: the gateway asks for it. */
  onSubscribed(nowMs: EpochMs): void;
  /** The private stream has ended or lost messages. The implementation opens it again. */
  onCut(nowMs: EpochMs): void;
  /** Updates of orders of this service. Orders with foreign client ids are left out. */
  onOrder(update: OrderUpdate, nowMs: EpochMs): void;
  onBalances(balances: Balances, nowMs: EpochMs): void;
  onPositions(positions: Positions, nowMs: EpochMs): void;
  /**
   * The exchange has answered that it does not open the private stream. The implementation goes on trying until
   * `close`.
   */
  onRefused(rejection: Rejection, nowMs: EpochMs): void;
  /** The exchange has refused a request about orders, or the login of the private stream, for its timestamp. */
  onRefusedTime(nowMs: EpochMs): void;
  /**
   * The instrument of an order that a stream or a list names. A child keeps the one that it was placed with: its lots
   * and ticks count in it, also when its market has got others. null: not listed, or the child is not known and its
   * market had several. Such an order is left out: the gateway looks it up when its shard asks for it.
   */
  instrumentOf(child: ChildName, exchangeSymbol: string): InstrumentIndex | null;
}

/** What a key may do, and how its account is configured. */
export interface AccountCheck {
  /** Time of one signed request. */
  readonly latencyMs: DurationMs;
  readonly clockOffsetMs: number;
  readonly mayTrade: boolean;
  /** null: the exchange does not say. The gateway then refuses the key in the environment `live`. */
  readonly mayWithdraw: boolean | null;
  /** True: the exchange takes the key from listed addresses only. null: it does not say. */
  readonly isAddressBound: boolean | null;
  /** ONE_WAY: one net position in a future. null: the wallet has no futures. */
  readonly positionMode: 'ONE_WAY' | 'HEDGE' | null;
  /** The account is in a mode in which the exchange carries out orders of ours in another way. Absent: it is not. */
  readonly wrongMode?: { readonly is: string; readonly setTo: string };
  /** Limits of the exchange that its answers state; the ones that are nearly used up first. */
  readonly limits: readonly UsedLimit[];
}

export interface UsedLimit {
  /** The exchange's name, such as `REQUEST_WEIGHT 1m`. */
  readonly name: string;
  readonly used: number;
  /** null: the exchange does not state it. */
  readonly max: number | null;
}

/** A stream of public data about one symbol. `mark` has mark price, index price and funding. */
export type MarketTopic =
  | { readonly kind: 'topOfBook' | 'depth' | 'trades' | 'mark' | 'openInterest'; readonly symbol: string }
  | { readonly kind: 'candles'; readonly symbol: string; readonly interval: CandleInterval };

/** Names each topic once: two topics with the same key are the same. */
export function topicKey(topic: MarketTopic): string {
  return `${topic.kind}/${topic.symbol}/${topic.kind === 'candles' ? topic.interval : ''}`;
}

/** Public data of the exchange. Symbols are the exchange's own. */
export interface LiveMarketData {
  /**
   * Delivers the topic until `unsubscribe`, across reconnects. The first record of `topOfBook`, `depth`, `mark` and
   * `openInterest` is the present state, within a second. A second call for the same topic has no effect.
   */
  subscribe(topic: MarketTopic): void;
  unsubscribe(topic: MarketTopic): void;
  /** Candles that begin within [fromMs, toMs], the oldest first, at most `limit`; the running one is included. */
  candles(query: CandleRange): Promise<OrRejection<readonly CandleRecord[]>>;
  /**
   * Funding rates at the funding times within [fromMs, toMs], the newest first, at most `limit`. Of the times after now
   * only the next one is included, as an estimate.
   */
  fundingRates(query: FundingRange): Promise<OrRejection<readonly FundingRecord[]>>;
}

export interface CandleRange {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  readonly limit: number;
}

export type FundingRange = Omit<CandleRange, 'interval'>;

export interface MarketEvents {
  /**
   * A record of a subscribed topic. `Depth` is always a whole book (`isSnapshot`), its best levels first, at most
   * DEPTH_LEVELS_COUNT on a side: the implementation joins changes and drops a book with a gap until it is whole again.
   * A book that it drops after a delivery is taken back by an empty one. A `Candle` has the interval in Sluice's name.
   */
  onRecord(record: MarketRecord, nowMs: EpochMs): void;
  /**
   * Streams of these symbols are cut: the last values are stale until the next record. The gateway withdraws the
   * prices, so that no order is placed by them.
   */
  onStale(symbols: readonly string[], nowMs: EpochMs): void;
}
