import { describe, expect, test } from 'vitest';
import { fillsOf, instrumentAt, SimulatedExchange } from './simulated-exchange.js';

const BTC = instrumentAt('BINANCE', 'BTC/USDT');

describe('a restart', () => {
  test('keeps open orders, their fills and their queue order', () => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('WOO', 'DOGE/USDT:USDT') });
    const { ask } = venue.market;
    const limitPrice = Math.round(ask * 1.003);
    const { order: first } = venue.submit({ account: 'first', side: 'SELL', limitPrice, quantity: 1_000 });
    const { order: second } = venue.submit({ account: 'second', side: 'SELL', limitPrice, quantity: 1_000 });
    const sweepBelow = (): unknown =>
      venue.submit({ account: 'sweeper', timeInForce: 'IOC', limitPrice: limitPrice - 1, quantity: 8_000_000 });
    sweepBelow();
    venue.submit({ account: 'taker', limitPrice, quantity: 300 });
    const before = fillsOf(venue.reports, first);
    venue.restart();
    const answer = venue.query(first);
    expect(fillsOf(answer)).toEqual(before);
    expect(answer.at(-1)).toMatchObject({ answer: { state: 'OPEN' } });
    sweepBelow();
    expect(venue.market.ask).toBe(limitPrice);
    venue.submit({ account: 'taker', limitPrice, quantity: 800 });
    expect(fillsOf(venue.query(first)).map(({ quantity }) => quantity)).toEqual([300, 700]);
    expect(fillsOf(venue.query(second)).map(({ quantity }) => quantity)).toEqual([100]);
  });

  test('loses requests that were not committed, and sent no report on them', () => {
    const venue = new SimulatedExchange({ instrument: BTC });
    const order = venue.submission({ type: 'MARKET', quantity: 100 });
    venue.handle({ kind: 'Submit', ...order });
    venue.restart();
    expect(venue.reports).toEqual([]);
    expect(venue.query(order)).toMatchObject([{ answer: { state: 'UNKNOWN' } }]);
    expect(venue.ask({ kind: 'Submit', ...order })[0]).toMatchObject({ kind: 'Accepted' });
  });

  test('reports fills without an owner to the first shard that queries', () => {
    const venue = new SimulatedExchange({ instrument: BTC });
    const { order } = venue.submit({ limitPrice: venue.market.bid, quantity: 1_000 });
    venue.restart();
    venue.pass(600_000, 1_000);
    expect(venue.reports.map(({ kind }) => kind)).toEqual(['Accepted']);
    const answer = venue.query(order, 8);
    expect(fillsOf(answer).reduce((sum, { quantity }) => sum + quantity, 0)).toBe(1_000);
    expect(answer.at(-1)).toMatchObject({ answer: { state: 'FILLED' } });
  });

  test('never repeats a trade id', () => {
    const venue = new SimulatedExchange({ instrument: BTC });
    for (let round = 0; round < 3; round += 1) {
      venue.submit({ type: 'MARKET', quantity: 100 });
      venue.restart();
    }
    const ids = fillsOf(venue.reports).map(({ tradeId }) => tradeId);
    expect(new Set(ids).size).toBe(3);
  });

  test('continues near the last price and volume', () => {
    const venue = new SimulatedExchange({ instrument: BTC, isWatched: true });
    venue.pass(3_600_000, 1_000);
    const before = venue.market;
    venue.restart();
    expect(Math.abs(venue.market.bid / before.bid - 1)).toBeLessThan(0.002);
    expect(venue.market.volume).toBeGreaterThan(before.volume * 0.99);
  });
});
