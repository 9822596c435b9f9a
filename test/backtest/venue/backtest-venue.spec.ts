import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CorrelationId } from '../../../src/domain/ids.js';
import { formatAmount } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { INSTRUMENT, levelsOf, BacktestRig, UNIT } from './backtest-rig.js';
import { MadeMarket, START_MS } from './made-market.js';

/** 3 units at 99.98 and 99.99; 1 at 100.01, 2 at 100.02. */
function opened(): MadeMarket {
  return new MadeMarket(INSTRUMENT).snapshot(0, 10, {
    bids: [
      [9_999, 3 * UNIT],
      [9_998, 3 * UNIT],
    ],
    asks: [
      [10_001, UNIT],
      [10_002, 2 * UNIT],
    ],
  });
}

describe('orders that cross a recorded book', () => {
  it('take level by level, up to the shown quantity', () => {
    const rig = new BacktestRig(opened()).at(0);
    const child = rig.take('BUY', 5 * UNIT);
    expect(rig.reportsOf(child)).toEqual([
      'Accepted',
      `Filled ${UNIT} @ 10001 TAKER`,
      `Filled ${2 * UNIT} @ 10002 TAKER`,
      'Cancelled',
    ]);
    expect(rig.market).toMatchObject({ bid: 9_999, ask: 0, last: 10_002, volume: 3 * UNIT });
  });

  it('respect their limit; the rest of an IOC ends, the rest of a GTC order rests', () => {
    const rig = new BacktestRig(opened()).at(0);
    expect(rig.reportsOf(rig.limit('BUY', 10_001, 2 * UNIT, { timeInForce: 'IOC' })).at(-1)).toBe('Cancelled');
    const waiting = rig.limit('BUY', 10_000, 2 * UNIT);
    expect(rig.reportsOf(waiting)).toEqual(['Accepted']);
    expect(rig.market).toMatchObject({ bid: 10_000, bidQuantity: 2 * UNIT, ask: 10_002 });
  });

  it('leave taken quantity taken until the level changes (published vector of nautilus_trader)', () => {
    const made = new MadeMarket(INSTRUMENT)
      .snapshot(0, 10, { bids: [[9_999, 1]], asks: [[10_000, 100 * UNIT]] })
      .update(5, { first: 11, last: 11 }, { asks: [[10_003, UNIT]] })
      .update(10, { first: 12, last: 12 }, { asks: [[10_000, 120 * UNIT]] });
    const rig = new BacktestRig(made).at(0);
    const left = (): number | undefined => rig.market?.askQuantity;
    rig.take('BUY', 30 * UNIT);
    expect(left()).toBe(70 * UNIT);
    rig.take('BUY', 50 * UNIT);
    expect(left()).toBe(20 * UNIT);
    rig.at(5);
    expect(left()).toBe(20 * UNIT);
    rig.at(10);
    expect(left()).toBe(120 * UNIT);
  });

  it('pay the exact taker fee', () => {
    const rig = new BacktestRig(opened()).at(0);
    rig.take('BUY', UNIT);
    const fill = rig.reports.find((report) => report.kind === 'Filled')?.fill;
    // 0.1 BTC at 100.01 USDT for 1000 ppm.
    expect([INSTRUMENT.takerFeePpm, fill?.feeCurrency, fill && formatAmount(fill.fee)]).toEqual([
      1000,
      'USDT',
      '0.010001',
    ]);
  });

  it("are refused by the instrument's rules, and when post-only would take", () => {
    const rig = new BacktestRig(opened()).at(0);
    expect(rig.reportsOf(rig.limit('BUY', 9_990, 1))[0]).toMatch(/^Rejected INVALID_ORDER: notional/);
    expect(rig.reportsOf(rig.limit('BUY', 10_001, UNIT, { postOnly: true }))).toEqual([
      'Rejected INVALID_ORDER: post_only: limit_price 100.01 would trade at once',
    ]);
    expect(rig.reportsOf(rig.limit('BUY', 10_000, UNIT, { postOnly: true }))).toEqual(['Accepted']);
  });
});

