import { describe, expect, it } from 'vitest';
import { WS_CLOSED_CANDLES_WAITING_MAX } from '../../src/domain/limits/clients.js';
import { RUNNING_CANDLE_MS } from '../../src/domain/limits/trading.js';
import type { MarketFeed } from '../../src/domain/market-feed.js';
import { MarketFeedBoard, MarketSubscription } from '../../src/stream/market-feeds.js';
import { BTC, BTC_PERPETUAL, CATALOGUE } from './catalogue.js';
import { FakeSocket } from './fake-socket.js';
import { FeedSource } from './feed-source.js';
import { ManualTimers } from './manual-timers.js';

const CANDLES: MarketFeed = { kind: 'candles', instrument: BTC, interval: 'ONE_MINUTE' };
const OPEN_INTEREST: MarketFeed = { kind: 'openInterest', instrument: BTC_PERPETUAL };

/** One subscriber of one feed. */
class Subscriber {
  readonly socket = new FakeSocket();
  overflowCount = 0;
  readonly subscription: MarketSubscription;

  constructor(feed: MarketFeed) {
    const onOverflow = (): void => void (this.overflowCount += 1);
    this.subscription = new MarketSubscription({
      feed,
      socket: this.socket,
      flushSoon: (flush) => flush(),
      onOverflow,
    });
  }

  /** `minute:close` of each sent candle, with a final bar for a closed one. */
  get candles(): string[] {
    return this.socket.sent
      .map((text) => JSON.parse(text) as { open_time: number; close: number; closed: boolean })
      .map((frame) => `${frame.open_time / 60_000}:${frame.close * 100}${frame.closed ? '|' : ''}`);
  }

  /** The client reads no more: later frames wait in the socket. */
  stall(): void {
    this.socket.room = 0;
  }

  read(): void {
    this.socket.read();
    this.subscription.flush();
  }
}

class Rig {
  readonly timers = new ManualTimers();
  readonly feeds = new FeedSource();
  readonly board = new MarketFeedBoard({ catalogue: CATALOGUE, timers: this.timers, followFeed: this.feeds.follow });

  joined(feed = CANDLES): Subscriber {
    const subscriber = new Subscriber(feed);
    this.board.join(subscriber.subscription);
    return subscriber;
  }
}

