import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CANDLE_INTERVAL_MS, CANDLE_INTERVALS, openOf, type CandleInterval } from '../../../src/model/candle.js';
import { CANDLE_MINUTES_PER_TURN_MAX } from '../../../src/model/limits.js';
import type { MarketUpdate } from '../../../src/model/market-feed.js';
import { CandleFeed } from '../../../src/venue/feed/candle-feed.js';
import { CandleHistory } from '../../../src/venue/feed/candle-history.js';
import { MemoryVenueStore } from '../../../src/venue/index.js';
import { at, DAY_START, FakePast, HOUR, MINUTE, print, SPOT } from './fake-past.js';

type Told = Extract<MarketUpdate, { kind: 'CandleChanged' }>;

class Room {
  readonly history = new CandleHistory(new FakePast(), new MemoryVenueStore());
  readonly told: Told[] = [];
  isFull = false;
  readonly feed: CandleFeed;

  constructor(interval: CandleInterval, startMs: number) {
    this.feed = new CandleFeed({
      instrument: SPOT,
      interval,
      history: this.history,
      offer: (update) => {
        if (!this.isFull) this.told.push(update as Told);
        return !this.isFull;
      },
      gapMs: 250,
      nextClosedMs: openOf(startMs, interval),
    });
  }

  trade(ms: number, price: number): void {
    this.history.trade(SPOT, print(ms, price, 1));
    this.feed.tell(at(ms));
  }

  get closed(): Told[] {
    return this.told.filter(({ isClosed }) => isClosed);
  }
}

describe('a followed candle', () => {
  it('is told as it runs, at most four times a second and only when it changed, and once when it is over', () => {
    const room = new Room('ONE_MINUTE', DAY_START);
    for (let ms = 0; ms < MINUTE; ms += 50) room.trade(DAY_START + ms, 10_000 + (ms % 7));
    expect(room.told.length).toBe(240);
    for (let ms = 0; ms < 1_000; ms += 50) room.feed.tell(at(DAY_START + MINUTE - 50));
    expect(room.told.length).toBe(240);
    room.trade(DAY_START + MINUTE, 9_999);
    room.trade(DAY_START + MINUTE + 50, 9_998);
    expect(room.told.slice(240).map(({ isClosed, candle }) => [isClosed, candle.openAtMs, candle.volume])).toEqual([
      [true, DAY_START, 1_200],
      [false, DAY_START + MINUTE, 1],
    ]);
  });

  it('begins at once with what its interval has come to, however much of it has to be made up', () => {
    const nowMs = DAY_START + 13 * HOUR;
    const room = new Room('ONE_DAY', nowMs);
    let turns = 0;
    for (; room.told.length === 0; turns += 1) room.feed.tell(at(nowMs));
    expect(turns).toBe(Math.ceil((13 * 60) / CANDLE_MINUTES_PER_TURN_MAX));
    expect(room.told[0]!.candle).toEqual(room.history.candle(SPOT, 'ONE_DAY', at(DAY_START), at(nowMs)));
  });

  it('is told later when there was no room: running ones as they are then, closed ones every one in order', () => {
    const step = fc.record({ afterMs: fc.nat(40_000), isFull: fc.boolean() });
    const script = fc.tuple(fc.constantFrom(...CANDLE_INTERVALS), fc.array(step, { minLength: 5, maxLength: 120 }));
    fc.assert(
      fc.property(script, ([interval, steps]) => {
        const room = new Room(interval, DAY_START);
        let nowMs = DAY_START;
        for (const { afterMs, isFull } of steps) {
          nowMs += afterMs;
          room.isFull = isFull;
          room.trade(nowMs, 9_000 + (nowMs % 999));
        }
        room.isFull = false;
        for (let turn = 0; turn < 10; turn += 1) room.feed.tell(at(nowMs + 250));
        const lengthMs = CANDLE_INTERVAL_MS[interval];
        const over = Math.floor((nowMs + 250 - DAY_START) / lengthMs);
        expect(room.closed.map(({ candle }) => candle.openAtMs)).toEqual(
          Array.from({ length: over }, (_, place) => DAY_START + place * lengthMs),
        );
        for (const { candle } of room.closed) {
          expect(candle).toEqual(room.history.candle(SPOT, interval, candle.openAtMs, at(nowMs)));
        }
        expect(room.told.at(-1)!.candle.openAtMs).toBe(openOf(nowMs + 250, interval));
      }),
    );
  });
});
