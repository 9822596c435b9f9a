import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../../src/domain/instrument.js';
import { FUNDING_INTERVAL_MS, FUNDING_RATE_PPM_MAX } from '../../../src/domain/limits/trading.js';
import { FairPast } from '../../../src/sim/market/fair-market.js';
import { MarkPrices } from '../../../src/sim/feed/mark-prices.js';
import type { MarketPast } from '../../../src/sim/feed/port.js';
import { CATALOGUE, instrumentAt } from '../simulated-exchange.js';
import { at, DAY_START, FUTURE, HOUR } from './fake-past.js';

/** Spot prices of 60,000 at all venues except OKX, and a future at a premium of `premiumBps`. */
function pastWith(premiumBps: (ms: number) => number): MarketPast {
  return {
    priceAt: ({ assetCategory, venue, pricePrecision }: Instrument, ms) => {
      const premium = assetCategory === 'FUTURE' ? premiumBps(ms) / 10_000 : 0;
      return (venue === 'OKX' ? 99_000 : 60_000) * (1 + premium) * 10 ** pricePrecision;
    },
    volumeUntil: () => 0,
  };
}

const ticks = (price: number): number => Math.round(price * 10 ** FUTURE.pricePrecision);
const { index } = FUTURE;

describe('the mark price', () => {
  it('follows the median of the venues, not a single one', () => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith(() => 0),
    );
    expect(marks.markAt(index, at(DAY_START)).indexPrice).toBe(ticks(60_000));
  });

  it('differs from the index by the last funding rate, less and less until the next funding', () => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith(() => 1),
    );
    const parts = [0, 0.5, 0.75].map((part) => marks.markPrice(index, at(DAY_START + part * FUNDING_INTERVAL_MS)));
    expect(parts).toEqual([6, 3, 1.5].map((basis) => ticks(60_000 + basis)));
    expect(marks.markPrice(index, at(DAY_START + FUNDING_INTERVAL_MS - 1))).toBe(ticks(60_000));
  });

  it('is defined for futures only', () => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith(() => 0),
    );
    expect(() => marks.markPrice(instrumentAt('BINANCE', 'BTC/USDT').index, at(DAY_START))).toThrow('only futures');
  });
});

describe('the funding rate', () => {
  it.each([
    ['the interest while the premium is near the interest', 3, 100],
    ['the premium minus the damper for a large premium', 9, 400],
    ['negative when the future is cheap', -9, -400],
    ['bounded above', 500, FUNDING_RATE_PPM_MAX],
    ['bounded below', -500, -FUNDING_RATE_PPM_MAX],
  ])('is %s', (_, premiumBps, ratePpm) => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith(() => premiumBps),
    );
    expect(marks.fundingRatePpm(index, at(DAY_START))).toBe(ratePpm);
  });

  it('is the weighted mean of the eight hours before, and an estimate until then', () => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith((ms) => (ms >= DAY_START + 4 * HOUR ? 20 : 0)),
    );
    expect(marks.fundingRatePpm(index, at(DAY_START + 4 * HOUR))).toBe(100);
    // Samples 1..12 have weights 1..12; the last six have 57 of 78.
    expect(marks.fundingRatePpm(index, at(DAY_START + 8 * HOUR))).toBe(Math.round((2_000 * 57) / 78 - 500));
    expect(marks.fundingRatePpm(index, at(DAY_START + 8 * HOUR - 1))).toBe(
      marks.fundingRatePpm(index, at(DAY_START + 8 * HOUR)),
    );
    expect(marks.fundingRatePpm(index, at(DAY_START + 8 * HOUR + 1))).toBe(1_500);
  });

  it('names the next funding time, which at a funding time is the following one', () => {
    const marks = new MarkPrices(
      CATALOGUE,
      pastWith(() => 0),
    );
    const next = (ms: number): number => marks.markAt(index, at(ms)).nextFundingAtMs;
    expect(next(DAY_START + 1)).toBe(DAY_START + FUNDING_INTERVAL_MS);
    expect(next(DAY_START + FUNDING_INTERVAL_MS)).toBe(DAY_START + 2 * FUNDING_INTERVAL_MS);
  });

  it('stays realistic for the simulated futures: mostly the interest, sometimes more or less', () => {
    const marks = new MarkPrices(CATALOGUE, new FairPast(1));
    const rates = Array.from({ length: 100 }, (_, place) =>
      marks.fundingRatePpm(index, at(DAY_START - place * 8 * HOUR)),
    );
    expect(rates.every((ratePpm) => Number.isInteger(ratePpm) && Math.abs(ratePpm) <= FUNDING_RATE_PPM_MAX)).toBe(true);
    expect(rates.filter((ratePpm) => ratePpm === 100).length).toBeGreaterThan(20);
  });
});
