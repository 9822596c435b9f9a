import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../src/model/candle.js';
import { CandleTape } from '../../../src/venue/feed/candle-tape.js';
import { pastCandle } from '../../../src/venue/feed/past-candle.js';
import { DAY_START, FakePast, isSound, MINUTE, numbers, print, SPOT } from './fake-past.js';

function tapeFrom(wokenAtMs: number) {
  const kept: Candle[] = [];
  const past = new FakePast();
  const tape = new CandleTape({ instrument: SPOT, past, keep: (minute) => kept.push(minute) }, wokenAtMs);
  return { tape, kept, past };
}

describe('the minutes of a market', () => {
  it('open with the first trade, close with the last and reach as far as any', () => {
    const { tape, kept } = tapeFrom(DAY_START);
    tape.trade(print(DAY_START + 1_000, 10_005, 3));
    tape.trade(print(DAY_START + 2_000, 10_020, 1));
    tape.trade(print(DAY_START + 30_000, 9_990, 2));
    tape.trade(print(DAY_START + 59_999, 10_001, 4));
    tape.live(DAY_START + MINUTE);
    expect(kept.map(numbers)).toEqual([[10_005, 10_020, 9_990, 10_001, 10]]);
    expect(kept[0]!.openAtMs).toBe(DAY_START);
  });

  it('repeat the close with volume 0 when nothing is traded', () => {
    const { tape, kept } = tapeFrom(DAY_START);
    tape.trade(print(DAY_START + 5_000, 10_005, 3));
    for (let ms = 0; ms <= 3 * MINUTE; ms += 20_000) tape.live(DAY_START + ms);
    expect(kept.map(numbers)).toEqual([
      [10_005, 10_005, 10_005, 10_005, 3],
      [10_005, 10_005, 10_005, 10_005, 0],
      [10_005, 10_005, 10_005, 10_005, 0],
    ]);
    tape.trade(print(DAY_START + 3 * MINUTE + 9_000, 10_030, 1));
    expect(numbers(tape.minuteAt(DAY_START + 3 * MINUTE, DAY_START + 3 * MINUTE + 9_000)!)).toEqual([
      10_030, 10_030, 10_030, 10_030, 1,
    ]);
  });

  it('that began before the market woke begin with its past', () => {
    const wokenAt = DAY_START + 40_000;
    const { tape, past } = tapeFrom(wokenAt);
    const before = pastCandle(past, SPOT, DAY_START, wokenAt);
    tape.trade(print(wokenAt + 100, 11_000, 7));
    const minute = tape.minuteAt(DAY_START, wokenAt + 100)!;
    expect(numbers(minute)).toEqual([before.open, 11_000, before.low, 11_000, before.volume + 7]);
  });

  it('that the market fell asleep in end with its past, and those it slept through are not kept', () => {
    const { tape, kept, past } = tapeFrom(DAY_START);
    tape.trade(print(DAY_START + 20_000, 10_005, 3));
    const rest = pastCandle(past, SPOT, DAY_START + 20_000, DAY_START + MINUTE);
    expect(numbers(tape.minuteAt(DAY_START, DAY_START + 10 * MINUTE)!)[4]).toBe(3 + rest.volume);
    tape.live(DAY_START + 10 * MINUTE + 30_000);
    expect(kept.map(({ openAtMs }) => openAtMs)).toEqual([DAY_START]);
    expect(kept[0]!.close).toBe(rest.close);
    expect(tape.minuteAt(DAY_START + 10 * MINUTE, DAY_START + 10 * MINUTE + 30_000)!.volume).toBe(60);
  });

  it('count a trade that comes late into the running one', () => {
    const { tape, kept } = tapeFrom(DAY_START);
    for (const ms of [30_000, MINUTE]) tape.live(DAY_START + ms);
    tape.trade(print(DAY_START + MINUTE - 1, 10_005, 3));
    expect(kept.map(({ volume }) => volume)).toEqual([0]);
    expect(tape.minuteAt(DAY_START + MINUTE, DAY_START + MINUTE)!.volume).toBe(3);
  });

  it('are sound and without a gap while the market is awake, whatever is traded', () => {
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
        const { tape, kept } = tapeFrom(DAY_START);
        let nowMs = DAY_START;
        for (const { afterMs, price, quantity } of steps) {
          nowMs += afterMs;
          tape.trade(print(nowMs, price, quantity));
        }
        const minutes = [...kept, tape.minuteAt(nowMs - (nowMs % MINUTE), nowMs)!];
        expect(minutes.every(isSound)).toBe(true);
        expect(minutes.map(({ openAtMs }) => openAtMs)).toEqual(minutes.map((_, place) => DAY_START + place * MINUTE));
        const volume = minutes.reduce((sum, minute) => sum + minute.volume, 0);
        expect(volume).toBe(steps.reduce((sum, { quantity }) => sum + quantity, 0));
      }),
    );
  });
});
