import { beforeEach, describe, expect, test } from 'vitest';
import type { MatchingOperation } from '../../../bench/matching/players.js';
import type { Side } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { ANY_PRICE, BookOrder } from '../../../src/sim/matching/book-order.js';
import { LoggedBook } from './logged-book.js';

let book: LoggedBook;
let latestId: number;

beforeEach(() => {
  book = new LoggedBook();
  latestId = 0;
});

/** Submits a limit order with the next id, from 1; returns its log. */
function place(side: Side, leaves: number, price: number, more: Partial<MatchingOperation> = {}): string[] {
  latestId += 1;
  return play({ ...terms(latestId, side, leaves, price), ...more });
}

function market(
  side: Side,
  leaves: number,
  price: number = ANY_PRICE,
  more: Partial<MatchingOperation> = {},
): string[] {
  return place(side, leaves, price, { kind: 'market', ...more });
}

function terms(id: number, side: Side, leaves: number, price: number): MatchingOperation {
  const order = { id, participant: 0, side, price: price as Ticks, leaves: leaves as Lots };
  return { kind: 'limit', ...order, timeInForce: 'GTC', postOnly: false, stp: 'NONE' };
}

function play(operation: MatchingOperation): string[] {
  book.play(operation);
  return book.log.splice(0);
}

describe('priority', () => {
  test('the best price trades first, and the earlier order at one price', () => {
    place('SELL', 2, 101);
    place('SELL', 3, 100);
    place('SELL', 4, 100);
    expect(place('BUY', 8, 105)).toEqual([
      '4 takes 3 at 100 from 2, 5 and 0 left',
      '4 takes 4 at 100 from 3, 1 and 0 left',
      '4 takes 1 at 101 from 1, 0 and 1 left',
      '4 FILLED, 0 left',
    ]);
    expect(book.levels('SELL')).toEqual(['101: 1×1']);
  });

  test('a partly filled maker stays first in its queue', () => {
    place('BUY', 5, 100);
    place('BUY', 5, 100);
    market('SELL', 2);
    expect(book.levels('BUY')).toEqual(['100: 1×3 2×5']);
    expect(market('SELL', 4)[0]).toBe('4 takes 3 at 100 from 1, 1 and 0 left');
  });

  test('the rest of a limit order rests at its own price', () => {
    place('SELL', 2, 100);
    expect(place('BUY', 5, 103)).toEqual(['2 takes 2 at 100 from 1, 3 and 0 left', '2 RESTING, 3 left']);
    expect([book.book.bestBid(), book.book.bestAsk()]).toEqual([103, 0]);
  });
});

describe('time in force', () => {
  beforeEach(() => {
    place('SELL', 2, 100);
    place('SELL', 2, 101);
  });

  test('IOC trades the available quantity and expires with the rest', () => {
    expect(place('BUY', 5, 100, { timeInForce: 'IOC' }).at(-1)).toBe('3 EXPIRED, 3 left');
    expect(book.levels('BUY')).toEqual([]);
  });

  test('FOK fills completely', () => {
    expect(place('BUY', 4, 101, { timeInForce: 'FOK' }).at(-1)).toBe('3 FILLED, 0 left');
    expect(book.book.orderCount).toBe(0);
  });

  test.each([
    ['more than the book has', 5, 101],
    ['more than the book has at its price', 3, 100],
  ])('FOK for %s is refused and changes nothing', (_, leaves, price) => {
    expect(place('BUY', leaves, price, { timeInForce: 'FOK' })).toEqual([`3 NOT_FILLABLE, ${leaves} left`]);
    expect(book.levels('SELL')).toEqual(['100: 1×2', '101: 2×2']);
  });

  test('post-only is refused when it would match, and rests otherwise', () => {
    expect(place('BUY', 1, 100, { postOnly: true })).toEqual(['3 WOULD_CROSS, 1 left']);
    expect(place('BUY', 1, 99, { postOnly: true })).toEqual(['4 RESTING, 1 left']);
  });
});

describe('market orders', () => {
  test('take any price and expire when the book is empty', () => {
    place('BUY', 2, 1);
    expect(market('SELL', 3)).toEqual(['2 takes 2 at 1 from 1, 1 and 0 left', '2 EXPIRED, 1 left']);
    expect(market('BUY', 3)).toEqual(['3 EXPIRED, 3 left']);
  });

  test('respect their worst price', () => {
    place('SELL', 2, 100);
    place('SELL', 2, 102);
    expect(market('BUY', 3, 101)).toEqual(['3 takes 2 at 100 from 1, 1 and 0 left', '3 EXPIRED, 1 left']);
  });
});

describe('cancel', () => {
  test('removes one order and keeps its neighbours in the queue', () => {
    for (let count = 1; count <= 3; count += 1) place('BUY', count, 100);
    expect(play({ ...terms(2, 'BUY', 1, 1), kind: 'cancel' })).toEqual(['2 cancelled, 2 left']);
    expect(book.levels('BUY')).toEqual(['100: 1×1 3×3']);
    expect(book.order(2).isResting).toBe(false);
  });

  test('throws for an order that does not rest', () => {
    const order = new BookOrder(terms(1, 'BUY', 1, 100));
    expect(() => book.book.cancel(order)).toThrow('only a resting order can be cancelled');
  });
});

