import { describe, expect, test } from 'vitest';
import type { OrderId } from '../../src/model/ids.js';
import type { VolumeProfile } from '../../src/model/intent.js';
import { CATCH_UP_SLICES_MAX } from '../../src/model/limits.js';
import type { Lots } from '../../src/model/quantity.js';
import { rateOf, shareOf } from '../../src/strategy/pov.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import { Chance } from '../sim/chance.js';

const RUNS_COUNT = 100;
const SECONDS = 300;
const TAPE_MS = 1_000;
const TRADES_PER_SECOND = 8;
const TRADE_LOTS_MAX = 200;

function open(percent: number, seed: number, profile?: VolumeProfile): Desk {
  const order = orderOf({
    orderId: seed as OrderId,
    strategy: 'POV',
    style: 'AGGRESSIVE',
    quantity: 1e9 as Lots,
    clip: { type: 'PERCENTAGE', ppmOfPercent: percent * 1_000_000 },
    endAtMs: null,
    durationMs: null,
  });
  const desk = new Desk(order, strategyFor(order) as never, { ...BTC, quantityMax: 1e9 as Lots });
  desk.profile = profile;
  desk.look();
  return desk;
}

const filledOf = (desks: readonly Desk[]): number => desks.reduce((sum, desk) => sum + desk.state.progress.filled, 0);

/** Draws what others trade in the next second. */
type Crowd = (chance: Chance) => number;

const calm: Crowd = (chance) => {
  let lots = 0;
  for (let trades = chance.between(0, 2 * TRADES_PER_SECOND); trades > 0; trades -= 1) {
    lots += chance.skewed(1, TRADE_LOTS_MAX);
  }
  return lots;
};

/** Trades of a Pareto law, of which a variance does not exist: now and then one is as large as minutes of all others. */
const giant: Crowd = (chance) => {
  let lots = 0;
  for (let trades = chance.between(0, TRADES_PER_SECOND); trades > 0; trades -= 1) {
    lots += Math.floor(20 / (1 - chance.between(0, 999_999) / 1e6) ** (1 / 1.5));
  }
  return lots;
};

/** Nothing much, and once a minute a quarter of it in which a hundred times as much is traded. */
function bursts(): Crowd {
  let left = 0;
  return (chance) => {
    if (left === 0 && chance.hits(1 / 60)) left = chance.between(1, 15);
    left = Math.max(0, left - 1);
    return left > 0 ? chance.between(1_000, 6_000) : chance.between(0, 50);
  };
}

/** Second by second others trade at random; the tape shows all trades. Returns what others have traded. */
function trade(desks: readonly Desk[], chance: Chance, crowd: Crowd = calm): number {
  return tape(desks, chance, crowd).reduce((sum, lots) => sum + lots, 0);
}

/** The same, second by second. */
function tape(desks: readonly Desk[], chance: Chance, crowd: Crowd): number[] {
  const seconds: number[] = [];
  let others = 0;
  for (let second = 1; second <= SECONDS; second += 1) {
    const lots = crowd(chance);
    seconds.push(lots);
    others += lots;
    for (const desk of desks) {
      desk.passUntil(START_MS + second * TAPE_MS);
      desk.onMarket(marketOf({ volume: others + filledOf(desks) }));
    }
  }
  return seconds;
}

const FLAT_SHARES = Array.from({ length: 288 }, () => 1 / 288);

function profileOf(lotsPerSecond: number): VolumeProfile {
  return { shares: FLAT_SHARES, dailyVolume: Math.round(lotsPerSecond * 86_400) as Lots };
}

/** What is left when so much of the volume is followed in each second at most, the last one being too fresh for that. */
function restOf(seconds: readonly number[], most: number): number {
  const before = seconds.slice(0, -1).reduce((rest, lots) => Math.max(0, rest + lots - most), 0);
  return before + (seconds.at(-1) ?? 0);
}

/** A clip, of what is to be expected in a second, and what is traded in the reaction to it, as parts of all volume. */
function boundOf(rate: number, others: number, own: number, expected = others / SECONDS): number {
  return Math.max(10, shareOf(rate, expected)) / (others + own) + rate / SECONDS;
}

