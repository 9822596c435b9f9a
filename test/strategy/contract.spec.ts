import { describe, expect, test } from 'vitest';
import type { Strategy, StrategyDecision, StrategyView } from '../../src/model/intent.js';
import type { ChildOrder, ParentOrder } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { nearTouch, place, placeable, unplaced, withinLimit } from '../../src/strategy/placement.js';
import { pursue } from '../../src/strategy/pursuit.js';
import { numbersOf, RELAXED_NUMBERS, stanceOf } from '../../src/strategy/stance.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';

// Strategies as small as they can be, which show that the contract and the shared pieces carry more than the three
// that are offered.

const QUIET: StrategyDecision = { intents: [], memory: null, note: null, end: null, wake: { atMs: null, when: [] } };
const at = (seconds: number) => (START_MS + seconds * 1_000) as EpochMs;
const { bid: BID, ask: ASK } = marketOf();

function open(strategy: Strategy, order: Partial<ParentOrder>): Desk {
  const desk = new Desk(orderOf({ endAtMs: null, durationMs: null, ...order }), strategy, BTC);
  desk.look();
  return desk;
}

function placed(desk: Desk): ChildOrder[] {
  return desk.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

/** Memory: the market's volume when the order began. */
const pov = (rate: number): Strategy => ({
  name: 'POV',
  begin: ({ market }) => [market.volume],
  work(view: StrategyView): StrategyDecision {
    const { memory, progress } = view.state;
    const ofOthers = view.market.volume - (memory[0] ?? 0) - progress.filled;
    const ratio = rate / (1 - rate);
    const wanted = Math.floor(ratio * ofOthers) - progress.filled - view.working;
    const price = view.market.ask;
    const quantity = placeable(view, wanted, price);
    const enough = (memory[0] ?? 0) + progress.filled + (progress.filled + view.working + quantity + 10) / ratio;
    return {
      ...QUIET,
      intents:
        quantity === 0 ? [] : place(view, quantity, null, { kind: 'take', price }, { code: 'SHARE', detail: '' }),
      wake: { atMs: null, when: [{ field: 'volume', at: 'or above', bound: Math.ceil(enough) }] },
    };
  },
});

/** Works along any curve of time 0..1 to share 0..1, in minutes. */
function along(curve: (elapsed: number) => number): Strategy {
  return {
    name: 'VWAP',
    begin: () => RELAXED_NUMBERS,
    work(view: StrategyView): StrategyDecision {
      const { order, startedAtMs, memory } = view.state;
      const startMs = startedAtMs ?? view.nowMs;
      const endMs = order.endAtMs ?? view.nowMs;
      const elapsed = Math.min(1, (view.nowMs + 60_000 - startMs) / (endMs - startMs));
      const goal = {
        target: Math.floor(order.quantity * curve(elapsed)) as Lots,
        slice: order.quantity / 20,
        clip: null,
        startMs,
        endMs,
        isClosing: elapsed === 1,
        nextAtMs: (view.nowMs + 60_000) as EpochMs,
        dwellMs: 5_000 as DurationMs,
        holdMs: 1_000 as DurationMs,
      };
      const { intents, stance, note, wake } = pursue(view, goal, stanceOf(memory, 0));
      return { intents, memory: stance === null ? null : numbersOf(stance), note, end: null, wake };
    },
  };
}

const shortfallCurve = (elapsed: number) => 1 - Math.sinh(3 * (1 - elapsed)) / Math.sinh(3);

describe('ICEBERG: one visible child of a randomised clip at a time', () => {
  const ICEBERG: Strategy = {
    name: 'ICEBERG',
    begin: () => [],
    work(view: StrategyView): StrategyDecision {
      const { order, children, childCount } = view.state;
      if (children.length > 0 || order.clip.type !== 'ABSOLUTE') return QUIET;
      const clip = Math.floor(order.clip.quantity * (0.8 + 0.4 * view.random(childCount))) as Lots;
      const price = withinLimit(order, nearTouch(order.side, view.market));
      const quantity = placeable(view, clip, price);
      const reason = { code: 'SHOW_CLIP', detail: '' };
      return { ...QUIET, intents: quantity === 0 ? [] : place(view, quantity, null, { kind: 'rest', price }, reason) };
    },
  };

  test('shows one clip after the other until all is filled', () => {
    const desk = open(ICEBERG, { clip: { type: 'ABSOLUTE', quantity: 150 as Lots } });
    for (let round = 0; round < 20 && !desk.isOver; round += 1) {
      desk.exchange();
      expect(desk.state.children.length).toBeLessThanOrEqual(1);
      desk.venue.fillResting(1_000);
      desk.exchange();
    }
    expect(desk.state.status).toBe('FILLED');
    const sizes = placed(desk).map(({ quantity }) => quantity);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(190);
    expect(new Set(sizes).size).toBeGreaterThan(3);
  });
});

describe('POV: a share of the volume of others, woken by the volume alone', () => {
  test.each([
    [0.05, 52],
    [0.1, 111],
    [0.2, 250],
    [0.3, 428],
  ])('at a rate of %d it has done %d when others have done 1000', (rate, expected) => {
    const desk = open(pov(rate), {});
    let filled = 0;
    for (let ofOthers = 0; ofOthers <= 1_000; ofOthers += 50) {
      desk.onMarket(marketOf({ volume: ofOthers + filled }));
      filled = desk.state.progress.filled;
    }
    expect(filled).toBeGreaterThan(expected - 11);
    expect(filled).toBeLessThanOrEqual(expected);
  });
});

describe('SCALE: a ladder of resting children', () => {
  const rungs = [0, 1, 2, 3, 4].map((i) => ({ price: (BID - 100 * i) as Ticks, quantity: (200 + 50 * i) as Lots }));
  const SCALE: Strategy = {
    name: 'SCALE',
    begin: () => [],
    work(view: StrategyView): StrategyDecision {
      if (view.state.childCount > 0) return QUIET;
      const intents = rungs.flatMap(({ price, quantity }, index) =>
        place(view, quantity, null, { kind: 'rest', price }, { code: `RUNG_${index}`, detail: '' }),
      );
      return { ...QUIET, intents };
    },
  };

  test('is placed at once and fills from the top', () => {
    const desk = open(SCALE, { quantity: 1_500 as Lots, limitPrice: BID });
    desk.exchange();
    expect(placed(desk).map(({ quantity }) => quantity)).toEqual([200, 250, 300, 350, 400]);
    desk.onMarket(marketOf({ bid: BID - 250, ask: BID - 150 }));
    expect(desk.state.progress.filled).toBe(450);
    expect(unplaced(desk.view())).toBe(0);
  });
});

describe('VWAP and IS: other curves under the same pursuit', () => {
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
