import { CANDLE_INTERVAL_MS, openOf, type Candle } from '../model/candle.js';
import { MARKET_MESSAGES_PER_DRAIN_MAX } from '../model/limits.js';
import { feedKey, type FundingRate, type MarketFeed, type MarketUpdate } from '../model/market-feed.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import { decodeMarketUpdate } from '../wire/codec/index.js';
import type { BellRinger } from '../wire/doorbell.js';
import type { FeedInterestWriter } from '../wire/feed-interest.js';
import type { RingConsumer } from '../wire/ring.js';
import type { Question, VenueLine } from './venue-line.js';

export interface MarketDeskParts {
  readonly updates: RingConsumer;
  readonly interest: FeedInterestWriter;
  readonly venueBell: BellRinger;
  readonly line: VenueLine;
  readonly clock: Clock;
}

export type FollowFeed = (update: MarketUpdate) => void;

/** A feed that is followed, by how many, and the latest of it. */
interface Seat {
  readonly feed: MarketFeed;
  readonly followers: Set<FollowFeed>;
  latest: MarketUpdate | null;
  /** When the first candle began whose end has not been told; candles only. */
  nextClosedMs: number;
}

/**
 * The main thread's market data: whoever follows a feed is told its updates, those of one feed in order; the venue tells
 * only what is followed. Closed candles come once each and without a gap, also across the death of the venue's thread.
 */
export class MarketDesk {
  readonly #parts: MarketDeskParts;
  readonly #seats = new Map<string, Seat>();

  constructor(parts: MarketDeskParts) {
    this.#parts = parts;
  }

  /** Begins with the next update; what there is already says `latest`. Returns how to stop, once. */
  follow(feed: MarketFeed, follower: FollowFeed): () => void {
    const seat = this.#seats.get(feedKey(feed)) ?? this.#open(feed);
    // A function of its own: the same one may follow twice.
    const told: FollowFeed = (update) => follower(update);
    seat.followers.add(told);
    return () => {
      if (seat.followers.delete(told) && seat.followers.size === 0) this.#close(feed);
    };
  }

  /** The latest update of a feed that is followed; null when there was none yet. */
  latest(feed: MarketFeed): MarketUpdate | null {
    return this.#seats.get(feedKey(feed))?.latest ?? null;
  }

  candles(question: Omit<Question<'QueryCandles'>, 'kind'>, answer: (result: OrRejection<readonly Candle[]>) => void) {
    this.#parts.line.ask<'QueryCandles'>({ kind: 'QueryCandles', ...question }, (result) =>
      answer(isRejected(result) ? result : result.candles),
    );
  }

  fundingRates(
    question: Omit<Question<'QueryFundingRates'>, 'kind'>,
    answer: (result: OrRejection<readonly FundingRate[]>) => void,
  ): void {
    this.#parts.line.ask<'QueryFundingRates'>({ kind: 'QueryFundingRates', ...question }, (result) =>
      answer(isRejected(result) ? result : result.rates),
    );
  }

  /** Takes in what the venue worker has told; true when there may be more. */
  drain(): boolean {
    const { updates } = this.#parts;
    const count = updates.drain(MARKET_MESSAGES_PER_DRAIN_MAX, (bytes) => this.#onUpdate(decodeMarketUpdate(bytes)));
    return count === MARKET_MESSAGES_PER_DRAIN_MAX;
  }

  #open(feed: MarketFeed): Seat {
    const { clock, interest, venueBell } = this.#parts;
    const nowMs = clock.nowMs();
    const nextClosedMs = feed.kind === 'candles' ? openOf(nowMs, feed.interval) : 0;
    const seat: Seat = { feed, followers: new Set(), latest: null, nextClosedMs };
    this.#seats.set(feedKey(feed), seat);
    interest.follow(feed, nowMs);
    venueBell.ring();
    return seat;
  }

  #close(feed: MarketFeed): void {
    this.#seats.delete(feedKey(feed));
    this.#parts.interest.unfollow(feed);
  }

  #onUpdate(update: MarketUpdate): void {
    // What was under way when its last follower left is nobody's.
    const seat = this.#seats.get(feedKey(feedOf(update)));
    if (seat === undefined) return;
    if (update.kind === 'CandleChanged' && !this.#isNext(seat, update)) return;
    seat.latest = update;
    for (const follower of seat.followers) follower(update);
  }

  /** False for a candle whose end has been told: a venue that died tells its last ones again. */
  #isNext(seat: Seat, { instrument, interval, candle, isClosed }: CandleChanged): boolean {
    if (candle.openAtMs < seat.nextClosedMs) return false;
    if (!isClosed) return true;
    seat.nextClosedMs = candle.openAtMs + CANDLE_INTERVAL_MS[interval];
    this.#parts.interest.moveOn(instrument, interval, seat.nextClosedMs);
    return true;
  }
}

type CandleChanged = Extract<MarketUpdate, { readonly kind: 'CandleChanged' }>;

/** The feed that an update belongs to. */
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
