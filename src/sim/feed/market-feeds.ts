import { Depth, type TradePrint } from '../../domain/market.js';
import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { DEPTH_LEVELS_COUNT } from '../../domain/limits/trading.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { MarketQuery } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { OrderBook } from '../matching/order-book.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { CandleHistory } from './candle-history.js';
import { CandleHistoryQuery, FundingHistoryQuery, HistoryQueries } from './history-queries.js';
import { FollowedFeeds } from './followed-feeds.js';
import type { MarkPrices } from './mark-prices.js';
import type { OpenInterestLevel } from './open-interest.js';
import type { FeedOutlet, MarketPast } from './port.js';

export interface MarketFeedsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly past: MarketPast;
  readonly marks: MarkPrices;
  readonly openInterest: OpenInterestLevel;
  readonly store: VenueStore;
  /** null: no feed can be followed; queries are still answered. */
  readonly outlet: FeedOutlet | null;
  readonly report: (report: VenueReport, destination: number) => void;
}

/** A book and the time of its market row; both are published with the same time. */
interface BookAtMoment {
  readonly book: OrderBook;
  readonly atMs: EpochMs;
}

/**
 * Market data of the exchange besides the best prices:
 *
 *     trades ──────▶ candle history ─▶ candles ─┐
 *     fair prices ─▶ ┘ marks, open interest ────┼─▶ outlet: followed feeds, when the ring has space
 *     book ────────▶ depth ─────────────────────┘
 *     queries ─────▶ history, marks ──────────────▶ report
 */
export class MarketFeeds {
  readonly #parts: MarketFeedsParts;
  readonly #history: CandleHistory;
  readonly #queries = new HistoryQueries();
  readonly #followed: FollowedFeeds | null;
  readonly #depth = new Depth();

  constructor(parts: MarketFeedsParts) {
    const { outlet } = parts;
    this.#parts = parts;
    this.#history = new CandleHistory(parts.past, parts.store);
    this.#followed = outlet === null ? null : new FollowedFeeds({ ...parts, outlet, history: this.#history });
  }

  /** True while queries wait: the next turn should run at once. */
  get isBusy(): boolean {
    return this.#queries.isWaiting;
  }

  /** Trades of one instrument arrive in order of time. */
  traded(print: TradePrint): void {
    this.#history.trade(this.#parts.catalogue.at(print.instrument), print);
    this.#followed?.traded(print);
  }

  /** Records that the market was active until now. Its trades have been added; its book has the time `shown.atMs`. */
  noteAdvanced(instrument: InstrumentIndex, shown: BookAtMoment, nowMs: EpochMs): void {
    const { catalogue, outlet } = this.#parts;
    this.#history.noteActive(catalogue.at(instrument), nowMs);
    if (outlet?.isDepthWanted(instrument) === true) outlet.showDepth(instrument, this.#depthOf(shown));
  }

  /** Accepts or rejects a query. The answer may take several turns. */
  handle(query: MarketQuery, origin: number, nowMs: EpochMs): void {
    const { correlationId, account, venue, instrument } = query;
    const about = this.#parts.catalogue.at(instrument);
    const rejection = this.#enqueue(query, about, origin, nowMs);
    if (rejection === null) return;
    this.#parts.report({ kind: 'QueryRejected', correlationId, account, venue, atMs: nowMs, rejection }, origin);
  }

  /** Publishes due updates and works on the queries for one turn. */
  publish(nowMs: EpochMs): void {
    this.#queries.work(nowMs, this.#parts.report);
    this.#followed?.publish(nowMs);
  }

  takeRows(rows: VenueRow[]): void {
    this.#history.takeRows(rows);
  }

  /** The reason to reject the query; null when it is queued. */
  #enqueue(query: MarketQuery, about: Instrument, origin: number, askedAtMs: EpochMs): Rejection | null {
    const { marks } = this.#parts;
    if (query.kind === 'QueryFundingRates' && about.assetCategory !== 'FUTURE') {
      return { code: 'INVALID_SYMBOL', message: `symbol ${about.symbol} is no future: it pays no funding` };
    }
    const work =
      query.kind === 'QueryFundingRates'
        ? new FundingHistoryQuery({ query, origin, marks, askedAtMs })
        : new CandleHistoryQuery({ query, origin, instrument: about, history: this.#history, askedAtMs });
    if (this.#queries.add(work)) return null;
    return { code: 'SYSTEM_BUSY', message: `too many queries wait at ${about.venue}` };
  }

  #depthOf({ book, atMs }: BookAtMoment): Depth {
    const depth = this.#depth;
    const { bids, asks } = depth;
    depth.atMs = atMs;
    bids.count = book.depth('BUY', bids.prices, bids.quantities, DEPTH_LEVELS_COUNT);
    asks.count = book.depth('SELL', asks.prices, asks.quantities, DEPTH_LEVELS_COUNT);
    return depth;
  }
}
