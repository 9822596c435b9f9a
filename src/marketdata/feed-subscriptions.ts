import type { ExchangeMode } from '../domain/exchange.js';
import { indexRangeOf, type InstrumentIndex } from '../domain/instrument.js';
import { CACHED_INSTRUMENTS_MAX } from '../domain/limits/process.js';
import {
  CANDLE_INTERVAL_MS,
  CANDLE_INTERVALS,
  type CandleInterval,
  type MarketFeed,
  type MarketUpdate,
  openOf,
} from '../domain/market-feed.js';
import type { Depth } from '../domain/market.js';
import { assert } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { encodeMarketUpdate } from '../wire/codec/market.js';
import type { BellRinger } from '../wire/bell.js';
import type { RingProducer } from '../wire/ring.js';
import type { DepthCacheWriter } from './depth-cache.js';

/**
 * Market feeds that the main thread follows. Shared memory: it outlives the venue worker, and the next worker reads it.
 *
 *     ┌─────────┬──────┬────────────────┬────────────────┬─
 *     │ version │ rows │ instrument 0   │ instrument 1   │ ...
 *     └─────────┴──────┴────────────────┴────────────────┴─
 *                        │
 *       ┌────────────────┴┬────────┬──────┬───────────────┬────────────┬─   ─┬─────────┬─   ─┬───────┐
 *       │ trades, candles │ trades │ mark │ open interest │ ONE_MINUTE │ ... │ ONE_DAY │     │ feeds │  0: not followed
 *       └─────────────────┴────────┴──────┴───────────────┴────────────┴─   ─┴─────────┴─   ─┴───────┘
 *         how many            1 when followed               minutes from the epoch to the      how many
 *         keep it awake                                     first candle whose close has       are followed
 *                                                           not been delivered
 *
 * Only the main thread writes. It advances the candle word after each delivered close, and a new venue worker starts
 * there. So no candle is delivered twice or skipped, even when the venue thread dies in between.
 */
const VERSION_WORD = 0;
const ROWS_WORD = 1;
const LINE_WORDS = 16;
const HEADER_WORDS = LINE_WORDS;
const ROW_WORDS = LINE_WORDS;
const ACTIVE_WORD = 0;
const KIND_WORDS = { trades: 1, mark: 2, openInterest: 3 } as const;
const CANDLES_WORD = 4;
const FEEDS_WORD = ROW_WORDS - 1;
const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
const FOLLOWED = 1;

/** Memory for the feeds of `rowCount` instruments (1..CACHED_INSTRUMENTS_MAX). No feed is followed at first. */
export function createFeedSubscriptions(rowCount: number): SharedArrayBuffer {
  assert(Number.isInteger(rowCount) && rowCount >= 1 && rowCount <= CACHED_INSTRUMENTS_MAX, 'feed subscriptions: rows');
  const memory = new SharedArrayBuffer((HEADER_WORDS + rowCount * ROW_WORDS) * 4);
  Atomics.store(new Int32Array(memory), ROWS_WORD, rowCount);
  return memory;
}

/** Used by the main thread. */
export class FeedSubscriptionsWriter {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Candles start with the one that contains `nowMs`. */
  follow(feed: MarketFeed, nowMs: EpochMs): void {
    this.#set(feed, feed.kind === 'candles' ? openOf(nowMs, feed.interval) / MINUTE_MS : FOLLOWED);
  }

  unfollow(feed: MarketFeed): void {
    this.#set(feed, 0);
  }

  /** Records that the previous candle's close has been delivered. `nextClosedMs` is the start of the next candle. */
  moveOn(instrument: InstrumentIndex, interval: CandleInterval, nextClosedMs: number): void {
    Atomics.store(this.#words, candlesWord(instrument, interval), nextClosedMs / MINUTE_MS);
  }

  #set(feed: MarketFeed, value: number): void {
    const words = this.#words;
    const wasFollowed = Atomics.exchange(words, wordOf(feed), value) !== 0;
    if (wasFollowed !== (value !== 0)) {
      const change = value === 0 ? -1 : 1;
      Atomics.add(words, rowWord(feed.instrument) + FEEDS_WORD, change);
      if (needsActiveMarket(feed)) Atomics.add(words, rowWord(feed.instrument) + ACTIVE_WORD, change);
    }
    Atomics.add(words, VERSION_WORD, 1);
  }
}

/** Used by a venue worker. */
export class FeedSubscriptionsReader {
  readonly #words: Int32Array;
  /** Rows of the worker's own instruments: the first one, and the one after the last. */
  readonly #from: number;
  readonly #to: number;

