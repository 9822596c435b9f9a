import { describe, expect, test } from 'vitest';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { ChildSubmission } from '../../src/model/venue-message.js';
import { PriceLevel } from '../../src/venue/price-level.js';
import { termsOf } from '../../src/venue/account/trading-terms.js';
import { VenueAccount } from '../../src/venue/account/venue-account.js';
import { VenueOrder } from '../../src/venue/order/venue-order.js';
import { instrumentAt } from './simulated-exchange.js';

const TERMS = termsOf(instrumentAt('BINANCE', 'BTC/USDT'));
const PRICE = 6_400_000 as Ticks;

function order(quantity: number): VenueOrder {
  const content = { version: 0, balances: new Map(), positions: new Map() };
  const account = new VenueAccount('alice' as VenueAccount['account'], 'BINANCE', content);
  const submission = { side: 'BUY', quantity, limitPrice: PRICE } as unknown as ChildSubmission;
  const standing = { state: 'REJECTED', rejection: { code: 'OTHER', message: '' } } as const;
  return new VenueOrder(account, TERMS, submission, { sequence: 1, standing });
}

/** Takes lot by lot until the level is empty; says who gave each run of lots. */
function drain(level: PriceLevel): [maker: VenueOrder | null, quantity: number][] {
  const runs: [VenueOrder | null, number][] = [];
  while (!level.isEmpty) {
    const { maker, quantity } = level.take(1 as Lots);
    if (maker !== null) maker.filled = (maker.filled + quantity) as Lots;
    const latest = runs.at(-1);
    if (latest?.[0] === maker) latest[1] += quantity;
    else runs.push([maker, quantity]);
  }
  return runs;
}

describe('a price level', () => {
  test('trades in order of time: background that was there before, then the order, then what came later', () => {
    const level = new PriceLevel(PRICE);
    const [first, second] = [order(5), order(7)];
    level.changeBackground(10);
    level.enqueue(first);
    level.changeBackground(3);
    level.enqueue(second);
    level.changeBackground(2);
    expect(level.quantity).toBe(27);
    expect(drain(level)).toEqual([
      [null, 10],
      [first, 5],
      [null, 3],
      [second, 7],
      [null, 2],
    ]);
  });

  test('background that is taken back leaves from the rear', () => {
    const level = new PriceLevel(PRICE);
    const [first, second] = [order(5), order(7)];
    level.changeBackground(10);
    level.enqueue(first);
    level.changeBackground(3);
    level.enqueue(second);
    level.changeBackground(2);
    level.changeBackground(-6);
    expect(drain(level)).toEqual([
      [null, 9],
      [first, 5],
      [second, 7],
    ]);
  });

  test('a cancelled order leaves the others their places', () => {
    const level = new PriceLevel(PRICE);
    const [first, second, third] = [order(5), order(7), order(9)];
    for (const each of [first, second, third]) {
      level.changeBackground(1);
      level.enqueue(each);
    }
    level.remove(second);
    level.remove(third);
    expect(level.quantity).toBe(8);
    expect(drain(level)).toEqual([
      [null, 1],
      [first, 5],
      [null, 2],
    ]);
  });
});