describe('orders that rest in a recorded book', () => {
  it('fill as makers at their own price after the queue ahead has traded', () => {
    const made = opened()
      .trade(1, 'SELL', [9_999, 2 * UNIT])
      .trade(2, 'SELL', [9_999, 2 * UNIT])
      .trade(3, 'BUY', [9_999, 9 * UNIT])
      .trade(4, 'SELL', [9_999, 9 * UNIT]);
    const rig = new BacktestRig(made).at(0);
    const child = rig.limit('BUY', 9_999, 2 * UNIT);
    rig.at(1);
    expect(rig.reportsOf(child)).toEqual(['Accepted']);
    rig.at(10);
    expect(rig.reportsOf(child)).toEqual(['Accepted', `Filled ${UNIT} @ 9999 MAKER`, `Filled ${UNIT} @ 9999 MAKER`]);
  });

  it('share a trade by price and time, and leave the rest to others', () => {
    const rig = new BacktestRig(opened().trade(1, 'SELL', [9_998, 6 * UNIT])).at(0);
    const behind = rig.limit('BUY', 9_998, 2 * UNIT);
    const better = rig.limit('BUY', 10_000, UNIT);
    const last = rig.limit('BUY', 9_998, 2 * UNIT);
    rig.at(1);
    expect(rig.reportsOf(better)).toContain(`Filled ${UNIT} @ 10000 MAKER`);
    expect(rig.reportsOf(behind)).toContain(`Filled ${2 * UNIT} @ 9998 MAKER`);
    expect(rig.reportsOf(last)).toEqual(['Accepted']);
    expect(rig.others).toEqual([`9998 x ${3 * UNIT}`]);
    expect(rig.market?.volume).toBe(6 * UNIT);
  });

  it('fill against opposite quantity that reaches their price', () => {
    const made = opened().update(
      1,
      { first: 11, last: 11 },
      {
        asks: [
          [10_000, UNIT],
          [10_001, 0],
        ],
      },
    );
    const rig = new BacktestRig(made).at(0);
    const child = rig.limit('BUY', 10_000, 3 * UNIT);
    rig.at(1);
    expect(rig.reportsOf(child)).toEqual(['Accepted', `Filled ${UNIT} @ 10000 MAKER`]);
    expect(rig.market).toMatchObject({ bid: 10_000, bidQuantity: 2 * UNIT, ask: 10_002 });
  });

  it('end once when they are cancelled', () => {
    const rig = new BacktestRig(opened().trade(2, 'SELL', [9_000, 9 * UNIT])).at(0);
    const child = rig.limit('BUY', 9_999, UNIT);
    rig.at(1).cancel(child).at(2).cancel(child);
    expect(rig.reportsOf(child)).toEqual([
      'Accepted',
      'Cancelled',
      'CancelRejected INVALID_ORDER: order 1-1 cannot be cancelled: it is CANCELLED',
    ]);
  });

  it('never trade more than the recorded quantity or beyond their limit', () => {
    const lots = fc.integer({ min: 1, max: 5 }).map((units) => units * UNIT);
    const price = fc.integer({ min: 9_995, max: 10_000 });
    const trades = fc.array(fc.tuple(price, lots), { maxLength: 15 });
    const orders = fc.array(fc.tuple(price, lots), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(orders, trades, (wanted, printed) => {
        const made = opened();
        printed.forEach((level, index) => made.trade(index + 1, 'SELL', level));
        const rig = new BacktestRig(made).at(0);
        const children = wanted.map(([limit, quantity]) => rig.limit('BUY', limit, quantity));
        rig.at(100);
        let filled = 0;
        for (const report of rig.reports) {
          if (report.kind !== 'Filled') continue;
          const [limit] = wanted[children.indexOf(report.child)] ?? [0];
          expect(report.fill.price).toBe(limit);
          filled += report.fill.quantity;
        }
        const reachable = printed.filter(([at]) => wanted.some(([limit]) => at <= limit));
        expect(filled).toBeLessThanOrEqual(reachable.reduce((sum, [, quantity]) => sum + quantity, 0));
        const others = rig.others.reduce((sum, text) => sum + Number(text.split(' x ')[1]), 0);
        expect(filled + others).toBe(printed.reduce((sum, [, quantity]) => sum + quantity, 0));
      }),
    );
  });
});

