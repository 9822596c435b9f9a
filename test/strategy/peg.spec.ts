import { describe, expect, test } from 'vitest';
import { Depth } from '../../src/domain/market.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots } from '../../src/domain/quantity.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const { bid: BID, ask: ASK } = marketOf();

/** A book with levels 10 ticks apart on both sides of the market. */
function bookAt(bid: number, count = 5): Depth {
  const depth = new Depth();
  for (const [side, best, step] of [
    [depth.bids, bid, -10],
    [depth.asks, bid + (ASK - BID), 10],
  ] as const) {
    side.count = count;
    for (let level = 0; level < count; level += 1) {
      side.prices[level] = best + step * level;
      side.quantities[level] = 100;
    }
  }
  return depth;
}

function open(change: Partial<FlatTerms>, depth?: Depth): OrderRig {
  const order = orderOf({ style: 'PASSIVE', quantity: 10_000 as Lots, ...change });
  const rig = new OrderRig(order, strategyFor(order) as never, BTC);
  rig.depth = depth;
  rig.look();
  rig.exchange();
  return rig;
}

function move(rig: OrderRig, bid: number): void {
  if (rig.depth !== undefined) rig.depth = bookAt(bid);
  rig.onMarket(marketOf({ bid, ask: bid + (ASK - BID), last: bid }), 0);
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

const prices = (rig: OrderRig): (number | null)[] => placed(rig).map(({ limitPrice }) => limitPrice);

test('TIGHT follows the best own level at each change, DEFAULT after a wait', () => {
  const [tight, usual] = [open({ placement: { mode: 'TIGHT' } }), open({})];
  for (const rig of [tight, usual]) {
    rig.passUntil(START_MS + 2_500);
    move(rig, BID + 20);
    rig.passUntil(START_MS + 2_600);
  }
  expect(prices(tight)).toEqual([BID, BID + 20]);
  expect(prices(usual)).toEqual([BID]);
});

describe('CUSTOM', () => {
  const placement = { mode: 'CUSTOM', level: 2, cancelLevel: 4 } as const;

  test('places at its level of the own side', () => {
    expect(prices(open({ placement }, bookAt(BID)))).toEqual([BID - 10]);
    expect(prices(open({ placement, side: 'SELL' }, bookAt(BID)))).toEqual([ASK + 10]);
  });

  test('withdraws a child once it has reached its cancel level, and not before', () => {
    const rig = open({ placement }, bookAt(BID));
    rig.passUntil(START_MS + 2_000);
    move(rig, BID + 10);
    rig.passUntil(START_MS + 2_500);
    expect(prices(rig)).toEqual([BID - 10]);
    move(rig, BID + 20);
    rig.passUntil(START_MS + 3_000);
    expect(prices(rig)).toEqual([BID - 10, BID + 10]);
  });

  test('rests at the last level of a book with fewer levels', () => {
    expect(prices(open({ placement }, bookAt(BID, 1)))).toEqual([BID]);
  });

  test('waits until the depth is known', () => {
    const rig = open({ placement });
    expect(placed(rig)).toEqual([]);
    rig.depth = bookAt(BID);
    rig.onMarket(marketOf(), 0);
    expect(prices(rig)).toEqual([BID - 10]);
  });

  test('never rests beyond its limit price', () => {
    expect(prices(open({ placement, limitPrice: (BID - 50) as never }, bookAt(BID)))).toEqual([BID - 50]);
  });
});
