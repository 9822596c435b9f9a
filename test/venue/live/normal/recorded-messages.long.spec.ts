import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../../src/venue/live/json/exact-json.js';
import { readBinanceSpotMarkets } from '../../../../src/venue/live/listing/binance-markets.js';
import { readBybitMarkets } from '../../../../src/venue/live/listing/bybit-markets.js';
import { readOkxMarkets } from '../../../../src/venue/live/listing/okx-markets.js';
import { recordedData } from '../../../recorded-data.js';
import { reading } from './findings.js';
import { BINANCE_ROWS } from './recorded-binance.js';
import { BYBIT_ROWS } from './recorded-bybit.js';
import { OKX_ROWS } from './recorded-okx.js';
import { wrongMembers } from './recorded-rows.js';

const MESSAGES = recordedData('exchange-messages');

describe('recorded messages in MARKET_DATA', () => {
  test.each([...BINANCE_ROWS, ...BYBIT_ROWS, ...OKX_ROWS])('reads $file', ({ file, reader, expected }) => {
    const raw = parseExactJson(readFileSync(join(MESSAGES, file), 'utf8'));
    const { result, findings } = reading((report) => reader(raw, report));
    expect(findings).toEqual([]);
    expect(wrongMembers(result, expected(raw))).toEqual([]);
  });

  test.each([
    ['bybit/http_get_instruments_linear.json', 2, 0, 0],
    ['bybit/http_get_instruments_spot_xstocks.json', 1, 0, 0],
    ['okx/http_get_instruments_swap.json', 2, 0, 1],
    // It has no filters, and its symbol allows no self-trade prevention.
    ['binance/spot/http_json/exchange_info_response.json', 0, 1, 0],
  ])('reads the market list %s', (file, listed, skippedCount, outOfScopeCount) => {
    const raw = parseExactJson(readFileSync(join(MESSAGES, file), 'utf8'));
    const { result } = reading(() => {
      if (file.startsWith('okx')) return readOkxMarkets(raw, () => {});
      if (file.startsWith('binance')) return readBinanceSpotMarkets(raw, () => {});
      return readBybitMarkets(raw, file.includes('linear') ? 'FUTURE' : 'SPOT', () => {});
    });
    expect(result.markets).toHaveLength(listed);
    expect(result).toMatchObject({ skippedCount, outOfScopeCount });
  });
});
