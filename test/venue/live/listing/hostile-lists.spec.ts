import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBinanceSpotMarkets, readBinanceUsdmMarkets } from '../../../../src/venue/live/listing/binance-markets.js';
import { readBybitMarkets } from '../../../../src/venue/live/listing/bybit-markets.js';
import type { ListedMarket } from '../../../../src/venue/live/listing/listed-market.js';
import type {
  ListingFinding,
  MarketListResult,
  ReportFinding,
} from '../../../../src/venue/live/listing/market-list.js';
import { readOkxMarkets } from '../../../../src/venue/live/listing/okx-markets.js';
import { readUnifiedMarkets } from './unified-markets.js';
import { runs } from '../../../runs.js';

type Reader = (list: unknown, report: ReportFinding) => MarketListResult;

const FIXTURES = join(import.meta.dirname, '../fixtures/ccxt');

const READERS: readonly { readonly name: string; readonly file: string; readonly reader: Reader }[] = [
  { name: 'Binance spot', file: 'binance-spot-exchange-info', reader: readBinanceSpotMarkets },
  { name: 'Binance USD-M', file: 'binance-spot-exchange-info', reader: readBinanceUsdmMarkets },
  {
    name: 'Bybit spot',
    file: 'bybit-spot-instruments-info',
    reader: (list, report) => readBybitMarkets(list, 'SPOT', report),
  },
  {
    name: 'Bybit linear',
    file: 'bybit-linear-instruments-info',
    reader: (list, report) => readBybitMarkets(list, 'FUTURE', report),
  },
  { name: 'OKX', file: 'okx-instruments', reader: readOkxMarkets },
  ...(['BULLISH', 'HYPERLIQUID', 'GATEIO', 'KUCOIN', 'KRAKEN'] as const).map((venue) => ({
    name: `unified ${venue}`,
    file: { BULLISH: 'bullish', HYPERLIQUID: 'hyperliquid', GATEIO: 'gate', KUCOIN: 'kucoin', KRAKEN: 'krakenfutures' }[
      venue
    ],
    reader: (list: unknown, report: ReportFinding) => readUnifiedMarkets(venue, list, report),
  })),
];

function textOf(file: string): string {
  return readFileSync(join(FIXTURES, `${file}.json`), 'utf8');
}

/** True when every number of an instrument is one that the domain accepts. */
function isSound({ instrument, contractSize, rawSymbol }: ListedMarket): boolean {
  const { filters } = instrument;
  const counts = [
    instrument.quantityStep,
    instrument.priceStep,
    instrument.quantityMin,
    instrument.quantityMax,
    instrument.notionalMin,
    filters.priceMin,
    filters.priceMax,
    filters.notionalMax,
    filters.openOrdersMax,
  ];
  const { quantityPrecision, pricePrecision } = instrument;
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 1) &&
    [quantityPrecision, pricePrecision].every((digits) => Number.isInteger(digits) && digits >= 0 && digits <= 12) &&
    instrument.quantityMin <= instrument.quantityMax &&
    filters.marketQuantityMax <= instrument.quantityMax &&
    filters.priceMin <= filters.priceMax &&
    instrument.notionalMin <= filters.notionalMax &&
    rawSymbol !== '' &&
    /^\d+(?:\.\d+)?$/.test(contractSize) &&
    /^[^/:\s]+\/[^/:\s]+(?::[^/:\s]+)?$/.test(instrument.symbol)
  );
}

/** The paths of all members and elements of a JSON value. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

/** A copy with another value at a path; undefined removes the member. */
function changed(value: unknown, path: readonly string[], other: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return other;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const members = copy as Record<string, unknown>;
  const inner = changed(members[key], rest, other);
  if (inner === undefined) Reflect.deleteProperty(members, key);
  else members[key] = inner;
  return copy;
}

const ODD_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    '0',
    0,
    -1,
    '-0.1',
    '0.0000000000000001',
    '1e99',
    '1e-99',
    1e300,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    '99999999999999999999999999999999999999',
    '9'.repeat(10_000),
    'NaN',
    'Infinity',
    '0x10',
    ' 1',
    '1 ',
    '１',
    'BTC/USDT',
    'a:b',
    '__proto__',
    'constructor',
    'NEW_STATE',
    true,
    [],
    [[]],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

describe.each(READERS)('the reader of $name', ({ file, reader }) => {
  const list = JSON.parse(textOf(file)) as unknown;
  const paths = pathsOf(list);

  test('never throws and lists only sound instruments from any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        for (const given of [value, { symbols: [value] }, { data: [value] }, { result: { list: [value] } }, [value]]) {
          const { markets } = reader(given, () => {});
          expect(markets.every(isSound)).toBe(true);
        }
      }),
      { numRuns: runs(50, 500) },
    );
  });

  test('never throws and lists only sound instruments after a change of a recorded list', () => {
    fc.assert(
      fc.property(fc.nat(paths.length - 1), ODD_VALUES, (at, odd) => {
        const { markets } = reader(changed(list, paths[at] ?? [], odd), () => {});
        expect(markets.every(isSound)).toBe(true);
      }),
      { numRuns: runs(150, 1_000) },
    );
  });
});

