import { describe, expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/domain/rejection.js';
import { tradingRules } from '../../../src/venue/listing/exchange-listing.js';

const HEADINGS = 'symbol tick lot quantity market cost price';

describe('a table of trading rules', () => {
  test('is read exactly, in lots and ticks', () => {
    const rules = tradingRules(`
      symbol          tick   lot      quantity       market    cost        price
      BTC/USDT        0.01   0.00001  0.00002..9000  97.09521  5..9000000  0.05..1000000
      DOGE/USDT:USDT  1      1        1..500         500       5..         1..10
    `);
    expect(rules).toEqual([
      {
        symbol: 'BTC/USDT',
        pricePrecision: 2,
        quantityPrecision: 5,
        quantityMin: 2,
        quantityMax: 900_000_000,
        marketQuantityMax: 9_709_521,
        notionalMin: 50_000_000,
        notionalMax: 90_000_000_000_000,
        priceMin: 5,
        priceMax: 100_000_000,
      },
      {
        symbol: 'DOGE/USDT:USDT',
        pricePrecision: 0,
        quantityPrecision: 0,
        quantityMin: 1,
        quantityMax: 500,
        marketQuantityMax: 500,
        notionalMin: 5,
        notionalMax: Number.MAX_SAFE_INTEGER,
        priceMin: 1,
        priceMax: 10,
      },
    ]);
  });

  test.each([
    ['other headings', 'symbol lot tick quantity market cost price'],
    ['a missing cell', `${HEADINGS}\nA/B 0.1 0.1 1..2 1 1..2`],
    ['a step that is no power of ten', `${HEADINGS}\nA/B 0.5 0.1 1..2 1 1..2 1..2`],
    ['a bound between two steps', `${HEADINGS}\nA/B 0.1 0.1 1..2.05 1 1..2 1..2`],
    ['a least value of 0', `${HEADINGS}\nA/B 0.1 0.1 0..2 1 1..2 1..2`],
    ['a range that runs downwards', `${HEADINGS}\nA/B 0.1 0.1 3..2 1 1..2 1..2`],
    ['a MARKET order larger than a LIMIT order', `${HEADINGS}\nA/B 0.1 0.1 1..2 3 1..2 1..2`],
  ])('throws InvariantViolation for %s', (_name, table) => {
    expect(() => tradingRules(table)).toThrow(InvariantViolation);
  });
});
