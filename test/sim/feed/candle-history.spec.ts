import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candle, CANDLE_INTERVAL_MS, CANDLE_INTERVALS, joined, openOf } from '../../../src/domain/market-feed.js';
import { CANDLE_HOURS_CACHED_MAX, CANDLE_HOURS_KEPT_COUNT } from '../../../src/domain/limits/trading.js';
import { CandleHistory } from '../../../src/sim/feed/candle-history.js';
import type { VenueRow, VenueStore } from '../../../src/venue/port.js';
import { MemoryVenueStore } from '../memory-store.js';
import { at, DAY, DAY_START, FakePast, HOUR, isSound, MINUTE, numbers, print, SPOT } from './fake-past.js';

/** Trades for `forMs`, one every twenty seconds. */
function tradeFrom(history: CandleHistory, startMs: number, forMs = 2.5 * HOUR): void {
  for (let ms = 0; ms < forMs; ms += 20_000) {
    history.trade(SPOT, print(startMs + ms, 10_000 + ((ms / 20_000) % 17), 1 + ((ms / 20_000) % 5)));
  }
}

function commit(history: CandleHistory, store: VenueStore): VenueRow[] {
  const rows: VenueRow[] = [];
  history.takeRows(rows);
  store.commit(rows);
  return rows;
}

function minutes(history: CandleHistory, fromMs: number, count: number, nowMs: number): Candle[] {
  return Array.from({ length: count }, (_, place) => history.minute(SPOT, at(fromMs + place * MINUTE), at(nowMs)));
}

describe('the history of candles', () => {
  it('computes sound, continuous and repeatable candles for unobserved times', () => {
    const nowMs = DAY_START + DAY;
    const history = new CandleHistory(new FakePast(), new MemoryVenueStore());
    const forwards = minutes(history, DAY_START, 300, nowMs);
    expect(forwards.every(isSound)).toBe(true);
    for (let place = 1; place < forwards.length; place += 1) {
      expect(forwards[place]!.open).toBe(forwards[place - 1]!.close);
    }
    const other = new CandleHistory(new FakePast(), new MemoryVenueStore());
    const backwards = forwards.map(({ openAtMs }) => openAtMs).toReversed();
    expect(backwards.map((openAtMs) => other.minute(SPOT, openAtMs, at(nowMs))).toReversed()).toEqual(forwards);
  });

  it('joins traded minutes without a gap in time or volume', () => {
    const history = new CandleHistory(new FakePast(), new MemoryVenueStore());
    const wokenAt = DAY_START + 5 * HOUR + 25_000;
    const nowMs = wokenAt + 10 * MINUTE;
    for (let ms = wokenAt; ms <= nowMs; ms += 1_000) {
      history.trade(SPOT, print(ms, Math.round(new FakePast().priceAt(SPOT, ms)), 2));
    }
    const around = minutes(history, openOf(wokenAt, 'ONE_MINUTE') - 5 * MINUTE, 15, nowMs);
    expect(around.every(isSound)).toBe(true);
    for (let place = 1; place < around.length; place += 1) {
      expect(Math.abs(around[place]!.open - around[place - 1]!.close)).toBeLessThan(10);
    }
    expect(around.slice(0, -1).every(({ volume }) => Math.abs(volume - 120) <= 2)).toBe(true);
  });

  it('has consistent intervals and minutes', () => {
    const nowMs = DAY_START + 30 * HOUR + 17_000;
    const history = new CandleHistory(new FakePast(), new MemoryVenueStore());
    tradeFrom(history, DAY_START + 3 * HOUR);
    fc.assert(
      fc.property(fc.constantFrom(...CANDLE_INTERVALS), fc.nat(30 * HOUR), (interval, offsetMs) => {
        const openAtMs = openOf(DAY_START + offsetMs, interval);
        const endMs = Math.min(openAtMs + CANDLE_INTERVAL_MS[interval], nowMs);
        const count = Math.ceil((endMs - openAtMs) / MINUTE);
        const whole = minutes(history, openAtMs, count, nowMs).reduce((sum, minute) => joined(sum, minute));
        expect(history.candle(SPOT, interval, openAtMs, at(nowMs))).toEqual(whole);
        expect(isSound(whole)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps observed minutes across restarts, and drops them after their retention', () => {
    const store = new MemoryVenueStore();
    const history = new CandleHistory(new FakePast(), store);
    tradeFrom(history, DAY_START);
    expect(commit(history, store).length).toBe(3);
    expect(commit(history, store)).toEqual([]);
    const nowMs = DAY_START + DAY;
    const observed = minutes(history, DAY_START, 149, nowMs);
    expect(minutes(new CandleHistory(new FakePast(), store), DAY_START, 149, nowMs)).toEqual(observed);

    const later = new CandleHistory(new FakePast(), store);
    tradeFrom(later, DAY_START + CANDLE_HOURS_KEPT_COUNT * HOUR);
    commit(later, store);
    const reopened = new CandleHistory(new FakePast(), store);
    expect(minutes(reopened, DAY_START, 60, nowMs)).not.toEqual(observed.slice(0, 60));
    expect([...store.range('candles/')].length).toBe(3);
  });

  it('is bounded in memory', () => {
    const past = new FakePast();
    const history = new CandleHistory(past, new MemoryVenueStore());
    const nowMs = at(DAY_START + (CANDLE_HOURS_CACHED_MAX + 2) * HOUR);
    const first = history.minute(SPOT, at(DAY_START), nowMs);
    const after = past.lookUps;
    expect(history.minute(SPOT, at(DAY_START), nowMs)).toEqual(first);
    expect(past.lookUps).toBe(after);
    for (let hour = 1; hour <= CANDLE_HOURS_CACHED_MAX; hour += 1)
      history.minute(SPOT, at(DAY_START + hour * HOUR), nowMs);
    const before = past.lookUps;
    expect(history.minute(SPOT, at(DAY_START), nowMs)).toEqual(first);
    expect(past.lookUps).toBeGreaterThan(before);
  });

  it('does not change a published minute when the market wakes within it', () => {
    const history = new CandleHistory(new FakePast(), new MemoryVenueStore());
    const nowMs = DAY_START + HOUR + 2_000;
    const published = history.minute(SPOT, at(DAY_START + HOUR - MINUTE), at(nowMs));
    history.trade(SPOT, print(DAY_START + HOUR - 1_000, 12_345, 9));
    history.trade(SPOT, print(nowMs, 12_346, 1));
    expect(history.minute(SPOT, at(DAY_START + HOUR - MINUTE), at(nowMs))).toEqual(published);
    expect(numbers(history.minute(SPOT, at(DAY_START + HOUR), at(nowMs)))).toEqual([12_346, 12_346, 12_346, 12_346, 1]);
  });
});
