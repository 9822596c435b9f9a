import { assert } from '../model/assert.js';
import { feedKey, type MarketFeed, type MarketUpdate } from '../model/market-feed.js';
import { MarketChannel } from './market-channel.js';
import type { MarketSubscription } from './market-subscription.js';
import type { StreamDeps } from './port.js';
import { ohlcvFrame } from './topics/ohlcv.js';
import { openInterestFrame } from './topics/open-interest.js';

/** A feed that is followed: from its first subscription to its last. */
interface Following {
  readonly channel: MarketChannel;
  readonly stop: () => void;
}

/** Candles and open interest to any number of sockets. A closed candle reaches every one of them, once. */
export class MarketFeedBoard {
  readonly #deps: Pick<StreamDeps, 'catalogue' | 'followFeed' | 'timers'>;
  readonly #followings = new Map<string, Following>();

  constructor(deps: Pick<StreamDeps, 'catalogue' | 'followFeed' | 'timers'>) {
    this.#deps = deps;
  }

  /** Sends what the feed tells from now on, and soon what it told latest. */
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
