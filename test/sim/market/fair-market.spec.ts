import { describe, expect, test } from 'vitest';
import type { Venue } from '../../../src/domain/exchange.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import { buildCatalogue } from '../../../src/venue/listing/catalogue.js';
import { FairMarket } from '../../../src/sim/market/fair-market.js';

const CATALOGUE = buildCatalogue();
const DAY_MS = 24 * 3600 * 1000;
const START_MS = 1_800_000_000_000;
const HOURS = Array.from({ length: 200 }, (_, hour) => START_MS + hour * 3_600_000);

function instrumentAt(venue: Venue, symbol: string): Instrument {
  const instrument = CATALOGUE.findCanonical(venue, symbol);
  if (instrument === null) throw new Error(`no ${symbol} at ${venue}`);
  return instrument;
}

/** Price in quote units. */
function price(market: FairMarket, instrument: Instrument, ms: number): number {
  return market.priceAt(instrument, ms) / 10 ** instrument.pricePrecision;
}

/** Premium of the perpetual over spot, as a fraction. */
function basisAt(market: FairMarket, venue: Venue, ms: number): number {
  return (
    price(market, instrumentAt(venue, 'BTC/USDT:USDT'), ms) / price(market, instrumentAt(venue, 'BTC/USDT'), ms) - 1
  );
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

describe('fair prices', () => {
  const market = new FairMarket(1);

  test('differ by a few bps between venues', () => {
    const [binance, okx] = [instrumentAt('BINANCE', 'BTC/USDT'), instrumentAt('OKX', 'BTC/USDT')];
    const apart = HOURS.map((ms) => price(market, okx, ms) / price(market, binance, ms) - 1);
    expect(largest(apart)).toBeLessThan(0.000_5);
    expect(new Set(apart).size).toBe(apart.length);
  });

  test('differ by a few bps between a perpetual and spot, equally at all venues', () => {
    const bases = HOURS.map((ms) => basisAt(market, 'BINANCE', ms));
    expect(largest(bases)).toBeLessThan(0.002);
    expect(largest(bases)).toBeGreaterThan(0.000_1);
    const apart = HOURS.map((ms, index) => basisAt(market, 'BYBIT', ms) - bases[index]!);
    expect(largest(apart)).toBeLessThan(largest(bases));
  });

  test('leave no arbitrage between three pairs', () => {
    const cross = HOURS.map((ms) => {
      const [eth, btc] = [instrumentAt('BINANCE', 'ETH/USDT'), instrumentAt('BINANCE', 'BTC/USDT')];
      return price(market, eth, ms) / price(market, btc, ms) / price(market, instrumentAt('BINANCE', 'ETH/BTC'), ms);
    });
    // The three reference prices are rounded, so their ratio is a constant near 1.
    expect(largest(cross.map((ratio) => ratio / cross[0]! - 1))).toBeLessThan(0.001);
  });

  test('do not depend on the order of reads, and change with the seed', () => {
    const instrument = instrumentAt('KRAKEN', 'SOL/USDT');
    const backwards = new FairMarket(1);
    const seen = HOURS.toReversed().map((ms) => backwards.priceAt(instrument, ms));
    expect(HOURS.map((ms) => market.priceAt(instrument, ms))).toEqual(seen.toReversed());
    expect(new FairMarket(2).priceAt(instrument, START_MS)).not.toBe(market.priceAt(instrument, START_MS));
  });
});

describe('expected volume', () => {
  const market = new FairMarket(3);
  const instrument = instrumentAt('BINANCE', 'ETH/USDT');

  test('is the sum of its parts for an interval', () => {
    const whole = market.volumeBetween(instrument, START_MS, START_MS + DAY_MS);
    let parts = 0;
    for (let minute = 0; minute < 1440; minute += 1) {
      const fromMs = START_MS + minute * 60_000;
      const part = market.volumeBetween(instrument, fromMs, fromMs + 60_000);
      expect(part).toBeGreaterThan(0);
      parts += part;
    }
    expect(parts / whole).toBeCloseTo(1, 9);
  });

  test('is the turnover of the days for many days', () => {
    const days = 320;
    const lots = market.volumeBetween(instrument, 0, days * DAY_MS);
    const week = market.volumeBetween(instrument, START_MS, START_MS + 7 * DAY_MS);
    expect(lots / days / (week / 7)).toBeGreaterThan(0.4);
    expect(lots / days / (week / 7)).toBeLessThan(2.5);
  });
});
