import { describe, expect, test } from 'vitest';
import type { Strategy, StrategyDecision, StrategyView } from '../../src/model/intent.js';
import type { ChildOrder, ParentOrder } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { pursue } from '../../src/strategy/pursuit.js';
import { RELAXED_NUMBERS } from '../../src/strategy/stance.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';

// A strategy as small as it can be, which shows that the shared pieces carry any curve.

const at = (seconds: number) => (START_MS + seconds * 1_000) as EpochMs;
const { ask: ASK } = marketOf();

function open(strategy: Strategy, order: Partial<ParentOrder>): Desk {
  const desk = new Desk(orderOf({ endAtMs: null, durationMs: null, ...order }), strategy, BTC);
  desk.look();
  return desk;
}

function placed(desk: Desk): ChildOrder[] {
  return desk.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

/** Works along any curve of time 0..1 to share 0..1, in minutes. */
function along(curve: (elapsed: number) => number): Strategy {
  return {
    name: 'VWAP',
    begin: () => RELAXED_NUMBERS,
    work(view: StrategyView): StrategyDecision {
      const { order, startedAtMs } = view.state;
      const startMs = startedAtMs ?? view.nowMs;
      const endMs = order.endAtMs ?? view.nowMs;
      const elapsed = Math.min(1, (view.nowMs + 60_000 - startMs) / (endMs - startMs));
      const target = Math.floor(order.quantity * curve(elapsed)) as Lots;
      const goal = {
        wanted: target,
        target,
        slice: order.quantity / 20,
        clip: null,
        startMs,
        endMs,
        dueAtMs: view.nowMs,
        intervalMs: 0 as DurationMs,
        isClosing: elapsed === 1,
        nextAtMs: (view.nowMs + 60_000) as EpochMs,
        dwellMs: 5_000 as DurationMs,
        holdMs: 1_000 as DurationMs,
        style: order.style,
        stanceAt: 0,
      };
      return pursue(view, goal);
    },
  };
}

const shortfallCurve = (elapsed: number) => 1 - Math.sinh(3 * (1 - elapsed)) / Math.sinh(3);

describe('any curve under the same pursuit', () => {
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
  ])('the %s curve is followed to its end', (_, curve) => {
    const desk = open(along(curve), { quantity: 10_000 as Lots, endAtMs: at(1_200) });
    for (let minute = 1; minute < 20; minute += 1) {
      desk.passUntil(at(60 * minute) + 30_000);
      const expected = 10_000 * curve((minute + 1) / 20);
      expect(Math.abs(desk.state.progress.filled - expected)).toBeLessThanOrEqual(20);
    }
    desk.passUntil(at(1_200));
    expect(desk.state.status).toBe('FILLED');
    expect(placed(desk).every(({ limitPrice }) => (limitPrice ?? 0) >= ASK)).toBe(true);
  });
});
