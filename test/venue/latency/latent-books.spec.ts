import { beforeEach, expect, it } from 'vitest';
import { Depth } from '../../../src/model/depth.js';
import type { InstrumentIndex } from '../../../src/model/instrument.js';
import { LATENT_BOOKS_MAX } from '../../../src/model/limits.js';
import type { EpochMs } from '../../../src/model/time.js';
import { LatentBooks } from '../../../src/venue/latency/index.js';
import { depthOf, numberOfDepth } from '../../wire/depth-of.js';

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

it('arrive with the market of their moment, the latest of those that have', () => {
  for (const ms of [10, 20, 30]) books.send(BTC, depthOf(ms));
  arrive(9);
  expect(shown).toEqual([]);
  arrive(25);
  arrive(25);
  expect(shown).toEqual(['0: 20']);
  arrive(30);
  expect(shown).toEqual(['0: 20', '0: 30']);
});

it('are shown at once where markets arrive at once', () => {
  for (const ms of [10, 20]) {
    arrive(ms);
    books.send(BTC, depthOf(ms));
  }
  expect(shown).toEqual(['0: 10', '0: 20']);
});

it('go with the market of their own instrument, and wait for none that was told before', () => {
  books.send(ETH, depthOf(5));
  arrive(7);
  expect(shown).toEqual([]);
  arrive(7, ETH);
  arrive(3, ETH);
  books.send(ETH, depthOf(6));
  expect(shown).toEqual(['1: 5', '1: 6']);
});

it('stay as they were sent, whatever the venue does with its own', () => {
  const lent = new Depth();
  lent.set(depthOf(7));
  books.send(BTC, lent);
  lent.set(depthOf(8));
  arrive(7);
  expect(shown).toEqual(['0: 7']);
});

it('are bounded while a market is silent: the oldest are never shown', () => {
  for (let ms = 1; ms <= LATENT_BOOKS_MAX + 1; ms += 1) books.send(BTC, depthOf(ms));
  arrive(1);
  expect(shown).toEqual([]);
  arrive(2);
  expect(shown).toEqual(['0: 2']);
});