describe('self-trade prevention with two own makers around a foreign one', () => {
  const own = { participant: 7 };

  beforeEach(() => {
    place('SELL', 2, 100, own);
    place('SELL', 3, 100, { participant: 8 });
    place('SELL', 9, 101, own);
  });

  test('EXPIRE_TAKER ends the taker before it meets an own order', () => {
    expect(place('BUY', 6, 101, { ...own, stp: 'EXPIRE_TAKER' })).toEqual(['4 EXPIRED, 6 left']);
    expect(book.levels('SELL')).toEqual(['100: 1×2 2×3', '101: 3×9']);
  });

  test('EXPIRE_MAKER ends own makers, and the taker continues', () => {
    expect(place('BUY', 6, 101, { ...own, stp: 'EXPIRE_MAKER' })).toEqual([
      '1 loses 2, 0 left',
      '4 takes 3 at 100 from 2, 3 and 0 left',
      '3 loses 9, 0 left',
      '4 RESTING, 3 left',
    ]);
    expect(book.book.orderCount).toBe(1);
  });

  test('EXPIRE_BOTH ends both', () => {
    expect(place('BUY', 6, 101, { ...own, stp: 'EXPIRE_BOTH' })).toEqual(['1 loses 2, 0 left', '4 EXPIRED, 6 left']);
    expect(book.levels('SELL')).toEqual(['100: 2×3', '101: 3×9']);
  });

  test('DECREMENT reduces both by the smaller quantity; the smaller order ends', () => {
    expect(place('BUY', 6, 101, { ...own, stp: 'DECREMENT' })).toEqual([
      '1 loses 2, 0 left',
      '4 takes 3 at 100 from 2, 1 and 0 left',
      '3 loses 1, 8 left',
      '4 EXPIRED, 0 left',
    ]);
    expect(book.levels('SELL')).toEqual(['101: 3×8']);
  });

  test('a taker is FILLED when its last lots trade, after any earlier prevention', () => {
    expect(place('BUY', 5, 100, { ...own, stp: 'DECREMENT' }).at(-1)).toBe('4 FILLED, 0 left');
  });

  test('NONE lets a participant trade with itself', () => {
    expect(place('BUY', 2, 100, own)[0]).toBe('4 takes 2 at 100 from 1, 0 and 0 left');
  });

  test("the maker's own mode is ignored", () => {
    place('SELL', 1, 99, { ...own, stp: 'EXPIRE_MAKER' });
    expect(place('BUY', 1, 99, own).at(-1)).toBe('5 FILLED, 0 left');
  });

  test('does not apply to FOK', () => {
    expect(place('BUY', 5, 100, { ...own, timeInForce: 'FOK', stp: 'EXPIRE_MAKER' }).at(-1)).toBe('4 FILLED, 0 left');
  });

  test('applies to market orders', () => {
    expect(market('BUY', 2, ANY_PRICE, { ...own, stp: 'EXPIRE_TAKER' })).toEqual(['4 EXPIRED, 2 left']);
  });

  test('does not apply to the background, whose orders trade with each other', () => {
    place('SELL', 1, 99);
    expect(place('BUY', 1, 99, { stp: 'EXPIRE_BOTH' }).at(-1)).toBe('5 FILLED, 0 left');
  });
});

describe('reading the book', () => {
  beforeEach(() => {
    place('SELL', 2, 100);
    place('SELL', 3, 100);
    place('SELL', 4, 103);
    place('BUY', 6, 98);
  });

  test('depth returns the best levels first, at most the requested number', () => {
    const prices = new Float64Array(3);
    const quantities = new Float64Array(3);
    expect(book.book.depth('SELL', prices, quantities, 1)).toBe(1);
    expect([prices, quantities]).toEqual([new Float64Array([100, 0, 0]), new Float64Array([5, 0, 0])]);
    expect(book.book.depth('SELL', prices, quantities, 3)).toBe(2);
    expect([prices, quantities]).toEqual([new Float64Array([100, 103, 0]), new Float64Array([5, 4, 0])]);
  });

  test('preview returns the exact result of a take', () => {
    expect(book.book.preview('BUY', 7 as Lots, null)).toEqual({ quantity: 7, notional: 706n });
    expect(book.book.preview('BUY', 7 as Lots, 102 as Ticks)).toEqual({ quantity: 5, notional: 500n });
    expect(book.book.preview('SELL', 7 as Lots, 99 as Ticks)).toEqual({ quantity: 0, notional: 0n });
    const huge = 2 ** 50;
    place('SELL', huge, huge);
    expect(book.book.preview('BUY', (huge + 9) as Lots, null).notional).toBe(912n + BigInt(huge) ** 2n);
  });

  test('a price without orders has quantity 0 and no front', () => {
    expect(book.book.quantityAt('SELL', 101 as Ticks)).toBe(0);
    expect(book.book.frontOf('BUY', 100 as Ticks)).toBeNull();
    expect(book.book.frontOf('SELL', 100 as Ticks)?.behind?.id).toBe(2);
  });
});

test('an order without lots or a limit order without a price throws', () => {
  expect(() => place('BUY', 0, 100)).toThrow('a new order has lots and a price');
  expect(() => place('BUY', 1, ANY_PRICE)).toThrow('a new order has lots and a price');
  expect(() => market('BUY', 0)).toThrow('a new order has lots');
});
