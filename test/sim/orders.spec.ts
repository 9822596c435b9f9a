import { describe, expect, test } from 'vitest';
import { emptyTouch, fillsOf, instrumentAt, SimulatedExchange } from './simulated-exchange.js';

const BTC = instrumentAt('BINANCE', 'BTC/USDT');

function exchange(): SimulatedExchange {
  return new SimulatedExchange({ instrument: BTC });
}

describe('taking orders', () => {
  test('a MARKET order trades level by level, and the background returns later', () => {
    const venue = exchange();
    const { ask, askQuantity } = venue.market;
    const { reports } = venue.submit({ type: 'MARKET', quantity: askQuantity + 10 });
    expect(reports.map(({ kind }) => kind)).toEqual(['Accepted', 'Filled', 'Filled']);
    const [first, second] = fillsOf(reports);
    expect(first).toMatchObject({ price: ask, quantity: askQuantity, liquidity: 'TAKER' });
    expect(second).toMatchObject({ quantity: 10, liquidity: 'TAKER' });
    expect(second!.price).toBeGreaterThan(ask);
    expect(venue.market).toMatchObject({ ask: second!.price, last: second!.price, volume: askQuantity + 10 });
    expect(venue.prints.map(({ price, quantity }) => [price, quantity])).toEqual([
      [ask, askQuantity],
      [second!.price, 10],
    ]);
    venue.submit({ quantity: 100, limitPrice: ask - 10_000 });
    venue.pass(30_000);
    expect(venue.market.askQuantity).toBeGreaterThan(0);
    expect(venue.market.ask - venue.market.bid).toBeLessThan(ask / 10_000);
  });

  test('a MARKET order larger than the book fills partly and is cancelled', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('WOO', 'DOGE/USDT'), isWatched: true });
    const { reports } = venue.submit({ type: 'MARKET', quantity: 5_000_000 });
    expect(venue.market.ask).toBe(0);
    expect(reports.at(-1)).toMatchObject({ kind: 'Cancelled', cause: null });
    const filled = fillsOf(reports).reduce((sum, fill) => sum + fill.quantity, 0);
    expect(filled).toBeGreaterThan(0);
    expect(filled).toBeLessThan(5_000_000);
    venue.pass(200);
    expect(venue.market.ask).toBeGreaterThan(venue.market.bid);
  });

  test('a LIMIT IOC order trades up to its limit and ends', () => {
    const venue = exchange();
    const { ask, askQuantity } = venue.market;
    const { order, reports } = venue.submit({ timeInForce: 'IOC', limitPrice: ask, quantity: askQuantity + 5 });
    expect(reports.map(({ kind }) => kind)).toEqual(['Accepted', 'Filled', 'Cancelled']);
    expect(venue.query(order).at(-1)).toMatchObject({ answer: { state: 'CANCELLED', cause: null } });
  });

  test('a crossing LIMIT GTC order trades, and its rest enters the book', () => {
    const venue = exchange();
    const { ask, askQuantity } = venue.market;
    const { reports } = venue.submit({ limitPrice: ask, quantity: askQuantity + 5 });
    expect(reports.map(({ kind }) => kind)).toEqual(['Accepted', 'Filled']);
    expect(venue.market).toMatchObject({ bid: ask, bidQuantity: 5 });
  });

  test('two accounts trade at the price of the resting order', () => {
    const venue = exchange();
    const price = emptyTouch(venue, 'SELL');
    const { order: resting } = venue.submit({ account: 'maker', side: 'SELL', limitPrice: price, quantity: 300 });
    const { order: taking, reports } = venue.submit({ account: 'taker', limitPrice: price + 40, quantity: 200 });
    expect(fillsOf(reports, resting)).toMatchObject([{ price, quantity: 200, liquidity: 'MAKER' }]);
    expect(fillsOf(reports, taking)).toMatchObject([{ price, quantity: 200, liquidity: 'TAKER' }]);
    expect(venue.market).toMatchObject({ ask: price, askQuantity: 100 });
  });
});

