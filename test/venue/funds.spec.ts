import { describe, expect, test } from 'vitest';
import { amountOf } from '../../src/model/amount.js';
import { emptyTouch, fillsOf, HOME, instrumentAt, SimulatedExchange } from './simulated-exchange.js';

const BTC = instrumentAt('BINANCE', 'BTC/USDT');
/** One lot at one tick, and one lot of base. */
const NOTIONAL_UNIT = 10n ** 11n;
const LOT_UNIT = 10n ** 13n;
const START_USDT = amountOf(1_000_000, 0);
const START_BTC = amountOf(10, 0);

function exchange(): SimulatedExchange {
  return new SimulatedExchange({ instrument: BTC });
}

describe('balances', () => {
  test('a new account has its opening balances', () => {
    const balances = exchange()
      .queryFunds()
      .balances.map(({ asset, total, free }) => [asset, total, free]);
    expect(balances).toEqual([
      ['USDT', START_USDT, START_USDT],
      ['BTC', START_BTC, START_BTC],
      ['ETH', amountOf(100, 0), amountOf(100, 0)],
      ['SOL', amountOf(1_000, 0), amountOf(1_000, 0)],
    ]);
  });

  test('a resting buy ties up price × quantity and the taker fee; its end frees exactly that', () => {
    const venue = exchange();
    const limitPrice = venue.market.bid - 500;
    const { order } = venue.submit({ limitPrice, quantity: 12_345 });
    const notional = 12_345n * BigInt(limitPrice) * NOTIONAL_UNIT;
    expect(venue.balance('USDT')).toEqual({ total: START_USDT, free: START_USDT - notional - notional / 1000n });
    venue.cancel(order);
    expect(venue.balance('USDT')).toEqual({ total: START_USDT, free: START_USDT });
  });

  test('a resting sale ties up the base', () => {
    const venue = exchange();
    venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 500, quantity: 300_000 });
    expect(venue.balance('BTC')).toEqual({ total: START_BTC, free: START_BTC - 300_000n * LOT_UNIT });
  });

  test('balances are the opening ones plus the sum of the fills', () => {
    const venue = exchange();
    const { bid, ask } = venue.market;
    venue.submit({ quantity: 250_000, type: 'MARKET' });
    venue.submit({ side: 'SELL', quantity: 100_000, type: 'MARKET' });
    venue.submit({ quantity: 70_000, limitPrice: bid - 200 });
    venue.submit({ side: 'SELL', quantity: 70_000, limitPrice: ask + 200 });
    venue.pass(300_000, 1_000);
    const sides = new Map([...venue.reports].map(({ orderId }) => [orderId, [1, 3].includes(orderId) ? 1n : -1n]));
    let [usdt, btc]: [bigint, bigint] = [START_USDT, START_BTC];
    for (const report of venue.reports) {
      if (report.kind !== 'Filled') continue;
      const { quantity, price, fee } = report.fill;
      const side = sides.get(report.orderId)!;
      btc += side * BigInt(quantity) * LOT_UNIT;
      usdt -= side * BigInt(quantity) * BigInt(price) * NOTIONAL_UNIT + fee;
    }
    expect(fillsOf(venue.reports).length).toBeGreaterThan(3);
    expect([venue.balance('USDT').total, venue.balance('BTC').total]).toEqual([usdt, btc]);
  });

  test('an account that trades with itself loses the two fees and nothing else', () => {
    const venue = exchange();
    const price = emptyTouch(venue, 'BUY');
    venue.submit({ limitPrice: price, quantity: 1_000 });
    const { reports } = venue.submit({ side: 'SELL', limitPrice: price, quantity: 1_000 });
    const fees = fillsOf(reports).reduce((sum, { fee }) => sum + fee, 0n);
    expect(fillsOf(reports)).toHaveLength(2);
    expect(venue.balance('USDT')).toEqual({ total: START_USDT - fees, free: START_USDT - fees });
    expect(venue.balance('BTC')).toEqual({ total: START_BTC, free: START_BTC });
  });

  test('the whole balance can be spent at the market, not one lot more', () => {
    const venue = exchange();
    const { ask } = venue.market;
    const price = ask + 1_500;
    const affordable = START_USDT / (BigInt(price) * NOTIONAL_UNIT) / 2n;
    expect(venue.submit({ quantity: Number(affordable), type: 'MARKET' }).reports[0]).toMatchObject({
      kind: 'Accepted',
    });
    const { free } = venue.balance('USDT');
    expect(free).toBeGreaterThan(0n);
    expect(venue.submit({ quantity: Number(affordable * 2n), type: 'MARKET' }).reports).toMatchObject([
      { kind: 'Rejected', rejection: { code: 'INSUFFICIENT_FUNDS' } },
    ]);
    expect(venue.balance('USDT').free).toBe(free);
  });
});

describe('balance reports', () => {
  test('follow the reports that cause them, one a turn, to the causing shard and to the home of the balances', () => {
    const venue = exchange();
    const one = venue.submission({ quantity: 1_000, type: 'MARKET' });
    const two = venue.submission({ quantity: 2_000, type: 'MARKET' });
    venue.handle({ kind: 'Submit', ...one }, 1);
    venue.handle({ kind: 'Submit', ...two }, 2);
    venue.settle();
    const kinds = venue.sent.map(({ report, destination }) => `${report.kind} ${destination}`);
    expect(kinds).toEqual(['Accepted 1', 'Filled 1', 'Accepted 2', 'Filled 2', 'Funds 1', 'Funds 2', `Funds ${HOME}`]);
    expect(venue.funds[0]).toMatchObject({ isSnapshot: false, version: 1, causedBy: two.orderId });
    expect(venue.funds[0]!.balances.map(({ asset }) => asset)).toEqual(['BTC', 'USDT']);
  });

  test('go on to every shard that asked, never unasked to the main thread', () => {
    const venue = exchange();
    venue.queryFunds('alice', 5);
    expect(venue.queryFunds('alice', -1)).toMatchObject({ isSnapshot: true, version: 0, causedBy: null });
    const from = venue.sent.length;
    venue.submit({ quantity: 1_000, type: 'MARKET' }, 1);
    const destinations = venue.sent.slice(from).filter(({ report }) => report.kind === 'Funds');
    expect(destinations.map(({ destination }) => destination)).toEqual([5, 1, HOME]);
  });

  test('a version is never given twice, not even after a restart', () => {
    const venue = exchange();
    venue.submit({ quantity: 1_000, type: 'MARKET' });
    venue.restart();
    expect(venue.queryFunds().version).toBe(1);
    venue.submit({ quantity: 1_000, type: 'MARKET' });
    expect(venue.funds.at(-1)).toMatchObject({ version: 2 });
  });

  test('an order that changes no balance sends none', () => {
    const venue = exchange();
    venue.submit({ quantity: 0, type: 'MARKET' });
    expect(venue.funds).toEqual([]);
  });
});
