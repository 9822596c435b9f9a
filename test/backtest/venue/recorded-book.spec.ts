import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { RecordedSide } from '../../../src/backtest/venue/recorded-book.js';
import { RecordedMarket } from '../../../src/backtest/venue/backtest-venue.js';
import { MadeMarket } from './made-market.js';

const GRID = { pricePrecision: 0, quantityPrecision: 0, quantityStep: 1, priceStep: 1 };
const IGNORED = { onBook: () => undefined, onTrade: () => undefined };

function play(made: MadeMarket): RecordedMarket {
  const market = new RecordedMarket(made.streams(), IGNORED);
  market.play(Infinity as EpochMs);
  return market;
}

function levels(side: RecordedSide): number[][] {
  return Array.from({ length: side.count }, (_, rank) => [side.price(rank), side.quantity(rank)]);
}

describe('one side of the depth', () => {
  it.each<Side>(['BUY', 'SELL'])('equals the sorted map of its changes: %s', (name) => {
    const change = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat({ max: 3 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const side = new RecordedSide(name);
        const twin = new Map<number, number>();
        for (const [price, quantity] of changes) {
          side.set(price as Ticks, quantity as Lots);
          if (quantity === 0) twin.delete(price);
          else twin.set(price, quantity);
        }
        const sign = name === 'BUY' ? -1 : 1;
        expect(levels(side)).toEqual([...twin].sort(([one], [other]) => sign * (one - other)));
        for (let price = 1; price <= 40; price += 1) {
          expect(side.quantityAt(price as Ticks)).toBe(twin.get(price) ?? 0);
          const better = [...twin.keys()].filter((other) => sign * (other - price) < 0);
          expect(side.rankOf(price as Ticks)).toBe(better.length);
        }
      }),
    );
  });

  it('grows beyond its initial size', () => {
    const side = new RecordedSide('BUY');
    for (let price = 1; price <= 3000; price += 1) side.set(price as Ticks, 1 as Lots);
    expect([side.count, side.price(0), side.price(2999)]).toEqual([3000, 3000, 1]);
  });
});