describe('resting orders', () => {
  test('a post-only order is refused when it would trade, and rests otherwise', () => {
    const venue = exchange();
    const { bid, ask } = venue.market;
    const { reports } = venue.submit({ postOnly: true, limitPrice: ask, quantity: 100 });
    expect(reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'INVALID_ORDER' } }]);
    expect(venue.submit({ postOnly: true, limitPrice: bid, quantity: 100 }).reports).toMatchObject([
      { kind: 'Accepted' },
    ]);
    const ioc = venue.submit({ postOnly: true, timeInForce: 'IOC', limitPrice: bid, quantity: 100 });
    expect(ioc.reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'INVALID_ORDER' } }]);
  });

  test('the earlier order trades first at one price', () => {
    const venue = exchange();
    const limitPrice = emptyTouch(venue, 'BUY');
    const { order: first } = venue.submit({ account: 'first', limitPrice, quantity: 100 });
    const { order: second } = venue.submit({ account: 'second', limitPrice, quantity: 100 });
    const { reports } = venue.submit({ account: 'taker', side: 'SELL', limitPrice, quantity: 150 });
    expect(fillsOf(reports, first).map(({ quantity }) => quantity)).toEqual([100]);
    expect(fillsOf(reports, second).map(({ quantity }) => quantity)).toEqual([50]);
  });

  test('the better price trades first, also when it arrives later', () => {
    const venue = exchange();
    emptyTouch(venue, 'SELL');
    const bid = emptyTouch(venue, 'BUY');
    const { order: worse } = venue.submit({ account: 'worse', limitPrice: bid, quantity: 100 });
    const { order: better } = venue.submit({ account: 'better', limitPrice: bid + 1, quantity: 100 });
    const { reports } = venue.submit({ account: 'taker', side: 'SELL', type: 'MARKET', quantity: 150 });
    expect(fillsOf(reports, better)).toMatchObject([{ price: bid + 1, quantity: 100 }]);
    expect(fillsOf(reports, worse)).toMatchObject([{ price: bid, quantity: 50 }]);
  });

  test('a passing market fills an order at its own price, as a maker', () => {
    const venue = exchange();
    const limitPrice = venue.market.bid;
    const { order } = venue.submit({ limitPrice, quantity: 100 });
    venue.pass(600_000);
    const fills = fillsOf(venue.reports, order);
    expect(fills.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(100);
    expect(fills.every(({ price, liquidity }) => price === limitPrice && liquidity === 'MAKER')).toBe(true);
  });

  test('a cancelled order does not trade; a second cancel is refused', () => {
    const venue = exchange();
    const { order } = venue.submit({ limitPrice: venue.market.bid, quantity: 100 });
    expect(venue.cancel(order)).toMatchObject([{ kind: 'Cancelled', cause: null }]);
    expect(venue.cancel(order)).toMatchObject([{ kind: 'CancelRejected', rejection: { code: 'INVALID_ORDER' } }]);
    venue.pass(60_000);
    expect(fillsOf(venue.reports)).toEqual([]);
  });

  test('a cancel of an unknown client id is refused', () => {
    const venue = exchange();
    expect(venue.cancel(venue.submission({ quantity: 1 }))).toMatchObject([{ kind: 'CancelRejected' }]);
  });
});

