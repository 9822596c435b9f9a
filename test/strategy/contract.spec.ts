import type { StrategyDecision, StrategyView } from '../../src/domain/intent.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { describe, expect, test } from 'vitest';
import { placeToward } from '../../src/strategy/placement/placement.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import { memoryOf } from '../order/memories.js';
import type { FlatTerms } from '../domain/plain-order.js';

// A minimal strategy shows that the placement works with any curve.

const at = (seconds: number) => (START_MS + seconds * 1_000) as EpochMs;
const { ask: ASK } = marketOf();

function open(strategy: Strategy, order: Partial<FlatTerms>): OrderRig {
  const rig = new OrderRig(orderOf({ endAtMs: null, durationMs: null, ...order }), strategy, BTC);
  rig.look();
  return rig;
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

/** Makes a strategy that follows a curve from time 0..1 to share 0..1, in steps of a minute. */
function along(curve: (elapsed: number) => number): Strategy {
  return {
    name: 'VWAP',
    begin: () => memoryOf(),
    work(view: StrategyView): StrategyDecision {
      const { order, startedAtMs } = view.state;
      const [terms] = order.legs;
      const { memory } = view.state.legs[0];
      const startMs = startedAtMs ?? view.nowMs;
      const endMs = order.endAtMs ?? view.nowMs;
      const elapsed = Math.min(1, (view.nowMs + 60_000 - startMs) / (endMs - startMs));
      const quantity = Math.floor(terms.quantity * curve(elapsed)) as Lots;
      const target = {
        pacing: (memory ?? memoryOf()).pacing,
        wanted: quantity,
        quantity,
        slice: terms.quantity / 20,
        clip: null,
        startMs,
        endMs,
        dueAtMs: view.nowMs,
        intervalMs: 0 as DurationMs,
        isClosing: elapsed === 1,
        nextAtMs: (view.nowMs + 60_000) as EpochMs,
        ahead: 0,
        dwellMs: 5_000 as DurationMs,
        holdMs: 1_000 as DurationMs,
        style: terms.style,
      };
      const { pacing, ...decision } = placeToward(view, target);
      return { ...decision, memory: pacing === null ? null : { ...memoryOf(), pacing } };
    },
  };
}

const shortfallCurve = (elapsed: number) => 1 - Math.sinh(3 * (1 - elapsed)) / Math.sinh(3);

describe('placement towards the target of a curve', () => {
  const shares = [0.05, 0.05, 0.1, 0.3, 0.3, 0.1, 0.05, 0.05];
  const volumeCurve = (elapsed: number) => {
    const position = elapsed * shares.length;
    const whole = Math.floor(position);
    const done = shares.slice(0, whole).reduce((sum, share) => sum + share, 0);
    return Math.min(1, done + (shares[whole] ?? 0) * (position - whole) + 1e-9);
  };

  test.each([
    ['volume', volumeCurve],
    ['shortfall', shortfallCurve],
  ])('follows the %s curve to its end', (_, curve) => {
    const rig = open(along(curve), { quantity: 10_000 as Lots, endAtMs: at(1_200) });
    for (let minute = 1; minute < 20; minute += 1) {
      rig.passUntil(at(60 * minute) + 30_000);
      const expected = 10_000 * curve((minute + 1) / 20);
      expect(Math.abs(rig.state.legs[0].progress.filled - expected)).toBeLessThanOrEqual(20);
    }
    rig.passUntil(at(1_200));
    expect(rig.state.status).toBe('FILLED');
    expect(placed(rig).every(({ limitPrice }) => (limitPrice ?? 0) >= ASK)).toBe(true);
  });
});
