import { describe, expect, test } from 'vitest';
import { amountOf } from '../../src/domain/quantity.js';
import { emptyTouch, fillsOf, HOME, instrumentAt, SimulatedExchange } from './simulated-exchange.js';

const BTC = instrumentAt('BINANCE', 'BTC/USDT');
/** Value of one lot at one tick, and of one lot of base. */
const NOTIONAL_UNIT = 10n ** 11n;
const LOT_UNIT = 10n ** 13n;
const START_USDT = amountOf(1_000_000, 0);
const START_BTC = amountOf(10, 0);

function exchange(): SimulatedExchange {
  return new SimulatedExchange({ instrument: BTC });
}

describe('balances', () => {
  test('start at the opening balances for a new account', () => {
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

  test('lock price × quantity plus the taker fee for a resting buy order, and exactly release it at its end', () => {
    const venue = exchange();
    const limitPrice = venue.market.bid - 500;
    const { order } = venue.submit({ limitPrice, quantity: 12_345 });
    const notional = 12_345n * BigInt(limitPrice) * NOTIONAL_UNIT;
    expect(venue.balance('USDT')).toEqual({ total: START_USDT, free: START_USDT - notional - notional / 1000n });
    venue.cancel(order);
    expect(venue.balance('USDT')).toEqual({ total: START_USDT, free: START_USDT });
  });

  test('lock the base for a resting sell order', () => {
    const venue = exchange();
    venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 500, quantity: 300_000 });
    expect(venue.balance('BTC')).toEqual({ total: START_BTC, free: START_BTC - 300_000n * LOT_UNIT });
  });

  test('are the opening balances plus the sum of the fills', () => {
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

  test('lose only the two fees when an account trades with itself', () => {
    const venue = exchange();
    const price = emptyTouch(venue, 'BUY');
    venue.submit({ limitPrice: price, quantity: 1_000 });
    const { reports } = venue.submit({ side: 'SELL', limitPrice: price, quantity: 1_000 });
    const fees = fillsOf(reports).reduce((sum, { fee }) => sum + fee, 0n);
    expect(fillsOf(reports)).toHaveLength(2);
    expect(venue.balance('USDT')).toEqual({ total: START_USDT - fees, free: START_USDT - fees });
    expect(venue.balance('BTC')).toEqual({ total: START_BTC, free: START_BTC });
  });

  test('can be spent completely at the market, but not one lot more', () => {
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
  test('follow the reports that cause them, one each turn, to the causing shard and to the home shard', () => {
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

  test('continue to every shard that queried, and never go to the main thread unasked', () => {
    const venue = exchange();
    venue.queryFunds('alice', 5);
    expect(venue.queryFunds('alice', -1)).toMatchObject({ isSnapshot: true, version: 0, causedBy: null });
    const from = venue.sent.length;
    venue.submit({ quantity: 1_000, type: 'MARKET' }, 1);
    const destinations = venue.sent.slice(from).filter(({ report }) => report.kind === 'Funds');
    expect(destinations.map(({ destination }) => destination)).toEqual([5, 1, HOME]);
  });

  test('never repeat a version, also after a restart', () => {
    const venue = exchange();
    venue.submit({ quantity: 1_000, type: 'MARKET' });
    venue.restart();
    expect(venue.queryFunds().version).toBe(1);
    venue.submit({ quantity: 1_000, type: 'MARKET' });
    expect(venue.funds.at(-1)).toMatchObject({ version: 2 });
  });

  test('do not follow an order without a balance change', () => {
    const venue = exchange();
    venue.submit({ quantity: 0, type: 'MARKET' });
    expect(venue.funds).toEqual([]);
  });
});
