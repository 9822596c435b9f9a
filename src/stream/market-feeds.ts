import { ohlcvFrame, openInterestFrame } from '../api/market/market-frame.js';
import { assert } from '../domain/rejection.js';
import { WS_CLOSED_CANDLES_WAITING_MAX } from '../domain/limits/clients.js';
import { RUNNING_CANDLE_MS } from '../domain/limits/trading.js';
import { feedKey, type MarketFeed, type MarketUpdate } from '../domain/market-feed.js';
import type { FlushSoon, Socket } from './outbox.js';
import type { StreamDeps, Timers } from './port.js';

/** A feed from its first subscription to its last. */
interface Following {
  readonly channel: MarketChannel;
  readonly stop: () => void;
}

/** Sends candles and open interest to any number of sockets. A closed candle reaches every one of them, once. */
export class MarketFeedBoard {
  readonly #deps: Pick<StreamDeps, 'catalogue' | 'followFeed' | 'timers'>;
  readonly #followings = new Map<string, Following>();

  constructor(deps: Pick<StreamDeps, 'catalogue' | 'followFeed' | 'timers'>) {
    this.#deps = deps;
  }

  /** Sends later updates of the feed, and soon the latest one. */
  join(subscription: MarketSubscription): void {
    const { feed } = subscription;
    const following = this.#followings.get(feedKey(feed)) ?? this.#follow(feed);
    following.channel.join(subscription);
  }

  leave(subscription: MarketSubscription): void {
    const key = feedKey(subscription.feed);
    const following = this.#followings.get(key);
    assert(following !== undefined, 'who leaves has joined');
    following.channel.leave(subscription);
    if (!following.channel.isDeserted) return;
    this.#followings.delete(key);
    following.stop();
  }

  #follow(feed: MarketFeed): Following {
    const channel = new MarketChannel(this.#deps.timers);
    const stop = this.#deps.followFeed(feed, (update) => this.#onUpdate(channel, update));
    const following = { channel, stop };
    this.#followings.set(feedKey(feed), following);
    return following;
  }

  #onUpdate(channel: MarketChannel, update: MarketUpdate): void {
    const { catalogue } = this.#deps;
    switch (update.kind) {
      case 'CandleChanged': {
        const frame = bytesOf(ohlcvFrame(update, catalogue.at(update.instrument)));
        return update.isClosed ? channel.keep(frame) : channel.show(frame);
      }
      case 'OpenInterestChanged':
        return channel.show(bytesOf(openInterestFrame(update.openInterest, catalogue.at(update.instrument))));
      case 'Traded':
      case 'MarkChanged':
        return assert(false, `no topic shows ${update.kind}`);
    }
  }
}

function bytesOf(frame: string): Uint8Array {
  return Buffer.from(frame, 'latin1');
}

/**
 * One market feed for all its subscribers. Each frame is rendered once. Frequent updates are sent at most once in
 * RUNNING_CANDLE_MS, also to a new subscriber:
 *
 *   show ─▶ latest ─▶ every RUNNING_CANDLE_MS ─▶ subscribers without this frame
 *   keep ──────────▶ at once ─────────────────▶ all
 */
class MarketChannel {
  readonly #timers: Timers;
  readonly #subscriptions = new Set<MarketSubscription>();
  #latest: Uint8Array | null = null;
  #shownAtMs = -Infinity;
  #isWaiting = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get isDeserted(): boolean {
    return this.#subscriptions.size === 0;
  }

  join(subscription: MarketSubscription): void {
    this.#subscriptions.add(subscription);
    this.#showSoon();
  }

  leave(subscription: MarketSubscription): void {
    this.#subscriptions.delete(subscription);
  }

  show(frame: Uint8Array): void {
    this.#latest = frame;
    this.#showSoon();
  }

  /** Sends a frame at once. The pending update is older and is dropped. */
  keep(frame: Uint8Array): void {
    this.#latest = null;
    for (const subscription of this.#subscriptions) subscription.keep(frame);
  }

  #showSoon(): void {
    if (this.#isWaiting || this.#latest === null) return;
    const waitMs = this.#shownAtMs + RUNNING_CANDLE_MS - this.#timers.nowMs();
    if (waitMs <= 0) return this.#showNow();
    this.#isWaiting = true;
    this.#timers.after(waitMs, () => {
      this.#isWaiting = false;
      this.#showNow();
    });
  }

  #showNow(): void {
    if (this.#latest === null) return;
    this.#shownAtMs = this.#timers.nowMs();
    for (const subscription of this.#subscriptions) subscription.show(this.#latest);
  }
}

interface MarketSubscriptionParts {
  readonly feed: MarketFeed;
  readonly socket: Pick<Socket, 'send' | 'getBufferedAmount'>;
  readonly flushSoon: FlushSoon;
  /**
   * Called when more than WS_CLOSED_CANDLES_WAITING_MAX frames wait. The connection must end, because none may be
   * dropped.
   */
  readonly onOverflow: () => void;
}

/**
 * The frames of one market feed for one socket. While the socket still has earlier frames, this waits:
 *
 *   keep ──▶ kept, in order ──┐
 *   show ──▶ latest only ─────┴──▶ socket, when it has drained
 */
export class MarketSubscription {
  readonly feed: MarketFeed;
  readonly #parts: MarketSubscriptionParts;
  readonly #flushLater = (): void => this.flush();
  #kept: Uint8Array[] = [];
  #latest: Uint8Array | null = null;
  #shown: Uint8Array | null = null;

  constructor(parts: MarketSubscriptionParts) {
    this.feed = parts.feed;
    this.#parts = parts;
  }

  /** Sends a frame that the next one replaces, unless it was sent already. */
  show(frame: Uint8Array): void {
    if (frame === this.#shown) return;
    this.#latest = this.#shown = frame;
    this.#parts.flushSoon(this.#flushLater);
  }

  /** Sends a frame that must not be dropped. The pending replaceable frame is older and is dropped. */
  keep(frame: Uint8Array): void {
    this.#latest = null;
    this.#kept.push(frame);
    this.#parts.flushSoon(this.#flushLater);
    if (this.#kept.length > WS_CLOSED_CANDLES_WAITING_MAX) this.#parts.onOverflow();
  }

  /** Sends the frames that the socket takes now. */
  flush(): void {
    const { socket } = this.#parts;
    while (this.#hasFrame && socket.getBufferedAmount() === 0) {
      const frame = this.#kept.shift() ?? this.#takeLatest();
      if (frame !== null) socket.send(frame);
    }
  }

  /** Drops the waiting frames. A later flush does not touch the socket, which may be closed. */
  end(): void {
    this.#kept = [];
    this.#latest = null;
  }

  get #hasFrame(): boolean {
    return this.#kept.length > 0 || this.#latest !== null;
  }

  #takeLatest(): Uint8Array | null {
    const frame = this.#latest;
    this.#latest = null;
    return frame;
  }
}
