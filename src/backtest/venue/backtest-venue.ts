import type { Instrument } from '../../domain/instrument.js';
import { BACKTEST_ROWS_BEFORE_SNAPSHOT_MAX } from '../../domain/limits/trading.js';
import { Depth, type TradePrint } from '../../domain/market.js';
import type { Side } from '../../domain/order.js';
import type { PositionState } from '../../domain/position.js';
import { amountOf, type Lots, type Ticks, ZERO_AMOUNT } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRequest } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { FeedOutlet } from '../../sim/feed/port.js';
import { MarketMatching, type Match, opposite } from '../../venue/matching/market-matching.js';
import type { QueueModel } from '../../venue/matching/queue-model.js';
import { type LevelVisitor, RemainingBook } from '../../venue/matching/remaining-book.js';
import type { VenueGateway, VenueSink } from '../../venue/port.js';
import { ABSENT, type FileError } from '../table/columns.js';
import type { RowBuffer } from '../table/row-buffer.js';
import type { BacktestOrder } from './backtest-order.js';
import { BacktestOrderService } from './backtest-order-service.js';
import { BacktestMarketView } from './market-view.js';
import { RecordedBook } from './recorded-book.js';
import { BUYER_IS_MAKER, MARKET_TRADE, type RecordedStream, TRADE } from './recording-format.js';
import { receivedMs, RecordingPlayer, type RecordingStream } from './recorded-streams.js';
import { ShownBook } from './shown-book.js';

/** Receives the recorded market without our trades; benchmarks use it. */
export interface MarketObserver {
  onQuote(bid: Ticks, ask: Ticks, atMs: EpochMs): void;
  /** A trade of other participants: the part of a recorded trade that our orders did not receive. */
  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void;
}

/** Receives the book after every market change, while it is subscribed. */
export type DepthOutlet = Pick<FeedOutlet, 'isDepthWanted' | 'showDepth'>;

interface BacktestVenueOptions {
  readonly instrument: Instrument;
  /** Streams of that instrument. */
  readonly streams: readonly RecordingStream[];
  readonly queueModel: QueueModel;
  /**
   * Time in which half of a quantity that we took comes back; null or absent: at the level's next change, all of it.
   */
  readonly refillHalfLifeMs?: number | null;
  readonly observer: MarketObserver;
  /** Absent: no subscriber of the book. */
  readonly outlet?: DepthOutlet;
}

/** Funds are unlimited: a backtest measures cost, not affordability. */
const ENDLESS_FUNDS = 1_000_000_000_000n;

/**
 * A recorded market behind the venue port, so that the live shard and strategies trade on it. It serves one instrument,
 * keeps no durable state, and follows the clock of its recording. The caller feeds the recording beyond an instant
 * before it advances to that instant.
 *
 *   recording ─▶ recorded market ─▶ shown book ─▶ remaining book ─▶ matching with our orders ─▶ reports, market
 */
export class BacktestVenue implements VenueGateway {
  readonly recorded: RecordedMarket;
  readonly #options: BacktestVenueOptions;
  readonly #remaining: RemainingBook;
  readonly #matching: MarketMatching<BacktestOrder>;
  readonly #orders: BacktestOrderService;
  readonly #view: BacktestMarketView;
  readonly #depth = new Depth();
  #bid = 0 as Ticks;
  #ask = 0 as Ticks;
  #reports: { readonly report: VenueReport; readonly destination: number }[] = [];
  #prints: TradePrint[] = [];
  #origin = 0;

