import { describe, expect, it } from 'vitest';
import { MarketWatch } from '../../bench/simulation/market-figures.js';

const TOUCH = { bid: 9_999, ask: 10_001, bidQuantity: 1, askQuantity: 1 };

describe('the figures of a market', () => {
  it('weight the spread by its time', () => {
    const watch = new MarketWatch(() => 7);
    watch.seeTouch(TOUCH, 0);
    watch.seeTouch({ ...TOUCH, bid: 9_998, ask: 10_002 }, 3_000);
    watch.seeTouch(TOUCH, 4_000);
    const { spreadBps, depth5Bps } = watch.figures();
    expect(spreadBps).toBeCloseTo((2 * 3 + 4) / 4, 9);
    expect(depth5Bps).toBe(7);
  });

  it('count fills of one taker at one price as one trade', () => {
    const watch = new MarketWatch(() => 0);
    watch.seeTouch(TOUCH, 0);
    watch.seeTrade('BUY', 10_001, 1, 10);
    watch.seeTrade('BUY', 10_001, 2, 10);
    watch.seeTrade('BUY', 10_002, 4, 10);
    watch.seeTrade('BUY', 10_002, 5, 11);
    watch.seeTouch(TOUCH, 60_000);
    expect(watch.figures()).toMatchObject({ tradesPerMinute: 3, tradeSizeMean: 4, tradeSizeMedian: 4 });
  });

  it('measure how often the mid moves to the thin side, in both directions', () => {
    const watch = new MarketWatch(() => 0);
    watch.seeTouch({ ...TOUCH, bidQuantity: 95, askQuantity: 5 }, 0);
    watch.seeTouch({ ...TOUCH, ask: 10_003, bidQuantity: 5, askQuantity: 95 }, 300);
    watch.seeTouch({ ...TOUCH, ask: 10_005 }, 400);
    // Three samples of a heavy bid before a move up, one of a heavy ask before another.
    expect(watch.figures().movesToThinSide[2]).toEqual({ fromShare: 0.9, part: 0.75 });
  });

  it('leave out the gap of an interruption', () => {
    const watch = new MarketWatch(() => 0);
    watch.seeTouch(TOUCH, 0);
    watch.seeTouch(TOUCH, 1_000);
    watch.interrupt();
    watch.seeTouch({ ...TOUCH, ask: 10_011 }, 1_000_000);
    watch.seeTouch(TOUCH, 1_001_000);
    expect(watch.figures().spreadBps).toBeCloseTo((2 + 12 / 1.0006) / 2, 1);
  });
});
