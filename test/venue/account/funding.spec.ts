import { describe, expect, test } from 'vitest';
import { FUNDING_INTERVAL_MS } from '../../../src/model/limits.js';
import { imbalances } from '../audit.js';
import { FuturesDesk, UNIT } from './futures-desk.js';

function openDesk(side: 'BUY' | 'SELL' = 'BUY'): FuturesDesk {
  const desk = new FuturesDesk();
  desk.venue.submit({ side, type: 'MARKET', quantity: 1_000 });
  desk.marks.ratePpm = 100;
  return desk;
}

/** To one millisecond before the next funding time. */
function waitForFunding({ venue }: FuturesDesk): void {
  const nextMs = (Math.floor(venue.nowMs / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS;
  venue.pass(nextMs - 1 - venue.nowMs, FUNDING_INTERVAL_MS);
}

const total = ({ venue }: FuturesDesk): bigint => venue.balance('USDT').total;

describe('funding', () => {
  test('a long position pays position × mark × rate at the funding time, not before', () => {
    const desk = openDesk();
    const before = total(desk);
    waitForFunding(desk);
    expect(total(desk)).toBe(before);
    desk.venue.pass(1);
    const payment = (1_000n * BigInt(desk.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(desk)).toBe(payment);
    expect(imbalances(desk.venue.store)).toEqual({});
  });

  test('a short position gets what a long one pays, and the other way round below zero', () => {
    const desk = openDesk('SELL');
    const before = total(desk);
    waitForFunding(desk);
    desk.venue.pass(1);
    const payment = (1_000n * BigInt(desk.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(total(desk) - before).toBe(payment);
    desk.marks.ratePpm = -100;
    waitForFunding(desk);
    desk.venue.pass(1);
    expect(total(desk)).toBe(before);
  });

  test('is paid once, whenever the process dies', () => {
    const desk = openDesk();
    const before = total(desk);
    waitForFunding(desk);
    desk.venue.restart();
    desk.venue.pass(1);
    desk.venue.restart();
    desk.venue.pass(5_000);
    const payment = (1_000n * BigInt(desk.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(desk)).toBe(payment);
  });

  test('is paid for every funding time that the venue was down', () => {
    const desk = openDesk();
    const before = total(desk);
    waitForFunding(desk);
    desk.venue.nowMs += 1 + 2 * FUNDING_INTERVAL_MS;
    desk.venue.restart();
    const payment = (1_000n * BigInt(desk.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(desk)).toBe(3n * payment);
  });

  test('a position opened at the funding time pays from the next one on', () => {
    const desk = new FuturesDesk();
    desk.marks.ratePpm = 100;
    waitForFunding(desk);
    desk.venue.pass(1);
    desk.venue.submit({ type: 'MARKET', quantity: 1_000 });
    const before = total(desk);
    desk.venue.pass(10_000, 1_000);
    expect(total(desk)).toBe(before);
  });

  test('of an ISOLATED position comes out of its margin', () => {
    const desk = new FuturesDesk();
    expect(desk.isolate()).toBeNull();
    desk.venue.submit({ type: 'MARKET', quantity: 1_000 });
    desk.marks.ratePpm = 100;
    const [before] = desk.positions();
    const { free } = desk.venue.balance('USDT');
    waitForFunding(desk);
    desk.venue.pass(1);
    const [after] = desk.positions();
    const payment = (1_000n * BigInt(desk.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before!.initialMargin - after!.initialMargin).toBe(payment);
    expect(desk.venue.balance('USDT').free).toBe(free);
  });

  test('tells the home of the account of balance and position', () => {
    const desk = openDesk();
    waitForFunding(desk);
    const from = desk.venue.sent.length;
    desk.venue.pass(1);
    const kinds = desk.venue.sent.slice(from).map(({ report }) => report.kind);
    expect(kinds).toContain('Funds');
    expect(kinds).toContain('Positions');
  });
});