  constructor(options: BacktestVenueOptions) {
    const { instrument, streams, queueModel } = options;
    this.#options = options;
    this.recorded = new RecordedMarket(streams, {
      onBook: (atMs) => this.#onBook(atMs),
      onTrade: (price, quantity, takerSide, atMs) => this.#onTrade(price, quantity, takerSide, atMs),
    });
    const { shown } = this.recorded;
    this.#remaining = new RemainingBook(shown, options.refillHalfLifeMs ?? null);
    const remaining = this.#remaining;
    this.#matching = new MarketMatching({ shown, remaining, queueModel, onMatch: (match) => this.#onMatch(match) });
    this.#view = new BacktestMarketView(remaining, this.#matching.resting);
    this.#orders = new BacktestOrderService({
      instrument,
      matching: this.#matching,
      report: (report) => this.#send(report),
    });
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

  /** The levels of a side that an order could take now, best first. */
  walk(side: Side, visit: LevelVisitor): void {
    this.#remaining.walk(side, visit);
  }

  nextWakeMs(): EpochMs {
    return this.recorded.player.nextMs() as EpochMs;
  }

  close(): void {}

  #serve(request: VenueRequest, nowMs: EpochMs): void {
    switch (request.kind) {
      case 'Submit':
        return this.#orders.submit(request, nowMs);
      case 'Cancel':
        return this.#orders.cancel(request, nowMs);
      case 'QueryStatus':
        return this.#orders.query(request, nowMs);
      case 'QueryFunds':
        return this.#sendFunds(request, nowMs);
      case 'QueryCandles':
        return this.#sendCandles(request, nowMs);
      case 'QueryPositions':
        return this.#sendPositions(request, nowMs);
      case 'QueryOrders':
      case 'QueryFundingRates':
        // A recording has no accounts and no funding rates.
        return assert(false, `a backtest venue does not support ${request.kind}`);
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

  #onMatch(match: Match<BacktestOrder>): void {
    this.#orders.book(match);
    // A recorded trade is printed as a whole; our other matches are not in the recording, so they are printed here.
    if (match.cause === 'trade') return;
    const { order, price, quantity, atMs } = match;
    this.#print(price, quantity, match.cause === 'take' ? order.side : opposite(order.side), atMs);
  }

  #print(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void {
    this.#view.onTrade(price, quantity, atMs);
    this.#prints.push({ instrument: this.#options.instrument.index, price, quantity, takerSide, atMs });
  }

  #sendFunds(request: Extract<VenueRequest, { kind: 'QueryFunds' }>, nowMs: EpochMs): void {
    const { correlationId, account, venue } = request;
    const { base, quote } = this.#options.instrument;
    const total = amountOf(ENDLESS_FUNDS, 0);
    const balances = [base, quote].map((asset) => ({ asset, total, free: total }));
    const about = { correlationId, account, venue, atMs: nowMs, isSnapshot: true, version: 1, causedBy: null };
    this.#send({ kind: 'Funds', ...about, balances });
  }

  /** Positions are endless, too: an order may reduce one on either side. */
  #sendPositions(request: Extract<VenueRequest, { kind: 'QueryPositions' }>, nowMs: EpochMs): void {
    const { correlationId, account, venue } = request;
    const about = { correlationId, account, venue, atMs: nowMs, isSnapshot: true, version: 1 };
    const positions = [
      endlessPosition(this.#options.instrument, false),
      endlessPosition(this.#options.instrument, true),
    ];
    this.#send({ kind: 'Positions', ...about, positions });
  }

  /** Returns no candles: the market before the recording is unknown. */
  #sendCandles(request: Extract<VenueRequest, { kind: 'QueryCandles' }>, nowMs: EpochMs): void {
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

const FIRST_ID = 'first_update_id';

/** Receives the events of a recorded market after the book has applied them. */
interface RecordedMarketListener {
  onBook(atMs: EpochMs): void;
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void;
}

/** The recorded market of one instrument without our orders: its book and its trades. */
export class RecordedMarket {
  readonly book = new RecordedBook();
  readonly shown = new ShownBook(this.book);
  readonly player: RecordingPlayer;
  readonly #listener: RecordedMarketListener;
  #gapCount = 0;

  constructor(streams: readonly RecordingStream[], listener: RecordedMarketListener) {
    this.#listener = listener;
    this.player = new RecordingPlayer(streams, (stream, rows, count) => this.#onMessage(stream, rows, count));
  }

  /**
   * Plays all events received up to `untilMs`. The fed data must reach beyond that time. Throws FileError when the
   * streams do not belong together.
   */
  play(untilMs: EpochMs): void {
    this.player.play(untilMs);
  }

  /**
   * Throws FileError when the market until now cannot be that of an exchange: an update has left the bid at or above
   * the ask, or a file ends long before the others.
   */
  refuseDamage(nowMs: EpochMs): void {
    const { crossedLine } = this.book;
    if (crossedLine > 0) throw this.#depthFault(crossedLine, 'price', 'the update leaves the bid at or above the ask');
    for (const stream of this.player.streams) {
      // Snapshots are taken at any time.
      if (stream.name !== 'snapshot' && nowMs > stream.quietUntilMs) this.#refuseEarlyEnd(stream);
    }
  }

  #refuseEarlyEnd(stream: RecordingStream): void {
    const { lastMs, lastLine, quietUntilMs } = stream;
    const other = this.player.streams.find((one) => one.lastMs > quietUntilMs);
    if (other === undefined) return;
    const goesOn = `but the ${other.name} stream goes on until ${isoOf(other.lastMs)}`;
    const what = lastLine === 0 ? 'the file has no rows' : `the file ends at ${isoOf(lastMs)}, ${goesOn}`;
    throw stream.faultAt(Math.max(1, lastLine), 'recv_ns', what);
  }

  #onMessage(stream: RecordedStream, rows: RowBuffer, count: number): void {
    switch (stream) {
      case 'snapshot':
        this.book.onSnapshot(rows, count);
        this.#checkDepth(count);
        break;
      case 'depth':
        this.book.onUpdate(rows, count);
        this.#checkDepth(0);
        break;
      case 'trades':
        return this.#onTrade(rows);
      case 'bookticker':
        this.shown.onQuote(rows);
        break;
      default:
        stream satisfies never;
    }
    this.#listener.onBook(receivedMs(rows, 0));
  }

  /** After a gap the book can only continue from a later snapshot: one after so many rows of the present one. */
  #checkDepth(snapshotRows: number): void {
    const { book } = this;
    if (book.gapCount > this.#gapCount && !this.player.hasSnapshotAfter(snapshotRows)) {
      const at = isoOf(book.gapAtMs);
      throw this.#depthFault(
        book.gapLine,
        FIRST_ID,
        `the depth has a gap at ${at}, and no later snapshot can restart the book`,
      );
    }
    this.#gapCount = book.gapCount;
    if (book.waitingCount > BACKTEST_ROWS_BEFORE_SNAPSHOT_MAX) {
      const what = `${BACKTEST_ROWS_BEFORE_SNAPSHOT_MAX} rows of depth arrived without a snapshot`;
      throw this.#depthFault(book.waitingLine, FIRST_ID, what);
    }
  }

  #depthFault(line: number, column: string, what: string): FileError {
    const depth = this.player.streams.find(({ name }) => name === 'depth');
    assert(depth !== undefined, 'a recording has its depth');
    return depth.faultAt(line, column, what);
  }

  /** Ignores takeovers by an insurance fund: they are no trades of the order book. */
  #onTrade(rows: RowBuffer): void {
    const type = rows.at(0, TRADE.type);
    if (type !== MARKET_TRADE && type !== ABSENT) return;
    const price = rows.at(0, TRADE.price) as Ticks;
    const quantity = rows.at(0, TRADE.quantity) as Lots;
    const takerSide = rows.at(0, TRADE.isBuyerMaker) === BUYER_IS_MAKER ? 'SELL' : 'BUY';
    this.#listener.onTrade(price, quantity, takerSide, receivedMs(rows, 0));
  }
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

function endlessPosition({ index }: Instrument, isShort: boolean): PositionState {
  return {
    instrument: index,
    positionSide: isShort ? 'SHORT' : 'LONG',
    net: isShort ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER,
    isShort,
    cost: 0n,
    marginMode: 'CROSS',
    leverage: 1,
    markPrice: 0 as Ticks,
    unrealisedPnl: ZERO_AMOUNT,
    initialMargin: ZERO_AMOUNT,
    maintenanceMargin: ZERO_AMOUNT,
    collateral: ZERO_AMOUNT,
    liquidationPrice: null,
  };
}
