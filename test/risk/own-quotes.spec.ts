import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentOrder, Side, Leg } from '../../src/domain/order.js';
import type { Ticks } from '../../src/domain/quantity.js';
import { mayMeet, OwnQuotes, reachOf } from '../../src/risk/self-cross.js';
import { parentOrder } from '../http/orders.js';

const order = fc.record({
  orderId: fc.integer({ min: 1, max: 12 }).map((id) => id as OrderId),
  side: fc.constantFrom<Side>('BUY', 'SELL'),
  instrument: fc.constantFrom(0 as InstrumentIndex, 1 as InstrumentIndex),
  limitPrice: fc.option(fc.integer({ min: 1, max: 5 }).map((ticks) => ticks as Ticks)),
});
const step = fc.record({ order: order.map((fields) => parentOrder(fields)), isOpened: fc.boolean() });

it('finds the own order that an order would match first, like a scan of all orders', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), order, (steps, asked) => {
      const quotes = new OwnQuotes();
      const open = new Map<OrderId, ParentOrder>();
      for (const { order: one, isOpened } of steps) {
        const before = open.get(one.orderId);
        if (before !== undefined) quotes.remove(one.orderId, before.legs[0]);
        open.delete(one.orderId);
        if (isOpened) quotes.add(one.orderId, one.legs[0]);
        if (isOpened) open.set(one.orderId, one);
      }
      const [own] = parentOrder(asked).legs;
      const others = [...open.values()].filter(
        ({ legs: [one] }) => one.instrument === own.instrument && one.side !== own.side && isMet(own, one),
      );
      const found = quotes.opposite(own);
      const meets = found !== null && mayMeet(reachOf(own), found.reach);
      expect(meets).toBe(others.length > 0);
      if (meets) expect(others.map(({ orderId }) => orderId)).toContain(found.orderId);
    }),
  );
});

/** Compares prices: a buy at or above a sell matches. An order without a limit matches every order. */
function isMet(one: Leg, other: Leg): boolean {
  const [buy, sell] = one.side === 'BUY' ? [one, other] : [other, one];
  return buy.limitPrice === null || sell.limitPrice === null || buy.limitPrice >= sell.limitPrice;
}
