import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MatchingOperation } from '../../../bench/matching/players.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { ANY_PRICE } from '../../../src/sim/matching/book-order.js';
import { LoggedBook } from './logged-book.js';
import { NaiveBook } from './naive-book.js';
import { runs } from '../../runs.js';

const SIDES = ['BUY', 'SELL'] as const;
const RUNS = runs(150, 500);
/** Few prices and small quantities, so that orders match often. */
const price = fc.integer({ min: 1, max: 8 }) as fc.Arbitrary<Ticks>;
const leaves = fc.integer({ min: 1, max: 12 }) as fc.Arbitrary<Lots>;

/** An operation that names its order by age, because ids must be new or known. */
const drawn = fc.record({
  kind: fc.constantFrom('limit', 'limit', 'limit', 'market', 'cancel'),
  ordersAgo: fc.nat({ max: 12 }),
  participant: fc.constantFrom(0, 1, 1, 2),
  side: fc.constantFrom(...SIDES),
  price,
  isAnyPrice: fc.boolean(),
  leaves,
  timeInForce: fc.constantFrom('GTC', 'GTC', 'IOC', 'FOK'),
  postOnly: fc.constantFrom(false, false, true),
  stp: fc.constantFrom('NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

function operationsOf(draws: readonly Drawn[]): MatchingOperation[] {
  let latestId = 0;
  return draws.map((draw) => {
    const isNew = draw.kind === 'limit' || draw.kind === 'market';
    if (isNew) latestId += 1;
    const id = isNew ? latestId : Math.max(0, latestId - draw.ordersAgo);
    return { ...draw, id, price: draw.kind === 'market' && draw.isAnyPrice ? ANY_PRICE : draw.price };
  });
}

test('the book equals its naive twin after any operations', () => {
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 10, maxLength: 60 }), price, leaves, (draws, limit, wanted) => {
      const book = new LoggedBook();
      const naive = new NaiveBook();
      for (const operation of operationsOf(draws)) {
        book.play(operation);
        naive.play(operation);
        expect(book.log.splice(0)).toEqual(naive.log.splice(0));
        for (const side of SIDES) expect(book.levels(side)).toEqual(naive.levels(side));
      }
      expect(book.book.orderCount).toBe(naive.orderCount);
      for (const side of SIDES) {
        expect(book.book.preview(side, wanted, limit)).toEqual(naive.preview(side, wanted, limit));
        expect(book.book.preview(side, wanted, null)).toEqual(naive.preview(side, wanted, ANY_PRICE));
      }
    }),
    { numRuns: RUNS },
  );
});