test.each([
  [0.05, 52.6316],
  [0.1, 111.1111],
  [0.2, 250],
  [0.3, 428.5714],
])('a rate of %d is of all volume: %d when others have traded 1000', (rate, expected) => {
  expect(shareOf(rate, 1_000)).toBeCloseTo(expected, 4);
});

describe('the share of a whole order', () => {
  test.each([5, 10, 20, 30, 50])(
    'of %d percent misses by no more than a clip and what is traded in its reaction',
    (percent) => {
      let within = 0;
      for (let seed = 1; seed <= RUNS_COUNT; seed += 1) {
        const desk = open(percent, seed);
        const others = trade([desk], new Chance(seed));
        const own = desk.state.progress.filled;
        const rate = rateOf(desk.state.order.clip);
        const bound = boundOf(rate, others, own);
        if (Math.abs(own / (others + own) - rate) <= bound) within += 1;
      }
      expect(within / RUNS_COUNT).toBeGreaterThanOrEqual(0.99);
    },
  );
});

/*
 * No reaction makes good what the bound on a step holds back: one that follows each second as it ends, by three slices at
 * most, stays within the plain bound in 75 of 100 runs with bursts and in 95 with giant trades; for 99 it would take ten
 * to twenty slices.
 */
describe('the share of a whole order among giant prints', () => {
  const cases = [5, 30, 50].flatMap((percent) => [
    { percent, name: 'trades', crowdOf: () => giant },
    { percent, name: 'bursts', crowdOf: bursts },
  ]);

  test.each(cases)('of $percent percent misses by that and by what of giant $name is yet to be worked off', (one) => {
    const mean = tape([], new Chance(0), one.crowdOf()).reduce((sum, lots) => sum + lots / SECONDS, 0);
    let within = 0;
    for (let seed = 1; seed <= RUNS_COUNT; seed += 1) {
      const desk = open(one.percent, seed, profileOf(mean));
      const seconds = tape([desk], new Chance(seed), one.crowdOf());
      const others = seconds.reduce((sum, lots) => sum + lots, 0);
      const own = desk.state.progress.filled;
      const rate = rateOf(desk.state.order.clip);
      const heldBack = shareOf(rate, restOf(seconds, CATCH_UP_SLICES_MAX * mean)) / (others + own);
      if (Math.abs(own / (others + own) - rate) <= boundOf(rate, others, own, mean) + heldBack) within += 1;
    }
    expect(within / RUNS_COUNT).toBeGreaterThanOrEqual(0.99);
  });
});

describe('two orders of a half each on the same side', () => {
  test('do not drive each other beyond a few times the usual volume', () => {
    const usual = trade([], new Chance(1));
    const profile = profileOf(usual / SECONDS);
    const desks = [open(50, 1, profile), open(50, 2, profile)];
    const others = trade(desks, new Chance(1));
    expect(others).toBe(usual);
    for (const { state } of desks) expect(state.progress.filled).toBeLessThan(5.1 * usual);
  });

  test('nor where nothing but their own first minute tells what is usual', () => {
    const desks = [open(50, 1), open(50, 2)];
    const usual = trade(desks, new Chance(1));
    for (const { state } of desks) expect(state.progress.filled).toBeLessThan(10 * usual);
  });

  test('of less, that can both have their share, have it', () => {
    const desks = [open(25, 1), open(25, 2)];
    const others = trade(desks, new Chance(1));
    const whole = others + filledOf(desks);
    for (const { state } of desks) expect(Math.abs(state.progress.filled / whole - 0.25)).toBeLessThan(0.01);
  });
});

describe('a market that wakes up', () => {
  test('is followed from a first minute on that was a quiet one', () => {
    let second = 0;
    const waking: Crowd = (chance) => ((second += 1) <= 60 ? chance.between(0, 20) : 20 * calm(chance));
    const desk = open(10, 1);
    const others = trade([desk], new Chance(1), waking);
    const { filled } = desk.state.progress;
    expect(filled / (others + filled)).toBeGreaterThan(0.07);
  });
});
