import type { CandleInterval } from '../../model/candle.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import { MARK_UPDATE_MS, OPEN_INTEREST_UPDATE_MS, RUNNING_CANDLE_MS } from '../../model/limits.js';
import type { TradePrint } from '../../model/market.js';
import { feedKey, type MarketFeed } from '../../model/market-feed.js';
import type { EpochMs } from '../../model/time.js';
import { CandleFeed } from './candle-feed.js';
import type { CandleHistory } from './candle-history.js';
import { LevelFeed } from './level-feed.js';
import type { MarkPrices } from './mark-prices.js';
import type { OpenInterestLevel } from './open-interest.js';
import type { FeedOutlet } from './port.js';
import { TradeFeed } from './trade-feed.js';

export interface FollowedFeedsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly history: CandleHistory;
  readonly marks: MarkPrices;
  readonly openInterest: OpenInterestLevel;
  readonly outlet: FeedOutlet;
}

/** The feeds that somebody follows. */
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

  /** Tells what is due of every feed. */
  tell(nowMs: EpochMs): void {
    const { interest } = this.#parts.outlet;
    if (interest.version !== this.#version) this.#refollow();
    for (const feed of this.#feeds.values()) feed.tell(nowMs);
  }

  /** Brings the feeds to what is followed now; those that are followed on go on where they are. */
  #refollow(): void {
    const { interest } = this.#parts.outlet;
    const before = this.#feeds;
    this.#version = interest.version;
    this.#feeds = new Map();
    this.#trades.clear();
    for (const followed of interest.followed()) {
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
      nextClosedMs: outlet.interest.nextClosedMs(instrument, interval),
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
