import {
  type Candle,
  CANDLE_INTERVAL_MS,
  feedKey,
  type FundingRate,
  type MarketFeed,
  type MarketUpdate,
  openOf,
} from '../domain/market-feed.js';
import { MARKET_MESSAGES_PER_DRAIN_MAX } from '../domain/limits/trading.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import { decodeMarketUpdate } from '../wire/codec/market.js';
import type { Ringer } from '../wire/bell.js';
import type { FeedSubscriptionsWriter } from './feed-subscriptions.js';
import type { RingConsumer } from '../wire/ring.js';
import type { VenueQuery } from '../venue/venue-client.js';
import type { VenueRouter } from '../venue/venue-router.js';

export interface MarketFeedServiceParts {
  /** One ring for each venue worker. */
  readonly updates: readonly RingConsumer[];
  readonly subscriptions: FeedSubscriptionsWriter;
  readonly venueBell: Ringer;
  readonly venueClient: Pick<VenueRouter, 'ask'>;
  readonly clock: Clock;
}

export type FeedFollower = (update: MarketUpdate) => void;

/** A followed feed, its followers and its latest update. */
interface FeedSubscription {
  readonly feed: MarketFeed;
  readonly followers: Set<FeedFollower>;
  latest: MarketUpdate | null;
  /** Start of the first candle whose close has not been delivered; 0 for other feeds. */
  nextClosedMs: number;
}

/**
 * Delivers market data to followers on the main thread, in order for each feed. The venue publishes only followed
 * feeds. Each closed candle is delivered once and without a gap, also when the venue thread dies and restarts.
 */
export class MarketFeedService {
  readonly #parts: MarketFeedServiceParts;
  readonly #subscriptions = new Map<string, FeedSubscription>();

  constructor(parts: MarketFeedServiceParts) {
    this.#parts = parts;
  }

  /**
   * Delivers every later update; for the state so far use `latest`. Returns a function that stops the delivery; a
   * second call has no effect.
   */
  follow(feed: MarketFeed, follower: FeedFollower): () => void {
    const subscription = this.#subscriptions.get(feedKey(feed)) ?? this.#open(feed);
    // A separate function object for each call, because one follower may follow twice.
    const deliver: FeedFollower = (update) => follower(update);
    subscription.followers.add(deliver);
    return () => {
      if (subscription.followers.delete(deliver) && subscription.followers.size === 0) this.#close(feed);
    };
  }

  /** Latest update of a followed feed; null before the first one. */
  latest(feed: MarketFeed): MarketUpdate | null {
    return this.#subscriptions.get(feedKey(feed))?.latest ?? null;
  }

  candles(query: Omit<VenueQuery<'QueryCandles'>, 'kind'>, answer: (result: OrRejection<readonly Candle[]>) => void) {
    this.#parts.venueClient.ask<'QueryCandles'>({ kind: 'QueryCandles', ...query }, (result) =>
      answer(isRejected(result) ? result : result.candles),
    );
  }

  fundingRates(
    query: Omit<VenueQuery<'QueryFundingRates'>, 'kind'>,
    answer: (result: OrRejection<readonly FundingRate[]>) => void,
  ): void {
    this.#parts.venueClient.ask<'QueryFundingRates'>({ kind: 'QueryFundingRates', ...query }, (result) =>
      answer(isRejected(result) ? result : result.rates),
    );
  }

  /** Delivers the waiting updates of the venue workers, up to a bound each. True when more may wait. */
  drain(): boolean {
    let hasMore = false;
    for (const ring of this.#parts.updates) {
      const count = ring.drain(MARKET_MESSAGES_PER_DRAIN_MAX, (bytes) => this.#onUpdate(decodeMarketUpdate(bytes)));
      hasMore ||= count === MARKET_MESSAGES_PER_DRAIN_MAX;
    }
    return hasMore;
  }

  #open(feed: MarketFeed): FeedSubscription {
    const { clock, subscriptions, venueBell } = this.#parts;
    const nowMs = clock.nowMs();
    const nextClosedMs = feed.kind === 'candles' ? openOf(nowMs, feed.interval) : 0;
    const subscription: FeedSubscription = { feed, followers: new Set(), latest: null, nextClosedMs };
    this.#subscriptions.set(feedKey(feed), subscription);
    subscriptions.follow(feed, nowMs);
    venueBell.ring();
    return subscription;
  }

  #close(feed: MarketFeed): void {
    this.#subscriptions.delete(feedKey(feed));
    this.#parts.subscriptions.unfollow(feed);
  }

  #onUpdate(update: MarketUpdate): void {
    // Drops updates that arrive after the last follower left.
    const subscription = this.#subscriptions.get(feedKey(feedOf(update)));
    if (subscription === undefined) return;
    if (update.kind === 'CandleChanged' && !this.#isNext(subscription, update)) return;
    subscription.latest = update;
    for (const follower of subscription.followers) follower(update);
  }

  /** False for a candle whose close has been delivered: a restarted venue publishes its last candles again. */
  #isNext(subscription: FeedSubscription, { instrument, interval, candle, isClosed }: CandleChanged): boolean {
    if (candle.openAtMs < subscription.nextClosedMs) return false;
    if (!isClosed) return true;
    subscription.nextClosedMs = candle.openAtMs + CANDLE_INTERVAL_MS[interval];
    this.#parts.subscriptions.moveOn(instrument, interval, subscription.nextClosedMs);
    return true;
  }
}

type CandleChanged = Extract<MarketUpdate, { readonly kind: 'CandleChanged' }>;

function feedOf(update: MarketUpdate): MarketFeed {
  switch (update.kind) {
    case 'Traded':
      return { kind: 'trades', instrument: update.print.instrument };
    case 'CandleChanged':
      return { kind: 'candles', instrument: update.instrument, interval: update.interval };
    case 'MarkChanged':
      return { kind: 'mark', instrument: update.instrument };
    case 'OpenInterestChanged':
      return { kind: 'openInterest', instrument: update.instrument };
  }
}
