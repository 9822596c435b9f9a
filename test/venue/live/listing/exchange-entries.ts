import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Big } from 'big.js';
import { expect } from 'vitest';
import { readBinanceSpotMarkets, readBinanceUsdmMarkets } from '../../../../src/venue/live/listing/binance-markets.js';
import type {
  ListingFinding,
  MarketListResult,
  ReportFinding,
} from '../../../../src/venue/live/listing/market-list.js';
import { readOkxMarkets } from '../../../../src/venue/live/listing/okx-markets.js';
import { bound, differences, type ExpectedRules, type Figure } from './market-check.js';

/** The fields of an entry as the exchange names them. */
export type Info = Readonly<Record<string, Figure>>;

/** The JSON of a file, which may be compressed. */
export function parsed(path: string): unknown {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as unknown;
}

export interface Read extends MarketListResult {
  readonly findings: readonly ListingFinding[];
}

/** Runs a reader of market lists and keeps its findings. */
export function read(reader: (report: ReportFinding) => MarketListResult): Read {
  const findings: ListingFinding[] = [];
  const result = reader((finding) => findings.push(finding));
  const { markets, skippedCount, outOfScopeCount } = result;
  return { markets, skippedCount, outOfScopeCount, findings };
}

/** The differences of all markets, each by its own entry. */
export function wrongFigures(
  result: Read,
  expectedOf: (rawSymbol: string, isFuture: boolean) => ExpectedRules,
): string[] {
  return result.markets.flatMap((market) =>
    differences(market, expectedOf(market.rawSymbol, market.instrument.assetCategory === 'FUTURE')),
  );
}

/** An entry of Binance with its filters by type. */
interface BinanceEntry {
  readonly symbol: string;
  readonly filters: readonly Readonly<Record<string, Figure>>[];
}

function binanceRules({ filters }: BinanceEntry): ExpectedRules {
  const figure = (type: string, name: string): Figure => filters.find(({ filterType }) => filterType === type)?.[name];
  const [newest, spot, usdm] = [
    figure('NOTIONAL', 'minNotional'),
    figure('MIN_NOTIONAL', 'minNotional'),
    figure('MIN_NOTIONAL', 'notional'),
  ];
  return {
    lot: new Big(figure('LOT_SIZE', 'stepSize') ?? 0),
    tick: new Big(figure('PRICE_FILTER', 'tickSize') ?? 0),
    quantityMin: bound(figure('LOT_SIZE', 'minQty')),
    quantityMax: bound(figure('LOT_SIZE', 'maxQty')),
    marketQuantityMax: bound(figure('MARKET_LOT_SIZE', 'maxQty')),
    notionalMin: bound(newest ?? spot ?? usdm),
    notionalMax: bound(figure('NOTIONAL', 'maxNotional')),
    priceMin: bound(figure('PRICE_FILTER', 'minPrice')),
    priceMax: bound(figure('PRICE_FILTER', 'maxPrice')),
  };
}

/** Reads a list of Binance and compares every market with its own entry. */
export function checkBinance(list: unknown, isFuture: boolean): Read {
  const { symbols } = list as { symbols: readonly BinanceEntry[] };
  const reader = isFuture ? readBinanceUsdmMarkets : readBinanceSpotMarkets;
  const result = read((report) => reader(list, report));
  const bySymbol = new Map(symbols.map((entry) => [entry.symbol, entry]));
  const expectedOf = (symbol: string): ExpectedRules =>
    binanceRules(bySymbol.get(symbol) ?? { symbol: '', filters: [] });
  expect(wrongFigures(result, expectedOf)).toEqual([]);
  expect(result.markets.length + result.skippedCount + result.outOfScopeCount).toBe(symbols.length);
  return result;
}

interface OkxEntry extends Info {
  readonly instId: string;
}

function okxRules(info: OkxEntry): ExpectedRules {
  const isSwap = info['instType'] === 'SWAP';
  const size = isSwap ? new Big(info['ctVal'] ?? 0).times(info['ctMult'] ?? 0).toFixed() : 1;
  return {
    lot: new Big(info['lotSz'] ?? 0).times(size),
    tick: new Big(info['tickSz'] ?? 0),
    quantityMin: bound(info['minSz'], size),
    quantityMax: bound(info['maxLmtSz'], size),
    marketQuantityMax: isSwap ? bound(info['maxMktSz'], size) : null,
    notionalMax: isSwap || !String(info['quoteCcy']).startsWith('USD') ? null : bound(info['maxLmtAmt']),
  };
}

/** Reads a list of OKX and compares every market with its own entry. */
export function checkOkx(list: unknown): Read {
  const { data } = list as { data: readonly OkxEntry[] };
  const result = read((report) => readOkxMarkets(list, report));
  const byId = new Map(data.map((entry) => [entry.instId, entry]));
  expect(wrongFigures(result, (id) => okxRules(byId.get(id) ?? { instId: '' }))).toEqual([]);
  expect(result.markets.length + result.skippedCount + result.outOfScopeCount).toBe(data.length);
  return result;
}
