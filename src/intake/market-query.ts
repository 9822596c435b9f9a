import { Depth } from '../domain/market.js';
import { MARKET_STALE_MS } from '../domain/limits/trading.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import type { VolumeProfile } from '../domain/intent.js';
import type { Market } from '../domain/market.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { DepthCacheReader } from '../marketdata/depth-cache.js';
import type { Ringer } from '../wire/bell.js';
import type { MarketFeedService } from '../marketdata/feed-service.js';
import { MarketLookup, PriceQuery } from '../marketdata/price-query.js';
import type { MarketCacheReader } from '../marketdata/market-cache.js';
import { VolumeService } from '../marketdata/volume-service.js';

interface MarketQueryParts {
  readonly marketCache: MarketCacheReader;
  readonly books: DepthCacheReader;
  readonly market: Pick<MarketFeedService, 'candles'>;
  /** Wakes the venue thread for a sleeping market. */
  readonly venueBell: Ringer;
  readonly isVenueUp: (venue: Venue) => boolean;
  readonly clock: Clock;
  readonly nowRealMs: () => number;
}

/** The current state of markets, also of those without a subscriber. Each method answers once, after a bounded wait. */
export class MarketDataQuery {
  readonly #prices: PriceQuery;
  readonly #latest: (instrument: InstrumentIndex) => Market;
  readonly #books: MarketLookup<Depth>;
  readonly #volumes: VolumeService;

  constructor({ marketCache, books, market, venueBell, isVenueUp, clock, nowRealMs }: MarketQueryParts) {
    const common = { isVenueUp, clock, nowRealMs, after };
    const waking =
      (rows: Pick<MarketCacheReader, 'keepAwake'>): MarketCacheReader['keepAwake'] =>
      (instrument, isAwake) => {
        rows.keepAwake(instrument, isAwake);
        if (isAwake) venueBell.ring();
      };
    this.#latest = (instrument) => marketCache.read(instrument);
    this.#prices = new PriceQuery({
      ...common,
      read: this.#latest,
      keepAwake: waking(marketCache),
    });
    this.#books = new MarketLookup({ ...common, keepAwake: waking(books) }, ({ index }, askedAtMs) =>
      freshDepth(books, index, askedAtMs),
    );
    this.#volumes = new VolumeService({ ...common, candles: (request, answer) => market.candles(request, answer) });
  }

  /** Twice the mid in ticks, a whole number. A rejection when one side is missing after the wait. */
  twiceMid(instrument: Instrument, answer: (result: OrRejection<number>) => void): void {
    this.#prices.twiceMid(instrument, answer);
  }

  /** The market as last published, which may be old; without prices before the first time. */
  latest(instrument: InstrumentIndex): Market {
    return this.#latest(instrument);
  }

  /** The market with both sides. A rejection when one side is missing after the wait. */
  market(instrument: Instrument, answer: (market: OrRejection<Market>) => void): void {
    this.#prices.market(instrument, answer);
  }

  /** A copy of the order book; null: no book within PRICE_WAIT_MS. */
  book(instrument: Instrument, answer: (depth: Depth | null) => void): void {
    this.#books.lookUp(instrument, (depth) => answer(isRejected(depth) ? null : depth));
  }

  /** The volume profile; null while the history is too short. `account`: sent to the exchange with the request. */
  volume(instrument: Instrument, account: AccountId, answer: (profile: VolumeProfile | null) => void): void {
    this.#volumes.volume(instrument, account, answer);
  }
}

function freshDepth(books: DepthCacheReader, index: InstrumentIndex, askedAtMs: number): Depth | null {
  const depth = new Depth();
  books.read(index, depth);
  return depth.atMs >= askedAtMs - MARKET_STALE_MS ? depth : null;
}

function after(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs);
}
