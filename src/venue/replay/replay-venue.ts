import { amountOf } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import { Depth } from '../../model/depth.js';
import type { Instrument } from '../../model/instrument.js';
import type { TradePrint } from '../../model/market.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueReport, VenueRequest } from '../../model/venue-message.js';
import type { FeedOutlet } from '../feed/index.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { MarketView } from './market-view.js';
import type { QueueModel } from './queue-model.js';
import { RecordedMarket } from './recorded-market.js';
import { RemainingBook } from './remaining-book.js';
import { ReplayDesk } from './replay-desk.js';
import { opposite, ReplayMatching, type Match } from './replay-matching.js';
import type { TapeStream } from './tape.js';

/** Is told the recorded market as others made it: what an order costs is measured against this. */
export interface MarketObserver {
  onQuote(bid: Ticks, ask: Ticks, atMs: EpochMs): void;
  /** A trade of others: of a recorded one, the part that did not come to us. */
  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void;
}

/** Where the book is shown to whoever looks at it, with every change of the market. */
export type DepthOutlet = Pick<FeedOutlet, 'isDepthWanted' | 'showDepth'>;

export interface ReplayVenueOptions {
  readonly instrument: Instrument;
  /** Of that instrument. */
  readonly streams: readonly TapeStream[];
  readonly queueModel: QueueModel;
  readonly observer: MarketObserver;
  /** Absent: nobody looks at the book. */
  readonly outlet?: DepthOutlet;
}

/** Money is no object: a replay asks what an order costs, not whether somebody could pay. */
const ENDLESS_FUNDS = 1_000_000_000_000n;

/**
 * A recorded market as a venue: the same port as the live and the simulated ones, so that the same shard and strategies
 * trade on it. It answers for one instrument, has no memory beyond its life, and keeps to the clock of its recording;
 * whoever drives it feeds the tape beyond an instant before that instant is reached.
 *
 *   tape ─▶ recorded market ─▶ book under the ticker ─▶ less what we took ─▶ our orders in it ─▶ reports, market
 */
export class ReplayVenue implements VenueGateway {
  readonly recorded: RecordedMarket;
  readonly #options: ReplayVenueOptions;
  readonly #matching: ReplayMatching;
  readonly #desk: ReplayDesk;
  readonly #view: MarketView;
  readonly #depth = new Depth();
  #bid = 0 as Ticks;
  #ask = 0 as Ticks;
  #reports: { readonly report: VenueReport; readonly destination: number }[] = [];
  #prints: TradePrint[] = [];
  #origin = 0;

  constructor(options: ReplayVenueOptions) {
    const { instrument, streams, queueModel } = options;
    this.#options = options;
    this.recorded = new RecordedMarket(streams, {
      onBook: (atMs) => this.#onBook(atMs),
      onTrade: (price, quantity, takerSide, atMs) => this.#onTrade(price, quantity, takerSide, atMs),
    });
    const { shown } = this.recorded;
    const remaining = new RemainingBook(shown);
    this.#matching = new ReplayMatching({ shown, remaining, queueModel, onMatch: (match) => this.#onMatch(match) });
    this.#view = new MarketView(remaining, this.#matching.resting);
    this.#desk = new ReplayDesk({ instrument, matching: this.#matching, report: (report) => this.#send(report) });
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.recorded.play(nowMs);
    this.#origin = origin;
    this.#serve(request, nowMs);
    this.#view.touch(nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.recorded.play(nowMs);
    const { index } = this.#options.instrument;
    const market = this.#view.takeChange();
    if (market !== null) {
      this.#showDepth();
      sink.market(index, market);
    }
    for (const print of this.#prints) sink.trade(print);
    for (const { report, destination } of this.#reports) sink.report(report, destination);
    this.#prints = [];
    this.#reports = [];
  }

  nextWakeMs(): EpochMs {
    return this.recorded.tape.nextMs() as EpochMs;
  }

  close(): void {}

  #serve(request: VenueRequest, nowMs: EpochMs): void {
    switch (request.kind) {
      case 'Submit':
        return this.#desk.submit(request, nowMs);
      case 'Cancel':
        return this.#desk.cancel(request, nowMs);
      case 'Query':
        return this.#desk.query(request, nowMs);
      case 'QueryFunds':
        return this.#tellFunds(request, nowMs);
      case 'QueryCandles':
        return this.#tellCandles(request, nowMs);
      case 'Amend':
      case 'QueryPositions':
      case 'QueryOrders':
      case 'SetLeverage':
      case 'SetMarginMode':
      case 'SetPositionMode':
      case 'Transfer':
      case 'QueryFundingRates':
        // A recording has no accounts, and no strategy amends.
        return assert(false, `nobody asks a replayed venue for ${request.kind}`);
      default:
        return request satisfies never;
    }
  }

  #onBook(atMs: EpochMs): void {
    this.#matching.onBook(atMs);
    this.#view.touch(atMs);
    const { shown } = this.recorded;
    const [bid, ask] = [shown.best('BUY'), shown.best('SELL')];
    if (bid === 0 || ask === 0 || (bid === this.#bid && ask === this.#ask)) return;
    this.#bid = bid;
    this.#ask = ask;
    this.#options.observer.onQuote(bid, ask, atMs);
  }

  #onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void {
    const ours = this.#matching.onTrade(price, quantity, takerSide, atMs);
    this.#print(price, quantity, takerSide, atMs);
    if (ours < quantity) this.#options.observer.onTrade(price, (quantity - ours) as Lots, atMs);
  }

  #onMatch(match: Match): void {
    this.#desk.book(match);
    // A recorded trade that came to us is printed as a whole; what the recording does not know is printed here.
    if (match.cause === 'trade') return;
    const { order, price, quantity, atMs } = match;
    this.#print(price, quantity, match.cause === 'take' ? order.side : opposite(order.side), atMs);
  }

  #print(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void {
    this.#view.onTrade(price, quantity, atMs);
    this.#prints.push({ instrument: this.#options.instrument.index, price, quantity, takerSide, atMs });
  }

  #tellFunds(request: Extract<VenueRequest, { kind: 'QueryFunds' }>, nowMs: EpochMs): void {
    const { correlationId, account, venue } = request;
    const { base, quote } = this.#options.instrument;
    const total = amountOf(ENDLESS_FUNDS, 0);
    const balances = [base, quote].map((asset) => ({ asset, total, free: total }));
    const about = { correlationId, account, venue, atMs: nowMs, isSnapshot: true, version: 1, causedBy: null };
    this.#send({ kind: 'Funds', ...about, balances });
  }

  /** What was before the recording is not known. */
  #tellCandles(request: Extract<VenueRequest, { kind: 'QueryCandles' }>, nowMs: EpochMs): void {
    const { correlationId, account, venue, instrument, interval } = request;
    const about = { correlationId, account, venue, atMs: nowMs, instrument, interval };
    this.#send({ kind: 'Candles', ...about, candles: [] });
  }

  #showDepth(): void {
    const { outlet, instrument } = this.#options;
    if (outlet?.isDepthWanted(instrument.index) !== true) return;
    this.#view.fill(this.#depth);
    outlet.showDepth(instrument.index, this.#depth);
  }

  #send(report: VenueReport): void {
    this.#reports.push({ report, destination: this.#origin });
  }
}
