import type { InstrumentIndex } from '../../domain/instrument.js';
import { MARKET_REQUEST_AGAIN_MS, PAST_CANDLE_REQUESTS_MAX } from '../../domain/limits/live.js';
import { CANDLES_PER_QUERY_MAX, DEPTH_LEVELS_COUNT } from '../../domain/limits/trading.js';
import { type CandleInterval, feedKey, type MarketFeed, type MarketUpdate } from '../../domain/market-feed.js';
import { Depth, type DepthSide, type Market } from '../../domain/market.js';
import type { Ticks } from '../../domain/quantity.js';
import { isRejected } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { Level } from './json/json-fields.js';
import { type CandleRange, type LiveExchange, type MarketTopic, topicKey } from './live-exchange.js';
import type { LiveListing } from './live-listing.js';
import type {
  CandleRecord,
  Depth as BookRecord,
  MarketRecord,
  MarkPrice,
  PublicTrade,
  TopOfBook,
} from './normal/records.js';
import { CandleFeed } from './market/candle-feed.js';
import { MarketRow, totalsFromMs } from './market/market-row.js';
import { ppmOf, UnitScale } from './unit-scale.js';

/** Where market data goes, and which is wanted. */
export interface MarketOutlet {
  /** True when a thread wants the best prices of the row. */
  isWanted(instrument: InstrumentIndex): boolean;
  isDepthWanted(instrument: InstrumentIndex): boolean;
  /** Changes with every change of `followed`. */
  readonly feedsVersion: number;
  followed(): readonly MarketFeed[];
  /** Start of the first candle whose close was not delivered. */
  nextClosedMs(instrument: InstrumentIndex, interval: CandleInterval): EpochMs;
  writeMarket(instrument: InstrumentIndex, market: Market): void;
  writeDepth(instrument: InstrumentIndex, depth: Depth): void;
  /** False: there is no room now. */
  offer(update: MarketUpdate): boolean;
}

interface Row {
  readonly index: InstrumentIndex;
  readonly symbol: string;
  readonly scale: UnitScale;
  readonly row: MarketRow;
  mark: MarkPrice | null;
}

/** A request for past candles, and when it may be sent again. */
interface PastRequest {
  isOpen: boolean;
  againAtMs: number;
}

/** A half-year and the one before. */
const TOTAL_DAYS_MAX = 400;

interface LiveMarketParts {
  readonly exchange: LiveExchange;
  readonly listing: LiveListing;
  readonly outlet: MarketOutlet;
  readonly nowMs: () => EpochMs;
}

/** The public data of one wallet: subscribes what is wanted, and converts records to lots and ticks. */
export class LiveMarket {
  readonly #parts: LiveMarketParts;
  readonly #rows = new Map<InstrumentIndex, Row>();
  readonly #topics = new Map<string, MarketTopic>();
  /** The exchange's clock minus ours, as last measured. */
  #clockOffsetMs = 0;
  #feeds: readonly MarketFeed[] = [];
  #feedsVersion = Number.NaN;
  /** Followed feeds by key. */
  readonly #followed = new Set<string>();
  readonly #candles = new Map<string, { readonly symbol: string; readonly feed: CandleFeed }>();
  /** Requests for past candles by the market row or the feed that needs them. */
  readonly #past = new Map<object, PastRequest>();
  #pastCount = 0;

  constructor(parts: LiveMarketParts) {
    this.#parts = parts;
  }

