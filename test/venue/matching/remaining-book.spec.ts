import { beforeEach, describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { RemainingBook, type ShownLevels } from '../../../src/venue/matching/remaining-book.js';

const ASK = 10_001 as Ticks;
const NEXT = 10_002 as Ticks;
let asks: Map<Ticks, Lots>;

const shown: ShownLevels = {
  best: () => ASK,
  quantityAt: (_, price) => asks.get(price) ?? (0 as Lots),
  walk: (_, visit) => {
    for (const [price, quantity] of asks) if (!visit(price, quantity)) return;
  },
};

beforeEach(() => {
  asks = new Map([
    [ASK, 1_000 as Lots],
    [NEXT, 500 as Lots],
  ]);
});

function bookAt(halfLifeMs: number | null): { book: RemainingBook; at: (ms: number) => number } {
  const book = new RemainingBook(shown, halfLifeMs);
  book.refresh(0 as EpochMs);
  const at = (ms: number): number => {
    book.refresh(ms as EpochMs);
    return book.quantityAt('SELL', ASK);
  };
  return { book, at };
}

describe('a taken level', () => {
  it('is whole at its next change without a half-life', () => {
    const { book, at } = bookAt(null);
    book.take('SELL', ASK, 800 as Lots);
    expect(at(60_000)).toBe(200);
    asks.set(ASK, 990 as Lots);
    expect(at(60_001)).toBe(990);
  });

  it('comes back by the half in each half-life, also without a change', () => {
    const { book, at } = bookAt(1_000);
    book.take('SELL', ASK, 800 as Lots);
    expect([0, 1_000, 2_000, 3_000].map(at)).toEqual([200, 600, 800, 900]);
    expect(at(60_000)).toBe(1_000);
    expect(book.takenAt('SELL', ASK)).toBe(0);
  });

  it('does not come back whole at a change, and never shows less than nothing', () => {
    const { book, at } = bookAt(1_000);
    book.take('SELL', ASK, 1_000 as Lots);
    expect(at(0)).toBe(0);
    expect(book.best('SELL')).toBe(NEXT);
    asks.set(ASK, 300 as Lots);
    expect(at(500)).toBe(0);
    asks.set(ASK, 1_200 as Lots);
    expect(at(1_000)).toBe(700);
    expect(book.best('SELL')).toBe(ASK);
  });

  it('adds later takes to what is still missing', () => {
    const { book, at } = bookAt(1_000);
    book.take('SELL', ASK, 800 as Lots);
    expect(at(1_000)).toBe(600);
    book.take('SELL', ASK, 600 as Lots);
    expect(at(1_000)).toBe(0);
    expect(at(2_000)).toBe(500);
  });
});
