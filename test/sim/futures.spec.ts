import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountOf, type Lots, type Ticks } from '../../src/domain/quantity.js';
import type { Side } from '../../src/domain/order.js';
import { FuturesPosition } from '../../src/sim/account/futures-position.js';
import { termsOf } from '../../src/sim/account/trading-terms.js';
import type { EpochMs } from '../../src/domain/time.js';
import { fillsOf, instrumentAt, SimulatedExchange } from './simulated-exchange.js';

const PERPETUAL = instrumentAt('OKX', 'ETH/USDT:USDT');
/** One lot (0.001 ETH) at one tick (0.01 USDT). */
const UNIT = 10n ** 13n;
const START_USDT = amountOf(1_000_000, 0);

function exchange(): SimulatedExchange {
  return new SimulatedExchange({ instrument: PERPETUAL });
}

function trade(position: FuturesPosition, side: Side, quantity: number, price: number): bigint {
  return position.trade({ side, quantity: quantity as Lots, price: price as Ticks, atMs: 0 as EpochMs });
}

describe('a position', () => {
  test('realises profit against its average entry price', () => {
    const position = new FuturesPosition(termsOf(PERPETUAL));
    expect(trade(position, 'BUY', 10, 100)).toBe(0n);
    expect(trade(position, 'BUY', 10, 110)).toBe(0n);
    expect(trade(position, 'SELL', 5, 120)).toBe(75n);
    expect(position).toMatchObject({ net: 15, cost: 1575n });
    expect(trade(position, 'SELL', 20, 100)).toBe(-75n);
    expect(position).toMatchObject({ net: -5, cost: -500n });
    expect(trade(position, 'BUY', 5, 90)).toBe(50n);
    expect(position).toMatchObject({ net: 0, cost: 0n });
  });

  test('conserves the traded notional in realised profit and remaining cost', () => {
    const anyTrade = fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      quantity: fc.integer({ min: 1, max: 1_000_000 }),
      price: fc.integer({ min: 1, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(anyTrade, { maxLength: 60 }), (trades) => {
        const position = new FuturesPosition(termsOf(PERPETUAL));
        let [realised, traded, net] = [0n, 0n, 0];
        for (const { side, quantity, price } of trades) {
          realised += trade(position, side, quantity, price);
          const direction = side === 'BUY' ? 1 : -1;
          traded -= BigInt(direction * quantity) * BigInt(price);
          net += direction * quantity;
          expect(position.net).toBe(net);
          expect(Math.sign(Number(position.cost))).toBe(Math.sign(net));
          expect(realised - position.cost).toBe(traded);
        }
      }),
    );
  });
});

describe('margin', () => {
  test('locks a tenth of the notional for order and position, and releases it with them', () => {
    const venue = exchange();
    const price = venue.market.bid - 1_000;
    const { reports } = venue.submit({ type: 'MARKET', quantity: 10_000 });
    const fills = fillsOf(reports);
    const notional = fills.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * BigInt(price), 0n) * UNIT;
    const fees = fills.reduce((sum, { fee }) => sum + fee, 0n);
    expect(fees).toBe(notional / 2_000n);
    const total = START_USDT - fees;
    expect(venue.balance('USDT')).toEqual({ total, free: total - notional / 10n });
    const { order } = venue.submit({ limitPrice: price, quantity: 4_000 });
    const held = (4_000n * BigInt(price) * UNIT * (1_000n + 5n)) / 10_000n;
    expect(venue.balance('USDT').free).toBe(total - notional / 10n - held);
    venue.cancel(order);
    const close = fillsOf(venue.submit({ side: 'SELL', type: 'MARKET', reduceOnly: true, quantity: 10_000 }).reports);
    const proceeds = close.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * BigInt(price), 0n) * UNIT;
    const end = total + proceeds - notional - close.reduce((sum, { fee }) => sum + fee, 0n);
    expect(venue.balance('USDT')).toEqual({ total: end, free: end });
  });

  test('carries ten times the balance, but not more', () => {
    const venue = exchange();
    const price = venue.market.bid - 200;
    const affordable = Number((START_USDT * 10_000n) / (BigInt(price) * UNIT * 1_005n));
    const wishes = [
      { limitPrice: price, quantity: Math.floor(affordable / 2) },
      { limitPrice: price, quantity: Math.floor(affordable / 2) - 1 },
    ];
    for (const fields of wishes) expect(venue.submit(fields).reports).toMatchObject([{ kind: 'Accepted' }]);
    expect(venue.submit({ limitPrice: price, quantity: 10 }).reports).toMatchObject([
      { kind: 'Rejected', rejection: { code: 'INSUFFICIENT_FUNDS' } },
    ]);
  });
});

describe('reduce-only', () => {
  test('is refused without a position, in its direction, or beyond its size', () => {
    const venue = exchange();
    const refused = [{ kind: 'Rejected', rejection: { code: 'INVALID_ORDER' } }];
    const reducing = { reduceOnly: true, type: 'MARKET', quantity: 100 } as const;
    expect(venue.submit({ ...reducing, side: 'SELL' }).reports).toMatchObject(refused);
    venue.submit({ type: 'MARKET', quantity: 100 });
    expect(venue.submit(reducing).reports).toMatchObject(refused);
    expect(venue.submit({ ...reducing, side: 'SELL', quantity: 101 }).reports).toMatchObject(refused);
    expect(venue.submit({ ...reducing, side: 'SELL' }).reports[0]).toMatchObject({ kind: 'Accepted' });
  });

  test('never exceeds the position in the sum of resting orders', () => {
    const venue = exchange();
    venue.submit({ type: 'MARKET', quantity: 100 });
    const resting = { reduceOnly: true, side: 'SELL', limitPrice: venue.market.ask + 500 } as const;
    expect(venue.submit({ ...resting, quantity: 60 }).reports).toMatchObject([{ kind: 'Accepted' }]);
    expect(venue.submit({ ...resting, quantity: 41 }).reports).toMatchObject([{ kind: 'Rejected' }]);
    expect(venue.submit({ ...resting, quantity: 40 }).reports).toMatchObject([{ kind: 'Accepted' }]);
  });

  test('ends a resting order that exceeds a smaller position, also after a restart', () => {
    const venue = exchange();
    venue.submit({ type: 'MARKET', quantity: 100 });
    const { order } = venue.submit({
      reduceOnly: true,
      side: 'SELL',
      limitPrice: venue.market.ask + 500,
      quantity: 60,
    });
    venue.restart();
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 30 });
    expect(venue.query(order).at(-1)).toMatchObject({ answer: { state: 'OPEN' } });
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 30 });
    expect(venue.query(order).at(-1)).toMatchObject({
      answer: { state: 'CANCELLED', cause: { code: 'INVALID_ORDER' } },
    });
  });
});