describe('candles', () => {
  it('are sent with every field', () => {
    const rig = new Rig();
    const { socket } = rig.joined();
    rig.feeds.candle({ minute: 2, close: 103, isClosed: true });
    expect(socket.sent).toEqual([
      '{"topic":"ohlcv","symbol":"BTC/USDT","exchange":1,"asset_class":1,"open":1,"high":1.03,"low":1,"close":1.03,' +
        '"volume":1.5,"last":1.03,"open_time":120000,"close_time":180000,"interval":"ONE_MINUTE","closed":true}',
    ]);
  });

  it('are sent at most 4 times a second while they run, with the latest value', () => {
    const rig = new Rig();
    const subscriber = rig.joined();
    for (let k = 1; k <= 100; k += 1) {
      rig.feeds.candle({ close: 100 + k });
      rig.timers.pass(10);
    }
    expect(subscriber.candles).toEqual(['0:101', '0:125', '0:150', '0:175', '0:200']);
    rig.timers.pass(RUNNING_CANDLE_MS);
    expect(subscriber.candles).toHaveLength(5);
  });

  it('are sent at once when they close, without an earlier running value afterwards', () => {
    const rig = new Rig();
    const subscriber = rig.joined();
    rig.feeds.candle({ close: 101 });
    rig.feeds.candle({ close: 102 });
    rig.feeds.candle({ close: 103, isClosed: true });
    rig.feeds.candle({ minute: 1, close: 104 });
    rig.timers.pass(RUNNING_CANDLE_MS);
    expect(subscriber.candles).toEqual(['0:101', '0:103|', '1:104']);
  });

  it('show a new subscriber the running candle soon, never a closed one', () => {
    const rig = new Rig();
    rig.joined();
    rig.feeds.candle({ close: 101 });
    const second = rig.joined();
    expect(second.candles).toEqual([]);
    rig.timers.pass(RUNNING_CANDLE_MS);
    expect(second.candles).toEqual(['0:101']);
    rig.feeds.candle({ close: 102, isClosed: true });
    const third = rig.joined();
    rig.timers.pass(RUNNING_CANDLE_MS);
    expect(third.candles).toEqual([]);
  });

  it('are not repeated to others when a new subscriber joins', () => {
    const rig = new Rig();
    const first = rig.joined();
    rig.feeds.candle({ close: 101 });
    rig.timers.pass(RUNNING_CANDLE_MS);
    const second = rig.joined();
    expect([first.candles, second.candles]).toEqual([['0:101'], ['0:101']]);
  });

  it('wait for a slow socket: every closed candle in order, and the latest running one', () => {
    const rig = new Rig();
    const [slow, fast] = [rig.joined(), rig.joined()];
    slow.stall();
    for (let minute = 0; minute < 5; minute += 1) {
      rig.feeds.candle({ minute, close: 101 });
      rig.timers.pass(RUNNING_CANDLE_MS);
      rig.feeds.candle({ minute, close: 102, isClosed: true });
    }
    for (const close of [103, 104]) {
      rig.feeds.candle({ minute: 5, close });
      rig.timers.pass(RUNNING_CANDLE_MS);
    }
    expect(slow.candles).toEqual(['0:101']);
    slow.read();
    expect(slow.candles).toEqual(['0:101', '0:102|', '1:102|', '2:102|', '3:102|', '4:102|', '5:104']);
    expect(fast.candles).toHaveLength(12);
  });

  it('end a connection that is too slow for every closed candle', () => {
    const rig = new Rig();
    const subscriber = rig.joined();
    subscriber.stall();
    const taken = 1;
    for (let minute = 0; minute < taken + WS_CLOSED_CANDLES_WAITING_MAX; minute += 1) {
      rig.feeds.candle({ minute, isClosed: true });
    }
    expect(subscriber.overflowCount).toBe(0);
    rig.feeds.candle({ minute: 1_000, isClosed: true });
    expect(subscriber.overflowCount).toBe(1);
  });

  it('are followed from the first subscription to the last', () => {
    const rig = new Rig();
    const [one, two] = [rig.joined(), rig.joined()];
    rig.board.leave(one.subscription);
    rig.feeds.candle({ close: 101 });
    expect(rig.feeds.followed).toEqual(['candles/0/ONE_MINUTE']);
    rig.feeds.candle({ close: 102 });
    rig.board.leave(two.subscription);
    expect(rig.feeds.followed).toEqual([]);
    rig.timers.settle();
    expect([one.candles, two.candles]).toEqual([[], ['0:101']]);
  });
});

describe('open interest', () => {
  it('is sent with its exact value at the mark price', () => {
    const rig = new Rig();
    const { socket } = rig.joined(OPEN_INTEREST);
    rig.feeds.openInterest(123_456_789_012_345);
    expect(socket.sent).toEqual([
      '{"topic":"open_interest","symbol":"BTC/USDT:USDT","exchange":1,"asset_class":2,' +
        '"open_interest":1234567890.12345,"open_interest_value":79012344967900.8,"timestamp":5000}',
    ]);
  });

  it('waits for a slow socket, which then gets the latest value', () => {
    const rig = new Rig();
    const { socket, subscription } = rig.joined(OPEN_INTEREST);
    socket.room = 0;
    for (const lots of [1, 2, 3, 4]) {
      rig.feeds.openInterest(lots * 100_000);
      rig.timers.pass(RUNNING_CANDLE_MS);
    }
    socket.read();
    subscription.flush();
    expect(socket.sent.map((text) => (JSON.parse(text) as { open_interest: number }).open_interest)).toEqual([1, 4]);
  });
});