describe('refusals', () => {
  const cases = [
    ['no quantity', { quantity: 0, limitPrice: 6_000_000 }, 'INVALID_QUANTITY', /0.00001 to 9000 BTC/],
    ['part of a lot', { quantity: 0.5, limitPrice: 6_000_000 }, 'INVALID_QUANTITY', /quantity 0.5 lots/],
    ['too much', { quantity: 900_000_001, limitPrice: 6_000_000 }, 'INVALID_QUANTITY', /0.00001 to 9000 BTC/],
    ['a LIMIT without price', { quantity: 100 }, 'INVALID_ORDER', /limit_price/],
    ['a MARKET with price', { quantity: 100, type: 'MARKET', limitPrice: 1 }, 'INVALID_ORDER', /limit_price/],
    ['part of a tick', { quantity: 100, limitPrice: 6_000_000.5 }, 'INVALID_ORDER', /ticks of 0.01/],
    ['below the notional', { quantity: 7, limitPrice: 6_000_000 }, 'INVALID_ORDER', /notional 4.2 USDT.* 5 or more/],
    ['MARKET below the notional', { quantity: 7, type: 'MARKET' }, 'INVALID_ORDER', /notional 4\.\d+ USDT/],
    ['reduce-only on spot', { quantity: 100, limitPrice: 6_000_000, reduceOnly: true }, 'INVALID_ORDER', /reduce_only/],
  ] as const;

  test.each(cases)('%s', (_name, fields, code, message) => {
    const { reports } = exchange().submit(fields);
    expect(reports).toMatchObject([{ kind: 'Rejected', rejection: { code, message: expect.stringMatching(message) } }]);
  });

  test('refuses an order that the balance does not cover', () => {
    const venue = exchange();
    const buy = venue.submit({ quantity: 2_000_000, limitPrice: 6_000_000 });
    expect(buy.reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'INSUFFICIENT_FUNDS' } }]);
    const sell = venue.submit({ side: 'SELL', quantity: 1_000_001, type: 'MARKET' });
    expect(sell.reports).toMatchObject([
      { kind: 'Rejected', rejection: { message: 'needs 10.00001 BTC, free are 10' } },
    ]);
  });
});

describe('client ids', () => {
  test('a second submit places no order and returns the state of the first', () => {
    const venue = exchange();
    const { order, reports } = venue.submit({ type: 'MARKET', quantity: 100 });
    const again = venue.ask({ kind: 'Submit', ...order });
    expect(again.map(({ kind }) => kind)).toEqual(['Filled', 'StatusAnswered']);
    expect(fillsOf(again)).toEqual(fillsOf(reports));
    expect(venue.market.volume).toBe(100);
  });

  test('a second submit in the same turn places no order', () => {
    const venue = exchange();
    const order = venue.submission({ limitPrice: venue.market.bid, quantity: 100 });
    venue.handle({ kind: 'Submit', ...order });
    const reports = venue.ask({ kind: 'Submit', ...order });
    expect(reports).toMatchObject([{ kind: 'Accepted' }, { kind: 'StatusAnswered', answer: { state: 'OPEN' } }]);
  });

  test('the same client id of another account is another order', () => {
    const venue = exchange();
    const { order } = venue.submit({ limitPrice: venue.market.bid, quantity: 100 });
    const other = { ...order, account: 'bob' as typeof order.account };
    expect(venue.ask({ kind: 'Submit', ...other })).toMatchObject([{ kind: 'Accepted' }]);
  });

  test('a query answers unknown, open, filled, cancelled and rejected', () => {
    const venue = exchange();
    const state = (order: Parameters<typeof venue.query>[0]): unknown => venue.query(order).at(-1);
    const { bid } = venue.market;
    const open = venue.submit({ limitPrice: bid, quantity: 100 }).order;
    const filled = venue.submit({ type: 'MARKET', quantity: 100 }).order;
    const cancelled = venue.submit({ limitPrice: bid, quantity: 100 }).order;
    const rejected = venue.submit({ quantity: 0, limitPrice: bid }).order;
    venue.cancel(cancelled);
    expect(state(venue.submission({ quantity: 1 }))).toMatchObject({ answer: { state: 'UNKNOWN' } });
    expect(state(open)).toMatchObject({ answer: { state: 'OPEN', venueOrderId: '0-1' } });
    expect(state(filled)).toMatchObject({ answer: { state: 'FILLED' } });
    expect(state(cancelled)).toMatchObject({ answer: { state: 'CANCELLED', cause: null } });
    expect(state(rejected)).toMatchObject({ answer: { state: 'REJECTED', rejection: { code: 'INVALID_QUANTITY' } } });
  });

  test('reports go to the last requester', () => {
    const venue = exchange();
    const { order } = venue.submit({ limitPrice: emptyTouch(venue, 'BUY'), quantity: 100 }, 1);
    venue.query(order, 2);
    const from = venue.sent.length;
    venue.submit({ account: 'bob', side: 'SELL', type: 'MARKET', quantity: 100 }, 3);
    const fills = venue.sent.slice(from).filter(({ report }) => report.kind === 'Filled');
    expect(fills.map(({ destination }) => destination)).toEqual([2, 3]);
  });
});