/** Reads the recorded list of Binance spot after a change of its text. */
function binance(change: (text: string) => string): { findings: ListingFinding[]; result: MarketListResult } {
  const findings: ListingFinding[] = [];
  const list = JSON.parse(change(textOf('binance-spot-exchange-info'))) as unknown;
  const result = readBinanceSpotMarkets(list, (finding) => findings.push(finding));
  return { findings, result };
}

describe('findings', () => {
  test('names an unknown member once and lists the market', () => {
    const { findings, result } = binance((text) => text.replaceAll('"status"', '"newMember": {}, "status"'));
    expect(findings).toEqual([
      { venue: 'BINANCE', kind: 'UNKNOWN', entry: 'BTCUSDT', message: 'unknown member newMember' },
    ]);
    expect(result.markets).toHaveLength(3);
  });

  test('takes an unknown status as not trading', () => {
    const { findings, result } = binance((text) => text.replace('"TRADING"', '"AFTER_PARTY"'));
    expect(findings).toMatchObject([{ kind: 'UNKNOWN', message: 'unknown value status=AFTER_PARTY' }]);
    expect(result.markets.map(({ isTrading }) => isTrading)).toEqual([false, true, true]);
  });

  test('names an unknown filter and ignores it', () => {
    const { findings, result } = binance((text) => text.replace('"ICEBERG_PARTS"', '"NEW_FILTER"'));
    expect(findings).toMatchObject([{ kind: 'UNKNOWN', message: 'unknown filter NEW_FILTER' }]);
    expect(result.markets).toHaveLength(3);
  });

  test.each([
    ['0.00001000"', 'x"', 'LOT_SIZE.minQty x is no decimal from 0'],
    ['"LOT_SIZE"', '"ICEBERG_PARTS"', 'LOT_SIZE.stepSize is missing'],
    ['"tickSize": "0.01000000"', '"tickSize": "0.00000000"', 'the tick is not positive'],
    [
      '"stepSize": "0.00001000"',
      '"stepSize": "0.0000000000001"',
      'the lot has 13 digits after the point: more than 12',
    ],
    ['"maxQty": "9000.00000000"', '"maxQty": "0.00000900"', 'no quantity is from 1 to 0 lots'],
    ['"baseAsset": "BTC"', '"baseAsset": "A/B"', 'A/B/USDT is no pair of asset names'],
    ['"ETHUSDT"', '"ETHUSDT", "x": 1', null],
  ] as const)('skips an entry with %s changed to %s, with the reason', (from, to, reason) => {
    const { findings, result } = binance((text) => text.replace(from, to));
    if (reason === null) return expect(result.markets).toHaveLength(3);
    expect(findings).toEqual([{ venue: 'BINANCE', kind: 'SKIPPED', entry: 'BTCUSDT', message: reason }]);
    expect(result).toMatchObject({ skippedCount: 1 });
    expect(result.markets).toHaveLength(2);
  });

  test('lists a market once and names the second entry', () => {
    const { findings, result } = binance((text) => text.replace('"baseAsset": "ETH"', '"baseAsset": "BTC"'));
    expect(findings).toMatchObject([{ entry: 'ETHUSDT', message: 'BTC/USDT is in the list twice' }]);
    expect(result.markets).toHaveLength(2);
  });

  test('reads no member of a prototype', () => {
    const { findings, result } = binance((text) =>
      text.replaceAll('"status"', '"__proto__": { "baseAsset": "EVIL", "polluted": true }, "status"'),
    );
    expect(findings).toMatchObject([{ kind: 'UNKNOWN', message: 'unknown member __proto__' }]);
    expect(result.markets.map(({ instrument }) => instrument.base)).toEqual(['BTC', 'ETH', 'ADA']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('names an answer without a list', () => {
    const findings: ListingFinding[] = [];
    readOkxMarkets({ code: '50011', msg: 'Too Many Requests' }, (finding) => findings.push(finding));
    expect(findings).toEqual([{ venue: 'OKX', kind: 'SKIPPED', entry: '', message: 'data is no array' }]);
  });

  test('reports at most 200 findings of one list', () => {
    const findings: ListingFinding[] = [];
    const data = Array.from({ length: 1_000 }, (_, index) => ({ instId: `X${index}` }));
    const result = readOkxMarkets({ data }, (finding) => findings.push(finding));
    expect(findings).toHaveLength(200);
    expect(result.skippedCount).toBe(1_000);
  });
});
