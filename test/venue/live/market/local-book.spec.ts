import { describe, expect, it } from 'vitest';
import { BOOK_CHANGES_WAITING_MAX } from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { BINANCE_SPOT_MARKET, BINANCE_USDM_MARKET } from '../../../../src/venue/live/dialect/binance-streams.js';
import type { Level } from '../../../../src/venue/live/json/json-fields.js';
import { LocalBook } from '../../../../src/venue/live/market/local-book.js';
import type { Depth } from '../../../../src/venue/live/normal/records.js';
import { Random } from '../../../../src/sim/prng.js';

interface Change {
  readonly first?: number;
  readonly last: number;
  readonly previous?: number;
  readonly bids?: readonly (readonly [price: string, quantity: string])[];
  readonly asks?: readonly (readonly [price: string, quantity: string])[];
}

function levels(rows: Change['bids'] = []): Level[] {
  return rows.map(([price, quantity]) => ({ price, quantity }));
}

function depth({ first, last, previous, bids, asks }: Change, isSnapshot = false): Depth {
  return {
    kind: 'Depth',
    symbol: 'BTCUSDT',
    isSnapshot,
    bids: levels(bids),
    asks: levels(asks),
    firstUpdateId: first === undefined ? null : String(first),
    lastUpdateId: String(last),
    previousUpdateId: previous === undefined ? null : String(previous),
    atMs: 0 as EpochMs,
  };
}

const snapshot = (last: number, rest: Omit<Change, 'last'> = {}): Depth => depth({ last, ...rest }, true);
const spot = (): LocalBook => new LocalBook(BINANCE_SPOT_MARKET.streams.sequence);
const futures = (): LocalBook => new LocalBook(BINANCE_USDM_MARKET.streams.sequence);

function best(book: LocalBook): readonly (readonly [string, string])[] {
  const { bids, asks } = book.shown('BTCUSDT', 0 as EpochMs);
  return [...bids, ...asks].map(({ price, quantity }) => [price, quantity]);
}

describe('a local book', () => {
  it('waits for a snapshot and applies the changes after it', () => {
    const book = spot();
    expect(book.change(depth({ first: 8, last: 10, bids: [['99', '1']] }))).toBe('waiting');
    expect(book.change(depth({ first: 11, last: 12, bids: [['98', '2']] }))).toBe('waiting');
    expect(book.snapshot(snapshot(10, { bids: [['97', '3']], asks: [['101', '4']] }))).toBe('whole');
    expect(best(book)).toEqual([
      ['98', '2'],
      ['97', '3'],
      ['101', '4'],
    ]);
  });

  it('replaces and removes levels, best level first', () => {
    const book = spot();
    book.snapshot(
      snapshot(1, {
        bids: [
          ['99.5', '1'],
          ['100', '2'],
        ],
        asks: [
          ['102', '1'],
          ['101', '1'],
        ],
      }),
    );
    book.change(depth({ first: 2, last: 2, bids: [['100', '0']], asks: [['101', '7']] }));
    book.change(depth({ first: 3, last: 3, bids: [['42', '0']] }));
    expect(best(book)).toEqual([
      ['99.5', '1'],
      ['101', '7'],
      ['102', '1'],
    ]);
  });

  it('breaks at a missing change of spot, and is whole after a new snapshot', () => {
    const book = spot();
    book.snapshot(snapshot(10));
    expect(book.change(depth({ first: 11, last: 12 }))).toBe('whole');
    expect(book.change(depth({ first: 14, last: 15, bids: [['1', '1']] }))).toBe('broken');
    expect(book.isWhole).toBe(false);
    expect(book.change(depth({ first: 16, last: 16 }))).toBe('waiting');
    expect(book.snapshot(snapshot(13))).toBe('whole');
    expect(best(book)).toEqual([['1', '1']]);
  });

  it('keeps the waiting changes when the snapshot is too old', () => {
    const book = spot();
    book.change(depth({ first: 20, last: 21, asks: [['5', '1']] }));
    expect(book.snapshot(snapshot(10))).toBe('broken');
    expect(book.snapshot(snapshot(19))).toBe('whole');
    expect(best(book)).toEqual([['5', '1']]);
  });

  it('follows the previous ids of futures, whose ids have holes', () => {
    const book = futures();
    book.change(depth({ first: 90, last: 95, previous: 80 }));
    book.change(depth({ first: 97, last: 105, previous: 95, bids: [['9', '1']] }));
    expect(book.snapshot(snapshot(100))).toBe('whole');
    expect(book.change(depth({ first: 110, last: 112, previous: 105 }))).toBe('whole');
    expect(book.change(depth({ first: 118, last: 119, previous: 117 }))).toBe('broken');
  });

  it('bounds the changes that wait for a snapshot', () => {
    const book = spot();
    for (let id = 1; id <= BOOK_CHANGES_WAITING_MAX + 10; id += 1) book.change(depth({ first: id, last: id }));
    // The first ten are gone, so a snapshot before them no longer connects.
    expect(book.snapshot(snapshot(5))).toBe('broken');
    expect(book.snapshot(snapshot(10))).toBe('whole');
  });

  it('equals a plain map of prices after random changes', () => {
    const random = new Random('book');
    const book = spot();
    const bids = new Map<string, string>();
    book.snapshot(snapshot(0));
    for (let id = 1; id <= 2_000; id += 1) {
      const price = String(100 - Math.floor(random.uniform() * 60) / 2);
      const quantity = random.uniform() < 0.4 ? '0' : String(1 + Math.floor(random.uniform() * 9));
      if (quantity === '0') bids.delete(price);
      else bids.set(price, quantity);
      book.change(depth({ first: id, last: id, bids: [[price, quantity]] }));
    }
    const expected = [...bids].toSorted(([one], [other]) => Number(other) - Number(one)).slice(0, 20);
    expect(best(book)).toEqual(expected);
  });
});
