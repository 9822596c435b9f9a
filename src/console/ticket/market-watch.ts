import { FeedStream } from '../../client/feed-stream.js';
import type { OpenSocket } from '../../client/stream-socket.js';
import type { OhlcvFrame, TickerFrame } from '../../client/wire.js';
import { clockText, reasonOf } from '../view/figures.js';

/** Names one instrument of one exchange. */
export interface MarketName {
  readonly exchange: string;
  /** Canonical. */
  readonly symbol: string;
}

/** One level of the book. */
export interface BookLevel {
  readonly side: 'BID' | 'ASK';
  readonly price: number;
  readonly quantity: number;
}

/** A market as its streams show it. */
export interface MarketView {
  /** Prices to compute with: null while the stream is cut. */
  readonly bid: number | null;
  readonly ask: number | null;
  /** The best level of each side, the ask first; the service streams no deeper ones. */
  readonly levels: readonly BookLevel[];
  readonly lastPrice: number | null;
  /** When the last trade was, as exactly as it is known. */
  readonly lastText: string;
  /** Why the figures may be old; null: they are live. */
  readonly staleness: string | null;
}

export interface MarketWatchParts {
  readonly openSocket: OpenSocket;
  readonly listenKey: () => Promise<string>;
  /** Service time, epoch milliseconds. */
  readonly serviceMs: () => number;
  readonly onChange: () => void;
}

/** One followed instrument. */
interface Followed {
  readonly name: MarketName;
  ticker: TickerFrame | null;
  candle: OhlcvFrame | null;
  lastText: string;
  /** Why the service refuses a topic; null: it does not. */
  refusal: string | null;
}

const TOPICS = ['ticker', 'ohlcv'] as const;
/** A book that has not changed for this long may be cut off at the exchange. Service time. */
const QUIET_MS_MAX = 60_000;
const NO_MARKET: MarketView = {
  bid: null,
  ask: null,
  levels: [],
  lastPrice: null,
  lastText: '',
  staleness: 'no price yet',
};

/**
 * The markets of the open ticket, one for each leg: best prices and last price. They have a connection of their own, so
 * that their troubles do not make the orders stale; it lasts as long as the ticket is open.
 */
export class MarketWatch {
  readonly #parts: MarketWatchParts;
  readonly #stream: FeedStream;
  readonly #followed = new Map<string, Followed>();
  /** Why the connection is down; null while it is up. */
  #outage: string | null = null;

  constructor(parts: MarketWatchParts) {
    this.#parts = parts;
    const { openSocket, listenKey, onChange } = parts;
    const isCut = (error: unknown): void => {
      this.#outage = reasonOf(error);
      onChange();
    };
    this.#stream = new FeedStream({
      openSocket,
      listenKey,
      onSubscribed: async () => {
        this.#outage = null;
        onChange();
      },
      onConnection: (state, cause) => state === 'DOWN' && isCut(cause),
      onReconnectFailed: isCut,
      onFeedLost: ({ exchange, symbol = '' }, { message }) => {
        const followed = this.#followed.get(keyOf({ exchange, symbol }));
        if (followed !== undefined) followed.refusal = message;
        onChange();
      },
    });
    this.#stream.start();
  }

  close(): void {
    this.#stream.close();
  }

  /** Follows these markets and no others. */
  watch(markets: readonly MarketName[]): void {
    const wanted = new Map(markets.map((market) => [keyOf(market), market]));
    for (const [key, { name }] of this.#followed) {
      if (wanted.has(key)) continue;
      this.#followed.delete(key);
      for (const topic of TOPICS) this.#stream.unfollow({ topic, ...name });
    }
    for (const [key, market] of wanted) if (!this.#followed.has(key)) this.#follow(key, market);
  }

  /** What is known of a market. `isVenueDown`: the service says that the exchange is down. */
  view(market: MarketName | null, isVenueDown: boolean): MarketView {
    const followed = market === null ? undefined : this.#followed.get(keyOf(market));
    if (followed === undefined) return NO_MARKET;
    const { ticker, candle, lastText } = followed;
    const usable = this.#outage === null ? ticker : null;
    return {
      bid: usable?.bid ?? null,
      ask: usable?.ask ?? null,
      levels: ticker === null ? [] : levelsOf(ticker),
      lastPrice: candle?.last ?? null,
      lastText,
      staleness: this.#stalenessOf(followed, isVenueDown),
    };
  }

  #follow(key: string, name: MarketName): void {
    const followed: Followed = { name, ticker: null, candle: null, lastText: '', refusal: null };
    this.#followed.set(key, followed);
    this.#stream.follow({ topic: 'ticker', ...name }, (frame) => {
      followed.ticker = frame;
      this.#parts.onChange();
    });
    this.#stream.follow({ topic: 'ohlcv', ...name }, (frame) => {
      followed.lastText = lastTradeText(followed.candle, frame, this.#parts.serviceMs()) ?? followed.lastText;
      followed.candle = frame;
      this.#parts.onChange();
    });
  }

  #stalenessOf({ ticker, refusal }: Followed, isVenueDown: boolean): string | null {
    if (this.#outage !== null) return `stream cut: ${this.#outage}`;
    if (refusal !== null) return refusal;
    if (isVenueDown) return 'the exchange is down';
    if (ticker === null) return 'no price yet';
    const isQuiet = this.#parts.serviceMs() - ticker.timestamp > QUIET_MS_MAX;
    return isQuiet ? `unchanged since ${clockText(ticker.timestamp)} UTC` : null;
  }
}

/** The levels of a ticker, the ask first. An empty side has no level. */
export function levelsOf({ bid, ask, bid_qty: bidQuantity, ask_qty: askQuantity }: TickerFrame): readonly BookLevel[] {
  return [
    ...(ask === undefined ? [] : [{ side: 'ASK', price: ask, quantity: askQuantity } as const]),
    ...(bid === undefined ? [] : [{ side: 'BID', price: bid, quantity: bidQuantity } as const]),
  ];
}

/**
 * When the last trade of a candle was. A candle says in which minute; a change that arrives says the second. null: the
 * frame has no trade beyond those of the candle before.
 */
export function lastTradeText(before: OhlcvFrame | null, candle: OhlcvFrame, serviceMs: number): string | null {
  const minute = clockText(candle.open_time).slice(0, 5);
  if (before === null) return candle.volume > 0 ? `${minute} UTC` : `before ${minute} UTC`;
  const known = before.open_time === candle.open_time ? before.volume : 0;
  return candle.volume > known ? `${clockText(serviceMs)} UTC` : null;
}

function keyOf({ exchange, symbol }: MarketName): string {
  return `${exchange} ${symbol}`;
}
