import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Amount, formatAmount } from '../../src/domain/quantity.js';
import { lotsFor } from '../../src/api/pair/leg-parser.js';
import { isRejected } from '../../src/domain/rejection.js';
import { BITCOIN } from './order-requests.js';

const UNIT = 10n ** 18n;
/** Twice the value of one lot at one tick, in units of 10^-18. */
const TWICE_LOT_TICK = (2n * UNIT) / 10n ** BigInt(BITCOIN.quantityPrecision + BITCOIN.pricePrecision);

it('buys the most lots that the target value pays for', () => {
  const value = fc.bigInt({ min: 1n, max: 10n ** 27n }).map((units) => units as Amount);
  const twicePrice = fc.integer({ min: 2, max: 20_000_000 });
  fc.assert(
    fc.property(value, twicePrice, (money, price) => {
      const quantity = lotsFor({ targetValue: money, ccy: 'USDT' }, price, BITCOIN);
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
  ['10^-18 less than one lot more', '6000.599999999999999999', 10_000],
])('rounds the target value down to lots: %s', (_what, value, lots) => {
  const [whole = '', fraction = ''] = value.split('.');
  const units = BigInt(whole + fraction.padEnd(18, '0')) as Amount;
  expect(lotsFor({ targetValue: units, ccy: 'USDT' }, 2 * 6_000_000, BITCOIN)).toBe(lots);
});
