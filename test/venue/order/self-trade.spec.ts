import { describe, expect, test } from 'vitest';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { SelfTradePrevention } from '../../../src/model/self-trade-prevention.js';
import type { ChildSubmission, ExecutionReport } from '../../../src/model/venue-message.js';
import { emptyTouch, instrumentAt, SimulatedExchange, type Wish } from '../simulated-exchange.js';

const PREVENTED = { code: 'INVALID_ORDER', message: expect.stringContaining('self-trade prevention') };

/** Two bids of 1,000 lots at a price that nobody else is at: the first in line is Alice's. */
function bids(first = 'alice', second = 'bob') {
  const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
  const price = emptyTouch(venue, 'BUY');
  const bid = (account: string): ChildSubmission => venue.submit({ account, limitPrice: price, quantity: 1_000 }).order;
  const orders = [bid(first), bid(second)] as const;
  const sell = (selfTradePrevention: SelfTradePrevention, wish: Partial<Wish> = {}): string[] => {
    const order = { side: 'SELL', limitPrice: price, quantity: 400, timeInForce: 'IOC', selfTradePrevention } as const;
    return told(venue.submit({ ...order, ...wish }).reports);
  };
  return { venue, price, orders, sell };
}

/** What was told of whom: `2 Filled 400` for the order with id 2. */
function told(reports: readonly ExecutionReport[]): string[] {
  return reports.map((report) => {
    const name = `${report.orderId} ${report.kind}`;
    if (report.kind === 'Filled') return `${name} ${report.fill.quantity}`;
    if (report.kind !== 'Cancelled') return name;
    if (report.cause !== null) expect(report.cause).toMatchObject(PREVENTED);
    return `${name} after ${report.filled}${report.cause === null ? '' : ', prevented'}`;
  });
}

function quantityLeft(venue: SimulatedExchange, price: number): number {
  return venue.market.bid === price ? venue.market.bidQuantity : 0;
}

/** All of an account's money is free again. */
function isAllFree(venue: SimulatedExchange, account = 'alice'): boolean {
  return ['BTC', 'USDT'].every((asset) => {
    const { free, total } = venue.balance(asset, account);
    return free === total;
  });
}

