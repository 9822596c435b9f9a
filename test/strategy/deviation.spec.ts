import { expect, test } from 'vitest';
import type { OrderId } from '../../src/model/ids.js';
import type { Market } from '../../src/model/market.js';
import type { TradingStyle } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { cumulative, firedCount, type Slots } from '../../src/strategy/schedule.js';
import { TWAP } from '../../src/strategy/twap.js';
import { randomOf } from '../../src/strategy/random.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import { Chance } from '../sim/chance.js';

const ORDERS_COUNT = 100;
const SECONDS = 300;
const MID = 6_400_000;

/** A liquid market: the touch goes up and down by a few ticks several times a second, and takes whatever comes. */
function next(chance: Chance): Market {
  const bid = MID + chance.between(-8, 8);
  return marketOf({ bid, ask: bid + chance.between(1, 4) });
}

/** The furthest that a TWAP was from its schedule at any look, in slices to the next lot; and what it has filled in the end. */
function deviationOf(style: TradingStyle, isRandomized: boolean, seed: number): { worst: number; filled: number } {
  const chance = new Chance(seed);
  const endAtMs = (START_MS + SECONDS * 1_000) as EpochMs;
  const order = orderOf({
    orderId: seed as OrderId,
    style,
    endAtMs,
    quantity: 10_007 as Lots,
    randomizeQuantity: isRandomized,
  });
  const desk = new Desk(order, TWAP, BTC);
  desk.look();
  const slots: Slots = {
    quantity: order.quantity,
    count: desk.state.memory[0] ?? 1,
    startMs: START_MS,
    endMs: endAtMs,
    isRandomized,
    random: randomOf(order.orderId),
  };
  let worst = 0;
  for (let quarter = 0; quarter <= 4 * SECONDS; quarter += 1) {
    desk.passUntil(START_MS + 250 * quarter);
    desk.onMarket(next(chance));
    const planned = cumulative(slots, firedCount(slots, desk.nowMs));
    worst = Math.max(worst, Math.abs(desk.state.progress.filled - planned));
  }
  return { worst: worst / Math.ceil(order.quantity / slots.count), filled: desk.state.progress.filled };
}

test.each([
  ['AGGRESSIVE', false],
  ['AGGRESSIVE', true],
  ['HYBRID', false],
  ['HYBRID', true],
  ['PASSIVE', false],
] as const)(
  'a TWAP %s, randomised %s, is never more than a slice off its schedule in a liquid market',
  (style, isRandomized) => {
    const runs = Array.from({ length: ORDERS_COUNT }, (_, seed) => deviationOf(style, isRandomized, seed + 1));
    for (const { filled } of runs) expect(filled).toBe(10_007);
    const sorted = runs.map(({ worst }) => worst).toSorted((left, right) => left - right);
    // A randomised slice may be a fifth larger than an even one.
    expect(sorted[Math.ceil(0.99 * ORDERS_COUNT) - 1]).toBeLessThanOrEqual(isRandomized ? 1.2 : 1);
  },
);