  /**
   * `mode`: that of the worker's instruments. All workers share the memory, and each knows only its own instruments.
   */
  constructor(memory: SharedArrayBuffer, mode: ExchangeMode) {
    this.#words = new Int32Array(memory);
    const rowCount = Atomics.load(this.#words, ROWS_WORD);
    const { from, to } = indexRangeOf(mode);
    this.#from = Math.min(from, rowCount);
    this.#to = Math.min(to, rowCount);
  }

  /** Changes with every change of the followed feeds. */
  get version(): number {
    return Atomics.load(this.#words, VERSION_WORD);
  }

  /** True when a followed feed needs the market's trades, so the market must be active. */
  needsActiveMarket(instrument: InstrumentIndex): boolean {
    return Atomics.load(this.#words, rowWord(instrument) + ACTIVE_WORD) > 0;
  }

  /** The followed feeds of the worker's instruments. */
  followed(): MarketFeed[] {
    const feeds: MarketFeed[] = [];
    for (let row = this.#from; row < this.#to; row += 1) {
      const instrument = row as InstrumentIndex;
      if (Atomics.load(this.#words, rowWord(instrument) + FEEDS_WORD) === 0) continue;
      for (const feed of feedsOf(instrument)) {
        if (Atomics.load(this.#words, wordOf(feed)) !== 0) feeds.push(feed);
      }
    }
    return feeds;
  }

  /** Start of the first candle whose close has not been delivered; only for followed candles. */
  nextClosedMs(instrument: InstrumentIndex, interval: CandleInterval): EpochMs {
    return (Atomics.load(this.#words, candlesWord(instrument, interval)) * MINUTE_MS) as EpochMs;
  }
}

function feedsOf(instrument: InstrumentIndex): MarketFeed[] {
  return [
    { kind: 'trades', instrument },
    { kind: 'mark', instrument },
    { kind: 'openInterest', instrument },
    ...CANDLE_INTERVALS.map((interval) => ({ kind: 'candles', instrument, interval }) as const),
  ];
}

/** Mark price and open interest do not need an active market. */
function needsActiveMarket({ kind }: MarketFeed): boolean {
  return kind === 'trades' || kind === 'candles';
}

function rowWord(instrument: InstrumentIndex): number {
  return HEADER_WORDS + instrument * ROW_WORDS;
}

function wordOf(feed: MarketFeed): number {
  if (feed.kind === 'candles') return candlesWord(feed.instrument, feed.interval);
  return rowWord(feed.instrument) + KIND_WORDS[feed.kind];
}

function candlesWord(instrument: InstrumentIndex, interval: CandleInterval): number {
  return rowWord(instrument) + CANDLES_WORD + CANDLE_INTERVALS.indexOf(interval);
}

interface RingFeedOutletParts {
  readonly updates: RingProducer;
  readonly mainBell: BellRinger;
  readonly subscriptions: FeedSubscriptionsReader;
  readonly depth: Pick<DepthCacheWriter, 'isWanted'>;
  /** Sends a book towards the depth cache. The callee must not keep `depth`. */
  readonly sendDepth: (instrument: InstrumentIndex, depth: Depth) => void;
  /** Service milliseconds per real millisecond. */
  readonly speed: number;
}

/** Publishes market feeds from the venue worker: updates to the main thread's ring, books to the depth cache. */
export class RingFeedOutlet {
  readonly subscriptions: FeedSubscriptionsReader;
  readonly speed: number;
  readonly #parts: RingFeedOutletParts;
  #hasWritten = false;

  constructor(parts: RingFeedOutletParts) {
    this.#parts = parts;
    this.subscriptions = parts.subscriptions;
    this.speed = parts.speed;
  }

  /** False when the ring is full. */
  offer(update: MarketUpdate): boolean {
    if (this.#parts.updates.tryWrite(encodeMarketUpdate(update)) !== 'written') return false;
    this.#hasWritten = true;
    return true;
  }

  /** True when a followed feed or a wanted book needs an active market. */
  needsActiveMarket(instrument: InstrumentIndex): boolean {
    return this.subscriptions.needsActiveMarket(instrument) || this.isDepthWanted(instrument);
  }

  isDepthWanted(instrument: InstrumentIndex): boolean {
    return this.#parts.depth.isWanted(instrument);
  }

  showDepth(instrument: InstrumentIndex, depth: Depth): void {
    this.#parts.sendDepth(instrument, depth);
  }

  /** Wakes the main thread when something was written since the last call. */
  flush(): void {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    this.#parts.mainBell.ring();
  }
}
