import { expect, test } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import type { Market } from '../../src/domain/market.js';
import type { TradingStyle } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { cumulative, firedCount, type Slots } from '../../src/strategy/schedule/slots.js';
import { TWAP } from '../../src/strategy/schedule/twap-vwap.js';
import { randomOf } from '../../src/strategy/random.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import { Chance } from '../simulation/chance.js';
import { runs } from '../runs.js';

const ORDERS_COUNT = runs(20, 100);
const SECONDS = 300;
const MID = 6_400_000;

/** Draws a liquid market: the touch moves by a few ticks several times a second and takes any quantity. */
function next(chance: Chance): Market {
  const bid = MID + chance.between(-8, 8);
  return marketOf({ bid, ask: bid + chance.between(1, 4) });
}

/** Returns the largest distance of a TWAP from its schedule, in slices rounded up to a lot, and its filled quantity. */
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
  const rig = new OrderRig(order, TWAP, BTC);
  rig.look();
  const slots: Slots = {
    quantity: order.legs[0].quantity,
    count: rig.state.legs[0].memory?.kind === 'TWAP' ? rig.state.legs[0].memory.slotCount : 1,
    startMs: START_MS,
    endMs: endAtMs,
    isRandomized,
    random: randomOf(order.orderId),
  };
  let worst = 0;
  for (let quarter = 0; quarter <= 4 * SECONDS; quarter += 1) {
    rig.passUntil(START_MS + 250 * quarter);
    rig.onMarket(next(chance));
    const planned = cumulative(slots, firedCount(slots, rig.nowMs));
    worst = Math.max(worst, Math.abs(rig.state.legs[0].progress.filled - planned));
  }
  return { worst: worst / Math.ceil(order.legs[0].quantity / slots.count), filled: rig.state.legs[0].progress.filled };
}

test.each([
  ['AGGRESSIVE', false],
  ['AGGRESSIVE', true],
  ['HYBRID', false],
  ['HYBRID', true],
  ['PASSIVE', false],
] as const)(
  'a TWAP %s, randomised %s, stays within a slice of its schedule in a liquid market',
  (style, isRandomized) => {
    const worked = Array.from({ length: ORDERS_COUNT }, (_, seed) => deviationOf(style, isRandomized, seed + 1));
    for (const { filled } of worked) expect(filled).toBe(10_007);
    const sorted = worked.map(({ worst }) => worst).toSorted((left, right) => left - right);
    // A randomised slice may be a fifth larger than an even one.
    expect(sorted[Math.ceil(0.99 * ORDERS_COUNT) - 1]).toBeLessThanOrEqual(isRandomized ? 1.2 : 1);
  },
);
