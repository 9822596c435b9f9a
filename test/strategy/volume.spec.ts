import * as fc from 'fast-check';
import { assert, describe, expect, test } from 'vitest';
import type { VolumeProfile } from '../../src/domain/intent.js';
import type { ChildOrder, ParentState } from '../../src/domain/order-state.js';
import type { Clip } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { VolumeDay } from '../../src/strategy/volume/course.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FADE_MS = 8 * HOUR_MS;
const at = (minutes: number): number => START_MS + minutes * 60_000;

/** Twice as much volume in the second half of the day as in the first. */
const AFTERNOON: VolumeProfile = {
  shares: Array.from({ length: 288 }, (_, part) => (part < 144 ? 1 : 2) / 432),
  dailyVolume: 1_440_000 as Lots,
};
const FLAT: VolumeProfile = { shares: Array.from({ length: 288 }, () => 1 / 288), dailyVolume: 1_440_000 as Lots };
/** The flat profile with a low weight of its shape. */
const LOW_WEIGHT: VolumeProfile = { ...FLAT, shapeWeight: 0.1 };

function open(change: Partial<FlatTerms>, profile?: VolumeProfile, market = marketOf({})): OrderRig {
  const order = orderOf({ endAtMs: null, durationMs: null, quantity: 100_000 as Lots, ...change });
  const rig = new OrderRig(order, strategyFor(order) as never, BTC);
  rig.profile = profile;
  rig.venue.market = market;
  rig.look();
  rig.exchange();
  return rig;
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

const percent = (share: number): Clip => ({ type: 'PERCENTAGE', ppmOfPercent: share * 1_000_000 });

/**
 * Lets others trade `ofOthers` lots after `before`, `each` in every second. The market's volume includes the order's
 * own trades.
 */
function trade(rig: OrderRig, ofOthers: number, each: number, before = 0): void {
  for (let traded = before; traded < before + ofOthers; traded += each) {
    rig.passUntil(rig.nowMs + 1_000);
    rig.onMarket(marketOf({ volume: traded + each + rig.state.legs[0].progress.filled }));
    rig.onMarket(marketOf({ volume: traded + each + rig.state.legs[0].progress.filled }));
  }
}

describe('POV', () => {
  test.each([
    [5, 5_263],
    [10, 11_111],
    [20, 25_000],
    [30, 42_857],
  ])('takes its share: at %d percent %d when others have traded 100000', (share, expected) => {
    const rig = open({ strategy: 'POV', clip: percent(share), style: 'AGGRESSIVE' });
    trade(rig, 100_000, 500);
    expect(Math.abs(rig.state.legs[0].progress.filled - expected)).toBeLessThan(expected * 0.02 + 20);
  });

  test('has a share of a tenth by default', () => {
    const rig = open({ strategy: 'POV', style: 'AGGRESSIVE' });
    trade(rig, 50_000, 500);
    const { filled } = rig.state.legs[0].progress;
    expect(filled / (filled + 50_000)).toBeCloseTo(0.1, 2);
  });

  test.each(['AGGRESSIVE', 'HYBRID'] as const)(
    'keeps its share when the venue counts its volume from later days, style %s',
    (style) => {
      const rig = open({ strategy: 'POV', style }, undefined, marketOf({ volume: 900_000 }));
      let others = 0;
      for (const start of [900_000, 400_000, 0]) {
        trade(rig, 50_000, 500, start);
        others += 50_000;
        const { filled } = rig.state.legs[0].progress;
        expect(filled / (filled + others)).toBeCloseTo(0.1, 2);
      }
    },
  );

  test('does not take a late count of its own fills for a fall of the volume', () => {
    const rig = open({ strategy: 'POV', style: 'AGGRESSIVE' });
    rig.onMarket(marketOf({ volume: 5_000 }));
    const { progress, memory } = rig.state.legs[0];
    expect(progress.filled).toBeGreaterThan(0);
    const view = { ...rig.lastView, state: rig.state, market: marketOf({ volume: progress.filled - 1 }) };
    const { memory: next } = strategyFor(rig.state.order)!.work(view);
    expect(next ?? memory).toMatchObject({ volumeThen: 0 });
  });

  test('works off a giant trade in several children', () => {
    const rig = open({ strategy: 'POV', style: 'AGGRESSIVE' }, FLAT);
    rig.onMarket(marketOf({ volume: 90_000 }));
    const first = rig.state.legs[0].progress.filled;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(1_000);
    rig.passUntil(START_MS + 1_000_000);
    expect(rig.state.legs[0].progress.filled).toBeGreaterThan(8_500);
    expect(placed(rig).length).toBeGreaterThan(5);
  });

  test('continues until it is filled, and then ends', () => {
    const rig = open({ strategy: 'POV', clip: percent(50), style: 'AGGRESSIVE', quantity: 5_000 as Lots });
    trade(rig, 20_000, 500);
    expect(rig.state.status).toBe('FILLED');
  });

  test('crosses its lag in style HYBRID', () => {
    const busy = { ...FLAT, dailyVolume: 43_200_000 as Lots };
    const rig = open({ strategy: 'POV', style: 'HYBRID', clip: percent(20) }, busy);
    trade(rig, 50_000, 500);
    const { filled } = rig.state.legs[0].progress;
    expect(Math.abs(filled / (filled + 50_000) - 0.2)).toBeLessThan(0.02);
    expect(new Set(placed(rig).map(({ timeInForce }) => timeInForce))).toEqual(new Set(['GTC', 'IOC']));
  });
});

describe('the volume of a day', () => {
  test('adds up over any period', () => {
    const day = VolumeDay.of(AFTERNOON);
    expect(day.between(0, DAY_MS)).toBeCloseTo(1, 12);
    expect(day.between(0, DAY_MS / 2)).toBeCloseTo(1 / 3, 12);
    expect(day.between(DAY_MS * 0.75, DAY_MS * 2.25)).toBeCloseTo(1 / 3 + 1 + 1 / 6, 12);
    expect(VolumeDay.of(AFTERNOON)).toBe(day);
  });

  test('fades part by part over any period', () => {
    const { shares } = AFTERNOON;
    const partMs = DAY_MS / shares.length;
    const partByPart = (fromMs: number, toMs: number): number => {
      let sum = 0;
      for (let atMs = fromMs; atMs < toMs;) {
        const part = Math.floor(atMs / partMs);
        const untilMs = Math.min(toMs, (part + 1) * partMs);
        const share = shares[part % shares.length] ?? 0;
        sum += ((share * (untilMs - atMs)) / partMs) * Math.exp((fromMs - atMs) / FADE_MS);
        atMs = untilMs;
      }
      return sum;
    };
    const instants = fc.integer({ min: START_MS, max: START_MS + 4 * DAY_MS });
    fc.assert(
      fc.property(instants, instants, (fromMs, toMs) => {
        const day = VolumeDay.of(AFTERNOON);
        expect(day.betweenFading(fromMs, toMs)).toBeCloseTo(partByPart(fromMs, toMs), 9);
      }),
    );
  });
});

describe('VWAP', () => {
  const midnight = (Math.ceil(START_MS / DAY_MS) * DAY_MS) as EpochMs;
  const vwap = (hours: number, change: Partial<FlatTerms> = {}): Partial<FlatTerms> => ({
    strategy: 'VWAP',
    createdAtMs: midnight,
    startAtMs: midnight,
    endAtMs: (midnight + hours * HOUR_MS) as EpochMs,
    ...change,
  });

  /** Filled quantity of a one-hour order after its first quarter, in which four times the usual volume was traded. */
  const doneInLivelyQuarter = (recentDailyVolume: number): number => {
    const rig = open(vwap(1), { ...LOW_WEIGHT, recentDailyVolume: recentDailyVolume as Lots });
    for (let minute = 1; minute <= 15; minute += 1) {
      rig.passUntil(midnight + minute * 60_000);
      rig.onMarket(marketOf({ volume: minute * 4_000 + rig.state.legs[0].progress.filled }));
    }
    return rig.state.legs[0].progress.filled;
  };

  test('follows the learnt shape when that was the best forecast', () => {
    const rig = open(vwap(24), { ...AFTERNOON, shapeWeight: 1 });
    rig.passUntil(midnight + 12 * HOUR_MS);
    expect(Math.abs(rig.state.legs[0].progress.filled - 33_333)).toBeLessThan(150);
    rig.passUntil(midnight + 18 * HOUR_MS);
    expect(Math.abs(rig.state.legs[0].progress.filled - 66_667)).toBeLessThan(150);
    rig.passUntil(midnight + 24 * HOUR_MS);
    expect(rig.state.status).toBe('FILLED');
  });

  test('is even without a history', () => {
    const rig = open(vwap(1));
    rig.passUntil(midnight + 0.5 * HOUR_MS);
    expect(Math.abs(rig.state.legs[0].progress.filled - 50_000)).toBeLessThan(1_000);
  });

  test('counts the realised volume within an hour', () => {
    const rig = open(vwap(1), LOW_WEIGHT);
    // An average hour has 60,000 lots. With four times as much in the first half, most of the volume is realised.
    for (let minute = 1; minute <= 30; minute += 1) {
      rig.passUntil(midnight + minute * 60_000);
      rig.onMarket(marketOf({ volume: minute * 4_000 + rig.state.legs[0].progress.filled }));
    }
    expect(rig.state.legs[0].progress.filled).toBeGreaterThan(65_000);
    rig.passUntil(midnight + HOUR_MS);
    expect(rig.state.status).toBe('FILLED');
  });

  test('does not extrapolate a lively hour to the whole order', () => {
    expect(Math.abs(doneInLivelyQuarter(4 * FLAT.dailyVolume) - 25_000)).toBeLessThan(2_000);
    expect(doneInLivelyQuarter(FLAT.dailyVolume)).toBeGreaterThan(40_000);
  });

  test('waits for volume in a quiet hour, and still completes in time', () => {
    const rig = open(vwap(1), LOW_WEIGHT);
    for (let minute = 1; minute <= 30; minute += 1) {
      rig.passUntil(midnight + minute * 60_000);
      rig.onMarket(marketOf({ volume: minute * 100 + rig.state.legs[0].progress.filled }));
    }
    expect(rig.state.legs[0].progress.filled).toBeLessThan(40_000);
    rig.passUntil(midnight + HOUR_MS);
    expect(rig.state.status).toBe('FILLED');
  });
});

const is = (change: Partial<FlatTerms>): Partial<FlatTerms> => ({ strategy: 'IS', ...change });

describe('IS', () => {
  test('trades more at the beginning, the more urgent the order is', () => {
    const halves = (['LOW', 'MEDIUM', 'HIGH'] as const).map((urgency) => {
      const rig = open(is({ urgency, endAtMs: at(240) as EpochMs }), { ...FLAT, dailyVolume: 5_000_000_000 as Lots });
      rig.passUntil(at(120));
      return rig.state.legs[0].progress.filled;
    });
    const [low = 0, medium = 0, high = 0] = halves;
    expect(low).toBeGreaterThan(52_000);
    expect(medium).toBeGreaterThan(low + 1_000);
    expect(high).toBeGreaterThan(medium + 1_000);
  });

  test('works an order with a few slots of days each', () => {
    const month = is({ clip: { type: 'ORDER_COUNT', count: 8 }, endAtMs: at(30 * 1_440) as EpochMs });
    const rig = open(month, { ...FLAT, dailyVolume: 5_000_000_000 as Lots });
    rig.passUntil(at(15 * 1_440));
    expect(rig.state.legs[0].progress.filled).toBeGreaterThan(50_000);
  });

  test('is done by its end', () => {
    const rig = open(is({ urgency: 'HIGH', endAtMs: at(60) as EpochMs }), FLAT);
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
  });

  test.each([
    ['LOW', 240],
    ['MEDIUM', 60],
    ['HIGH', 15],
  ] as const)('takes its time from its urgency without end and history: %s %d minutes', (urgency, minutes) => {
    const rig = open(is({ urgency }));
    rig.passUntil(at(minutes) - 60_000);
    expect(rig.isOver).toBe(false);
    rig.passUntil(at(minutes) + 1_000);
    expect(rig.state.status).toBe('FILLED');
  });

  test.each([
    ['takes three times 1/kappa', 1_000_000, 3 / Math.sqrt((5e-6 * 64_000.05 * 0.03 * 100_000) / 0.357)],
    ['takes at most a fifth of the volume', 200_000_000, 0.1],
  ])('%s when it has no end time', (_, quantity, days) => {
    const busy = { ...FLAT, dailyVolume: 10_000_000_000 as Lots };
    const rig = open(is({ urgency: 'HIGH', quantity: quantity as Lots }));
    const { order } = rig.state;
    const { progress } = rig.state.legs[0];
    const state: ParentState = {
      ...rig.state,
      legs: [{ ...rig.state.legs[0], progress: { ...progress, filled: 0 as Lots } }],
    };
    const memory = strategyFor(order)?.begin({ ...rig.lastView, state, nowMs: START_MS, profile: busy });
    assert(memory?.kind === 'IS');
    expect((memory.endMs - START_MS) / DAY_MS).toBeCloseTo(days, 6);
  });
});
