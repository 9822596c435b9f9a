import { MarketRecord, sweepPriceOf, type World } from '../../src/backtest/backtest-run.js';
import { MemoryMarketView } from '../../src/backtest/memory-ports.js';
import { SingleThread, type SingleThreadParts } from '../../src/backtest/single-thread.js';
import type { MarketObserver } from '../../src/backtest/venue/backtest-venue.js';
import type { Fill } from '../../src/domain/event.js';
import { type Instrument, InstrumentCatalogue, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { Candle } from '../../src/domain/market-feed.js';
import { Depth, type Market, type TradePrint } from '../../src/domain/market.js';
import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { CandlesReport, VenueReport } from '../../src/domain/venue-report.js';
import { LatentVenues } from '../../src/sim/latency/latent-venues.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../../test/sim/memory-store.js';
import type { VenueGateway, VenueSink } from '../../src/venue/port.js';

interface SimulatedWorldParts extends Pick<SingleThreadParts, 'strategyFor'> {
  /** The only instrument of its catalogue. */
  readonly instrument: Instrument;
  readonly seed: number;
  readonly startMs: EpochMs;
  readonly latencyMs: number;
  /** Candles of worlds with this seed and start. */
  readonly candles: KnownCandles;
}

const MICROSECONDS_PER_MS = 1_000;
const NO_FEEDS = { version: 0, followed: () => [], nextClosedMs: () => 0 as EpochMs };

/** A simulated market and a shard in one thread, without a clock. The same seed gives the same prices. */
export class SimulatedWorld implements World {
  readonly thread: SingleThread;
  readonly market = new MarketRecord();
  /** The market as published: best prices, and depth on request. */
  readonly published = new MemoryMarketView();
  nowMs: EpochMs;
  /** Receives the next book without latency; null: not needed. */
  #sweeping: Depth | null = null;

  constructor({ instrument, seed, startMs, latencyMs, candles, strategyFor }: SimulatedWorldParts) {
    const catalogue = new InstrumentCatalogue([instrument]);
    const venues = new SimulatedVenues({
      catalogue,
      seed,
      store: new MemoryVenueStore(),
      startMs,
      isWatched: () => true,
      balanceHome: () => 0,
      outlet: {
        subscriptions: NO_FEEDS,
        offer: () => true,
        isDepthWanted: (index) => this.#sweeping !== null || this.published.isDepthWanted(index),
        showDepth: (index, depth) => {
          this.#sweeping?.set(depth);
          if (this.published.isDepthWanted(index)) this.published.showDepth(index, depth);
        },
        speed: 1,
      },
      onRepeated: ({ orderId, child }) => {
        throw new Error(`child ${orderId}-${child} was sent twice`);
      },
    });
    const way = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: way, entry: way, response: way });
    const gateway = new ObservedVenues(new CandleMemory(venues, candles), this.market);
    const venue = new LatentVenues({ gateway, catalogue, latencyOf, seed });
    this.thread = new SingleThread({ venue, catalogue, market: this.published, ...(strategyFor && { strategyFor }) });
    this.nowMs = startMs;
  }

  /** Advances to the next wake. Always returns true, because the market has no end. */
  async step(): Promise<true> {
    this.nowMs = Math.max(this.nowMs, this.thread.nextWakeMs()) as EpochMs;
    this.thread.advance(this.nowMs);
    return true;
  }

  /** Waits for the next published book of 20 levels. */
  async sweepPrice(side: Side, quantity: number): Promise<number | null> {
    const book = new Depth();
    this.#sweeping = book;
    while (book.atMs === 0) await this.step();
    this.#sweeping = null;
    const { count, prices, quantities } = side === 'BUY' ? book.asks : book.bids;
    return sweepPriceOf((visit) => {
      let level = 0;
      while (level < count && visit(prices[level] as Ticks, quantities[level] as Lots)) level += 1;
    }, quantity);
  }

  /** Runs the market until an instant. */
  async live(untilMs: EpochMs): Promise<void> {
    while (this.nowMs < untilMs) await this.step();
  }
}

