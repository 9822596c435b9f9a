import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fill } from '../../src/domain/event.js';
import { exchangeTradeId, tradeIdsOf } from '../../src/domain/trade-id.js';

it('keeps an integer id below 2^52 as the number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 52 - 1 }), (id) => {
      expect(tradeIdsOf(String(id))).toEqual({ tradeId: id, exchangeTradeId: '' });
    }),
  );
});

it('makes a number from 2^52 to 2^53 for every other id, and keeps the text', () => {
  const other = fc.oneof(
    fc.uuid(),
    fc.bigInt({ min: 2n ** 52n, max: 2n ** 200n }).map(String),
    fc.constantFrom('007', '', '1e3', '-1', '1.5', ' 1'),
  );
  fc.assert(
    fc.property(other, (text) => {
      const { tradeId, exchangeTradeId: kept } = tradeIdsOf(text);
      expect(kept).toBe(text);
      expect(tradeId).toBeGreaterThanOrEqual(2 ** 52);
      expect(tradeId).toBeLessThan(2 ** 53);
    }),
  );
});

it('gives back the text of the exchange', () => {
  for (const text of ['0', '42', '4503599627370495', '9007199254740993', '5d8a4e2e-1c1f-4a43-9f1c-0a9b7f3b2c11']) {
    expect(exchangeTradeId({ ...tradeIdsOf(text) } as Fill)).toBe(text);
  }
});

it('gives a million texts that differ in one character different numbers', () => {
  const numbers = new Float64Array(1_000_000);
  for (let index = 0; index < numbers.length; index += 1) {
    numbers[index] = tradeIdsOf(`5d8a4e2e-1c1f-4a43-9f1c-${index.toString(16).padStart(12, '0')}`).tradeId;
  }
  // A sort is several times faster than a set of as many numbers.
  numbers.sort();
  expect(numbers.findIndex((number, index) => number === numbers[index + 1])).toBe(-1);
});