  /** Compares what is wanted with what is subscribed. Call it after each ring of the bell, and often. */
  round(): void {
    const { exchange, listing, outlet } = this.#parts;
    const nowMs = this.#parts.nowMs();
    if (outlet.feedsVersion !== this.#feedsVersion) this.#readFeeds();
    const wanted = new Map<string, MarketTopic>();
    const want = (topic: MarketTopic): void => void wanted.set(topicKey(topic), topic);
    for (const index of listing.indices()) {
      const instrument = listing.find(index);
      if (instrument === null || !exchange.categories.includes(instrument.assetCategory)) continue;
      const isDepthWanted = outlet.isDepthWanted(index);
      if (!isDepthWanted && !outlet.isWanted(index)) {
        this.#rows.get(index)?.row.end();
        continue;
      }
      const symbol = listing.at(index).exchangeSymbol;
      want({ kind: 'topOfBook', symbol });
      want({ kind: 'trades', symbol });
      this.#requestTotals(this.#rowAt(index), nowMs);
      if (isDepthWanted) want({ kind: 'depth', symbol });
    }
    for (const feed of this.#feeds) {
      const symbol = listing.at(feed.instrument).exchangeSymbol;
      if (feed.kind === 'candles') want({ kind: 'candles', symbol, interval: feed.interval });
      else want({ kind: feed.kind, symbol });
      // The worth of the open interest needs the mark price.
      if (feed.kind === 'openInterest') want({ kind: 'mark', symbol });
    }
    for (const [key, topic] of this.#topics) {
      if (wanted.has(key)) continue;
      this.#topics.delete(key);
      exchange.market.unsubscribe(topic);
    }
    for (const [key, topic] of wanted) {
      if (this.#topics.has(key)) continue;
      this.#topics.set(key, topic);
      exchange.market.subscribe(topic);
    }
    for (const candles of this.#candles.values()) this.#requestCandles(candles, nowMs);
  }

  /** Takes a measurement of the exchange's clock: its candles end by that clock. */
  onClock(offsetMs: number): void {
    this.#clockOffsetMs = Math.round(offsetMs);
  }

  onRecord(record: MarketRecord, nowMs: EpochMs): void {
    for (const row of this.#rowsOf(record.symbol)) this.#take(row, record, nowMs);
  }

  #take(row: Row, record: MarketRecord, nowMs: EpochMs): void {
    switch (record.kind) {
      case 'TopOfBook':
        return this.#onTop(row, record, nowMs);
      case 'Depth':
        return this.#onDepth(row, record, nowMs);
      case 'PublicTrade':
        return this.#onTrade(row, record, nowMs);
      case 'Candle':
        return this.#onCandle(row, record, nowMs);
      case 'MarkPrice': {
        row.mark = record;
        return this.#offerMark(row, record, nowMs);
      }
      case 'OpenInterest': {
        const openInterest = row.scale.lots(record.quantity);
        const mark = row.mark?.markPrice ?? null;
        const markPrice = mark === null ? null : row.scale.ticks(mark);
        if (openInterest === null || markPrice === null || !this.#isFollowed(row, 'openInterest')) return;
        const { index } = row;
        const level = { openInterest, markPrice, atMs: nowMs };
        this.#parts.outlet.offer({ kind: 'OpenInterestChanged', instrument: index, openInterest: level });
      }
    }
  }

  /** Withdraws the prices: no order is placed by a price that may be old. */
  onStale(symbols: readonly string[], nowMs: EpochMs): void {
    for (const row of symbols.flatMap((symbol) => this.#rowsOf(symbol))) {
      row.row.stale(nowMs);
      this.#write(row);
      if (this.#parts.outlet.isDepthWanted(row.index)) this.#parts.outlet.writeDepth(row.index, new Depth());
    }
  }

  #onTop({ row, ...rest }: Row, record: TopOfBook, nowMs: EpochMs): void {
    row.quote(record, nowMs);
    this.#write({ row, ...rest });
  }

  #onTrade(found: Row, record: PublicTrade, nowMs: EpochMs): void {
    const trade = found.row.trade(record);
    if (trade === null) return;
    this.#write(found);
    if (!this.#isFollowed(found, 'trades')) return;
    const { index } = found;
    const print = { ...trade, instrument: index, takerSide: record.takerSide, atMs: nowMs };
    this.#parts.outlet.offer({ kind: 'Traded', print });
  }

  #onDepth(row: Row, { bids, asks }: BookRecord, nowMs: EpochMs): void {
    const depth = new Depth();
    // An empty book keeps the time 0, so that its readers have no book. With the present time it would be one without
    // orders.
    if (bids.length > 0 || asks.length > 0) depth.atMs = nowMs;
    fill(depth.bids, row.scale, bids, (text) => row.scale.ticks(text));
    fill(depth.asks, row.scale, asks, (text) => row.scale.ticksAbove(text));
    this.#parts.outlet.writeDepth(row.index, depth);
  }

  #onCandle({ index }: Row, record: CandleRecord, nowMs: EpochMs): void {
    const feed = {
      kind: 'candles',
      instrument: index,
      interval: record.interval as CandleInterval,
    } as const;
    this.#candles.get(feedKey(feed))?.feed.seen(record, nowMs);
  }

  /** Requests the volume so far of a market that is wanted, until it is known. */
  #requestTotals(row: Row, nowMs: EpochMs): void {
    if (!row.row.needsTotals(nowMs)) return;
    const range = {
      symbol: row.symbol,
      interval: 'ONE_DAY',
      fromMs: totalsFromMs(nowMs),
      toMs: nowMs,
      limit: TOTAL_DAYS_MAX,
    } as const;
    const { endCount } = row.row;
    this.#request(row.row, range, (candles) => {
      if (row.row.endCount !== endCount) return;
      row.row.setTotals(candles, this.#parts.nowMs());
      this.#write(row);
    });
  }

  #requestCandles({ symbol, feed }: { readonly symbol: string; readonly feed: CandleFeed }, nowMs: EpochMs): void {
    feed.publish(nowMs);
    const sentMs = (nowMs + this.#clockOffsetMs) as EpochMs;
    const fromMs = feed.missingFromMs(sentMs);
    if (fromMs === null) return;
    const range = { symbol, interval: feed.interval, fromMs, toMs: sentMs, limit: CANDLES_PER_QUERY_MAX };
    this.#request(feed, range, (candles) => feed.requested(candles, sentMs, this.#parts.nowMs()));
  }

  /** Sends one request for an owner at once, and a failed one again after a while. */
  #request(owner: object, range: CandleRange, take: (candles: readonly CandleRecord[]) => void): void {
    const request = this.#past.get(owner) ?? { isOpen: false, againAtMs: 0 };
    if (request.isOpen || this.#pastCount >= PAST_CANDLE_REQUESTS_MAX || this.#parts.nowMs() < request.againAtMs)
      return;
    this.#past.set(owner, request);
    request.isOpen = true;
    this.#pastCount += 1;
    void this.#answer(request, range, take);
  }

  async #answer(
    request: PastRequest,
    range: CandleRange,
    take: (candles: readonly CandleRecord[]) => void,
  ): Promise<void> {
    const candles = await this.#parts.exchange.market.candles(range);
    this.#pastCount -= 1;
    request.isOpen = false;
    request.againAtMs = this.#parts.nowMs() + MARKET_REQUEST_AGAIN_MS;
    if (!isRejected(candles)) take(candles);
  }

