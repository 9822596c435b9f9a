import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VolumeProfile } from '../../src/model/intent.js';
import type { ChildOrder, Clip, ParentOrder } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { VolumeDay } from '../../src/strategy/volume-day.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FADE_MS = 8 * HOUR_MS;
const at = (minutes: number): number => START_MS + minutes * 60_000;

/** Twice as much in the second half of the day as in the first. */
const AFTERNOON: VolumeProfile = {
  shares: Array.from({ length: 288 }, (_, part) => (part < 144 ? 1 : 2) / 432),
  dailyVolume: 1_440_000 as Lots,
};
const FLAT: VolumeProfile = { shares: Array.from({ length: 288 }, () => 1 / 288), dailyVolume: 1_440_000 as Lots };
/** The same where its shape has never been much of a guide. */
const FICKLE: VolumeProfile = { ...FLAT, shapeWeight: 0.1 };

function open(change: Partial<ParentOrder>, profile?: VolumeProfile): Desk {
  const order = orderOf({ endAtMs: null, durationMs: null, quantity: 100_000 as Lots, ...change });
  const desk = new Desk(order, strategyFor(order) as never, BTC);
  desk.profile = profile;
  desk.look();
  desk.exchange();
  return desk;
}

function placed(desk: Desk): ChildOrder[] {
  return desk.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

const percent = (share: number): Clip => ({ type: 'PERCENTAGE', ppmOfPercent: share * 1_000_000 });

/** Lets others trade so much, `each` in every second; the tape shows the order's own trades too. */
function trade(desk: Desk, ofOthers: number, each: number): void {
  for (let traded = 0; traded < ofOthers; traded += each) {
    desk.passUntil(desk.nowMs + 1_000);
    desk.onMarket(marketOf({ volume: traded + each + desk.state.progress.filled }));
    desk.onMarket(marketOf({ volume: traded + each + desk.state.progress.filled }));
  }
}

describe('POV', () => {
  test.each([
    [5, 5_263],
    [10, 11_111],
    [20, 25_000],
    [30, 42_857],
  ])('with a share of %d percent has done %d when others have done 100000', (share, expected) => {
    const desk = open({ strategy: 'POV', clip: percent(share), style: 'AGGRESSIVE' });
    trade(desk, 100_000, 500);
    expect(Math.abs(desk.state.progress.filled - expected)).toBeLessThan(expected * 0.02 + 20);
  });

  test('wants a tenth when nobody says how much', () => {
    const desk = open({ strategy: 'POV', style: 'AGGRESSIVE' });
    trade(desk, 50_000, 500);
    const { filled } = desk.state.progress;
    expect(filled / (filled + 50_000)).toBeCloseTo(0.1, 2);
  });

  test('works a giant print off in several children', () => {
    const desk = open({ strategy: 'POV', style: 'AGGRESSIVE' }, FLAT);
    desk.onMarket(marketOf({ volume: 90_000 }));
    const first = desk.state.progress.filled;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(1_000);
    desk.passUntil(START_MS + 1_000_000);
    expect(desk.state.progress.filled).toBeGreaterThan(8_500);
    expect(placed(desk).length).toBeGreaterThan(5);
  });

  test('goes on until it is filled, and then is over', () => {
    const desk = open({ strategy: 'POV', clip: percent(50), style: 'AGGRESSIVE', quantity: 5_000 as Lots });
    trade(desk, 20_000, 500);
    expect(desk.state.status).toBe('FILLED');
  });

  test('crosses what it is behind in the hybrid style', () => {
    const busy = { ...FLAT, dailyVolume: 43_200_000 as Lots };
    const desk = open({ strategy: 'POV', style: 'HYBRID', clip: percent(20) }, busy);
    trade(desk, 50_000, 500);
    const { filled } = desk.state.progress;
    expect(Math.abs(filled / (filled + 50_000) - 0.2)).toBeLessThan(0.02);
    expect(new Set(placed(desk).map(({ timeInForce }) => timeInForce))).toEqual(new Set(['GTC', 'IOC']));
  });
});

describe('a day of volume', () => {
  test('adds up over any stretch', () => {
    const day = VolumeDay.of(AFTERNOON);
    expect(day.between(0, DAY_MS)).toBeCloseTo(1, 12);
    expect(day.between(0, DAY_MS / 2)).toBeCloseTo(1 / 3, 12);
    expect(day.between(DAY_MS * 0.75, DAY_MS * 2.25)).toBeCloseTo(1 / 3 + 1 + 1 / 6, 12);
    expect(VolumeDay.of(AFTERNOON)).toBe(day);
  });

  test('fades from part to part as a level does, over any stretch', () => {
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
  const vwap = (hours: number, change: Partial<ParentOrder> = {}): Partial<ParentOrder> => ({
    strategy: 'VWAP',
    createdAtMs: midnight,
    startAtMs: midnight,
    endAtMs: (midnight + hours * HOUR_MS) as EpochMs,
    ...change,
  });

  /** What an order of an hour has done after its first quarter, in which four times as much was traded as usual. */
  const doneInLivelyQuarter = (recentDailyVolume: number): number => {
    const desk = open(vwap(1), { ...FICKLE, recentDailyVolume: recentDailyVolume as Lots });
    for (let minute = 1; minute <= 15; minute += 1) {
      desk.passUntil(midnight + minute * 60_000);
      desk.onMarket(marketOf({ volume: minute * 4_000 + desk.state.progress.filled }));
    }
    return desk.state.progress.filled;
  };

  test('follows the shape that was learnt where that has been the best guide', () => {
    const desk = open(vwap(24), { ...AFTERNOON, shapeWeight: 1 });
    desk.passUntil(midnight + 12 * HOUR_MS);
    expect(Math.abs(desk.state.progress.filled - 33_333)).toBeLessThan(150);
    desk.passUntil(midnight + 18 * HOUR_MS);
    expect(Math.abs(desk.state.progress.filled - 66_667)).toBeLessThan(150);
    desk.passUntil(midnight + 24 * HOUR_MS);
    expect(desk.state.status).toBe('FILLED');
  });

  test('without a history is even', () => {
    const desk = open(vwap(1));
    desk.passUntil(midnight + 0.5 * HOUR_MS);
    expect(Math.abs(desk.state.progress.filled - 50_000)).toBeLessThan(1_000);
  });

  test('over an hour counts the volume that has come', () => {
    const desk = open(vwap(1), FICKLE);
    // An average hour has 60,000 lots: four times as much in its first half means that most of the volume has come.
    for (let minute = 1; minute <= 30; minute += 1) {
      desk.passUntil(midnight + minute * 60_000);
      desk.onMarket(marketOf({ volume: minute * 4_000 + desk.state.progress.filled }));
    }
    expect(desk.state.progress.filled).toBeGreaterThan(65_000);
    desk.passUntil(midnight + HOUR_MS);
    expect(desk.state.status).toBe('FILLED');
  });

  test('that begins in a lively hour does not take its volume for the whole', () => {
    expect(Math.abs(doneInLivelyQuarter(4 * FLAT.dailyVolume) - 25_000)).toBeLessThan(2_000);
    expect(doneInLivelyQuarter(FLAT.dailyVolume)).toBeGreaterThan(40_000);
  });

  test('over a quiet hour waits for its volume, and is done in time all the same', () => {
    const desk = open(vwap(1), FICKLE);
    for (let minute = 1; minute <= 30; minute += 1) {
      desk.passUntil(midnight + minute * 60_000);
      desk.onMarket(marketOf({ volume: minute * 100 + desk.state.progress.filled }));
    }
    expect(desk.state.progress.filled).toBeLessThan(40_000);
    desk.passUntil(midnight + HOUR_MS);
    expect(desk.state.status).toBe('FILLED');
  });
});

const is = (change: Partial<ParentOrder>): Partial<ParentOrder> => ({ strategy: 'IS', ...change });

describe('IS', () => {
  test('front-loads, the more so the more urgent', () => {
    const halves = (['LOW', 'MEDIUM', 'HIGH'] as const).map((urgency) => {
      const desk = open(is({ urgency, endAtMs: at(240) as EpochMs }), { ...FLAT, dailyVolume: 5_000_000_000 as Lots });
      desk.passUntil(at(120));
      return desk.state.progress.filled;
    });
    const [low = 0, medium = 0, high = 0] = halves;
    expect(low).toBeGreaterThan(52_000);
    expect(medium).toBeGreaterThan(low + 1_000);
    expect(high).toBeGreaterThan(medium + 1_000);
  });

  test('in a few slots of days each is worked all the same', () => {
    const month = is({ clip: { type: 'ORDER_COUNT', count: 8 }, endAtMs: at(30 * 1_440) as EpochMs });
    const desk = open(month, { ...FLAT, dailyVolume: 5_000_000_000 as Lots });
    desk.passUntil(at(15 * 1_440));
    expect(desk.state.progress.filled).toBeGreaterThan(50_000);
  });

  test('is done by its end', () => {
    const desk = open(is({ urgency: 'HIGH', endAtMs: at(60) as EpochMs }), FLAT);
    desk.passUntil(at(60));
    expect(desk.state.status).toBe('FILLED');
  });

  test.each([
    ['LOW', 240],
    ['MEDIUM', 60],
    ['HIGH', 15],
  ] as const)('without an end and a history takes its time from its urgency: %s %d minutes', (urgency, minutes) => {
    const desk = open(is({ urgency }));
    desk.passUntil(at(minutes) - 60_000);
    expect(desk.isOver).toBe(false);
    desk.passUntil(at(minutes) + 1_000);
    expect(desk.state.status).toBe('FILLED');
  });

  test.each([
    ['is spent after three times 1/kappa', 1_000_000, 3 / Math.sqrt((5e-6 * 64_000.05 * 0.03 * 100_000) / 0.357)],
    ['takes no more than a fifth of the volume', 200_000_000, 0.1],
  ])('without an end %s', (_, quantity, days) => {
    const busy = { ...FLAT, dailyVolume: 10_000_000_000 as Lots };
    const desk = open(is({ urgency: 'HIGH', quantity: quantity as Lots }));
    const { order, progress } = desk.state;
    const state = { ...desk.state, progress: { ...progress, filled: 0 as Lots } };
    const [, , , , , , endMs = 0] =
      strategyFor(order)?.begin({ ...desk.view(), state, nowMs: START_MS, profile: busy }) ?? [];
    expect((endMs - START_MS) / DAY_MS).toBeCloseTo(days, 6);
  });
});
