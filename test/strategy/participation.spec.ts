import { describe, expect, test } from 'vitest';
import type { OrderId } from '../../src/model/ids.js';
import type { VolumeProfile } from '../../src/model/intent.js';
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

/** Second by second others trade at random; the tape shows all trades. Returns what others have traded. */
function trade(desks: readonly Desk[], chance: Chance): number {
  let others = 0;
  for (let second = 1; second <= SECONDS; second += 1) {
    for (let trades = chance.between(0, 2 * TRADES_PER_SECOND); trades > 0; trades -= 1) {
      others += chance.skewed(1, TRADE_LOTS_MAX);
    }
    for (const desk of desks) {
      desk.passUntil(START_MS + second * TAPE_MS);
      desk.onMarket(marketOf({ volume: others + filledOf(desks) }));
    }
  }
  return others;
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
        const whole = others + own;
        const rate = rateOf(desk.state.order.clip);
        const eachSecond = (others * TAPE_MS) / (SECONDS * 1_000);
        const clip = Math.max(10, shareOf(rate, eachSecond));
        const bound = clip / whole + (rate * whole) / SECONDS / whole;
        if (Math.abs(own / whole - rate) <= bound) within += 1;
      }
      expect(within / RUNS_COUNT).toBeGreaterThanOrEqual(0.99);
    },
  );
});

describe('two orders of a half each on the same side', () => {
  const shares = Array.from({ length: 288 }, () => 1 / 288);

  test('do not drive each other beyond a few times the usual volume', () => {
    const usual = trade([], new Chance(1));
    const profile = { shares, dailyVolume: Math.round((usual * 86_400) / SECONDS) as Lots };
    const desks = [open(50, 1, profile), open(50, 2, profile)];
    const others = trade(desks, new Chance(1));
    expect(others).toBe(usual);
    for (const { state } of desks) expect(state.progress.filled).toBeLessThan(5.1 * usual);
  });

  test('of less, that can both have their share, have it', () => {
    const desks = [open(25, 1), open(25, 2)];
    const others = trade(desks, new Chance(1));
    const whole = others + filledOf(desks);
    for (const { state } of desks) expect(Math.abs(state.progress.filled / whole - 0.25)).toBeLessThan(0.01);
  });
});
