import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount } from '../../../src/model/amount.js';
import type { CorrelationId } from '../../../src/model/ids.js';
import type { EpochMs } from '../../../src/model/time.js';
import { MadeMarket, START_MS } from './made-market.js';
import { INSTRUMENT, levelsOf, ReplayRig, UNIT } from './replay-rig.js';

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
  it('take level by level, and no more than is shown', () => {
    const rig = new ReplayRig(opened()).at(0);
    const child = rig.take('BUY', 5 * UNIT);
    expect(rig.told(child)).toEqual([
      'Accepted',
      `Filled ${UNIT} @ 10001 TAKER`,
      `Filled ${2 * UNIT} @ 10002 TAKER`,
      'Cancelled',
    ]);
    expect(rig.market).toMatchObject({ bid: 9_999, ask: 0, last: 10_002, volume: 3 * UNIT });
  });

  it('keep to their limit; the rest of an IOC ends, the rest of a GTC waits', () => {
    const rig = new ReplayRig(opened()).at(0);
    expect(rig.told(rig.limit('BUY', 10_001, 2 * UNIT, { timeInForce: 'IOC' })).at(-1)).toBe('Cancelled');
    const waiting = rig.limit('BUY', 10_000, 2 * UNIT);
    expect(rig.told(waiting)).toEqual(['Accepted']);
    expect(rig.market).toMatchObject({ bid: 10_000, bidQuantity: 2 * UNIT, ask: 10_002 });
  });

  it('find what they took still taken until the level has news: the published vector of nautilus_trader', () => {
    const made = new MadeMarket(INSTRUMENT)
      .snapshot(0, 10, { bids: [[9_999, 1]], asks: [[10_000, 100 * UNIT]] })
      .update(5, { first: 11, last: 11 }, { asks: [[10_003, UNIT]] })
      .update(10, { first: 12, last: 12 }, { asks: [[10_000, 120 * UNIT]] });
    const rig = new ReplayRig(made).at(0);
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

  it('pay the taker fee, exactly', () => {
    const rig = new ReplayRig(opened()).at(0);
    rig.take('BUY', UNIT);
    const fill = rig.reports.find((report) => report.kind === 'Filled')?.fill;
    // 0.1 BTC at 100.01 USDT for 1000 ppm.
    expect([INSTRUMENT.takerFeePpm, fill?.feeCurrency, fill && formatAmount(fill.fee)]).toEqual([
      1000,
      'USDT',
      '0.010001',
    ]);
  });

  it('are refused by the rules of the instrument, and post-only rather than take', () => {
    const rig = new ReplayRig(opened()).at(0);
    expect(rig.told(rig.limit('BUY', 9_990, 1))[0]).toMatch(/^Rejected INVALID_ORDER: notional/);
    expect(rig.told(rig.limit('BUY', 10_001, UNIT, { postOnly: true }))).toEqual([
      'Rejected INVALID_ORDER: post_only: limit_price 100.01 would trade at once',
    ]);
    expect(rig.told(rig.limit('BUY', 10_000, UNIT, { postOnly: true }))).toEqual(['Accepted']);
  });
});

