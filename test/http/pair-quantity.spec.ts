import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAmount, type Amount } from '../../src/model/amount.js';
import { lotsFor } from '../../src/http/parse/leg-target.js';
import { isRejected } from '../../src/model/rejection.js';
import { BITCOIN } from './order-requests.js';

const UNIT = 10n ** 18n;
/** One lot at one tick, twice over, in units of 10^-18. */
const TWICE_LOT_TICK = (2n * UNIT) / 10n ** BigInt(BITCOIN.quantityPrecision + BITCOIN.pricePrecision);

it('is the most that the money buys, never a lot more', () => {
  const value = fc.bigInt({ min: 1n, max: 10n ** 27n }).map((units) => units as Amount);
  const twicePrice = fc.integer({ min: 2, max: 20_000_000 });
  fc.assert(
    fc.property(value, twicePrice, (money, price) => {
      const quantity = lotsFor({ value: money, ccy: 'USDT', quantity: null }, price, BITCOIN);
      const costs = (lots: bigint) => (lots * BigInt(price) * TWICE_LOT_TICK) / 4n;
      if (isRejected(quantity)) {
        const { code } = quantity.rejection;
        const least = [BigInt(BITCOIN.quantityMin), (2n * BigInt(BITCOIN.notionalMin)) / BigInt(price) + 1n];
        if (code === 'QUANTITY_EXCEED') expect(costs(BigInt(BITCOIN.quantityMax))).toBeLessThan(money);
        else expect(costs(least[0]! > least[1]! ? least[0]! : least[1]!)).toBeGreaterThan(money);
        return;
      }
      expect(costs(BigInt(quantity)), formatAmount(money)).toBeLessThanOrEqual(money);
      expect(costs(BigInt(quantity) + 1n)).toBeGreaterThan(money);
    }),
  );
});

it.each([
  ['exactly one lot more', '6000.6', 10_001],
  ['a hair less', '6000.599999999999999999', 10_000],
])('%s', (_what, value, lots) => {
  const [whole = '', fraction = ''] = value.split('.');
  const units = BigInt(whole + fraction.padEnd(18, '0')) as Amount;
  expect(lotsFor({ value: units, ccy: 'USDT', quantity: null }, 2 * 6_000_000, BITCOIN)).toBe(lots);
});
