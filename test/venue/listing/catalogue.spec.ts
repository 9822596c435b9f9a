import { describe, expect, test } from 'vitest';
import type { Venue } from '../../../src/domain/exchange.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import { buildCatalogue } from '../../../src/venue/listing/catalogue.js';

const CATALOGUE = buildCatalogue();
/** In index order: this list may only grow at its end. */
const SYMBOLS = [
  'BTC/USDT',
  'BTC/USDT:USDT',
  'ETH/USDT',
  'ETH/USDT:USDT',
  'SOL/USDT',
  'SOL/USDT:USDT',
  'XRP/USDT',
  'XRP/USDT:USDT',
  'DOGE/USDT',
  'DOGE/USDT:USDT',
  'ETH/BTC',
  'BNB/USDT',
  'BNB/USDT:USDT',
  'ADA/USDT',
  'ADA/USDT:USDT',
  'LTC/USDT',
  'LTC/USDT:USDT',
  'LINK/USDT',
  'LINK/USDT:USDT',
  'AVAX/USDT',
  'AVAX/USDT:USDT',
  'BTC/USDC',
];
const ORDER_OF_VENUES = [
  'BINANCE',
  'HUOBI',
  'BYBIT',
  'KUCOIN',
  'OKX',
  'GATEIO',
  'KRAKEN',
  'BITGET',
  'WOO',
  'MEXC',
  'BULLISH',
  'B2C2',
  'HYPERLIQUID',
  'COINBASE_PRIME',
  'COINBASE_INTL',
];

function at(venue: Venue, symbol: string): Instrument {
  const instrument = CATALOGUE.findCanonical(venue, symbol);
  if (instrument === null) throw new Error(`no ${symbol} at ${venue}`);
  return instrument;
}

describe('the catalogue', () => {
  test('keeps the index of every instrument', () => {
    const named = SYMBOLS.flatMap((symbol) => ORDER_OF_VENUES.map((venue) => `${venue} ${symbol}`));
    expect(CATALOGUE.instruments.map(({ venue, symbol }) => `${venue} ${symbol}`)).toEqual(named);
    expect(CATALOGUE.instruments.map(({ index }) => index)).toEqual([...CATALOGUE.instruments.keys()]);
  });

  test('builds the same catalogue in every thread', () => {
    expect(buildCatalogue().instruments).toEqual(CATALOGUE.instruments);
  });

  test('gives instruments their price and lot steps, filters and fees', () => {
    expect(at('BINANCE', 'BTC/USDT')).toEqual({
      index: 0,
      venue: 'BINANCE',
      symbol: 'BTC/USDT',
      assetCategory: 'SPOT',
      base: 'BTC',
      quote: 'USDT',
      pricePrecision: 2,
      quantityStep: 1,
      priceStep: 1,
      quantityPrecision: 5,
      quantityMin: 1,
      quantityMax: 9_000 * 10 ** 5,
      notionalMin: 5 * 10 ** 7,
      filters: {
        priceMin: 1,
        priceMax: 10 ** 8,
        buyBand: { minPpm: 200_000, maxPpm: 5_000_000 },
        sellBand: { minPpm: 200_000, maxPpm: 5_000_000 },
        marketQuantityMax: 9_709_521,
        notionalMax: 9_000_000 * 10 ** 7,
        isReducingExempt: false,
        openOrdersMax: 200,
        isPostOnlyOffered: true,
        selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
      },
      makerFeePpm: 1000,
      takerFeePpm: 1000,
    });
    expect(at('BINANCE', 'BTC/USDT:USDT')).toMatchObject({
      assetCategory: 'FUTURE',
      notionalMin: 100 * 10 ** 4,
      filters: {
        buyBand: { minPpm: null, maxPpm: 1_050_000 },
        sellBand: { minPpm: 950_000, maxPpm: null },
        notionalMax: Number.MAX_SAFE_INTEGER,
        isReducingExempt: true,
      },
      makerFeePpm: 200,
      takerFeePpm: 500,
    });
    expect(at('OKX', 'BTC/USDT')).toMatchObject({ pricePrecision: 1, quantityPrecision: 6, makerFeePpm: 800 });
    expect(at('KRAKEN', 'BTC/USDT').takerFeePpm).toBe(4000);
  });

  test('offers self-trade prevention for every instrument, with EXPIRE_TAKER first where offered', () => {
    for (const { filters } of CATALOGUE.instruments) {
      const [first, ...others] = filters.selfTradePreventions;
      expect(new Set([first, ...others]).size).toBe(filters.selfTradePreventions.length);
      expect(others).not.toContain('EXPIRE_TAKER');
    }
    expect(at('HYPERLIQUID', 'BTC/USDT').filters.selfTradePreventions).toEqual(['EXPIRE_MAKER']);
  });

  test('lists post-only orders at every simulated exchange except B2C2, a request-for-quote dealer', () => {
    const lacking = CATALOGUE.instruments.filter(({ filters }) => !filters.isPostOnlyOffered);
    expect(new Set(lacking.map(({ venue }) => venue))).toEqual(new Set(['B2C2']));
  });

  test.each([...CATALOGUE.listed])('keeps all amounts of $venue $symbol exact', (instrument) => {
    const { quantityMin, quantityMax, notionalMin, quantityPrecision, pricePrecision, filters } = instrument;
    const bounds = [quantityMin, quantityMax, notionalMin, ...Object.values(filters)];
    for (const bound of bounds.filter((value) => typeof value === 'number')) {
      expect(Number.isSafeInteger(bound) && bound >= 1).toBe(true);
    }
    expect(quantityMin).toBeLessThanOrEqual(filters.marketQuantityMax);
    expect(filters.marketQuantityMax).toBeLessThanOrEqual(quantityMax);
    expect(notionalMin).toBeLessThan(filters.notionalMax);
    // The fee rate adds six digits, and money counts in 10^-18.
    expect(quantityPrecision + pricePrecision).toBeLessThanOrEqual(12);
  });
});

describe('exchanges that only list instruments', () => {
  test('have instruments without index and market', () => {
    const exchanges = new Set(CATALOGUE.listedOnly.map(({ venue }) => venue));
    expect(exchanges).toEqual(new Set(['COINBASE_ADV', 'EXTENDED', 'LIGHTER']));
    expect(CATALOGUE.listedOnly.some((instrument) => 'index' in instrument)).toBe(false);
    expect(CATALOGUE.listed).toHaveLength(CATALOGUE.instruments.length + CATALOGUE.listedOnly.length);
  });

  test('use their own quote currency in symbols', () => {
    const lighter = CATALOGUE.listedOnly.find(({ venue }) => venue === 'LIGHTER');
    expect(lighter).toMatchObject({ symbol: 'BTC/USDC:USDC', assetCategory: 'FUTURE', base: 'BTC', quote: 'USDC' });
  });
});
