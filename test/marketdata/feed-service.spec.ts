import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { MarketFeed, MarketUpdate } from '../../src/domain/market-feed.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { candleUpdate, FeedRig, MINUTE, START } from './feed-rig.js';

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

describe('the market feed service', () => {
  it('delivers a feed to every follower and publishes the followed feeds to the venue', () => {
    const { service, outlet } = new FeedRig();
    const [one, other]: MarketUpdate[][] = [[], []];
    expect(outlet.subscriptions.followed()).toEqual([]);
    const stopOne = service.follow(MARK, (update) => one!.push(update));
    const stopOther = service.follow(MARK, (update) => other!.push(update));
    expect(outlet.subscriptions.followed()).toEqual([MARK]);
    outlet.offer(markUpdate(5));
    expect(service.latest(MARK)).toBeNull();
    expect(service.drain()).toBe(false);
    stopOne();
    stopOne();
    outlet.offer(markUpdate(6));
    service.drain();
    expect(one).toEqual([markUpdate(5)]);
    expect(other).toEqual([markUpdate(5), markUpdate(6)]);
    expect(service.latest(MARK)).toEqual(markUpdate(6));
    expect(outlet.subscriptions.followed()).toEqual([MARK]);
    stopOther();
    expect(outlet.subscriptions.followed()).toEqual([]);
    outlet.offer(markUpdate(7));
    service.drain();
    expect(other!.length).toBe(2);
    expect(service.latest(MARK)).toBeNull();
  });

  it('keeps a market active for candles and trades, not for its mark price', () => {
    const { service, outlet } = new FeedRig();
    service.follow(MARK, () => undefined);
    expect(outlet.needsActiveMarket(instrument)).toBe(false);
    const stop = service.follow(CANDLES, () => undefined);
    expect(outlet.needsActiveMarket(instrument)).toBe(true);
    stop();
    expect(outlet.needsActiveMarket(instrument)).toBe(false);
  });

  it('delivers each closed candle once and in order when a restarted venue publishes its last ones again', () => {
    const rig = new FeedRig();
    const updates: string[] = [];
    rig.service.follow(CANDLES, (update) => {
      if (update.kind !== 'CandleChanged') return;
      updates.push(`${(update.candle.openAtMs - START) / MINUTE}${update.isClosed ? ' closed' : ''}`);
    });
    expect(rig.outlet.subscriptions.nextClosedMs(instrument, 'ONE_MINUTE')).toBe(START);
    rig.outlet.offer(candleUpdate(START, false));
    rig.outlet.offer(candleUpdate(START, true));
    rig.service.drain();
    rig.outlet.offer(candleUpdate(START + MINUTE, true));

    rig.outlet = rig.startVenue();
    const again = rig.outlet.subscriptions.nextClosedMs(instrument, 'ONE_MINUTE');
    expect(again).toBe(START + MINUTE);
    for (const openAtMs of [again, again + MINUTE]) rig.outlet.offer(candleUpdate(openAtMs, true));
    rig.outlet.offer(candleUpdate(START + MINUTE, false));
    rig.outlet.offer(candleUpdate(START + 3 * MINUTE, false));
    rig.service.drain();
    expect(updates).toEqual(['0', '0 closed', '1 closed', '2 closed', '3']);
    expect(rig.outlet.subscriptions.nextClosedMs(instrument, 'ONE_MINUTE')).toBe(START + 3 * MINUTE);
  });

  it('refuses an update when the ring is full', () => {
    const { service, outlet } = new FeedRig();
    const updates: MarketUpdate[] = [];
    service.follow(MARK, (update) => updates.push(update));
    let offered = 0;
    while (outlet.offer(markUpdate(offered + 1))) offered += 1;
    expect(offered).toBeGreaterThan(50);
    service.drain();
    expect(updates.length).toBe(offered);
    expect(outlet.offer(markUpdate(1))).toBe(true);
  });
});
