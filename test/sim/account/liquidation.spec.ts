import { describe, expect, test } from 'vitest';
import { amountOf } from '../../../src/domain/quantity.js';
import { FUNDING_INTERVAL_MS, LIQUIDATION_FEE_PPM } from '../../../src/domain/limits/trading.js';
import { decodeHouse } from '../../../src/sim/account/account-registry.js';
import { imbalances } from '../audit.js';
import { FuturesRig, START_USDT, UNIT } from './futures-rig.js';

const insurance = ({ venue }: FuturesRig): bigint => {
  const row = venue.store.get(`house/${venue.instrument.venue}`);
  return row === undefined ? 0n : (decodeHouse(row).insurance.get('USDT') ?? 0n);
};

/** A long position of nine tenths of the notional that the account can carry. */
function largeLong(): FuturesRig {
  const rig = new FuturesRig();
  const carried = (START_USDT * 9n) / (BigInt(rig.venue.market.ask) * UNIT);
  for (let left = Number(carried); left > 0; left -= 300_000) {
    rig.venue.submit({ type: 'MARKET', quantity: Math.min(300_000, left) });
  }
  return rig;
}

describe('liquidation', () => {
  test('starts at the reported liquidation price of a long position and not one tick before', () => {
    const rig = largeLong();
    const { liquidationPrice } = rig.positions()[0]!;
    rig.marks.price = liquidationPrice! + 1;
    rig.venue.pass(2_000, 1_000);
    expect(rig.forcedCount).toBe(0);
    rig.marks.price = liquidationPrice!;
    rig.venue.pass(1_000);
    expect(rig.forcedCount).toBe(1);
  });

  test('starts at the reported liquidation price of a short position, backed by the whole balance', () => {
    const rig = new FuturesRig();
    rig.venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300_000 });
    const { liquidationPrice, collateral } = rig.positions()[0]!;
    expect(collateral).toBeGreaterThan(START_USDT - amountOf(5_000, 0));
    rig.marks.price = liquidationPrice! - 1;
    rig.venue.pass(2_000, 1_000);
    expect(rig.forcedCount).toBe(0);
    rig.marks.price = liquidationPrice!;
    rig.venue.pass(1_000);
    expect(rig.forcedCount).toBe(1);
    expect(imbalances(rig.venue.store)).toEqual({});
  });

  test("first cancels the account's orders with a reason", () => {
    const rig = largeLong();
    const { order } = rig.venue.submit({ limitPrice: rig.venue.market.bid - 2_000, quantity: 1_000 });
    rig.marks.price = rig.positions()[0]!.liquidationPrice!;
    rig.venue.pass(1_000);
    expect(rig.venue.query(order).at(-1)).toMatchObject({
      answer: { state: 'CANCELLED', cause: { code: 'INSUFFICIENT_FUNDS', message: /liquidation/ } },
    });
  });

  test('pays a fee to the insurance fund, at most LIQUIDATION_FEE_PPM of the notional', () => {
    const rig = largeLong();
    const { cost, liquidationPrice } = rig.positions()[0]!;
    rig.marks.price = liquidationPrice!;
    rig.venue.pass(1_000);
    expect(insurance(rig)).toBeGreaterThan(0n);
    expect(insurance(rig)).toBeLessThanOrEqual((cost * UNIT * BigInt(LIQUIDATION_FEE_PPM)) / 1_000_000n);
    expect(imbalances(rig.venue.store)).toEqual({});
  });

  test('takes a deficit beyond the whole balance from the insurance fund', () => {
    const rig = largeLong();
    const { net } = rig.positions()[0]!;
    // The test sets a funding rate of twice the whole balance.
    rig.marks.ratePpm = Number((2n * START_USDT * 1_000_000n) / (BigInt(net) * BigInt(rig.marks.price) * UNIT));
    rig.venue.pass(FUNDING_INTERVAL_MS, FUNDING_INTERVAL_MS);
    rig.marks.ratePpm = 0;
    for (let looks = 0; looks < 60 && rig.positions().length > 0; looks += 1) rig.venue.pass(1_000, 1_000);
    expect(rig.positions()).toEqual([]);
    expect(rig.venue.balance('USDT').total).toBe(0n);
    expect(insurance(rig)).toBeLessThan(0n);
    expect(imbalances(rig.venue.store)).toEqual({});
  });

  test('is neither lost nor repeated when the process dies', () => {
    const rig = new FuturesRig();
    rig.venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300_000 });
    rig.marks.price = rig.positions()[0]!.liquidationPrice!;
    rig.venue.nowMs += 1_000;
    rig.venue.restart();
    rig.venue.restart();
    rig.venue.pass(3_000, 1_000);
    expect(rig.forcedCount).toBe(1);
    expect(rig.positions()).toEqual([]);
    expect(imbalances(rig.venue.store)).toEqual({});
  });
});

describe('a funding loss', () => {
  test('ends the newest orders until the balance covers the rest', () => {
    const rig = new FuturesRig();
    const { venue, marks } = rig;
    venue.submit({ type: 'MARKET', quantity: 400_000 });
    const limitPrice = venue.market.bid - 2_000;
    const orders = [300_000, 1_000_000, 1_200_000].map((quantity) => venue.submit({ limitPrice, quantity }).order);
    const { free } = venue.balance('USDT');
    // The test sets a funding rate of twice the free balance.
    marks.ratePpm = Number((2n * free * 1_000_000n) / (400_000n * BigInt(marks.price) * UNIT));
    venue.pass(FUNDING_INTERVAL_MS, FUNDING_INTERVAL_MS);
    const states = orders.map((order) => venue.query(order).at(-1));
    expect(states.map((report) => (report?.kind === 'StatusAnswered' ? report.answer.state : null))).toEqual([
      'OPEN',
      'OPEN',
      'CANCELLED',
    ]);
    expect(states.at(-1)).toMatchObject({
      answer: { cause: { code: 'INSUFFICIENT_FUNDS', message: /a loss left too little USDT/ } },
    });
    expect(venue.balance('USDT').free).toBeGreaterThan(0n);
  });
});
