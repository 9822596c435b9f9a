import { expect, it } from 'vitest';
import { Depth } from '../../src/model/depth.js';
import type { EpochMs } from '../../src/model/time.js';
import { DelayedBook } from '../../src/replay/delayed-book.js';
import { depthOf, numberOfDepth } from '../wire/depth-of.js';

const at = (ms: number): EpochMs => ms as EpochMs;

it('arrives with the market of its moment, the latest of those that have', () => {
  const book = new DelayedBook();
  for (const ms of [10, 20, 30]) book.show(depthOf(ms));
  expect(book.arrived).toBeNull();
  book.arrive(at(9));
  expect(book.arrived).toBeNull();
  book.arrive(at(25));
  expect(book.arrived?.atMs).toBe(20);
  book.arrive(at(25));
  expect(book.arrived?.atMs).toBe(20);
  book.arrive(at(30));
  expect(book.arrived?.atMs).toBe(30);
});

it('stays as it was shown, whatever the venue does with its own', () => {
  const [book, lent] = [new DelayedBook(), depthOf(7)];
  book.show(lent);
  lent.bids.count = 0;
  lent.asks.prices.fill(0);
  book.arrive(at(7));
  expect(numberOfDepth(book.arrived ?? new Depth())).toBe(7);
});
