import { describe, expect, test } from 'vitest';
import type { SelfTradePrevention } from '../../../src/domain/instrument.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import { emptyTouch, instrumentAt, SimulatedExchange, type OrderFields } from '../simulated-exchange.js';

const PREVENTED = { code: 'INVALID_ORDER', message: expect.stringContaining('self-trade prevention') };

/** Two bids of 1,000 lots at a price without other orders; Alice's bid is first. */
function bids(first = 'alice', second = 'bob') {
  const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true });
  const price = emptyTouch(venue, 'BUY');
  const bid = (account: string): ChildSubmission => venue.submit({ account, limitPrice: price, quantity: 1_000 }).order;
  const orders = [bid(first), bid(second)] as const;
  const sell = (selfTradePrevention: SelfTradePrevention, fields: Partial<OrderFields> = {}): string[] => {
    const order = { side: 'SELL', limitPrice: price, quantity: 400, timeInForce: 'IOC', selfTradePrevention } as const;
    return reported(venue.submit({ ...order, ...fields }).reports);
  };
  return { venue, price, orders, sell };
}

/** Reports in short form: `2 Filled 400` for the order with id 2. */
function reported(reports: readonly ExecutionReport[]): string[] {
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

/** True when no balance of the account is locked. */
function isAllFree(venue: SimulatedExchange, account = 'alice'): boolean {
  return ['BTC', 'USDT'].every((asset) => {
    const { free, total } = venue.balance(asset, account);
    return free === total;
  });
}

// Order 1 has emptied the touch; 2 and 3 are the bids, 4 is the sell order.
describe('an order that would trade with its own account', () => {
  test('NONE: trades', () => {
    const { venue, price, sell } = bids();
    expect(sell('NONE')).toEqual(['4 Accepted', '2 Filled 400', '4 Filled 400']);
    expect(quantityLeft(venue, price)).toBe(1_600);
  });

  test('EXPIRE_TAKER: ends, and the resting order keeps its queue position', () => {
    const { venue, price, sell } = bids();
    expect(sell('EXPIRE_TAKER')).toEqual(['4 Accepted', '4 Cancelled after 0, prevented']);
    expect(quantityLeft(venue, price)).toBe(2_000);
    expect(sell('NONE', { account: 'carol' })).toEqual(['5 Accepted', '2 Filled 400', '5 Filled 400']);
  });

  test('EXPIRE_TAKER: ends with its rest after trades with others', () => {
    const { venue, price, sell } = bids('bob', 'alice');
    const reports = sell('EXPIRE_TAKER', { quantity: 1_500 });
    expect(reports).toEqual(['4 Accepted', '2 Filled 1000', '4 Filled 1000', '4 Cancelled after 1000, prevented']);
    expect(quantityLeft(venue, price)).toBe(1_000);
  });

  test('EXPIRE_TAKER: does not rest across the other order', () => {
    const { venue, sell } = bids();
    expect(sell('EXPIRE_TAKER', { timeInForce: 'GTC' })).toEqual(['4 Accepted', '4 Cancelled after 0, prevented']);
    expect(venue.balance('BTC')).toMatchObject({ free: venue.balance('BTC').total });
  });

  test('EXPIRE_MAKER: ends the other order, releases its money and continues', () => {
    const { venue, price, sell } = bids();
    const reports = sell('EXPIRE_MAKER');
    expect(reports).toEqual(['4 Accepted', '2 Cancelled after 0, prevented', '3 Filled 400', '4 Filled 400']);
    expect(quantityLeft(venue, price)).toBe(600);
    expect(isAllFree(venue)).toBe(true);
  });

  test('EXPIRE_BOTH: ends both, and does not reach the next order', () => {
    const { venue, price, sell } = bids();
    const reports = sell('EXPIRE_BOTH');
    expect(reports).toEqual(['4 Accepted', '2 Cancelled after 0, prevented', '4 Cancelled after 0, prevented']);
    expect(quantityLeft(venue, price)).toBe(1_000);
    expect(isAllFree(venue)).toBe(true);
  });

  test('DECREMENT: ends the smaller order and reduces the larger one by the same quantity', () => {
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

  test('DECREMENT: continues with the rest when the taker is larger', () => {
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

  test('trades with a sub-account, which is another account', () => {
    const { sell } = bids('alice/desk');
    expect(sell('EXPIRE_TAKER')).toEqual(['4 Accepted', '2 Filled 400', '4 Filled 400']);
  });

  test('EXPIRE_BOTH in a perpetual: releases the margin of the resting order', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('BINANCE', 'BTC/USDT:USDT'), isAlone: true });
    const price = emptyTouch(venue, 'BUY');
    venue.submit({ limitPrice: price, quantity: 100 });
    const selfTradePrevention = 'EXPIRE_BOTH';
    venue.submit({ side: 'SELL', limitPrice: price, quantity: 100, selfTradePrevention });
    expect(isAllFree(venue)).toBe(true);
  });
});

test('refuses a mode that the exchange does not offer, and lists the offered ones', () => {
  const venue = new SimulatedExchange({ instrument: instrumentAt('HYPERLIQUID', 'BTC/USDT'), isAlone: true });
  const { reports } = venue.submit({ type: 'MARKET', quantity: 1_000, selfTradePrevention: 'EXPIRE_TAKER' });
  const message = 'self_trade_prevention EXPIRE_TAKER: HYPERLIQUID offers NONE, EXPIRE_MAKER';
  expect(reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'INVALID_ORDER', message } }]);
});