describe('the book of a backtest venue', () => {
  it('contains our orders and lacks the quantity that we took', () => {
    const rig = new BacktestRig(opened()).at(0);
    rig.take('BUY', UNIT);
    rig.limit('BUY', 9_999, UNIT);
    rig.limit('BUY', 10_000, UNIT);
    rig.limit('SELL', 10_005, UNIT);
    expect(levelsOf(rig.book.bids)).toEqual([
      [10_000, UNIT],
      [9_999, 4 * UNIT],
      [9_998, 3 * UNIT],
    ]);
    expect(levelsOf(rig.book.asks)).toEqual([
      [10_002, 2 * UNIT],
      [10_005, UNIT],
    ]);
    expect(rig.book.atMs).toBe(rig.market?.atMs);
  });

  it('has at most the number of levels of every other book', () => {
    const bids = Array.from({ length: 30 }, (_, rank): [number, number] => [9_990 - rank, UNIT]);
    const rig = new BacktestRig(new MadeMarket(INSTRUMENT).snapshot(0, 10, { bids, asks: [[10_001, UNIT]] })).at(0);
    for (const price of [9_960, 9_991, 9_988]) rig.limit('BUY', price, 2 * UNIT);
    const shown = levelsOf(rig.book.bids);
    expect([shown[0], shown[3], shown.at(-1), shown.length]).toEqual([
      [9_991, 2 * UNIT],
      [9_988, 3 * UNIT],
      [9_972, UNIT],
      20,
    ]);
  });

  it('is not published without a subscription', () => {
    const rig = new BacktestRig(opened());
    rig.isBookWanted = false;
    rig.at(0);
    expect([rig.book.atMs, rig.book.bids.count]).toEqual([0, 0]);
    rig.isBookWanted = true;
    rig.limit('BUY', 10_000, UNIT);
    expect(rig.book.bids.count).toBe(3);
  });
});

describe('a backtest venue', () => {
  it('answers a status request with all fills and the state, or UNKNOWN', () => {
    const rig = new BacktestRig(opened()).at(0);
    const child = rig.take('BUY', UNIT);
    const before = rig.reportsOf(child).length;
    expect(rig.query(child).reportsOf(child).slice(before)).toEqual([
      `Filled ${UNIT} @ 10001 TAKER`,
      'StatusAnswered FILLED',
    ]);
    expect(rig.query(9).reportsOf(9)).toEqual(['StatusAnswered UNKNOWN']);
  });

  it('places a client id once', () => {
    const rig = new BacktestRig(opened()).at(0);
    const child = rig.limit('BUY', 9_999, UNIT);
    rig.send({ kind: 'Submit', ...rig.submission(child, {}) });
    expect(rig.reportsOf(child)).toEqual(['Accepted', 'StatusAnswered OPEN']);
  });

  it('has unlimited funds', () => {
    const { account, venue } = new BacktestRig(opened()).submission(1, {});
    const rig = new BacktestRig(opened()).at(0);
    rig.send({ kind: 'QueryFunds', correlationId: 7 as CorrelationId, account, venue });
    expect(rig.reports[0]).toMatchObject({ kind: 'Funds', correlationId: 7, isSnapshot: true });
  });

  it('returns no candles from before its recording', () => {
    const { account, venue } = new BacktestRig(opened()).submission(1, {});
    const rig = new BacktestRig(opened()).at(0);
    const span = { fromMs: 0 as EpochMs, toMs: START_MS as EpochMs, limit: 1_000 };
    const about = { correlationId: 7 as CorrelationId, account, venue, instrument: INSTRUMENT.index };
    rig.send({ kind: 'QueryCandles', ...about, interval: 'FIVE_MINUTE', ...span });
    expect(rig.reports[0]).toMatchObject({ kind: 'Candles', ...about, interval: 'FIVE_MINUTE', candles: [] });
  });

  it('prints recorded trades and our takes, and returns the time of the next event', () => {
    const rig = new BacktestRig(opened().trade(1.5, 'SELL', [9_999, UNIT])).at(0);
    expect(rig.venue.nextWakeMs()).toBe(1_700_000_000_001);
    rig.take('BUY', UNIT);
    rig.at(2);
    expect(rig.prints.map(({ price, takerSide }) => `${takerSide} ${price}`)).toEqual(['BUY 10001', 'SELL 9999']);
    expect(rig.others).toEqual([`9999 x ${UNIT}`]);
    expect(rig.venue.nextWakeMs()).toBe(Infinity);
  });
});