  #offerMark(row: Row, { markPrice, indexPrice, fundingRate, nextFundingMs }: MarkPrice, nowMs: EpochMs): void {
    if (!this.#isFollowed(row, 'mark')) return;
    const price = markPrice === null ? null : row.scale.ticks(markPrice);
    if (price === null) return;
    const mark = {
      markPrice: price,
      indexPrice: (indexPrice === null ? null : row.scale.ticks(indexPrice)) ?? price,
      fundingRatePpm: (fundingRate === null ? null : ppmOf(fundingRate)) ?? 0,
      nextFundingAtMs: nextFundingMs ?? (0 as EpochMs),
      atMs: nowMs,
    };
    this.#parts.outlet.offer({ kind: 'MarkChanged', instrument: row.index, mark });
  }

  #isFollowed({ index }: Row, kind: 'trades' | 'mark' | 'openInterest'): boolean {
    return this.#followed.has(feedKey({ kind, instrument: index }));
  }

  #readFeeds(): void {
    const { exchange, listing, outlet } = this.#parts;
    this.#feedsVersion = outlet.feedsVersion;
    this.#feeds = outlet.followed().filter(({ instrument }) => {
      const listed = listing.find(instrument);
      return listed !== null && exchange.categories.includes(listed.assetCategory);
    });
    this.#followed.clear();
    for (const feed of this.#feeds) {
      this.#followed.add(feedKey(feed));
      if (feed.kind === 'candles') this.#openCandles(feed);
    }
    for (const [key, { feed }] of this.#candles) {
      if (this.#followed.has(key)) continue;
      this.#candles.delete(key);
      this.#past.delete(feed);
    }
  }

  #openCandles(followed: Extract<MarketFeed, { readonly kind: 'candles' }>): void {
    const { instrument, interval } = followed;
    const { listing, outlet } = this.#parts;
    if (this.#candles.has(feedKey(followed))) return;
    const live = listing.at(instrument);
    const feed = new CandleFeed({
      instrument,
      interval,
      scale: new UnitScale(live),
      offer: (update) => outlet.offer(update),
      nextClosedMs: outlet.nextClosedMs(instrument, interval),
    });
    this.#candles.set(feedKey(followed), { symbol: live.exchangeSymbol, feed });
  }

  #write({ row, index }: Row): void {
    const { market } = row;
    if (market !== null) this.#parts.outlet.writeMarket(index, market);
  }

  /** The row of a symbol, and its retired rows as long as an order needs their prices. */
  #rowsOf(symbol: string): readonly Row[] {
    const { exchange, listing, outlet } = this.#parts;
    const rows: Row[] = [];
    for (const category of exchange.categories) {
      const index = listing.indexOf(category, symbol);
      if (index !== null) rows.push(this.#rowAt(index));
      for (const retired of listing.retiredOf(category, symbol)) {
        if (outlet.isWanted(retired) || outlet.isDepthWanted(retired)) rows.push(this.#rowAt(retired));
      }
    }
    return rows;
  }

  #rowAt(index: InstrumentIndex): Row {
    const known = this.#rows.get(index);
    if (known !== undefined) return known;
    const live = this.#parts.listing.at(index);
    const scale = new UnitScale(live);
    const row: Row = { index, symbol: live.exchangeSymbol, scale, row: new MarketRow(scale), mark: null };
    this.#rows.set(index, row);
    return row;
  }
}

/** Levels on one tick after rounding are one level. */
function fill(
  side: DepthSide,
  scale: UnitScale,
  levels: readonly Level[],
  ticksOf: (text: string) => Ticks | null,
): void {
  side.count = 0;
  for (const { price, quantity } of levels) {
    const [ticks, lots] = [ticksOf(price), scale.lots(quantity)];
    if (ticks === null || lots === null || lots === 0) continue;
    if (side.count > 0 && side.prices[side.count - 1] === ticks) {
      side.quantities[side.count - 1]! += lots;
      continue;
    }
    if (side.count === DEPTH_LEVELS_COUNT) return;
    side.prices[side.count] = ticks;
    side.quantities[side.count] = lots;
    side.count += 1;
  }
}