/** Returns the instrument as the only one of a catalogue. */
export function alone(instrument: Instrument): Instrument {
  return { ...instrument, index: 0 as InstrumentIndex };
}

/**
 * Simulated venues with one order and an observer. The observer gets each market without latency, and the trades of
 * other accounts. Each of our fills is one of the trade prints.
 */
class ObservedVenues implements VenueGateway {
  readonly #venues: VenueGateway;
  readonly #observer: MarketObserver;
  #prints: TradePrint[] = [];

  constructor(venues: VenueGateway, observer: MarketObserver) {
    this.#venues = venues;
    this.#observer = observer;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.#venues.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#venues.advance(nowMs, {
      report: (report, destination) => {
        if (report.kind === 'Filled') this.#remove(report.fill);
        sink.report(report, destination);
      },
      market: (instrument, market) => {
        this.#observe(market);
        sink.market(instrument, market);
      },
      trade: (print) => {
        this.#prints.push(print);
        sink.trade(print);
      },
    });
    for (const { price, quantity, atMs } of this.#prints) this.#observer.onTrade(price, quantity, atMs);
    this.#prints = [];
  }

  nextWakeMs(): EpochMs {
    return this.#venues.nextWakeMs();
  }

  close(): void {
    this.#venues.close();
  }

  #observe({ bid, ask, atMs }: Market): void {
    if (bid > 0 && ask > 0) this.#observer.onQuote(bid, ask, atMs);
  }

  /** No print remains for a fill that the venue reports again after a query. */
  #remove({ price, quantity }: Fill): void {
    const index = this.#prints.findIndex((print) => print.price === price && print.quantity === quantity);
    if (index >= 0) this.#prints.splice(index, 1);
  }
}

type CandleQuery = Extract<VenueRequest, { readonly kind: 'QueryCandles' }>;

/** Answers by query. */
export type KnownCandles = Map<string, readonly Candle[]>;

/**
 * Venues with cached candles. Worlds of one seed have the same history, and generating its candles takes longer than
 * working an order.
 */
export class CandleMemory implements VenueGateway {
  readonly #venues: VenueGateway;
  readonly #known: KnownCandles;
  /** Keys of pending queries, by correlation id. */
  readonly #asked = new Map<number, string>();
  #answers: { readonly report: VenueReport; readonly origin: number }[] = [];

  constructor(venues: VenueGateway, known: KnownCandles) {
    this.#venues = venues;
    this.#known = known;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    if (request.kind !== 'QueryCandles') return this.#venues.handle(request, origin, nowMs);
    const candles = this.#known.get(keyOf(request));
    if (candles !== undefined) {
      this.#answers.push({ report: answerOf(request, candles, nowMs), origin });
      return undefined;
    }
    this.#asked.set(request.correlationId, keyOf(request));
    return this.#venues.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#venues.advance(nowMs, {
      ...sink,
      report: (report, destination) => {
        if (report.kind === 'Candles') this.#learn(report);
        sink.report(report, destination);
      },
    });
    for (const { report, origin } of this.#answers) sink.report(report, origin);
    this.#answers = [];
  }

  nextWakeMs(): EpochMs {
    return this.#venues.nextWakeMs();
  }

  close(): void {
    this.#venues.close();
  }

  #learn({ correlationId, candles }: CandlesReport): void {
    const key = this.#asked.get(correlationId);
    if (key !== undefined) this.#known.set(key, candles);
  }
}

function keyOf({ instrument, interval, fromMs, toMs, limit }: CandleQuery): string {
  return [instrument, interval, fromMs, toMs, limit].join('/');
}

function answerOf(query: CandleQuery, candles: readonly Candle[], atMs: EpochMs): CandlesReport {
  const { correlationId, account, venue, instrument, interval } = query;
  return { kind: 'Candles', correlationId, account, venue, atMs, instrument, interval, candles };
}
