import { describe, expect, test } from 'vitest';
import { VENUES } from '../../src/model/exchange.js';
import { buildCatalogue } from '../../src/venue/index.js';
import { CATALOGUE, instrumentAt, START_MS, SimulatedExchange } from './simulated-exchange.js';

const SPOT = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'DOGE/USDT', 'ETH/BTC'];
const PERPETUALS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].map((base) => `${base}/USDT:USDT`);

describe('the catalogue', () => {
  test.each(VENUES)('lists six spot pairs and five perpetuals at %s', (venue) => {
    const symbols = CATALOGUE.instruments.filter((each) => each.venue === venue).map(({ symbol }) => symbol);
    expect(symbols.sort()).toEqual([...SPOT, ...PERPETUALS].sort());
  });

  test('indices are dense, and the same every time', () => {
    expect(CATALOGUE.instruments.map(({ index }) => index)).toEqual([...CATALOGUE.instruments.keys()]);
    expect(buildCatalogue().instruments).toEqual(CATALOGUE.instruments);
  });

  test('instruments have their grids, minimums and fees', () => {
    expect(instrumentAt('BINANCE', 'BTC/USDT')).toMatchObject({
      assetCategory: 'SPOT',
      base: 'BTC',
      quote: 'USDT',
      pricePrecision: 2,
      quantityPrecision: 5,
      quantityMin: 1,
      quantityMax: 100 * 10 ** 5,
      notionalMin: 5 * 10 ** 7,
      makerFeePpm: 1000,
      takerFeePpm: 1000,
    });
    expect(instrumentAt('OKX', 'ETH/BTC')).toMatchObject({ notionalMin: 10 ** 5 });
    expect(instrumentAt('OKX', 'BTC/USDT:USDT')).toMatchObject({ assetCategory: 'FUTURE', notionalMin: 5 * 10 ** 4 });
  });

  test('a maximum order at a hundred times the price is exact in a double', () => {
    const { markets } = new SimulatedExchange({ instrument: instrumentAt('OKX', 'BTC/USDT') });
    for (const { index, quantityMax } of CATALOGUE.instruments) {
      expect(quantityMax * markets.get(index)!.ask * 100).toBeLessThan(Number.MAX_SAFE_INTEGER);
    }
  });

  test('every market opens near its reference, a little differently at each venue', () => {
    const { markets } = new SimulatedExchange({ instrument: instrumentAt('OKX', 'BTC/USDT') });
    const bids = VENUES.map((venue) => markets.get(instrumentAt(venue, 'BTC/USDT').index)!.bid);
    for (const bid of bids) expect(Math.abs(bid / 6_400_000 - 1)).toBeLessThan(0.001);
    expect(new Set(bids).size).toBeGreaterThan(10);
    for (const { bid, ask, atMs } of markets.values()) {
      expect(bid).toBeGreaterThan(0);
      expect(ask).toBeGreaterThan(bid);
      expect(atMs).toBe(START_MS);
    }
  });
});
