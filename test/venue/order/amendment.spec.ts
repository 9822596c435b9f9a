import { describe, expect, test } from 'vitest';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { ChildRef, ChildSubmission } from '../../../src/model/venue-message.js';
import { emptyTouch, fillsOf, instrumentAt, SimulatedExchange } from '../simulated-exchange.js';

const SPOT = instrumentAt('BINANCE', 'BTC/USDT');
/** One lot at one tick. */
const UNIT = 10n ** 11n;

function exchange(symbol = SPOT): SimulatedExchange {
  return new SimulatedExchange({ instrument: symbol, isAlone: true });
}

function amend(venue: SimulatedExchange, order: ChildRef, change: { quantity?: number; limitPrice?: number }) {
  const { account, venue: at, orderId, child } = order;
  const [quantity, limitPrice] = [change.quantity ?? null, change.limitPrice ?? null];
  const ref = { account, venue: at, orderId, child };
  const reports = venue.tell({
    kind: 'Amend',
    ...ref,
    quantity: quantity as Lots | null,
    limitPrice: limitPrice as Ticks | null,
  });
  return reports.filter(({ kind }) => kind !== 'Funds' && kind !== 'Positions');
}

/** With the taker fee of a thousandth. */
function needed(lots: number, price: number): bigint {
  return (BigInt(lots * price) * UNIT * 1_001n) / 1_000n;
}

/** Two orders of two accounts at one price that nobody else is at, the first in line first. */
function queue(venue: SimulatedExchange): { price: number; first: ChildSubmission; second: ChildSubmission } {
  const price = emptyTouch(venue, 'BUY');
  const first = venue.submit({ account: 'first', limitPrice: price, quantity: 1_000 }).order;
  const second = venue.submit({ account: 'second', limitPrice: price, quantity: 1_000 }).order;
  return { price, first, second };
}

/** Which of the two a sale meets, in this order. */
function whoTrades(venue: SimulatedExchange, price: number, quantity = 100): string[] {
  const { reports } = venue.submit({ account: 'taker', side: 'SELL', limitPrice: price, quantity });
  return reports.flatMap((report) => (report.kind === 'Filled' && report.account !== 'taker' ? [report.account] : []));
}

describe('an amended order', () => {
  test('with fewer lots keeps its place', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    expect(amend(venue, first, { quantity: 600 })).toMatchObject([
      { kind: 'Amended', quantity: 600, limitPrice: price },
    ]);
    expect(whoTrades(venue, price)).toEqual(['first']);
  });

  test('with more lots goes to the rear', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    amend(venue, first, { quantity: 1_001 });
    expect(whoTrades(venue, price)).toEqual(['second']);
  });

  test('keeps the place it then has when the process dies', () => {
    const venue = exchange();
    const limitPrice = venue.market.bid - 300;
    const first = venue.submit({ account: 'first', limitPrice, quantity: 1_000 }).order;
    const second = venue.submit({ account: 'second', limitPrice, quantity: 1_000 }).order;
    amend(venue, first, { quantity: 1_001 });
    venue.restart();
    for (const order of [first, second]) venue.query(order);
    for (let sold = 0; venue.market.bid >= limitPrice && sold < 100; sold += 1) {
      venue.submit({ account: `taker ${sold}`, side: 'SELL', type: 'MARKET', quantity: 1_000_000 });
    }
    const makers = venue.reports.flatMap((report) =>
      report.kind === 'Filled' && report.fill.liquidity === 'MAKER' ? [report.account] : [],
    );
    expect(makers).toEqual(['second', 'first']);
  });

  test('ties up what it now needs', () => {
    const venue = exchange();
    const { total } = venue.balance('USDT');
    const { order } = venue.submit({ limitPrice: venue.market.bid - 1_000, quantity: 1_000 });
    amend(venue, order, { quantity: 400 });
    expect(venue.balance('USDT').free).toBe(total - needed(400, order.limitPrice!));
    amend(venue, order, { limitPrice: order.limitPrice! - 500, quantity: 700 });
    expect(venue.balance('USDT').free).toBe(total - needed(700, order.limitPrice! - 500));
    venue.cancel(order);
    expect(venue.balance('USDT').free).toBe(total);
  });

  test('at a price that crosses trades at once', () => {
    const venue = exchange();
    const { order } = venue.submit({ limitPrice: venue.market.bid - 1_000, quantity: 100 });
    amend(venue, order, { limitPrice: venue.market.ask + 100 });
    expect(venue.query(order).at(-1)).toMatchObject({ answer: { state: 'FILLED' } });
  });

  test('is done when its whole quantity is', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    whoTrades(venue, price);
    amend(venue, first, { quantity: 500 });
    expect(venue.query(first).at(-1)).toMatchObject({ answer: { state: 'OPEN' } });
    venue.submit({ account: 'taker', side: 'SELL', limitPrice: price, quantity: 400 });
    expect(venue.query(first).at(-1)).toMatchObject({ answer: { state: 'FILLED' } });
    expect(fillsOf(venue.query(first), first).reduce((sum, { quantity }) => sum + quantity, 0)).toBe(500);
  });

  test('amended to the same again is told so, and keeps its place', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    expect(amend(venue, first, { quantity: 1_000, limitPrice: price })).toMatchObject([{ kind: 'Amended' }]);
    expect(whoTrades(venue, price)).toEqual(['first']);
  });
});

describe('an amendment is refused, and nothing changes', () => {
  test('of an order that is unknown or has ended', () => {
    const venue = exchange();
    const { order } = venue.submit({ type: 'MARKET', quantity: 100 });
    expect(amend(venue, order, { quantity: 50 })).toMatchObject([
      { kind: 'AmendRejected', rejection: { code: 'INVALID_ORDER', message: /it is FILLED/ } },
    ]);
    expect(amend(venue, venue.submission({ quantity: 1 }), { quantity: 50 })).toMatchObject([
      { kind: 'AmendRejected', rejection: { code: 'INVALID_ORDER', message: /it is unknown/ } },
    ]);
  });

  test('to no more than is filled', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    whoTrades(venue, price);
    expect(amend(venue, first, { quantity: 100 })).toMatchObject([
      { kind: 'AmendRejected', rejection: { code: 'INVALID_QUANTITY' } },
    ]);
  });

  test('against a filter, or beyond the money there is; the order keeps its place', () => {
    const venue = exchange();
    const { price, first } = queue(venue);
    const refusals = [
      amend(venue, first, { quantity: 101, limitPrice: 1 }),
      amend(venue, first, { quantity: 800_000_000 }),
      amend(venue, first, { quantity: 3_000_000 }),
    ].flat();
    for (const report of refusals) expect(report).toMatchObject({ kind: 'AmendRejected' });
    expect(refusals.at(-1)).toMatchObject({ rejection: { code: 'INSUFFICIENT_FUNDS' } });
    expect(whoTrades(venue, price)).toEqual(['first']);
  });

  test('at a venue that does not offer it', () => {
    const venue = exchange(instrumentAt('HUOBI', 'BTC/USDT'));
    const { order } = venue.submit({ limitPrice: venue.market.bid - 1_000, quantity: 10_000 });
    expect(amend(venue, order, { quantity: 5_000 })).toMatchObject([
      { kind: 'AmendRejected', rejection: { message: /does not offer amendments/ } },
    ]);
  });
});
