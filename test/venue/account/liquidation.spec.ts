import { describe, expect, test } from 'vitest';
import { amountOf } from '../../../src/model/amount.js';
import type { AccountId } from '../../../src/model/ids.js';
import { FUNDING_INTERVAL_MS, LIQUIDATION_FEE_PPM } from '../../../src/model/limits.js';
import { decodeHouse } from '../../../src/venue/account/account-row.js';
import { imbalances } from '../audit.js';
import { FuturesDesk, START_USDT, UNIT } from './futures-desk.js';

const insurance = ({ venue }: FuturesDesk): bigint => {
  const row = venue.store.get(`house/${venue.instrument.venue}`);
  return row === undefined ? 0n : (decodeHouse(row).insurance.get('USDT') ?? 0n);
};

/** A long position at the highest leverage that carries it, alone in its margin. */
function isolatedLong(): FuturesDesk {
  const desk = new FuturesDesk();
  desk.isolate();
  expect(desk.setLeverage(100)).toBeNull();
  desk.venue.submit({ type: 'MARKET', quantity: 50_000 });
  return desk;
}

describe('liquidation of an ISOLATED position', () => {
  test('begins where the position said, one tick before it does not', () => {
    const desk = isolatedLong();
    const { liquidationPrice } = desk.positions()[0]!;
    desk.marks.price = liquidationPrice! + 1;
    desk.venue.pass(2_000, 1_000);
    expect(desk.forcedCount).toBe(0);
    desk.marks.price = liquidationPrice!;
    desk.venue.pass(1_000);
    expect(desk.forcedCount).toBe(1);
    expect(desk.positions()).toEqual([]);
  });

  test('ends the orders in the future first, and says why', () => {
    const desk = isolatedLong();
    const { order } = desk.venue.submit({ limitPrice: desk.venue.market.bid - 2_000, quantity: 1_000 });
    desk.marks.price = desk.positions()[0]!.liquidationPrice!;
    desk.venue.pass(1_000);
    expect(desk.venue.query(order).at(-1)).toMatchObject({
      answer: { state: 'CANCELLED', cause: { code: 'INSUFFICIENT_FUNDS', message: /liquidation/ } },
    });
    expect(desk.venue.balance('USDT').free).toBe(desk.venue.balance('USDT').total);
  });

  test('costs a fee to the insurance fund, at most what is left of the margin', () => {
    const desk = isolatedLong();
    const [{ initialMargin, cost, liquidationPrice }] = desk.positions() as [
      NonNullable<ReturnType<typeof desk.positions>[0]>,
    ];
    const before = desk.venue.balance('USDT').total;
    desk.marks.price = liquidationPrice!;
    desk.venue.pass(1_000);
    const loss = before - desk.venue.balance('USDT').total;
    expect(loss).toBeLessThanOrEqual(initialMargin);
    expect(insurance(desk)).toBeGreaterThan(0n);
    expect(insurance(desk)).toBeLessThanOrEqual((cost * UNIT * BigInt(LIQUIDATION_FEE_PPM)) / 1_000_000n);
    expect(imbalances(desk.venue.store)).toEqual({});
  });

  test('the insurance fund pays what the margin does not cover, and the rest of the account is not touched', () => {
    const desk = isolatedLong();
    const { cost, net, initialMargin } = desk.positions()[0]!;
    const before = desk.venue.balance('USDT').total;
    // The mark stands still until the market has fallen by twice the margin.
    const entry = Number(cost) / net;
    for (let hours = 0; desk.venue.market.bid > entry * 0.98; hours += 8) {
      expect(hours).toBeLessThan(2_000);
      desk.venue.pass(8 * 3_600_000, 8 * 3_600_000);
      desk.venue.submit({ account: 'bob', quantity: 100, limitPrice: desk.venue.market.bid - 1_000 });
    }
    desk.marks.price = desk.venue.market.bid;
    for (let looks = 0; looks < 20 && desk.positions().length > 0; looks += 1) desk.venue.pass(1_000);
    expect(before - desk.venue.balance('USDT').total).toBe(initialMargin);
    expect(insurance(desk)).toBeLessThan(0n);
    expect(imbalances(desk.venue.store)).toEqual({});
  });

  test('is neither lost nor repeated when the process dies', () => {
    const desk = isolatedLong();
    desk.marks.price = desk.positions()[0]!.liquidationPrice!;
    desk.venue.nowMs += 1_000;
    desk.venue.restart();
    desk.venue.restart();
    desk.venue.pass(3_000, 1_000);
    expect(desk.forcedCount).toBe(1);
    expect(desk.positions()).toEqual([]);
    expect(imbalances(desk.venue.store)).toEqual({});
  });
});

describe('liquidation of a CROSS position', () => {
  test('takes the whole balance to be behind it', () => {
    const desk = new FuturesDesk();
    desk.venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300_000 });
    const { liquidationPrice, collateral } = desk.positions()[0]!;
    expect(collateral).toBeGreaterThan(START_USDT - amountOf(5_000, 0));
    desk.marks.price = liquidationPrice! - 1;
    desk.venue.pass(2_000, 1_000);
    expect(desk.forcedCount).toBe(0);
    desk.marks.price = liquidationPrice!;
    desk.venue.pass(1_000);
    expect(desk.forcedCount).toBe(1);
    expect(imbalances(desk.venue.store)).toEqual({});
  });

  test('a loss that leaves too little ends orders, the newest first, until the rest is covered', () => {
    const desk = new FuturesDesk();
    const { venue, marks } = desk;
    const amount = amountOf(700_000, 0);
    desk.set({ kind: 'Transfer', to: 'alice/x' as AccountId, asset: 'USDT', amount, transferId: '1' });
    desk.setLeverage(1);
    venue.submit({ type: 'MARKET', quantity: 40_000 });
    const limitPrice = venue.market.bid - 2_000;
    const orders = [20_000, 45_000].map((quantity) => venue.submit({ limitPrice, quantity }).order);
    const { free } = venue.balance('USDT');
    // Funding as only a test would set it: twice what is free.
    marks.ratePpm = Number((2n * free * 1_000_000n) / (40_000n * BigInt(marks.price) * UNIT));
    venue.pass(FUNDING_INTERVAL_MS, FUNDING_INTERVAL_MS);
    const states = orders.map((order) => venue.query(order).at(-1));
    expect(states).toMatchObject([
      { answer: { state: 'OPEN' } },
      { answer: { state: 'CANCELLED', cause: { code: 'INSUFFICIENT_FUNDS', message: /a loss left too little USDT/ } } },
    ]);
    expect(venue.balance('USDT').free).toBeGreaterThan(0n);
  });
});
