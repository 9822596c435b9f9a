import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { MarketFeed, MarketUpdate } from '../../src/model/market-feed.js';
import type { Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { candleUpdate, FeedRoom, MINUTE, START } from './feed-room.js';

const instrument = 1 as InstrumentIndex;
const CANDLES: MarketFeed = { kind: 'candles', instrument, interval: 'ONE_MINUTE' };
const MARK: MarketFeed = { kind: 'mark', instrument };

function markUpdate(price: number): MarketUpdate {
  const mark = {
    markPrice: price as Ticks,
    indexPrice: 1 as Ticks,
    fundingRatePpm: -7,
    nextFundingAtMs: 0 as EpochMs,
    atMs: 0 as EpochMs,
  };
  return { kind: 'MarkChanged', instrument, mark };
}

describe('the market desk', () => {
  it('tells every follower of a feed its updates, and the venue what is followed', () => {
    const { desk, outlet } = new FeedRoom();
    const [one, other]: MarketUpdate[][] = [[], []];
    expect(outlet.interest.followed()).toEqual([]);
    const stopOne = desk.follow(MARK, (update) => one!.push(update));
    const stopOther = desk.follow(MARK, (update) => other!.push(update));
    expect(outlet.interest.followed()).toEqual([MARK]);
    outlet.offer(markUpdate(5));
    expect(desk.latest(MARK)).toBeNull();
    expect(desk.drain()).toBe(false);
    stopOne();
    stopOne();
    outlet.offer(markUpdate(6));
    desk.drain();
    expect(one).toEqual([markUpdate(5)]);
    expect(other).toEqual([markUpdate(5), markUpdate(6)]);
    expect(desk.latest(MARK)).toEqual(markUpdate(6));
    expect(outlet.interest.followed()).toEqual([MARK]);
    stopOther();
    expect(outlet.interest.followed()).toEqual([]);
    outlet.offer(markUpdate(7));
    desk.drain();
    expect(other!.length).toBe(2);
    expect(desk.latest(MARK)).toBeNull();
  });

  it('keeps a market awake for candles and trades, not for its mark', () => {
    const { desk, outlet } = new FeedRoom();
    desk.follow(MARK, () => undefined);
    expect(outlet.isLively(instrument)).toBe(false);
    const stop = desk.follow(CANDLES, () => undefined);
    expect(outlet.isLively(instrument)).toBe(true);
    stop();
    expect(outlet.isLively(instrument)).toBe(false);
  });

  it('tells each closed candle once and in order, though the venue dies and tells its last ones again', () => {
    const room = new FeedRoom();
    const told: string[] = [];
    room.desk.follow(CANDLES, (update) => {
      if (update.kind !== 'CandleChanged') return;
      told.push(`${(update.candle.openAtMs - START) / MINUTE}${update.isClosed ? ' closed' : ''}`);
    });
    expect(room.outlet.interest.nextClosedMs(instrument, 'ONE_MINUTE')).toBe(START);
    room.outlet.offer(candleUpdate(START, false));
    room.outlet.offer(candleUpdate(START, true));
    room.desk.drain();
    room.outlet.offer(candleUpdate(START + MINUTE, true));

    room.outlet = room.venueStarts();
    const again = room.outlet.interest.nextClosedMs(instrument, 'ONE_MINUTE');
    expect(again).toBe(START + MINUTE);
    for (const openAtMs of [again, again + MINUTE]) room.outlet.offer(candleUpdate(openAtMs, true));
    room.outlet.offer(candleUpdate(START + MINUTE, false));
    room.outlet.offer(candleUpdate(START + 3 * MINUTE, false));
    room.desk.drain();
    expect(told).toEqual(['0', '0 closed', '1 closed', '2 closed', '3']);
    expect(room.outlet.interest.nextClosedMs(instrument, 'ONE_MINUTE')).toBe(START + 3 * MINUTE);
  });

  it('has room for a bounded number of updates: the venue is told when there is none', () => {
    const { desk, outlet } = new FeedRoom();
    const told: MarketUpdate[] = [];
    desk.follow(MARK, (update) => told.push(update));
    let offered = 0;
    while (outlet.offer(markUpdate(offered + 1))) offered += 1;
    expect(offered).toBeGreaterThan(50);
    desk.drain();
    expect(told.length).toBe(offered);
    expect(outlet.offer(markUpdate(1))).toBe(true);
  });
});
