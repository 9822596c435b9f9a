import type { InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { MARK_UPDATE_MS, OPEN_INTEREST_UPDATE_MS, RUNNING_CANDLE_MS } from '../../domain/limits/trading.js';
import { type CandleInterval, feedKey, type MarketFeed, type MarketUpdate } from '../../domain/market-feed.js';
import type { TradePrint } from '../../domain/market.js';
import type { EpochMs } from '../../domain/time.js';
import { CandleFeed } from './candle-feed.js';
import type { CandleHistory } from './candle-history.js';
import type { MarkPrices } from './mark-prices.js';
import type { OpenInterestLevel } from './open-interest.js';
import type { FeedOutlet } from './port.js';

interface FollowedFeedsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly history: CandleHistory;
  readonly marks: MarkPrices;
  readonly openInterest: OpenInterestLevel;
  readonly outlet: FeedOutlet;
}

/** The followed feeds. */
export class FollowedFeeds {
  readonly #parts: FollowedFeedsParts;
  #feeds = new Map<string, CandleFeed | LevelFeed | TradeFeed>();
  readonly #trades = new Map<InstrumentIndex, TradeFeed>();
  #version = NaN;

  constructor(parts: FollowedFeedsParts) {
    this.#parts = parts;
  }

  traded(print: TradePrint): void {
    this.#trades.get(print.instrument)?.add(print);
  }

  /** Publishes the due updates of every feed. */
  publish(nowMs: EpochMs): void {
    const { subscriptions } = this.#parts.outlet;
    if (subscriptions.version !== this.#version) this.#refollow();
    for (const feed of this.#feeds.values()) feed.publish(nowMs);
  }

  /** Opens and closes feeds as the subscriptions changed. Feeds that stay followed keep their state. */
  #refollow(): void {
    const { subscriptions } = this.#parts.outlet;
    const before = this.#feeds;
    this.#version = subscriptions.version;
    this.#feeds = new Map();
    this.#trades.clear();
    for (const followed of subscriptions.followed()) {
      const feed = before.get(feedKey(followed)) ?? this.#open(followed);
      this.#feeds.set(feedKey(followed), feed);
      if (feed instanceof TradeFeed) this.#trades.set(followed.instrument, feed);
    }
  }

  #open(followed: MarketFeed): CandleFeed | LevelFeed | TradeFeed {
    const { outlet } = this.#parts;
    const { instrument } = followed;
    switch (followed.kind) {
      case 'trades':
        return new TradeFeed((update) => outlet.offer(update));
      case 'candles':
        return this.#candles(instrument, followed.interval);
      case 'mark':
        return new LevelFeed(MARK_UPDATE_MS * outlet.speed, (atMs) => this.#offerMark(instrument, atMs));
      case 'openInterest':
        return new LevelFeed(OPEN_INTEREST_UPDATE_MS * outlet.speed, (atMs) =>
          this.#offerOpenInterest(instrument, atMs),
        );
    }
  }

  #candles(instrument: InstrumentIndex, interval: CandleInterval): CandleFeed {
    const { catalogue, history, outlet } = this.#parts;
    return new CandleFeed({
      instrument: catalogue.at(instrument),
      interval,
      history,
      offer: (update) => outlet.offer(update),
      gapMs: RUNNING_CANDLE_MS * outlet.speed,
      nextClosedMs: outlet.subscriptions.nextClosedMs(instrument, interval),
    });
  }

  #offerMark(instrument: InstrumentIndex, atMs: EpochMs): boolean {
    const { marks, outlet } = this.#parts;
    return outlet.offer({ kind: 'MarkChanged', instrument, mark: marks.markAt(instrument, atMs) });
  }

  #offerOpenInterest(instrument: InstrumentIndex, atMs: EpochMs): boolean {
    const { catalogue, marks, openInterest, outlet } = this.#parts;
    const level = {
      openInterest: openInterest.lotsAt(catalogue.at(instrument), atMs),
      markPrice: marks.markPrice(instrument, atMs),
      atMs,
    };
    return outlet.offer({ kind: 'OpenInterestChanged', instrument, openInterest: level });
  }
}

/** Publishes a level at intervals: at once for the first time, and after a full ring as soon as possible. */
class LevelFeed {
  readonly #gapMs: number;
  readonly #offer: (atMs: EpochMs) => boolean;
  #publishedAtMs = -Infinity;

  /** `gapMs`: service time between updates. `offer` returns false when the ring is full. */
  constructor(gapMs: number, offer: (atMs: EpochMs) => boolean) {
    this.#gapMs = gapMs;
    this.#offer = offer;
  }

  publish(nowMs: EpochMs): void {
    if (nowMs - this.#publishedAtMs >= this.#gapMs && this.#offer(nowMs)) this.#publishedAtMs = nowMs;
  }
}

/** Publishes the trades of one instrument in order. When the ring is full, drops all waiting trades but the latest. */
class TradeFeed {
  readonly #offer: (update: MarketUpdate) => boolean;
  #prints: TradePrint[] = [];

  constructor(offer: (update: MarketUpdate) => boolean) {
    this.#offer = offer;
  }

  add(print: TradePrint): void {
    this.#prints.push(print);
  }

  publish(): void {
    const prints = this.#prints;
    const refused = prints.findIndex((print) => !this.#offer({ kind: 'Traded', print }));
    this.#prints = refused === -1 ? [] : prints.slice(-1);
  }
}
