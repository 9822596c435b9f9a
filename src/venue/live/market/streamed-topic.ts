import { MARKET_RENEW_MS } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import type { MarketEvents, MarketTopic } from '../live-exchange.js';
import type { Depth, MarketRecord, MarkPrice, VenueRecord } from '../normal/records.js';
import { LocalBook } from './local-book.js';
import type { StreamName, StreamRules } from './stream-rules.js';

const KINDS: Readonly<Record<MarketTopic['kind'], ReadonlySet<VenueRecord['kind']>>> = {
  topOfBook: new Set(['TopOfBook', 'Depth']),
  depth: new Set(['Depth']),
  trades: new Set(['PublicTrade']),
  mark: new Set(['MarkPrice']),
  openInterest: new Set(['OpenInterest']),
  candles: new Set(['Candle']),
};

/** One subscribed topic: makes whole records from what its streams send, and delivers them. */
export class StreamedTopic<Route extends string> {
  readonly topic: MarketTopic;
  readonly streams: readonly StreamName<Route>[];
  readonly #rules: StreamRules<Route>;
  readonly #events: MarketEvents;
  readonly #book: LocalBook | null;
  /** The parts of a mark that have come on this connection. */
  #mark: MarkPrice | null = null;
  /** The latest state, for topics that are a state; null: none on this connection. */
  #latest: MarketRecord | null = null;
  #deliveredAtMs = -Infinity;

  constructor(topic: MarketTopic, rules: StreamRules<Route>, events: MarketEvents) {
    this.topic = topic;
    this.streams = rules.streamsOf(topic);
    this.#rules = rules;
    this.#events = events;
    this.#book = rules.bookKinds.has(topic.kind) ? new LocalBook(rules.sequence) : null;
  }

  /** False: the present state is not known on this connection. */
  get hasState(): boolean {
    return this.#latest !== null;
  }

  /**
   * Takes a record of one of its streams. False: a change of the book is missing, so the present state is not known.
   */
  take(read: MarketRecord, nowMs: EpochMs): boolean {
    const { topic } = this;
    if (!KINDS[topic.kind].has(read.kind)) return true;
    // Markets of several products may have the same name at the exchange.
    const record = read.symbol === topic.symbol ? read : { ...read, symbol: topic.symbol };
    if (record.kind === 'Depth') return this.#takeBook(record, nowMs);
    if (record.kind === 'MarkPrice') this.#takeMark(record, nowMs);
    else if (record.kind !== 'Candle') this.#deliver(record, nowMs);
    else if (topic.kind === 'candles' && record.interval === this.#rules.intervals[topic.interval]) {
      this.#deliver({ ...record, interval: topic.interval }, nowMs);
    }
    return true;
  }

  /** Takes the answer to a request for the present state. False: it is older than the waiting changes of the book. */
  takeState(record: MarketRecord, nowMs: EpochMs): boolean {
    if (record.kind !== 'Depth' || this.#book === null) this.#deliver(record, nowMs);
    else if (this.#book.snapshot(record) !== 'whole') return false;
    else this.#deliver(this.#book.shown(record.symbol, record.atMs), nowMs);
    return true;
  }

  /** Delivers the state again when the connection has proved since then that it is current. */
  renew(heardAtMs: EpochMs, nowMs: EpochMs): void {
    if (this.#latest === null || heardAtMs - this.#deliveredAtMs <= MARKET_RENEW_MS) return;
    this.#deliver(this.#latest, nowMs);
  }

  /** Lets the next `renew` deliver the state. */
  expire(): void {
    this.#deliveredAtMs = -Infinity;
  }

  cut(): void {
    this.#mark = null;
    this.#latest = null;
    this.#book?.clear();
  }

  #takeBook(record: Depth, nowMs: EpochMs): boolean {
    const book = this.#book;
    if (book === null) return this.#show(record, nowMs);
    if (record.isSnapshot) book.clear();
    const result = record.isSnapshot ? book.snapshot(record) : book.change(record);
    if (result === 'waiting') return true;
    const shown = result === 'whole' ? book.shown(record.symbol, record.atMs) : null;
    if (shown !== null && this.#rules.isWrong?.(shown) !== true) return this.#show(shown, nowMs);
    // Changes after a gap wait for the next snapshot; those of a wrong book are of no use.
    if (shown !== null) book.clear();
    this.#withdraw(record, nowMs);
    return false;
  }

  #show(book: Depth, nowMs: EpochMs): true {
    const { symbol, lastUpdateId: updateId, atMs } = book;
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (this.topic.kind === 'depth') this.#deliver(book, nowMs);
    // Without an order on one side there is no quote.
    else if (bid === undefined || ask === undefined) this.#withdraw(book, nowMs);
    else this.#deliver({ kind: 'TopOfBook', symbol, bid, ask, updateId, atMs }, nowMs);
    return true;
  }

  /** An empty book takes back the one that was delivered. It is no state: the next book follows. */
  #withdraw(book: Depth, nowMs: EpochMs): void {
    const hadState = this.hasState;
    this.#latest = null;
    if (this.topic.kind === 'topOfBook') this.#events.onStale([this.topic.symbol], nowMs);
    else if (hadState) this.#events.onRecord({ ...book, isSnapshot: true, bids: [], asks: [] }, nowMs);
  }

  /** Messages may name only what has changed, or come from two streams. A mark is delivered when it is whole. */
  #takeMark(record: MarkPrice, nowMs: EpochMs): void {
    const before = this.#mark;
    const mark = {
      ...record,
      markPrice: record.markPrice ?? before?.markPrice ?? null,
      indexPrice: record.indexPrice ?? before?.indexPrice ?? null,
      fundingRate: record.fundingRate ?? before?.fundingRate ?? null,
      nextFundingMs: record.nextFundingMs ?? before?.nextFundingMs ?? null,
    };
    this.#mark = mark;
    if (mark.markPrice !== null && mark.fundingRate !== null) this.#deliver(mark, nowMs);
  }

  #deliver(record: MarketRecord, nowMs: EpochMs): void {
    this.#deliveredAtMs = nowMs;
    if (record.kind !== 'PublicTrade' && record.kind !== 'Candle') this.#latest = record;
    this.#events.onRecord(record, nowMs);
  }
}
