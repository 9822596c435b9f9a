import { describe, expect, test } from 'vitest';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS } from '../../../src/domain/limits/trading.js';
import type { Market, TradePrint } from '../../../src/domain/market.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { termsOf } from '../../../src/sim/account/trading-terms.js';
import { FairMarket } from '../../../src/sim/market/fair-market.js';
import { InstrumentMarket, type MarketMemory } from '../../../src/sim/market/instrument-market.js';
import { CATALOGUE, instrumentAt, START_MS } from '../simulated-exchange.js';

const DAY_MS = 24 * 3600 * 1000;
const LEVELS = 10;

function open(parts: { symbol?: string; seed?: number; memory?: MarketMemory } = {}) {
  const prints: TradePrint[] = [];
  const terms = termsOf(instrumentAt('BINANCE', parts.symbol ?? 'BTC/USDT'));
  const listener = {
    filled: () => undefined,
    prevented: () => undefined,
    printed: (print: TradePrint) => prints.push(print),
  };
  const { seed = 1, memory = null } = parts;
  const fairMarket = new FairMarket(seed);
  const market = new InstrumentMarket({ terms, fairMarket, seed, startMs: START_MS, memory, listener });
  market.open();
  return { market, prints };
}

/** Runs single steps; `look` reads the market after each. */
function step(market: InstrumentMarket, count: number, look: (nowMs: EpochMs) => void = () => undefined): EpochMs {
  let nowMs: number = START_MS;
  for (let done = 0; done < count; done += 1) {
    nowMs += VENUE_STEP_MS;
    market.catchUp(nowMs as EpochMs);
    look(nowMs as EpochMs);
  }
  return nowMs as EpochMs;
}

/** Root mean square of the returns between consecutive values. */
function roughness(values: readonly number[]): number {
  const returns = values.slice(1).map((value, index) => Math.log(value / values[index]!));
  return Math.sqrt(returns.reduce((sum, each) => sum + each * each, 0) / returns.length);
}

describe.each(CATALOGUE.instruments.filter(({ venue }) => venue === 'BINANCE' || venue === 'WOO'))(
  'the book of $symbol at $venue',
  (instrument) => {
    test('is never crossed, nearly always two-sided and tight, and has levels behind the touch', () => {
      const listener = { filled: () => undefined, prevented: () => undefined, printed: () => undefined };
      const terms = termsOf(instrument);
      const fairMarket = new FairMarket(5);
      const market = new InstrumentMarket({ terms, fairMarket, seed: 5, startMs: START_MS, memory: null, listener });
      market.open();
      const [prices, quantities] = [new Float64Array(LEVELS), new Float64Array(LEVELS)];
      const steps = 600;
      let [crossed, close, levels] = [0, 0, 0];
      step(market, steps, () => {
        const { bid, ask } = market.snapshot();
        if (bid > 0 && ask > 0 && bid >= ask) crossed += 1;
        if (bid > 0 && ask > bid && (ask - bid <= 2 || (ask - bid) / bid < 0.000_1)) close += 1;
        levels += market.book.depth('BUY', prices, quantities, LEVELS);
        levels += market.book.depth('SELL', prices, quantities, LEVELS);
      });
      expect(crossed).toBe(0);
      expect(close / steps).toBeGreaterThan(0.9);
      expect(levels / (2 * steps)).toBeGreaterThan(LEVELS * 0.7);
    });
  },
);