// Order 1 has emptied the touch; 2 and 3 are the bids, 4 is what is sold to them.
describe('An order that would meet another of its account', () => {
  test('NONE: trades with it', () => {
    const { venue, price, sell } = bids();
    expect(sell('NONE')).toEqual(['4 Accepted', '2 Filled 400', '4 Filled 400']);
    expect(quantityLeft(venue, price)).toBe(1_600);
  });

  test('EXPIRE_TAKER: ends, and the one that waits keeps its place', () => {
    const { venue, price, sell } = bids();
    expect(sell('EXPIRE_TAKER')).toEqual(['4 Accepted', '4 Cancelled after 0, prevented']);
    expect(quantityLeft(venue, price)).toBe(2_000);
    expect(sell('NONE', { account: 'carol' })).toEqual(['5 Accepted', '2 Filled 400', '5 Filled 400']);
  });

  test('EXPIRE_TAKER: ends with what it has left after it met others', () => {
    const { venue, price, sell } = bids('bob', 'alice');
    const reports = sell('EXPIRE_TAKER', { quantity: 1_500 });
    expect(reports).toEqual(['4 Accepted', '2 Filled 1000', '4 Filled 1000', '4 Cancelled after 1000, prevented']);
    expect(quantityLeft(venue, price)).toBe(1_000);
  });

  test('EXPIRE_TAKER: an order that could rest does not rest across the other', () => {
    const { venue, sell } = bids();
    expect(sell('EXPIRE_TAKER', { timeInForce: 'GTC' })).toEqual(['4 Accepted', '4 Cancelled after 0, prevented']);
    expect(venue.balance('BTC')).toMatchObject({ free: venue.balance('BTC').total });
  });

  test('EXPIRE_MAKER: ends the other, frees its money and goes on to the next', () => {
    const { venue, price, sell } = bids();
    const reports = sell('EXPIRE_MAKER');
    expect(reports).toEqual(['4 Accepted', '2 Cancelled after 0, prevented', '3 Filled 400', '4 Filled 400']);
    expect(quantityLeft(venue, price)).toBe(600);
    expect(isAllFree(venue)).toBe(true);
  });

  test('EXPIRE_BOTH: both end, and the next is not met', () => {
    const { venue, price, sell } = bids();
    const reports = sell('EXPIRE_BOTH');
    expect(reports).toEqual(['4 Accepted', '2 Cancelled after 0, prevented', '4 Cancelled after 0, prevented']);
    expect(quantityLeft(venue, price)).toBe(1_000);
    expect(isAllFree(venue)).toBe(true);
  });

  test('DECREMENT: the smaller ends and the larger loses as much', () => {
    const { venue, price, orders, sell } = bids();
    expect(sell('DECREMENT')).toEqual(['4 Accepted', '4 Cancelled after 0, prevented']);
    expect(quantityLeft(venue, price)).toBe(1_600);
    expect(sell('NONE', { account: 'carol', quantity: 700 })).toEqual([
      '5 Accepted',
      '2 Filled 600',
      '2 Cancelled after 600, prevented',
      '5 Filled 600',
      '3 Filled 100',
      '5 Filled 100',
    ]);
    expect(venue.query(orders[0]).at(-1)).toMatchObject({ answer: { state: 'CANCELLED', cause: PREVENTED } });
    expect(isAllFree(venue)).toBe(true);
  });

  test('DECREMENT: the larger newcomer goes on with what it has left', () => {
    const { venue, sell } = bids();
    const reports = sell('DECREMENT', { quantity: 1_500 });
    expect(reports).toEqual([
      '4 Accepted',
      '2 Cancelled after 0, prevented',
      '3 Filled 500',
      '4 Filled 500',
      '4 Cancelled after 500, prevented',
    ]);
    expect(isAllFree(venue)).toBe(true);
  });

  test('a sub-account is another account', () => {
    const { sell } = bids('alice/desk');
    expect(sell('EXPIRE_TAKER')).toEqual(['4 Accepted', '2 Filled 400', '4 Filled 400']);
  });

  test('in a perpetual, what the other had tied up is free again', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT:USDT'), isAlone: true });
    const price = emptyTouch(venue, 'BUY');
    venue.submit({ limitPrice: price, quantity: 100 });
    const selfTradePrevention = 'EXPIRE_BOTH';
    venue.submit({ side: 'SELL', limitPrice: price, quantity: 100, selfTradePrevention });
    expect(isAllFree(venue)).toBe(true);
  });
});

function amend(
  venue: SimulatedExchange,
  { account, venue: at, orderId, child }: ChildSubmission,
  price: number,
): readonly ExecutionReport[] {
  const ref = { account, venue: at, orderId, child };
  return venue.ask({ kind: 'Amend', ...ref, quantity: null as Lots | null, limitPrice: price as Ticks });
}

describe('An amended order', () => {
  test.each([false, true])('is kept apart as was asked when it was new; restarted before: %s', (isRestarted) => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
    const limitPrice = venue.market.ask + 200_000;
    const { order } = venue.submit({ side: 'SELL', limitPrice, quantity: 400, selfTradePrevention: 'EXPIRE_TAKER' });
    if (isRestarted) venue.restart();
    const price = emptyTouch(venue, 'BUY');
    const waiting = venue.submit({ limitPrice: price, quantity: 1_000 }).order;
    expect(told(amend(venue, order, price))).toEqual(['1 Cancelled after 0, prevented']);
    expect(venue.query(waiting).at(-1)).toMatchObject({ answer: { state: 'OPEN' }, filled: 0 });
    expect(isAllFree(venue)).toBe(false);
    venue.cancel(waiting);
    expect(isAllFree(venue)).toBe(true);
  });
});

test('a mode that the exchange does not offer is refused, saying which it does', () => {
  const venue = new SimulatedExchange({ instrument: instrumentAt('HYPERLIQUID', 'BTC/USDT'), isAlone: true });
  const { reports } = venue.submit({ type: 'MARKET', quantity: 1_000, selfTradePrevention: 'EXPIRE_TAKER' });
  const message = 'self_trade_prevention EXPIRE_TAKER: HYPERLIQUID offers NONE, EXPIRE_MAKER';
  expect(reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'INVALID_ORDER', message } }]);
});
