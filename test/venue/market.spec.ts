import { describe, expect, test } from 'vitest';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS } from '../../src/model/limits.js';
import type { TradePrint } from '../../src/model/market.js';
import type { EpochMs } from '../../src/model/time.js';
import { InstrumentMarket, type MarketMemory } from '../../src/venue/instrument-market.js';
import { termsOf } from '../../src/venue/account/trading-terms.js';
import { CATALOGUE, instrumentAt, START_MS } from './simulated-exchange.js';

const DAY_MS = 24 * 3600 * 1000;

function open(parts: { symbol?: string; seed?: number; memory?: MarketMemory } = {}) {
  const prints: TradePrint[] = [];
  const terms = termsOf(instrumentAt('BINANCE', parts.symbol ?? 'BTC/USDT'));
  const listener = { filled: () => undefined, printed: (print: TradePrint) => prints.push(print) };
  const { seed = 1, memory = null } = parts;
  const market = new InstrumentMarket({ terms, seed, startMs: START_MS, memory, listener });
  market.open();
  return { market, prints };
}

/** Lets steps pass one by one; `look` sees the market after each. */
function step(market: InstrumentMarket, count: number, look: (nowMs: EpochMs) => void = () => undefined): EpochMs {
  let nowMs: number = START_MS;
  for (let done = 0; done < count; done += 1) {
    nowMs += VENUE_STEP_MS;
    market.catchUp(nowMs as EpochMs);
    look(nowMs as EpochMs);
  }
  return nowMs as EpochMs;
}

describe.each(CATALOGUE.instruments.filter(({ venue }) => venue === 'BINANCE' || venue === 'WOO'))(
  'the book of $symbol at $venue',
  (instrument) => {
    test('is never crossed, and has ten levels or more on each side', () => {
      const listener = { filled: () => undefined, printed: () => undefined };
      const terms = termsOf(instrument);
      const market = new InstrumentMarket({ terms, seed: 5, startMs: START_MS, memory: null, listener });
      market.open();
      let [spreadMin, depthMin, emptyLevels] = [Infinity, Infinity, 0];
      step(market, 500, () => {
        const { bids, asks } = market.book;
        spreadMin = Math.min(spreadMin, asks.best!.price - bids.best!.price);
        depthMin = Math.min(depthMin, bids.levels.length, asks.levels.length);
        emptyLevels += [...bids.levels, ...asks.levels].filter((level) => level.quantity <= 0).length;
      });
      expect(spreadMin).toBeGreaterThan(0);
      expect(depthMin).toBeGreaterThanOrEqual(10);
      expect(emptyLevels).toBe(0);
    });
  },
);

describe('time', () => {
  test('nothing happens before a step is full', () => {
    const { market } = open();
    const before = market.snapshot(START_MS);
    market.catchUp((START_MS + VENUE_STEP_MS - 1) as EpochMs);
    expect(market.snapshot(START_MS)).toEqual(before);
    market.catchUp((START_MS + VENUE_STEP_MS) as EpochMs);
    expect(market.snapshot(START_MS)).not.toEqual(before);
  });

  test('one long turn within the catch-up bound is the same as many short ones', () => {
    const [one, many] = [open().market, open().market];
    const nowMs = step(many, VENUE_CATCH_UP_STEPS_MAX);
    one.catchUp(nowMs);
    expect(one.snapshot(nowMs)).toEqual(many.snapshot(nowMs));
  });

  test('after a day of sleep the market has moved and traded a day, in bounded work', () => {
    const { market, prints } = open();
    const bidBefore = market.book.bids.best!.price;
    const nowMs = (START_MS + DAY_MS) as EpochMs;
    market.catchUp(nowMs);
    const { bid, volume } = market.snapshot(nowMs);
    expect(bid).not.toBe(bidBefore);
    expect(Math.abs(bid / bidBefore - 1)).toBeLessThan(0.2);
    expect(volume / (25_000 * 10 ** 5)).toBeCloseTo(1, 2);
    expect(prints.length).toBeLessThan(VENUE_CATCH_UP_STEPS_MAX * 10);
  });

  test('volume is the sum of all prints', () => {
    const { market, prints } = open();
    const nowMs = step(market, 3_000);
    expect(market.snapshot(nowMs).volume).toBe(prints.reduce((sum, { quantity }) => sum + quantity, 0));
    expect(market.snapshot(nowMs).last).toBe(prints.at(-1)!.price);
  });
});

describe('statistics over three hours', () => {
  test('volatility is near that of the profile, turnover near a fair part of the day', () => {
    const { market } = open({ seed: 11 });
    const mids: number[] = [];
    const steps = (3 * 3600 * 1000) / VENUE_STEP_MS;
    let seen = 0;
    const nowMs = step(market, steps, () => {
      seen += 1;
      if (seen % 600 === 0) mids.push(market.book.bids.best!.price + market.book.asks.best!.price);
    });
    const returns = mids.slice(1).map((mid, index) => Math.log(mid / mids[index]!));
    const perMinute = Math.sqrt(returns.reduce((sum, each) => sum + each * each, 0) / returns.length);
    const expected = 0.03 / Math.sqrt(24 * 60);
    expect(perMinute / expected).toBeGreaterThan(0.8);
    expect(perMinute / expected).toBeLessThan(1.25);
    const { volatility, volume } = market.snapshot(nowMs);
    expect(volatility / expected).toBeGreaterThan(0.6);
    expect(volatility / expected).toBeLessThan(1.6);
    expect(volume / (25_000 * 10 ** 5 * (3 / 24))).toBeCloseTo(1, 1);
  });
});

describe('memory', () => {
  test('a market that opens with its memory goes on where it was, with other luck', () => {
    const { market } = open();
    const nowMs = step(market, 100);
    const memory = market.memory;
    const { market: again } = open({ memory });
    expect(again.memory).toEqual(memory);
    const distance = Math.abs(again.snapshot(nowMs).bid - market.snapshot(nowMs).bid);
    expect(distance).toBeLessThanOrEqual(1_000);
    step(again, 100);
    const { market: first } = open();
    step(first, 100);
    expect(again.memory.mid / memory.mid).not.toBeCloseTo(first.memory.mid / 6_400_000, 9);
  });

  test('numbers go on after a restart', () => {
    const { market } = open();
    market.nextSequence();
    expect(open({ memory: market.memory }).market.nextSequence()).toBe(2);
  });
});
