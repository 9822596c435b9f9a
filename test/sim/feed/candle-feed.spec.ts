import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CANDLE_INTERVAL_MS,
  CANDLE_INTERVALS,
  type CandleInterval,
  type MarketUpdate,
  openOf,
} from '../../../src/domain/market-feed.js';
import { CANDLE_MINUTES_PER_TURN_MAX } from '../../../src/domain/limits/trading.js';
import { CandleFeed } from '../../../src/sim/feed/candle-feed.js';
import { CandleHistory } from '../../../src/sim/feed/candle-history.js';
import { MemoryVenueStore } from '../memory-store.js';
import { at, DAY_START, FakePast, HOUR, MINUTE, print, SPOT } from './fake-past.js';

type CandleUpdate = Extract<MarketUpdate, { kind: 'CandleChanged' }>;

class Rig {
  readonly history = new CandleHistory(new FakePast(), new MemoryVenueStore());
  readonly published: CandleUpdate[] = [];
  isFull = false;
  readonly feed: CandleFeed;

  constructor(interval: CandleInterval, startMs: number) {
    this.feed = new CandleFeed({
      instrument: SPOT,
      interval,
      history: this.history,
      offer: (update) => {
        if (!this.isFull) this.published.push(update as CandleUpdate);
        return !this.isFull;
      },
      gapMs: 250,
      nextClosedMs: openOf(startMs, interval),
    });
  }

  trade(ms: number, price: number): void {
    this.history.trade(SPOT, print(ms, price, 1));
    this.feed.publish(at(ms));
  }

  get closed(): CandleUpdate[] {
    return this.published.filter(({ isClosed }) => isClosed);
  }
}

describe('a candle feed', () => {
  it('publishes a running candle at most four times a second when it changed, and a closed one once', () => {
    const rig = new Rig('ONE_MINUTE', DAY_START);
    for (let ms = 0; ms < MINUTE; ms += 50) rig.trade(DAY_START + ms, 10_000 + (ms % 7));
    expect(rig.published.length).toBe(240);
    for (let ms = 0; ms < 1_000; ms += 50) rig.feed.publish(at(DAY_START + MINUTE - 50));
    expect(rig.published.length).toBe(240);
    rig.trade(DAY_START + MINUTE, 9_999);
    rig.trade(DAY_START + MINUTE + 50, 9_998);
    expect(rig.published.slice(240).map(({ isClosed, candle }) => [isClosed, candle.openAtMs, candle.volume])).toEqual([
      [true, DAY_START, 1_200],
      [false, DAY_START + MINUTE, 1],
    ]);
  });

  it('starts with the current state of its interval, also when it is synthetic', () => {
    const nowMs = DAY_START + 13 * HOUR;
    const rig = new Rig('ONE_DAY', nowMs);
    let turns = 0;
    for (; rig.published.length === 0; turns += 1) rig.feed.publish(at(nowMs));
    expect(turns).toBe(Math.ceil((13 * 60) / CANDLE_MINUTES_PER_TURN_MAX));
    expect(rig.published[0]!.candle).toEqual(rig.history.candle(SPOT, 'ONE_DAY', at(DAY_START), at(nowMs)));
  });

  it('publishes after a full ring the running candle as it is then, and every closed one in order', () => {
    const step = fc.record({ afterMs: fc.nat(40_000), isFull: fc.boolean() });
    const script = fc.tuple(fc.constantFrom(...CANDLE_INTERVALS), fc.array(step, { minLength: 5, maxLength: 120 }));
    fc.assert(
      fc.property(script, ([interval, steps]) => {
        const rig = new Rig(interval, DAY_START);
        let nowMs = DAY_START;
        for (const { afterMs, isFull } of steps) {
          nowMs += afterMs;
          rig.isFull = isFull;
          rig.trade(nowMs, 9_000 + (nowMs % 999));
        }
        rig.isFull = false;
        for (let turn = 0; turn < 10; turn += 1) rig.feed.publish(at(nowMs + 250));
        const lengthMs = CANDLE_INTERVAL_MS[interval];
        const over = Math.floor((nowMs + 250 - DAY_START) / lengthMs);
        expect(rig.closed.map(({ candle }) => candle.openAtMs)).toEqual(
          Array.from({ length: over }, (_, place) => DAY_START + place * lengthMs),
        );
        for (const { candle } of rig.closed) {
          expect(candle).toEqual(rig.history.candle(SPOT, interval, candle.openAtMs, at(nowMs)));
        }
        expect(rig.published.at(-1)!.candle.openAtMs).toBe(openOf(nowMs + 250, interval));
      }),
    );
  });
});
