import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../src/domain/market-feed.js';
import { RunningMinute, pastCandle } from '../../../src/sim/feed/candle-history.js';
import { DAY_START, FakePast, isSound, MINUTE, numbers, print, SPOT } from './fake-past.js';

function minuteFrom(wokenAtMs: number) {
  const kept: Candle[] = [];
  const past = new FakePast();
  const minute = new RunningMinute({ instrument: SPOT, past, keep: (minute) => kept.push(minute) }, wokenAtMs);
  return { minute, kept, past };
}

describe('the running minute', () => {
  it('opens with the first trade, closes with the last and spans all prices', () => {
    const { minute, kept } = minuteFrom(DAY_START);
    minute.trade(print(DAY_START + 1_000, 10_005, 3));
    minute.trade(print(DAY_START + 2_000, 10_020, 1));
    minute.trade(print(DAY_START + 30_000, 9_990, 2));
    minute.trade(print(DAY_START + 59_999, 10_001, 4));
    minute.noteActive(DAY_START + MINUTE);
    expect(kept.map(numbers)).toEqual([[10_005, 10_020, 9_990, 10_001, 10]]);
    expect(kept[0]!.openAtMs).toBe(DAY_START);
  });

  it('repeats the close with volume 0 without trades', () => {
    const { minute, kept } = minuteFrom(DAY_START);
    minute.trade(print(DAY_START + 5_000, 10_005, 3));
    for (let ms = 0; ms <= 3 * MINUTE; ms += 20_000) minute.noteActive(DAY_START + ms);
    expect(kept.map(numbers)).toEqual([
      [10_005, 10_005, 10_005, 10_005, 3],
      [10_005, 10_005, 10_005, 10_005, 0],
      [10_005, 10_005, 10_005, 10_005, 0],
    ]);
    minute.trade(print(DAY_START + 3 * MINUTE + 9_000, 10_030, 1));
    expect(numbers(minute.minuteAt(DAY_START + 3 * MINUTE, DAY_START + 3 * MINUTE + 9_000)!)).toEqual([
      10_030, 10_030, 10_030, 10_030, 1,
    ]);
  });

  it('starts with synthetic prices when the market woke within it', () => {
    const wokenAt = DAY_START + 40_000;
    const { minute, past } = minuteFrom(wokenAt);
    const before = pastCandle(past, SPOT, DAY_START, wokenAt);
    minute.trade(print(wokenAt + 100, 11_000, 7));
    const candle = minute.minuteAt(DAY_START, wokenAt + 100)!;
    expect(numbers(candle)).toEqual([before.open, 11_000, before.low, 11_000, before.volume + 7]);
  });

  it('ends with synthetic prices when the market fell asleep within it; minutes of sleep are not kept', () => {
    const { minute, kept, past } = minuteFrom(DAY_START);
    minute.trade(print(DAY_START + 20_000, 10_005, 3));
    const rest = pastCandle(past, SPOT, DAY_START + 20_000, DAY_START + MINUTE);
    expect(numbers(minute.minuteAt(DAY_START, DAY_START + 10 * MINUTE)!)[4]).toBe(3 + rest.volume);
    minute.noteActive(DAY_START + 10 * MINUTE + 30_000);
    expect(kept.map(({ openAtMs }) => openAtMs)).toEqual([DAY_START]);
    expect(kept[0]!.close).toBe(rest.close);
    expect(minute.minuteAt(DAY_START + 10 * MINUTE, DAY_START + 10 * MINUTE + 30_000)!.volume).toBe(60);
  });

  it('counts a late trade in the running minute', () => {
    const { minute, kept } = minuteFrom(DAY_START);
    for (const ms of [30_000, MINUTE]) minute.noteActive(DAY_START + ms);
    minute.trade(print(DAY_START + MINUTE - 1, 10_005, 3));
    expect(kept.map(({ volume }) => volume)).toEqual([0]);
    expect(minute.minuteAt(DAY_START + MINUTE, DAY_START + MINUTE)!.volume).toBe(3);
  });

  it('is sound and without gaps while the market is awake', () => {
    const trades = fc.array(
      fc.record({
        afterMs: fc.nat(50_000),
        price: fc.integer({ min: 1, max: 20_000 }),
        quantity: fc.integer({ min: 1, max: 99 }),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(trades, (steps) => {
        const { minute, kept } = minuteFrom(DAY_START);
        let nowMs = DAY_START;
        for (const { afterMs, price, quantity } of steps) {
          nowMs += afterMs;
          minute.trade(print(nowMs, price, quantity));
        }
        const minutes = [...kept, minute.minuteAt(nowMs - (nowMs % MINUTE), nowMs)!];
        expect(minutes.every(isSound)).toBe(true);
        expect(minutes.map(({ openAtMs }) => openAtMs)).toEqual(minutes.map((_, place) => DAY_START + place * MINUTE));
        const volume = minutes.reduce((sum, minute) => sum + minute.volume, 0);
        expect(volume).toBe(steps.reduce((sum, { quantity }) => sum + quantity, 0));
      }),
    );
  });
});
