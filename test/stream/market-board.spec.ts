import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { MarketBoard, type MarketSubscriber } from '../../src/stream/tickers.js';
import { BTC, BTC_PERPETUAL, CATALOGUE, ETH } from './catalogue.js';
import { FakeSocket } from './fake-socket.js';
import { ManualTimers } from './manual-timers.js';

function marketAt(bid: number, changes: Partial<Market> = {}): Market {
  return {
    bid: bid as Ticks,
    ask: (bid + 1) as Ticks,
    bidQuantity: 100_000 as Lots,
    askQuantity: 250_000 as Lots,
    last: bid as Ticks,
    volume: 0 as Lots,
    volatility: 0,
    atMs: 9_000 as EpochMs,
    ...changes,
  };
}

class Rig {
  readonly timers = new ManualTimers();
  readonly markets = new Map<InstrumentIndex, Market>();
  readonly watched: [InstrumentIndex, boolean][] = [];
  readonly subscribers: MarketSubscriber[] = [];
  readonly published: string[] = [];
  readonly board = new MarketBoard({
    catalogue: CATALOGUE,
    timers: this.timers,
    market: (index) => this.markets.get(index) ?? marketAt(100),
    watchMarket: (index, isWatched) => this.watched.push([index, isWatched]),
    publish: (topic, frame) => this.#publish(topic, frame),
  });

  change(index: InstrumentIndex, market: Market): void {
    this.markets.set(index, market);
    this.board.onMarket(index);
  }

  subscriber(): MarketSubscriber & { socket: FakeSocket } {
    const subscriber = {
      socket: new FakeSocket(),
      instruments: new Set<InstrumentIndex>(),
      isLagging: false,
      isClosed: false,
    };
    this.subscribers.push(subscriber);
    return subscriber;
  }

  /** Like the socket library: a subscriber whose socket refuses a frame loses it, and the board is notified. */
  #publish(topic: string, frame: Uint8Array): void {
    this.published.push(Buffer.from(frame).toString());
    for (const subscriber of this.subscribers) {
      const socket = subscriber.socket as FakeSocket;
      if (socket.topics.has(topic) && socket.send(frame) === 2) this.board.onDropped(subscriber);
    }
  }
}

function bids(sent: readonly string[]): number[] {
  return sent.map((text) => (JSON.parse(text) as { bid: number }).bid);
}

describe('the market board', () => {
  it('sends the present ticker at once', () => {
    const rig = new Rig();
    const { socket, ...rest } = rig.subscriber();
    rig.markets.set(BTC_PERPETUAL, marketAt(6_400_000));
    rig.board.join({ socket, ...rest }, BTC_PERPETUAL);
    expect(socket.sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        topic: 'ticker',
        symbol: 'BTC/USDT:USDT',
        exchange: 1,
        asset_class: 2,
        bid: 64_000,
        ask: 64_000.01,
        bid_qty: 1,
        ask_qty: 2.5,
        timestamp: 9_000,
      },
    ]);
  });

  it('omits the price of an empty side', () => {
    const rig = new Rig();
    const subscriber = rig.subscriber();
    rig.markets.set(BTC, marketAt(100, { ask: 0 as Ticks, askQuantity: 0 as Lots }));
    rig.board.join(subscriber, BTC);
    const frame = JSON.parse(subscriber.socket.sent[0] ?? '') as object;
    expect(frame).toMatchObject({ bid: 1, ask_qty: 0 });
    expect(frame).not.toHaveProperty('ask');
  });

  it('sends a change once, and no frame when no field of the ticker changed', () => {
    const rig = new Rig();
    const subscriber = rig.subscriber();
    rig.board.join(subscriber, BTC);
    rig.change(BTC, marketAt(200));
    rig.change(BTC, marketAt(200, { last: 7 as Ticks, atMs: 9_500 as EpochMs }));
    expect(bids(subscriber.socket.sent)).toEqual([1, 2]);
  });

  it('watches an instrument from the first subscriber to the last', () => {
    const rig = new Rig();
    const [one, two] = [rig.subscriber(), rig.subscriber()];
    rig.board.join(one, BTC);
    rig.board.join(two, BTC);
    rig.board.leaveAll(one);
    expect(rig.watched).toEqual([[BTC, true]]);
    rig.board.leave(two, BTC);
    rig.board.leave(two, BTC);
    expect(rig.watched).toEqual([
      [BTC, true],
      [BTC, false],
    ]);
    rig.change(BTC, marketAt(300));
    expect(rig.published).toHaveLength(1);
  });

  it('stops publishing to a slow socket and sends it the latest ticker when it has drained', () => {
    const rig = new Rig();
    const [slow, fast] = [rig.subscriber(), rig.subscriber()];
    for (const subscriber of [slow, fast]) {
      rig.board.join(subscriber, BTC);
      rig.board.join(subscriber, ETH);
    }
    slow.socket.room = 0;
    slow.socket.backlogBytesMax = 500;
    for (let bid = 101; bid <= 1_000; bid += 1) {
      rig.change(BTC, marketAt(bid));
      rig.timers.turn();
    }
    expect(slow.socket.topics.size).toBe(0);
    expect(slow.socket.sent.length).toBeLessThan(10);
    expect(fast.socket.sent).toHaveLength(902);
    slow.socket.read();
    rig.board.onDrained(slow);
    expect(bids(slow.socket.sent).slice(-2)).toEqual([10, 1]);
    rig.change(ETH, marketAt(500));
    rig.change(BTC, marketAt(2_000));
    expect(bids(slow.socket.sent).slice(-2)).toEqual([5, 20]);
  });

  it('keeps publishing to a socket that drained before the next turn of the event loop', () => {
    const rig = new Rig();
    const subscriber = rig.subscriber();
    rig.board.join(subscriber, BTC);
    rig.board.onDropped(subscriber);
    rig.board.onDrained(subscriber);
    rig.timers.settle();
    rig.change(BTC, marketAt(400));
    expect(bids(subscriber.socket.sent).at(-1)).toBe(4);
  });

  it('delays the first ticker of a clogged socket until it has drained, so that no older one follows a newer one', () => {
    const rig = new Rig();
    const subscriber = rig.subscriber();
    subscriber.socket.room = 0;
    subscriber.socket.send(Buffer.from('backlog'));
    rig.board.join(subscriber, BTC);
    rig.change(BTC, marketAt(300));
    subscriber.socket.read();
    rig.board.onDrained(subscriber);
    expect(bids(subscriber.socket.sent.slice(1))).toEqual([3]);
  });

  it('does not use a closed socket', () => {
    const rig = new Rig();
    const subscriber = rig.subscriber();
    rig.board.join(subscriber, BTC);
    rig.board.onDropped(subscriber);
    subscriber.socket.closed = { code: 1006, reason: '' };
    subscriber.isClosed = true;
    rig.board.leaveAll(subscriber);
    expect(() => rig.timers.settle()).not.toThrow();
  });
});
