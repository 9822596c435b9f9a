import { join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import type { Venue } from '../../../../src/domain/exchange.js';
import { readBybitMarkets } from '../../../../src/venue/live/listing/bybit-markets.js';
import { readUnifiedMarkets } from './unified-markets.js';
import { checkBinance, checkOkx, type Info, parsed, read, wrongFigures } from './exchange-entries.js';
import { bound, digitStep, type ExpectedRules } from './market-check.js';

const FIXTURES = join(import.meta.dirname, '../fixtures/ccxt');

function recorded(name: string): unknown {
  return parsed(join(FIXTURES, `${name}.json`));
}

interface UnifiedRow {
  readonly venue: Venue;
  readonly listed: number;
  /** Entries that are skipped or out of scope. */
  readonly skipped: number;
  readonly outOfScope: number;
  readonly trading: number;
  readonly expected: (info: Info, isFuture: boolean) => ExpectedRules;
}

/** What each exchange's own entry says: another source than the unified structure that the reader takes. */
const UNIFIED: Readonly<Record<string, UnifiedRow>> = {
  woo: {
    venue: 'WOO',
    listed: 11,
    skipped: 0,
    outOfScope: 0,
    trading: 11,
    expected: (info) => ({
      lot: new Big(info['base_tick'] ?? 0),
      tick: new Big(info['quote_tick'] ?? 0),
      quantityMin: bound(info['base_min']),
      quantityMax: bound(info['base_max']),
      priceMin: bound(info['quote_min']),
      priceMax: bound(info['quote_max']),
      notionalMin: bound(info['min_notional']),
    }),
  },
  kraken: {
    venue: 'KRAKEN',
    listed: 3,
    skipped: 0,
    outOfScope: 0,
    trading: 3,
    expected: (info) => ({
      lot: digitStep(Number(info['lot_decimals'])),
      tick: new Big(info['tick_size'] ?? 0),
      quantityMin: bound(info['ordermin']),
      notionalMin: bound(info['costmin']),
    }),
  },
  krakenfutures: {
    venue: 'KRAKEN',
    listed: 3,
    skipped: 0,
    outOfScope: 1,
    trading: 3,
    expected: (info) => ({
      lot: digitStep(Number(info['contractValueTradePrecision'])).times(info['contractSize'] ?? 0),
      tick: new Big(info['tickSize'] ?? 0),
    }),
  },
  coinbaseinternational: {
    venue: 'COINBASE_INTL',
    listed: 4,
    skipped: 0,
    outOfScope: 0,
    trading: 4,
    expected: (info) => ({
      lot: new Big(info['base_increment'] ?? 0),
      tick: new Big(info['quote_increment'] ?? 0),
      quantityMax: bound(info['position_limit_qty']),
      notionalMin: bound(info['min_notional_value']),
    }),
  },
  mexc: {
    venue: 'MEXC',
    listed: 7,
    skipped: 0,
    outOfScope: 0,
    // Its markets take no orders from the interface.
    trading: 0,
    expected: (info, isFuture) =>
      isFuture
        ? {
            lot: new Big(info['volUnit'] ?? 0).times(info['contractSize'] ?? 0),
            tick: new Big(info['priceUnit'] ?? 0),
            quantityMin: bound(info['minVol'], info['contractSize']),
            quantityMax: bound(info['maxVol'], info['contractSize']),
          }
        : {
            lot: digitStep(Number(info['baseAssetPrecision'])),
            tick: digitStep(Number(info['quotePrecision'])),
            quantityMin: bound(info['baseSizePrecision']),
            notionalMin: bound(info['quoteAmountPrecision']),
            notionalMax: bound(info['maxQuoteAmount']),
          },
  },
  gate: {
    venue: 'GATEIO',
    listed: 5,
    skipped: 0,
    outOfScope: 0,
    trading: 5,
    expected: (info, isFuture) =>
      isFuture
        ? {
            lot: new Big(info['quanto_multiplier'] ?? 0),
            tick: new Big(info['order_price_round'] ?? 0),
            quantityMin: bound(info['order_size_min'], info['quanto_multiplier']),
            quantityMax: bound(info['order_size_max'], info['quanto_multiplier']),
            marketQuantityMax: bound(info['market_order_size_max'], info['quanto_multiplier']),
          }
        : {
            lot: digitStep(Number(info['amount_precision'])),
            tick: digitStep(Number(info['precision'])),
            quantityMin: bound(info['min_base_amount']),
            marketQuantityMax: bound(info['market_order_max_stock']),
            notionalMin: bound(info['min_quote_amount']),
            notionalMax: bound(info['max_quote_amount']),
          },
  },
  htx: {
    venue: 'HUOBI',
    listed: 12,
    skipped: 0,
    outOfScope: 1,
    trading: 12,
    expected: (info, isFuture) =>
      isFuture
        ? { lot: new Big(info['contract_size'] ?? 0), tick: new Big(info['price_tick'] ?? 0) }
        : {
            lot: digitStep(Number(info['amount-precision'])),
            tick: digitStep(Number(info['price-precision'])),
            quantityMin: bound(info['limit-order-min-order-amt']),
            quantityMax: bound(info['limit-order-max-order-amt']),
            marketQuantityMax: bound(info['sell-market-max-order-amt']),
            notionalMin: bound(info['min-order-value']),
          },
  },
  kucoin: {
    venue: 'KUCOIN',
    listed: 3,
    skipped: 0,
    outOfScope: 0,
    trading: 3,
    expected: (info) => ({
      lot: new Big(info['baseIncrement'] ?? 0),
      tick: new Big(info['priceIncrement'] ?? 0),
      quantityMin: bound(info['baseMinSize']),
      quantityMax: bound(info['baseMaxSize']),
      notionalMin: bound(info['minFunds']),
      notionalMax: bound(info['quoteMaxSize']),
    }),
  },
  kucoinfutures: {
    venue: 'KUCOIN',
    listed: 2,
    skipped: 0,
    outOfScope: 1,
    trading: 2,
    expected: (info) => ({
      lot: new Big(info['lotSize'] ?? 0).times(info['multiplier'] ?? 0),
      tick: new Big(info['tickSize'] ?? 0),
      quantityMin: bound(info['lotSize'], info['multiplier']),
      quantityMax: bound(info['maxOrderQty'], info['multiplier']),
      priceMax: bound(info['maxPrice']),
    }),
  },
  bitget: {
    venue: 'BITGET',
    listed: 8,
    skipped: 0,
    outOfScope: 1,
    trading: 8,
    expected: (info, isFuture) =>
      isFuture
        ? {
            lot: new Big(info['sizeMultiplier'] ?? 0),
            tick: digitStep(Number(info['pricePlace'])).times(info['priceEndStep'] ?? 0),
            quantityMin: bound(info['minTradeNum']),
            notionalMin: bound(info['minTradeUSDT']),
          }
        : {
            lot: digitStep(Number(info['quantityPrecision'])),
            tick: digitStep(Number(info['pricePrecision'])),
            quantityMin: bound(info['minTradeAmount']),
            quantityMax: bound(info['maxTradeAmount']),
            notionalMin: bound(info['minTradeUSDT']),
          },
  },
  hyperliquid: {
    venue: 'HYPERLIQUID',
    listed: 5,
    // The spot pair has no size digits and no mark price in its entry.
    skipped: 1,
    outOfScope: 0,
    trading: 5,
    expected: (info) => {
      const sizeDigits = Number(info['szDecimals']);
      const exponent = new Big(info['markPx'] ?? 0).e;
      const significant = new Big(10).pow(exponent - 4);
      const finest = digitStep(6 - sizeDigits);
      const tick = significant.gt(finest) ? significant : finest;
      return { lot: digitStep(sizeDigits), tick: tick.gt(1) ? new Big(1) : tick, notionalMin: new Big(10) };
    },
  },
  bullish: {
    venue: 'BULLISH',
    listed: 4,
    skipped: 0,
    outOfScope: 0,
    trading: 4,
    expected: (info) => ({
      lot: digitStep(Number(info['quantityPrecision'])).times(info['contractMultiplier'] ?? 1),
      tick: new Big(info['tickSize'] ?? 0),
      quantityMin: bound(info['minQuantityLimit']),
      quantityMax: bound(info['maxQuantityLimit']),
    }),
  },
};

describe('unified market structures', () => {
  test.each(Object.entries(UNIFIED))('has the steps and bounds of %s', (name, row) => {
    const markets = recorded(name);
    const result = read((report) => readUnifiedMarkets(row.venue, markets, report));
    const entries = Object.values(markets as Record<string, { id: string; swap: boolean; info: Info }>);
    const infoOf = (id: string, isFuture: boolean): Info =>
      entries.find((entry) => entry.id === id && entry.swap === isFuture)?.info ?? {};
    expect(wrongFigures(result, (id, isFuture) => row.expected(infoOf(id, isFuture), isFuture))).toEqual([]);
    expect(result.findings.filter(({ kind }) => kind === 'UNKNOWN')).toEqual([]);
    expect({
      listed: result.markets.length,
      skipped: result.skippedCount,
      outOfScope: result.outOfScopeCount,
      trading: result.markets.filter(({ isTrading }) => isTrading).length,
    }).toEqual({ listed: row.listed, skipped: row.skipped, outOfScope: row.outOfScope, trading: row.trading });
  });

  test('converts contracts to base units and keeps the contract size for the exchange', () => {
    const { markets } = read((report) => readUnifiedMarkets('HUOBI', recorded('htx'), report));
    const swaps = markets.filter(({ instrument }) => instrument.assetCategory === 'FUTURE');
    expect(
      swaps.map(({ rawSymbol, contractSize, instrument }) => [
        instrument.symbol,
        rawSymbol,
        contractSize,
        instrument.quantityStep,
        instrument.quantityPrecision,
      ]),
    ).toEqual([
      ['BTC/USDT:USDT', 'BTC-USDT', '0.001', 1, 3],
      ['ETH/USDT:USDT', 'ETH-USDT', '0.01', 1, 2],
      ['LTC/USDT:USDT', 'LTC-USDT', '0.1', 1, 1],
      ['ADA/USDT:USDT', 'ADA-USDT', '10', 10, 0],
      ['XRP/USDT:USDT', 'XRP-USDT', '10', 10, 0],
      ['DOGE/USDT:USDT', 'DOGE-USDT', '100', 100, 0],
    ]);
  });

  test.each([
    ['GATEIO', 'gate', 'ADA/USDT:USDT', [950_000, 1_050_000], [950_000, 1_050_000]],
    ['HUOBI', 'htx', 'BTC/USDT', [null, 1_100_000], [900_000, null]],
    ['HUOBI', 'htx', 'BTC/USDT:USDT', [null, null], [null, null]],
    ['WOO', 'woo', 'ETH/USDT:USDT', [null, 1_010_000], [990_000, null]],
    ['WOO', 'woo', 'XRP/USDT', [null, 1_100_000], [900_000, null]],
  ] as const)('has the price bands of %s (%s) for %s', (venue, name, symbol, buy, sell) => {
    const { markets } = read((report) => readUnifiedMarkets(venue, recorded(name), report));
    const market = markets.find(({ instrument }) => instrument.symbol === symbol);
    expect(market?.instrument.filters.buyBand).toEqual({ minPpm: buy[0], maxPpm: buy[1] });
    expect(market?.instrument.filters.sellBand).toEqual({ minPpm: sell[0], maxPpm: sell[1] });
  });

  test('has the fees of the structure, also a rebate', () => {
    const { markets } = read((report) => readUnifiedMarkets('KRAKEN', recorded('krakenfutures'), report));
    expect(markets.map(({ instrument }) => [instrument.makerFeePpm, instrument.takerFeePpm])).toEqual([
      [-200, 750],
      [-200, 750],
      [-200, 750],
    ]);
  });
});

interface BybitEntry {
  readonly symbol: string;
  readonly lotSizeFilter: Info;
  readonly priceFilter: Info;
}

function bybitRules({ lotSizeFilter: size, priceFilter: price }: BybitEntry): ExpectedRules {
  return {
    lot: new Big(size['qtyStep'] ?? size['basePrecision'] ?? 0),
    tick: new Big(price['tickSize'] ?? 0),
    quantityMin: bound(size['minOrderQty']),
    quantityMax: bound(size['maxOrderQty']),
    marketQuantityMax: bound(size['maxMktOrderQty']),
    notionalMin: bound(size['minNotionalValue'] ?? size['minOrderAmt']),
    notionalMax: bound(size['maxOrderAmt']),
    priceMin: bound(price['minPrice']),
    priceMax: bound(price['maxPrice']),
  };
}

describe('answers of exchanges', () => {
  test('has the filters of Binance spot', () => {
    const { markets, findings } = checkBinance(recorded('binance-spot-exchange-info'), false);
    expect(findings).toEqual([]);
    expect(markets.map(({ instrument, rawSymbol }) => [instrument.symbol, rawSymbol])).toEqual([
      ['BTC/USDT', 'BTCUSDT'],
      ['ETH/USDT', 'ETHUSDT'],
      ['ADA/USDT', 'ADAUSDT'],
    ]);
    expect(markets[0]?.instrument.filters).toMatchObject({
      buyBand: { minPpm: 200_000, maxPpm: 5_000_000 },
      openOrdersMax: 200,
      // The symbol does not allow DECREMENT.
      selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    });
  });

  test.each([
    ['spot', 'SPOT', 7, 0],
    ['linear', 'FUTURE', 4, 1],
  ] as const)('has the filters of Bybit %s', (category, assetCategory, listed, outOfScope) => {
    const list = recorded(`bybit-${category}-instruments-info`);
    const entries = (list as { result: { list: readonly BybitEntry[] } }).result.list;
    const result = read((report) => readBybitMarkets(list, assetCategory, report));
    const expectedOf = (symbol: string): ExpectedRules =>
      bybitRules(
        entries.find((entry) => entry.symbol === symbol) ?? { symbol: '', lotSizeFilter: {}, priceFilter: {} },
      );
    expect(wrongFigures(result, expectedOf)).toEqual([]);
    expect(result).toMatchObject({ findings: [], skippedCount: 0, outOfScopeCount: outOfScope });
    expect(result.markets).toHaveLength(listed);
  });

  test('has the steps of OKX, with contracts in base units', () => {
    const { markets, findings } = checkOkx(recorded('okx-instruments'));
    expect(findings).toEqual([]);
    expect(markets).toHaveLength(8);
    expect(markets.at(-1)).toMatchObject({
      rawSymbol: 'BTC-USDT-SWAP',
      contractSize: '0.01',
      instrument: { symbol: 'BTC/USDT:USDT', quantityStep: 1, quantityPrecision: 3 },
    });
  });
});
