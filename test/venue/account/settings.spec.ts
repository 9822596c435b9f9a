import { describe, expect, test } from 'vitest';
import { fillsOf } from '../simulated-exchange.js';
import { FuturesDesk, START_USDT, UNIT } from './futures-desk.js';

describe('leverage', () => {
  test('says what part of the notional a position ties up', () => {
    const desk = new FuturesDesk();
    expect(desk.setLeverage(20)).toBeNull();
    const fills = fillsOf(desk.venue.submit({ type: 'MARKET', quantity: 10_000 }).reports);
    const notional = fills.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * BigInt(price), 0n) * UNIT;
    const { total, free } = desk.venue.balance('USDT');
    expect(total - free).toBe(notional / 20n);
    expect(desk.positions()).toMatchObject([{ leverage: 20, initialMargin: notional / 20n }]);
  });

  test('set anew, ties up another part of what is open, positions and orders', () => {
    const desk = new FuturesDesk();
    desk.venue.submit({ type: 'MARKET', quantity: 10_000 });
    desk.venue.submit({ limitPrice: desk.venue.market.bid - 1_000, quantity: 10_000 });
    const locked = (): bigint => desk.venue.balance('USDT').total - desk.venue.balance('USDT').free;
    const atTen = locked();
    expect(desk.setLeverage(5)).toBeNull();
    expect(locked()).toBeGreaterThan((atTen * 19n) / 10n);
    desk.venue.restart();
    expect(desk.setLeverage(10)).toBeNull();
    expect(locked()).toBe(atTen);
  });

  test.each([0, -1, 1.5, 126])('%d is refused', (leverage) => {
    expect(new FuturesDesk().setLeverage(leverage)).toMatchObject({ code: 'INVALID_PARAM' });
  });

  test('bounds the position: the order that would exceed it is refused', () => {
    const desk = new FuturesDesk();
    desk.setLeverage(125);
    const quantity = Math.ceil(Number((50_000n * 10n ** 18n) / (BigInt(desk.venue.market.ask) * UNIT))) + 1;
    expect(desk.venue.submit({ limitPrice: desk.venue.market.ask, quantity }).reports).toMatchObject([
      { kind: 'Rejected', rejection: { code: 'QUANTITY_EXCEED', message: /leverage 125 it carries 50000 USDT/ } },
    ]);
    desk.setLeverage(100);
    desk.venue.submit({ type: 'MARKET', quantity });
    expect(desk.setLeverage(125)).toMatchObject({ code: 'QUANTITY_EXCEED' });
  });

  test('that needs more than is free is refused', () => {
    const desk = new FuturesDesk();
    const price = desk.venue.market.bid - 2_000;
    const quantity = Math.floor(Number((START_USDT * 5n) / (BigInt(price) * UNIT)));
    for (let placed = 0; placed < quantity; placed += 500_000) {
      desk.venue.submit({ limitPrice: price, quantity: Math.min(500_000, quantity - placed) });
    }
    expect(desk.setLeverage(2)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    expect(desk.setLeverage(9)).toBeNull();
  });
});

describe('margin mode and position mode', () => {
  test('are refused while something is open in the future', () => {
    const desk = new FuturesDesk();
    const { order } = desk.venue.submit({ limitPrice: desk.venue.market.bid - 1_000, quantity: 100 });
    expect(desk.isolate()).toMatchObject({ code: 'INVALID_ORDER' });
    expect(desk.set({ kind: 'SetPositionMode', positionMode: 'HEDGE' })).toMatchObject({ code: 'INVALID_ORDER' });
    desk.venue.cancel(order);
    expect(desk.isolate()).toBeNull();
    expect(desk.set({ kind: 'SetPositionMode', positionMode: 'HEDGE' })).toBeNull();
  });

  test('outlive the process', () => {
    const desk = new FuturesDesk();
    desk.isolate();
    desk.setLeverage(33);
    desk.set({ kind: 'SetPositionMode', positionMode: 'HEDGE' });
    desk.venue.settle();
    desk.venue.restart();
    desk.venue.submit({ type: 'MARKET', quantity: 100 });
    expect(desk.positions()).toMatchObject([{ marginMode: 'ISOLATED', leverage: 33, positionSide: 'LONG' }]);
  });

  test('another account keeps its own', () => {
    const desk = new FuturesDesk();
    desk.isolate();
    desk.venue.submit({ account: 'alice/x', type: 'MARKET', quantity: 100 });
    expect(desk.positions('alice/x')).toMatchObject([{ marginMode: 'CROSS' }]);
    expect(desk.positions()).toEqual([]);
  });
});

describe('hedge mode', () => {
  test('holds a long and a short position; reduce-only closes the other side', () => {
    const desk = new FuturesDesk();
    const { venue } = desk;
    desk.set({ kind: 'SetPositionMode', positionMode: 'HEDGE' });
    venue.submit({ side: 'BUY', type: 'MARKET', quantity: 300 });
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 200 });
    expect(desk.positions()).toMatchObject([
      { positionSide: 'LONG', net: 300 },
      { positionSide: 'SHORT', net: -200 },
    ]);
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300, reduceOnly: true });
    expect(desk.positions()).toMatchObject([{ positionSide: 'SHORT', net: -200 }]);
    expect(venue.submit({ side: 'BUY', type: 'MARKET', quantity: 201, reduceOnly: true }).reports).toMatchObject([
      { kind: 'Rejected', rejection: { code: 'INVALID_ORDER', message: /reduce_only/ } },
    ]);
  });
});

describe('positions', () => {
  test('every change is told to the home of the account, the end of a position too', () => {
    const desk = new FuturesDesk();
    const { venue } = desk;
    venue.submit({ side: 'BUY', type: 'MARKET', quantity: 300 });
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300 });
    const told = venue.sent.flatMap(({ report }) => (report.kind === 'Positions' ? report.positions : []));
    expect(told).toMatchObject([
      { positionSide: 'BOTH', net: 300 },
      { positionSide: 'BOTH', net: 0, cost: 0n, liquidationPrice: null },
    ]);
  });

  test('profit is that of closing at the mark price', () => {
    const desk = new FuturesDesk();
    desk.venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300 });
    desk.marks.price -= 1_000;
    const [{ cost, unrealisedPnl }] = desk.positions() as [ReturnType<typeof desk.positions>[number]];
    expect(unrealisedPnl).toBe((-300n * BigInt(desk.marks.price) - cost) * UNIT);
  });

  test('what closes a position needs no margin of its own', () => {
    const desk = new FuturesDesk();
    const { venue } = desk;
    desk.setLeverage(1);
    venue.submit({ type: 'MARKET', quantity: 10_000 });
    const { free } = venue.balance('USDT');
    venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 1_000, quantity: 10_000 });
    expect(venue.balance('USDT').free).toBe(free);
    const { order } = venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 1_000, quantity: 1_000 });
    expect(venue.balance('USDT').free).toBeLessThan(free);
    venue.cancel(order);
    expect(venue.balance('USDT').free).toBe(free);
  });
});