describe('time in a market', () => {
  test('one long turn within the catch-up bound equals many short ones', () => {
    const [one, many] = [open(), open()];
    const nowMs = step(many.market, VENUE_CATCH_UP_STEPS_MAX);
    one.market.catchUp(nowMs);
    const { volatility: _one, ...once } = one.market.snapshot();
    const { volatility: _many, ...often } = many.market.snapshot();
    expect(once).toEqual(often);
    expect(one.prints).toEqual(many.prints);
  });

  test('a day of sleep moves and trades the market by a day, with bounded work', () => {
    const { market, prints } = open();
    const bidBefore = market.book.bestBid();
    const nowMs = (START_MS + DAY_MS) as EpochMs;
    market.catchUp(nowMs);
    const { bid, volume } = market.snapshot();
    expect(bid).not.toBe(bidBefore);
    expect(Math.abs(bid / market.fair.priceAt(nowMs) - 1)).toBeLessThan(0.001);
    expect(volume / market.fair.volumeBetween(START_MS, nowMs)).toBeCloseTo(1, 2);
    expect(prints.length).toBeLessThan(2_000);
  });

  test('repeated wake-ups after long sleeps keep prices and volume', () => {
    const { market } = open();
    let [close, nowMs] = [0, START_MS as number];
    const rounds = 50;
    for (let round = 0; round < rounds; round += 1) {
      nowMs += VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS + 60_000;
      market.catchUp(nowMs as EpochMs);
      const { bid, ask } = market.snapshot();
      if (ask > bid && Math.abs((bid + ask) / 2 / market.fair.priceAt(nowMs) - 1) < 0.000_3) close += 1;
    }
    expect(close / rounds).toBeGreaterThan(0.95);
    expect(market.snapshot().volume / market.fair.volumeBetween(START_MS, nowMs)).toBeCloseTo(1, 1);
  });

  test('the volume is the sum of all prints, whose times never decrease', () => {
    const { market, prints } = open();
    step(market, 3_000);
    expect(market.snapshot().volume).toBe(prints.reduce((sum, { quantity }) => sum + quantity, 0));
    expect(market.snapshot().last).toBe(prints.at(-1)!.price);
    expect(prints.every(({ atMs }, index) => index === 0 || atMs >= prints[index - 1]!.atMs)).toBe(true);
  });
});

describe('statistics over three hours', () => {
  test('the price follows the fair price, and the turnover its expectation', () => {
    const { market } = open({ seed: 11 });
    const looks: { market: Market; fair: number }[] = [];
    const steps = (3 * 3600 * 1000) / VENUE_STEP_MS;
    let seen = 0;
    const nowMs = step(market, steps, (atMs) => {
      seen += 1;
      if (seen % 600 === 0) looks.push({ market: market.snapshot(), fair: market.fair.priceAt(atMs) });
    });
    const apart = looks.map(({ market: { bid, ask }, fair }) => Math.abs((bid + ask) / 2 / fair - 1) * 10_000);
    expect(apart.reduce((sum, bps) => sum + bps, 0) / apart.length).toBeLessThan(1);
    const mids = looks.map(({ market: { bid, ask } }) => bid + ask);
    expect(roughness(mids) / roughness(looks.map(({ fair }) => fair))).toBeCloseTo(1, 1);
    const { volume, volatility } = market.snapshot();
    expect(volume / market.fair.volumeBetween(START_MS, nowMs)).toBeGreaterThan(0.85);
    expect(volume / market.fair.volumeBetween(START_MS, nowMs)).toBeLessThan(1.15);
    expect(volatility / roughness(mids.slice(-20))).toBeGreaterThan(0.4);
    expect(volatility / roughness(mids.slice(-20))).toBeLessThan(2.5);
  });
});

describe('stored market state', () => {
  test('continues price and volume with new draws', () => {
    const { market } = open();
    step(market, 100);
    const memory = market.memory;
    const { market: again, prints } = open({ memory });
    expect(again.memory).toEqual(memory);
    expect(Math.abs(again.snapshot().bid / market.snapshot().bid - 1)).toBeLessThan(0.002);
    step(again, 100);
    const { market: first, prints: firstPrints } = open();
    step(first, 100);
    expect(prints.slice(0, 5)).not.toEqual(firstPrints.slice(0, 5));
  });

  test('continues the sequence numbers', () => {
    const { market } = open();
    market.nextSequence();
    expect(open({ memory: market.memory }).market.nextSequence()).toBe(2);
  });
});
