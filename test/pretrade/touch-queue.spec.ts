import { describe, expect, it } from 'vitest';
import {
  clipsFilled,
  fillProbability,
  meanFillMs,
  shareBeforeCrossing,
  type TouchQueue,
} from '../../src/pretrade/touch-queue.js';
import { Random } from '../../src/sim/prng.js';

const TRIALS = 4_000;
/** Four standard errors of a share over so many trials. */
const TOLERANCE = 4 / Math.sqrt(4 * TRIALS);
const QUEUE: TouchQueue = { shown: 60, usual: 25, perMs: 0.01, movesPerMs: 0.0003, throughPerMs: 0.00005 };

function exponential(chance: Random, mean: number): number {
  return -mean * Math.log(1 - chance.uniform());
}

/**
 * Time in which an order of one lot is filled, trade by trade. It joins a queue of random length, and a new one when
 * the touch moves away.
 */
function simulatedFillMs(chance: Random, queue: TouchQueue): number {
  let ahead = exponential(chance, queue.shown);
  let atMs = 0;
  const events = queue.perMs + queue.movesPerMs + queue.throughPerMs;
  let hasMoved = false;
  for (;;) {
    atMs += exponential(chance, 1 / events);
    const draw = chance.uniform() * events;
    if (draw < queue.throughPerMs) return atMs;
    if (draw < queue.throughPerMs + queue.movesPerMs) {
      if (!hasMoved) ahead = exponential(chance, queue.usual);
      hasMoved = true;
    } else if ((ahead -= 1) < 0) return atMs;
  }
}

describe('the fill of an order that follows the touch', () => {
  it('has the probability and the mean time of a simulated queue', () => {
    for (const moves of [0, 0.0003, 0.01]) {
      const queue = { ...QUEUE, movesPerMs: moves };
      const chance = new Random(`queue/${moves}`);
      const times = Array.from({ length: TRIALS }, () => simulatedFillMs(chance, queue));
      for (const waitMs of [500, 3_000, 10_000]) {
        const filled = times.filter((time) => time <= waitMs).length / TRIALS;
        // An order of one lot and half of it ahead of itself: the same mean as a queue one lot longer.
        expect(Math.abs(filled - fillProbability(queue, 2, waitMs)), `${moves} in ${waitMs}`).toBeLessThan(TOLERANCE);
      }
      const mean = times.reduce((sum, time) => sum + time, 0) / TRIALS;
      expect(Math.abs(mean / meanFillMs(queue, 2) - 1)).toBeLessThan(4 / Math.sqrt(TRIALS));
    }
  });

  it('is certain in the end, impossible at once, and continuous where both rates are equal', () => {
    expect(fillProbability(QUEUE, 1, 0)).toBe(0);
    expect(fillProbability(QUEUE, 1, 1e9)).toBeCloseTo(1, 12);
    // The next queue moves so much faster that the ratio of the two powers overflows.
    const long = { shown: 5_000, usual: 50, perMs: 0.05, movesPerMs: 1e-5, throughPerMs: 0 };
    expect(fillProbability(long, 10, 3_600_000)).toBeCloseTo(1, 12);
    const { first, later } = { first: QUEUE.perMs / 60.5, later: QUEUE.perMs / 25.5 };
    const at = (movesPerMs: number): number => fillProbability({ ...QUEUE, movesPerMs }, 1, 5_000);
    expect(at(later - first)).toBeCloseTo(at(later - first + 1e-9), 6);
  });
});

describe('a quantity that rests until it is late', () => {
  it('has the maker share of a simulated one', () => {
    for (const patience of [0.3, 1, 4]) {
      const chance = new Random(`renewal/${patience}`);
      let [made, all] = [0, 0];
      for (let cycle = 0; cycle < 20_000; cycle += 1) {
        // The quantity grows by 1 in each mean time between fills, until a fill or the end of the patience.
        const rested = Math.min(exponential(chance, 1), patience);
        if (rested < patience) made += rested;
        all += rested;
      }
      expect(Math.abs(made / all - shareBeforeCrossing(patience)), String(patience)).toBeLessThan(0.015);
    }
    expect([0, 1e-9, 5_000, Infinity].map(shareBeforeCrossing)).toEqual([0, 5e-10, 1, 1]);
  });
});

describe('clips that rest one after another', () => {
  it('are filled in the mean number of a simulated order', () => {
    for (const [clips, fills] of [
      [5, 3],
      [8, 20],
      [40, 35],
    ] as const) {
      const chance = new Random(`clips/${clips}`);
      let done = 0;
      for (let trial = 0; trial < TRIALS; trial += 1) {
        let atMs = exponential(chance, 1 / fills);
        let count = 0;
        while (atMs <= 1 && count < clips) {
          count += 1;
          atMs += exponential(chance, 1 / fills);
        }
        done += count / clips / TRIALS;
      }
      expect(Math.abs(done - clipsFilled(clips, fills)), `${clips} and ${fills}`).toBeLessThan(TOLERANCE);
    }
    expect(clipsFilled(10_000, 5_000)).toBe(0.5);
    expect(clipsFilled(1, 0)).toBe(0);
  });
});