describe('the recorded book', () => {
  const opening = { bids: [[99, 1]] as const, asks: [[101, 1]] as const };

  it('holds updates until their snapshot arrives, and skips those that it includes', () => {
    const { book } = play(
      new MadeMarket(GRID)
        .update(0, { first: 1, last: 5 }, { bids: [[98, 7]] })
        .update(1, { first: 6, last: 12 }, { bids: [[99, 3]] })
        .update(
          2,
          { first: 13, last: 14 },
          {
            asks: [
              [101, 0],
              [102, 4],
            ],
          },
        )
        .snapshot(3, 10, opening),
    );
    expect(levels(book.bids)).toEqual([[99, 3]]);
    expect(levels(book.asks)).toEqual([[102, 4]]);
    expect([book.updateId, book.updateCount, book.gapCount, book.crossedCount]).toEqual([14, 2, 0, 0]);
  });

  it("accepts a first update that begins before the snapshot's id, also when it arrives later", () => {
    const made = new MadeMarket(GRID).snapshot(0, 10, opening).update(1, { first: 8, last: 12 }, { bids: [[99, 2]] });
    expect(play(made).book.updateCount).toBe(1);
  });

  it('connects futures updates by the previous id', () => {
    const { book } = play(
      new MadeMarket(GRID)
        .snapshot(0, 100, opening)
        .update(1, { first: 90, last: 130, previous: 80 }, { bids: [[99, 2]] })
        .update(2, { first: 145, last: 150, previous: 130 }, { bids: [[99, 3]] }),
    );
    expect([book.updateCount, book.gapCount, book.updateId]).toEqual([2, 0, 150]);
  });

  it('is unknown from a gap until the next snapshot', () => {
    const made = new MadeMarket(GRID)
      .snapshot(0, 10, opening)
      .update(1, { first: 11, last: 11 }, { bids: [[99, 2]] })
      .update(2, { first: 13, last: 13 }, { bids: [[99, 3]] })
      .update(3, { first: 14, last: 14 }, { bids: [[98, 5]] })
      .snapshot(4, 13, { bids: [[97, 9]], asks: [[101, 1]] });
    const market = new RecordedMarket(made.streams(), IGNORED);
    market.play((1_700_000_000_000 + 3) as EpochMs);
    expect([market.book.isSynchronised, market.book.gapCount, market.shown.best('BUY')]).toEqual([false, 1, 0]);
    market.play(Infinity as EpochMs);
    expect(levels(market.book.bids)).toEqual([
      [98, 5],
      [97, 9],
    ]);
  });

  it('throws a clear error at a gap without a later snapshot', () => {
    const made = new MadeMarket(GRID).snapshot(0, 10, opening).update(7, { first: 12, last: 13 }, { bids: [[99, 2]] });
    expect(() => play(made)).toThrow(
      'the depth has a gap at 2023-11-14T22:13:20.007Z, and no later snapshot can restart the book',
    );
  });

  it('ignores an older snapshot', () => {
    const made = new MadeMarket(GRID).snapshot(0, 10, opening).snapshot(1, 9, { bids: [[50, 1]], asks: [[51, 1]] });
    expect(play(made).shown.best('BUY')).toBe(99);
  });

  it('counts updates that leave it crossed', () => {
    const made = new MadeMarket(GRID).snapshot(0, 10, opening).update(1, { first: 11, last: 11 }, { bids: [[101, 1]] });
    expect(play(made).book.crossedCount).toBe(1);
  });

  it('ignores trades outside the order book', () => {
    const heard: number[] = [];
    const made = new MadeMarket(GRID).trade(0, 'BUY', [5, 1], 'MARKET').trade(1, 'BUY', [6, 1], 'INSURANCE_FUND');
    made.trade(2, 'BUY', [7, 1], 'MARKET');
    const market = new RecordedMarket(made.streams(), { ...IGNORED, onTrade: (price) => heard.push(price) });
    market.play(Infinity as EpochMs);
    expect(heard).toEqual([5, 7]);
  });
});

function made(): MadeMarket {
  return new MadeMarket(GRID).snapshot(0, 10, {
    bids: [
      [99, 1],
      [98, 2],
      [97, 3],
    ],
    asks: [
      [101, 1],
      [102, 2],
    ],
  });
}

function walked(market: RecordedMarket, side: Side): number[][] {
  const seen: number[][] = [];
  market.shown.walk(side, (price, quantity) => seen.push([price, quantity]) > 0);
  return seen;
}

describe('the shown book', () => {
  it('equals the depth while the ticker is older', () => {
    expect(walked(play(made().quote(1, 9, [90, 1], [110, 1])), 'BUY')).toEqual([
      [99, 1],
      [98, 2],
      [97, 3],
    ]);
  });

  it('removes depth better than a newer ticker', () => {
    const market = play(made().quote(1, 11, [98, 5], [103, 4]));
    expect(walked(market, 'BUY')).toEqual([
      [98, 5],
      [97, 3],
    ]);
    expect(walked(market, 'SELL')).toEqual([[103, 4]]);
    expect([market.shown.best('BUY'), market.shown.best('SELL')]).toEqual([98, 103]);
    expect([99, 98, 97].map((price) => market.shown.quantityAt('BUY', price as Ticks))).toEqual([0, 5, 3]);
  });

  it("shows a newer ticker's touch before the depth", () => {
    expect(walked(play(made().quote(1, 11, [100, 4], [101, 6])), 'BUY')).toEqual([
      [100, 4],
      [99, 1],
      [98, 2],
      [97, 3],
    ]);
  });

  it('ignores the ticker after newer depth, and uses the newest of several tickers', () => {
    const market = made().quote(1, 12, [98, 5], [103, 4]).quote(2, 11, [99, 9], [101, 9]);
    expect(play(market).shown.best('BUY')).toBe(98);
    market.update(3, { first: 11, last: 12 }, { bids: [[99, 8]] });
    expect(walked(play(market), 'BUY')).toEqual([
      [99, 8],
      [98, 2],
      [97, 3],
    ]);
  });
});
