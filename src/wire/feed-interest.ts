import { assert } from '../model/assert.js';
import { CANDLE_INTERVAL_MS, CANDLE_INTERVALS, openOf, type CandleInterval } from '../model/candle.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { SLATE_INSTRUMENTS_MAX } from '../model/limits.js';
import type { MarketFeed } from '../model/market-feed.js';
import type { EpochMs } from '../model/time.js';

/**
 * Which market feeds the main thread follows, in shared memory: it outlives the venue worker, whose successor goes on.
 *
 *     ┌─────────┬──────┬────────────────┬────────────────┬─
 *     │ version │ rows │ instrument 0   │ instrument 1   │ ...
 *     └─────────┴──────┴────────────────┴────────────────┴─
 *                        │
 *       ┌────────────────┴┬────────┬──────┬───────────────┬────────────┬─   ─┬─────────┐
 *       │ trades, candles │ trades │ mark │ open interest │ ONE_MINUTE │ ... │ ONE_DAY │   0: not followed
 *       └─────────────────┴────────┴──────┴───────────────┴────────────┴─   ─┴─────────┘
 *         how many            1 when followed               minutes from the epoch to the first candle whose
 *         keep it awake                                     end the main thread has not been told of
 *
 * The main thread alone writes. It moves the mark of candles on as they are told, so that whoever reads it later begins
 * there: no candle is told twice or left out, even when the venue's thread dies in between.
 */
const VERSION_WORD = 0;
const ROWS_WORD = 1;
const LINE_WORDS = 16;
const HEADER_WORDS = LINE_WORDS;
const ROW_WORDS = LINE_WORDS;
const LIVELY_WORD = 0;
const KIND_WORDS = { trades: 1, mark: 2, openInterest: 3 } as const;
const CANDLES_WORD = 4;
const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
const FOLLOWED = 1;

/** Memory for the feeds of `rowCount` instruments (1..SLATE_INSTRUMENTS_MAX), none of them followed. */
export function createFeedInterest(rowCount: number): SharedArrayBuffer {
  assert(Number.isInteger(rowCount) && rowCount >= 1 && rowCount <= SLATE_INSTRUMENTS_MAX, 'feed interest: rows');
  const memory = new SharedArrayBuffer((HEADER_WORDS + rowCount * ROW_WORDS) * 4);
  Atomics.store(new Int32Array(memory), ROWS_WORD, rowCount);
  return memory;
}

/** The main thread's side. */
export class FeedInterestWriter {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Candles are told from the one on that holds `nowMs`. */
  follow(feed: MarketFeed, nowMs: EpochMs): void {
    this.#set(feed, feed.kind === 'candles' ? openOf(nowMs, feed.interval) / MINUTE_MS : FOLLOWED);
  }

  unfollow(feed: MarketFeed): void {
    this.#set(feed, 0);
  }

  /** The end of a candle has been told: the next one begins then. */
  moveOn(instrument: InstrumentIndex, interval: CandleInterval, nextClosedMs: number): void {
    Atomics.store(this.#words, candlesWord(instrument, interval), nextClosedMs / MINUTE_MS);
  }

  #set(feed: MarketFeed, value: number): void {
    const words = this.#words;
    const wasFollowed = Atomics.exchange(words, wordOf(feed), value) !== 0;
    if (isLively(feed) && wasFollowed !== (value !== 0)) {
      Atomics.add(words, rowWord(feed.instrument) + LIVELY_WORD, value === 0 ? -1 : 1);
    }
    Atomics.add(words, VERSION_WORD, 1);
  }
}

/** The venue's side. */
export class FeedInterestReader {
  readonly #words: Int32Array;
  readonly #rowCount: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#rowCount = Atomics.load(this.#words, ROWS_WORD);
  }

  /** Another number after every change of what is followed. */
  get version(): number {
    return Atomics.load(this.#words, VERSION_WORD);
  }

  /** True when a followed feed shows what happens in the market, which then must be awake. */
  isLively(instrument: InstrumentIndex): boolean {
    return Atomics.load(this.#words, rowWord(instrument) + LIVELY_WORD) > 0;
  }

  followed(): MarketFeed[] {
    const feeds: MarketFeed[] = [];
    for (let row = 0; row < this.#rowCount; row += 1) {
      for (const feed of feedsOf(row as InstrumentIndex)) {
        if (Atomics.load(this.#words, wordOf(feed)) !== 0) feeds.push(feed);
      }
    }
    return feeds;
  }

  /** When the first candle began whose end has not been told; only for candles that are followed. */
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

/** The mark and open interest go on while the market sleeps. */
function isLively({ kind }: MarketFeed): boolean {
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
