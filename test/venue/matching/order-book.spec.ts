import { beforeEach, describe, expect, test } from 'vitest';
import type { MatchingOperation } from '../../../bench/matching-operation.js';
import type { Side } from '../../../src/model/order.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import { ANY_PRICE, BookOrder } from '../../../src/venue/matching/index.js';
import { LoggedBook } from './logged-book.js';

let book: LoggedBook;
let latestId: number;

beforeEach(() => {
  book = new LoggedBook();
  latestId = 0;
});

/** Plays a limit order, id by id from 1 on, and returns what it caused. */
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

function amend(id: number, leaves: number, price: number, more: Partial<MatchingOperation> = {}): string[] {
  return play({ ...terms(id, 'BUY', leaves, price), kind: 'amend', ...more });
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
  test('the best price trades first, and at one price the order that came first', () => {
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

  test('a maker filled in part stays first in line', () => {
    place('BUY', 5, 100);
    place('BUY', 5, 100);
    market('SELL', 2);
    expect(book.levels('BUY')).toEqual(['100: 1×3 2×5']);
    expect(market('SELL', 4)[0]).toBe('4 takes 3 at 100 from 1, 1 and 0 left');
  });

  test('what a limit order has left rests at its own price', () => {
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

  test('IOC takes what is there and expires with the rest', () => {
    expect(place('BUY', 5, 100, { timeInForce: 'IOC' }).at(-1)).toBe('3 EXPIRED, 3 left');
    expect(book.levels('BUY')).toEqual([]);
  });

  test('FOK is filled to the last lot', () => {
    expect(place('BUY', 4, 101, { timeInForce: 'FOK' }).at(-1)).toBe('3 FILLED, 0 left');
    expect(book.book.orderCount).toBe(0);
  });

  test.each([
    ['more than there is', 5, 101],
    ['more than there is at its price', 3, 100],
  ])('FOK of %s is refused and changes nothing', (_, leaves, price) => {
    expect(place('BUY', leaves, price, { timeInForce: 'FOK' })).toEqual([`3 NOT_FILLABLE, ${leaves} left`]);
    expect(book.levels('SELL')).toEqual(['100: 1×2', '101: 2×2']);
  });

  test('post-only is refused when it would match, and rests when it would not', () => {
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

  test('go no further than their worst price', () => {
    place('SELL', 2, 100);
    place('SELL', 2, 102);
    expect(market('BUY', 3, 101)).toEqual(['3 takes 2 at 100 from 1, 1 and 0 left', '3 EXPIRED, 1 left']);
  });
});

describe('cancel', () => {
  test('takes out one order and leaves its neighbours in line', () => {
    for (let count = 1; count <= 3; count += 1) place('BUY', count, 100);
    expect(play({ ...terms(2, 'BUY', 1, 1), kind: 'cancel' })).toEqual(['2 cancelled, 2 left']);
    expect(book.levels('BUY')).toEqual(['100: 1×1 3×3']);
    expect(book.order(2).isResting).toBe(false);
  });

  test('of an order that does not rest is an impossible state', () => {
    const order = new BookOrder(terms(1, 'BUY', 1, 100));
    expect(() => book.book.cancel(order)).toThrow('only a resting order can be cancelled');
  });
});

describe('amend', () => {
  beforeEach(() => {
    for (let count = 1; count <= 3; count += 1) place('BUY', 5, 100);
    place('SELL', 4, 102);
  });

  test.each([
    ['fewer lots keep the place', 4, 100, ['100: 1×4 2×5 3×5']],
    ['as many lots keep the place', 5, 100, ['100: 1×5 2×5 3×5']],
    ['more lots lose it', 6, 100, ['100: 2×5 3×5 1×6']],
    ['another price loses it', 4, 99, ['100: 2×5 3×5', '99: 1×4']],
  ])('%s', (_, leaves, price, levels) => {
    expect(amend(1, leaves, price)).toEqual([`1 RESTING, ${leaves} left`]);
    expect(book.levels('BUY')).toEqual(levels);
  });

  test('to a price that crosses matches', () => {
    expect(amend(2, 5, 102)).toEqual(['2 takes 4 at 102 from 4, 1 and 0 left', '2 RESTING, 1 left']);
    expect(book.levels('BUY')).toEqual(['102: 2×1', '100: 1×5 3×5']);
  });

  test('of a post-only order to a price that crosses is refused and changes nothing', () => {
    expect(amend(2, 5, 102, { postOnly: true })).toEqual(['2 WOULD_CROSS, 5 left']);
    expect(book.levels('BUY')).toEqual(['100: 1×5 2×5 3×5']);
  });
});

describe('self-trade prevention, with two own makers around one of somebody else', () => {
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

  test('EXPIRE_MAKER ends own makers, and the taker goes on', () => {
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

  test('DECREMENT takes from both what they would have traded; the smaller one ends', () => {
    expect(place('BUY', 6, 101, { ...own, stp: 'DECREMENT' })).toEqual([
      '1 loses 2, 0 left',
      '4 takes 3 at 100 from 2, 1 and 0 left',
      '3 loses 1, 8 left',
      '4 EXPIRED, 0 left',
    ]);
    expect(book.levels('SELL')).toEqual(['101: 3×8']);
  });

  test('a taker whose last lots trade is FILLED, whatever it lost before', () => {
    expect(place('BUY', 5, 100, { ...own, stp: 'DECREMENT' }).at(-1)).toBe('4 FILLED, 0 left');
  });

  test('NONE lets a participant trade with itself', () => {
    expect(place('BUY', 2, 100, own)[0]).toBe('4 takes 2 at 100 from 1, 0 and 0 left');
  });

  test('the maker’s mode does not matter', () => {
    place('SELL', 1, 99, { ...own, stp: 'EXPIRE_MAKER' });
    expect(place('BUY', 1, 99, own).at(-1)).toBe('5 FILLED, 0 left');
  });

  test('does not apply to FOK', () => {
    expect(place('BUY', 5, 100, { ...own, timeInForce: 'FOK', stp: 'EXPIRE_MAKER' }).at(-1)).toBe('4 FILLED, 0 left');
  });

  test('applies to market orders and to amends that cross', () => {
    expect(market('BUY', 2, ANY_PRICE, { ...own, stp: 'EXPIRE_TAKER' })).toEqual(['4 EXPIRED, 2 left']);
    place('BUY', 2, 90, own);
    expect(amend(5, 2, 100, { stp: 'EXPIRE_TAKER' })).toEqual(['5 EXPIRED, 2 left']);
  });

  test('the background is nobody: its orders trade with each other', () => {
    place('SELL', 1, 99);
    expect(place('BUY', 1, 99, { stp: 'EXPIRE_BOTH' }).at(-1)).toBe('5 FILLED, 0 left');
  });
});

describe('looking at the book', () => {
  beforeEach(() => {
    place('SELL', 2, 100);
    place('SELL', 3, 100);
    place('SELL', 4, 103);
    place('BUY', 6, 98);
  });

  test('depth writes the best levels first and no more than asked for', () => {
    const prices = new Float64Array(3);
    const quantities = new Float64Array(3);
    expect(book.book.depth('SELL', prices, quantities, 1)).toBe(1);
    expect([prices, quantities]).toEqual([new Float64Array([100, 0, 0]), new Float64Array([5, 0, 0])]);
    expect(book.book.depth('SELL', prices, quantities, 3)).toBe(2);
    expect([prices, quantities]).toEqual([new Float64Array([100, 103, 0]), new Float64Array([5, 4, 0])]);
  });

  test('preview tells what taking would trade, exactly', () => {
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

test('an order without lots or a limit order without a price is an impossible state', () => {
  expect(() => place('BUY', 0, 100)).toThrow('a new order has lots and a price');
  expect(() => place('BUY', 1, ANY_PRICE)).toThrow('a new order has lots and a price');
  expect(() => market('BUY', 0)).toThrow('a new order has lots');
});
