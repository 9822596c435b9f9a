import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordedData } from '../../../recorded-data.js';
import { checkBinance, checkOkx, parsed } from './exchange-entries.js';

const WHOLE_LISTS = recordedData('instruments');

describe('whole lists in MARKET_DATA', () => {
  test.each([
    ['binance_spot_exchangeInfo_25sym.json', false],
    ['binance_spot_exchangeInfo_20211012.json.gz', false],
    ['binance_usdm_exchangeInfo_25sym.json', true],
    ['binance_usdm_exchangeInfo_20210722.json.gz', true],
  ] as const)('has the filters of all symbols in %s', (name, isFuture) => {
    const { markets, findings } = checkBinance(parsed(join(WHOLE_LISTS, name)), isFuture);
    expect(findings).toEqual([]);
    expect(markets.length).toBeGreaterThan(10);
  });

  test.each(['SPOT', 'SWAP'])('has the steps of all OKX instruments of the type %s', (type) => {
    const lists = parsed(join(WHOLE_LISTS, 'okx_instruments_spot_swap_20220513.json.gz')) as Record<string, unknown>;
    const entries = lists[type];
    const { markets, findings } = checkOkx(Array.isArray(entries) ? { data: entries } : entries);
    expect(findings).toEqual([]);
    expect(markets.length).toBeGreaterThan(80);
  });
});
