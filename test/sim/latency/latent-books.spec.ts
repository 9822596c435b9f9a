import { beforeEach, expect, it } from 'vitest';
import { Depth } from '../../../src/domain/market.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { LATENT_BOOKS_MAX } from '../../../src/domain/limits/trading.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { LatentBooks } from '../../../src/sim/latency/latent-venues.js';
import { depthOf, numberOfDepth } from '../../marketdata/depth-of.js';

const [BTC, ETH] = [0 as InstrumentIndex, 1 as InstrumentIndex];
let shown: string[];
let books: LatentBooks;

beforeEach(() => {
  shown = [];
  books = new LatentBooks((instrument, depth) => shown.push(`${instrument}: ${numberOfDepth(depth)}`));
});

function arrive(ms: number, instrument = BTC): void {
  books.arrive(instrument, ms as EpochMs);
}

it('shows the latest book whose market has arrived', () => {
  for (const ms of [10, 20, 30]) books.send(BTC, depthOf(ms));
  arrive(9);
  expect(shown).toEqual([]);
  arrive(25);
  arrive(25);
  expect(shown).toEqual(['0: 20']);
  arrive(30);
  expect(shown).toEqual(['0: 20', '0: 30']);
});

it('shows books at once where markets arrive at once', () => {
  for (const ms of [10, 20]) {
    arrive(ms);
    books.send(BTC, depthOf(ms));
  }
  expect(shown).toEqual(['0: 10', '0: 20']);
});

it('follows the market of its own instrument, and ignores earlier market times', () => {
  books.send(ETH, depthOf(5));
  arrive(7);
  expect(shown).toEqual([]);
  arrive(7, ETH);
  arrive(3, ETH);
  books.send(ETH, depthOf(6));
  expect(shown).toEqual(['1: 5', '1: 6']);
});

it('shows the sent state after later changes at the venue', () => {
  const lent = new Depth();
  lent.set(depthOf(7));
  books.send(BTC, lent);
  lent.set(depthOf(8));
  arrive(7);
  expect(shown).toEqual(['0: 7']);
});

it('drops the oldest books while no market arrives', () => {
  for (let ms = 1; ms <= LATENT_BOOKS_MAX + 1; ms += 1) books.send(BTC, depthOf(ms));
  arrive(1);
  expect(shown).toEqual([]);
  arrive(2);
  expect(shown).toEqual(['0: 2']);
});
