import { Depth } from '../../model/depth.js';
import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import { DEPTH_LEVELS_COUNT } from '../../model/limits.js';
import type { TradePrint } from '../../model/market.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { MarketQuery, VenueReport } from '../../model/venue-message.js';
import type { OrderBook } from '../matching/index.js';
import type { Row, VenueStore } from '../port.js';
import { CandleHistory } from './candle-history.js';
import { CandleQuestion } from './candle-question.js';
import { FollowedFeeds } from './followed-feeds.js';
import { FundingQuestion } from './funding-question.js';
import type { MarkPrices } from './mark-prices.js';
import type { OpenInterestLevel } from './open-interest.js';
import type { FeedOutlet, MarketPast } from './port.js';
import { Questions } from './questions.js';

export interface MarketFeedsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly past: MarketPast;
  readonly marks: MarkPrices;
  readonly openInterest: OpenInterestLevel;
  readonly store: VenueStore;
  /** null: nobody follows anything; questions are answered all the same. */
  readonly outlet: FeedOutlet | null;
  readonly report: (report: VenueReport, destination: number) => void;
}

/** A book, and the moment until which its market has lived: that of the best prices that are told with it. */
interface BookAtMoment {
  readonly book: OrderBook;
  readonly atMs: EpochMs;
}

/**
 * What the exchange tells of its markets besides the best prices:
 *
 *     trades ──────▶ candle history ─▶ candles ─┐
 *     fair prices ─▶ ┘ marks, open interest ────┼─▶ outlet: to whoever follows them, when there is room
 *     book ────────▶ depth ─────────────────────┘
 *     questions ───▶ history, marks ──────────────▶ report
 */
export class MarketFeeds {
  readonly #parts: MarketFeedsParts;
  readonly #history: CandleHistory;
  readonly #questions = new Questions();
  readonly #followed: FollowedFeeds | null;
  readonly #depth = new Depth();

  constructor(parts: MarketFeedsParts) {
    const { outlet } = parts;
    this.#parts = parts;
    this.#history = new CandleHistory(parts.past, parts.store);
    this.#followed = outlet === null ? null : new FollowedFeeds({ ...parts, outlet, history: this.#history });
  }

  /** Questions wait: the next turn should come at once. */
  get isBusy(): boolean {
    return this.#questions.isWaiting;
  }

  /** Trades of one instrument come by time. */
  traded(print: TradePrint): void {
    this.#history.trade(this.#parts.catalogue.at(print.instrument), print);
    this.#followed?.traded(print);
  }

  /** The market has lived until now, and told its trades; its book is as it was at that moment. */
  lived(instrument: InstrumentIndex, shown: BookAtMoment, nowMs: EpochMs): void {
    const { catalogue, outlet } = this.#parts;
    this.#history.live(catalogue.at(instrument), nowMs);
    if (outlet?.isDepthWanted(instrument) === true) outlet.showDepth(instrument, this.#depthOf(shown));
  }

  /** The answer may take several turns. */
  ask(query: MarketQuery, origin: number, nowMs: EpochMs): void {
    const { correlationId, account, venue, instrument } = query;
    const about = this.#parts.catalogue.at(instrument);
    const rejection = this.#take(query, about, origin, nowMs);
    if (rejection === null) return;
    this.#parts.report({ kind: 'AccountAnswered', correlationId, account, venue, atMs: nowMs, rejection }, origin);
  }

  /** Tells what is due, and works on the questions for one turn. */
  tell(nowMs: EpochMs): void {
    this.#questions.work(nowMs, this.#parts.report);
    this.#followed?.tell(nowMs);
  }

  takeRows(rows: Row[]): void {
    this.#history.takeRows(rows);
  }

  /** Why the question is not taken; null when it is. */
  #take(query: MarketQuery, about: Instrument, origin: number, askedAtMs: EpochMs): Rejection | null {
    const { marks } = this.#parts;
    if (query.kind === 'QueryFundingRates' && about.assetCategory !== 'FUTURE') {
      return { code: 'INVALID_SYMBOL', message: `symbol ${about.symbol} is no future: it pays no funding` };
    }
    const question =
      query.kind === 'QueryFundingRates'
        ? new FundingQuestion({ query, origin, marks, askedAtMs })
        : new CandleQuestion({ query, origin, instrument: about, history: this.#history, askedAtMs });
    if (this.#questions.ask(question)) return null;
    return { code: 'SYSTEM_BUSY', message: `too many questions wait at ${about.venue}` };
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