describe('orders that wait in a recorded book', () => {
  it('fill when what was ahead of them is used up, as makers at their own price', () => {
    const made = opened()
      .trade(1, 'SELL', [9_999, 2 * UNIT])
      .trade(2, 'SELL', [9_999, 2 * UNIT])
      .trade(3, 'BUY', [9_999, 9 * UNIT])
      .trade(4, 'SELL', [9_999, 9 * UNIT]);
    const rig = new ReplayRig(made).at(0);
    const child = rig.limit('BUY', 9_999, 2 * UNIT);
    rig.at(1);
    expect(rig.told(child)).toEqual(['Accepted']);
    rig.at(10);
    expect(rig.told(child)).toEqual(['Accepted', `Filled ${UNIT} @ 9999 MAKER`, `Filled ${UNIT} @ 9999 MAKER`]);
  });

  it('share a trade by price and time, and leave others the rest', () => {
    const rig = new ReplayRig(opened().trade(1, 'SELL', [9_998, 6 * UNIT])).at(0);
    const behind = rig.limit('BUY', 9_998, 2 * UNIT);
    const better = rig.limit('BUY', 10_000, UNIT);
    const last = rig.limit('BUY', 9_998, 2 * UNIT);
    rig.at(1);
    expect(rig.told(better)).toContain(`Filled ${UNIT} @ 10000 MAKER`);
    expect(rig.told(behind)).toContain(`Filled ${2 * UNIT} @ 9998 MAKER`);
    expect(rig.told(last)).toEqual(['Accepted']);
    expect(rig.others).toEqual([`9998 x ${3 * UNIT}`]);
    expect(rig.market?.volume).toBe(6 * UNIT);
  });

  it('meet what the other side shows at their price, as far as it goes', () => {
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
    const rig = new ReplayRig(made).at(0);
    const child = rig.limit('BUY', 10_000, 3 * UNIT);
    rig.at(1);
    expect(rig.told(child)).toEqual(['Accepted', `Filled ${UNIT} @ 10000 MAKER`]);
    expect(rig.market).toMatchObject({ bid: 10_000, bidQuantity: 2 * UNIT, ask: 10_002 });
  });

  it('end when they are cancelled, once', () => {
    const rig = new ReplayRig(opened().trade(2, 'SELL', [9_000, 9 * UNIT])).at(0);
    const child = rig.limit('BUY', 9_999, UNIT);
    rig.at(1).cancel(child).at(2).cancel(child);
    expect(rig.told(child)).toEqual([
      'Accepted',
      'Cancelled',
      'CancelRejected INVALID_ORDER: order 1-1 cannot be cancelled: it is CANCELLED',
    ]);
  });

  it('never trade more than was recorded, nor beyond their limit', () => {
    const lots = fc.integer({ min: 1, max: 5 }).map((units) => units * UNIT);
    const price = fc.integer({ min: 9_995, max: 10_000 });
    const trades = fc.array(fc.tuple(price, lots), { maxLength: 15 });
    const orders = fc.array(fc.tuple(price, lots), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(orders, trades, (wanted, printed) => {
        const made = opened();
        printed.forEach((level, index) => made.trade(index + 1, 'SELL', level));
        const rig = new ReplayRig(made).at(0);
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

describe('the book of a replayed venue', () => {
  it('is shown with us in it: what we took is gone, what we offer is there', () => {
    const rig = new ReplayRig(opened()).at(0);
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

  it('has no more levels than are shown of any book', () => {
    const bids = Array.from({ length: 30 }, (_, rank): [number, number] => [9_990 - rank, UNIT]);
    const rig = new ReplayRig(new MadeMarket(INSTRUMENT).snapshot(0, 10, { bids, asks: [[10_001, UNIT]] })).at(0);
    for (const price of [9_960, 9_991, 9_988]) rig.limit('BUY', price, 2 * UNIT);
    const shown = levelsOf(rig.book.bids);
    expect([shown[0], shown[3], shown.at(-1), shown.length]).toEqual([
      [9_991, 2 * UNIT],
      [9_988, 3 * UNIT],
      [9_972, UNIT],
      20,
    ]);
  });

  it('is shown to nobody who does not look', () => {
    const rig = new ReplayRig(opened());
    rig.isBookWanted = false;
    rig.at(0);
    expect([rig.book.atMs, rig.book.bids.count]).toEqual([0, 0]);
    rig.isBookWanted = true;
    rig.limit('BUY', 10_000, UNIT);
    expect(rig.book.bids.count).toBe(3);
  });
});

describe('a replayed venue', () => {
  it('answers for an order with every fill again, and says what it does not know', () => {
    const rig = new ReplayRig(opened()).at(0);
    const child = rig.take('BUY', UNIT);
    const before = rig.told(child).length;
    expect(rig.query(child).told(child).slice(before)).toEqual([
      `Filled ${UNIT} @ 10001 TAKER`,
      'QueryAnswered FILLED',
    ]);
    expect(rig.query(9).told(9)).toEqual(['QueryAnswered UNKNOWN']);
  });

  it('places a client id once', () => {
    const rig = new ReplayRig(opened()).at(0);
    const child = rig.limit('BUY', 9_999, UNIT);
    rig.send({ kind: 'Submit', ...rig.submission(child, {}) });
    expect(rig.told(child)).toEqual(['Accepted', 'QueryAnswered OPEN']);
  });

  it('has money for everything', () => {
    const { account, venue } = new ReplayRig(opened()).submission(1, {});
    const rig = new ReplayRig(opened()).at(0);
    rig.send({ kind: 'QueryFunds', correlationId: 7 as CorrelationId, account, venue });
    expect(rig.reports[0]).toMatchObject({ kind: 'Funds', correlationId: 7, isSnapshot: true });
  });

  it('knows nothing of the time before its recording', () => {
    const { account, venue } = new ReplayRig(opened()).submission(1, {});
    const rig = new ReplayRig(opened()).at(0);
    const span = { fromMs: 0 as EpochMs, toMs: START_MS as EpochMs, limit: 1_000 };
    const about = { correlationId: 7 as CorrelationId, account, venue, instrument: INSTRUMENT.index };
    rig.send({ kind: 'QueryCandles', ...about, interval: 'FIVE_MINUTE', ...span });
    expect(rig.reports[0]).toMatchObject({ kind: 'Candles', ...about, interval: 'FIVE_MINUTE', candles: [] });
  });

  it('prints what was recorded and what we took, and says when it goes on', () => {
    const rig = new ReplayRig(opened().trade(1.5, 'SELL', [9_999, UNIT])).at(0);
    expect(rig.venue.nextWakeMs()).toBe(1_700_000_000_001);
    rig.take('BUY', UNIT);
    rig.at(2);
    expect(rig.prints.map(({ price, takerSide }) => `${takerSide} ${price}`)).toEqual(['BUY 10001', 'SELL 9999']);
    expect(rig.others).toEqual([`9999 x ${UNIT}`]);
    expect(rig.venue.nextWakeMs()).toBe(Infinity);
  });
});
