import { describe, expect, test } from 'vitest';
import { FUNDING_INTERVAL_MS } from '../../../src/domain/limits/trading.js';
import { imbalances } from '../audit.js';
import { FuturesRig, UNIT } from './futures-rig.js';

function openRig(side: 'BUY' | 'SELL' = 'BUY'): FuturesRig {
  const rig = new FuturesRig();
  rig.venue.submit({ side, type: 'MARKET', quantity: 1_000 });
  rig.marks.ratePpm = 100;
  return rig;
}

/** Advances to one millisecond before the next funding time. */
function waitForFunding({ venue }: FuturesRig): void {
  const nextMs = (Math.floor(venue.nowMs / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS;
  venue.pass(nextMs - 1 - venue.nowMs, FUNDING_INTERVAL_MS);
}

const total = ({ venue }: FuturesRig): bigint => venue.balance('USDT').total;

describe('funding', () => {
  test('charges a long position position × mark × rate at the funding time, not before', () => {
    const rig = openRig();
    const before = total(rig);
    waitForFunding(rig);
    expect(total(rig)).toBe(before);
    rig.venue.pass(1);
    const payment = (1_000n * BigInt(rig.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(rig)).toBe(payment);
    expect(imbalances(rig.venue.store)).toEqual({});
  });

  test('pays a short position what a long one pays, and the reverse for a negative rate', () => {
    const rig = openRig('SELL');
    const before = total(rig);
    waitForFunding(rig);
    rig.venue.pass(1);
    const payment = (1_000n * BigInt(rig.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(total(rig) - before).toBe(payment);
    rig.marks.ratePpm = -100;
    waitForFunding(rig);
    rig.venue.pass(1);
    expect(total(rig)).toBe(before);
  });

  test('is paid once, whenever the process dies', () => {
    const rig = openRig();
    const before = total(rig);
    waitForFunding(rig);
    rig.venue.restart();
    rig.venue.pass(1);
    rig.venue.restart();
    rig.venue.pass(5_000);
    const payment = (1_000n * BigInt(rig.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(rig)).toBe(payment);
  });

  test('is paid for every funding time during a downtime of the venue', () => {
    const rig = openRig();
    const before = total(rig);
    waitForFunding(rig);
    rig.venue.nowMs += 1 + 2 * FUNDING_INTERVAL_MS;
    rig.venue.restart();
    const payment = (1_000n * BigInt(rig.marks.price) * UNIT * 100n) / 1_000_000n;
    expect(before - total(rig)).toBe(3n * payment);
  });

  test('starts at the next funding time for a position opened at a funding time', () => {
    const rig = new FuturesRig();
    rig.marks.ratePpm = 100;
    waitForFunding(rig);
    rig.venue.pass(1);
    rig.venue.submit({ type: 'MARKET', quantity: 1_000 });
    const before = total(rig);
    rig.venue.pass(10_000, 1_000);
    expect(total(rig)).toBe(before);
  });

  test("sends balance and position to the account's home shard", () => {
    const rig = openRig();
    waitForFunding(rig);
    const from = rig.venue.sent.length;
    rig.venue.pass(1);
    const kinds = rig.venue.sent.slice(from).map(({ report }) => report.kind);
    expect(kinds).toContain('Funds');
    expect(kinds).toContain('Positions');
  });

  test('sends nothing about an account while its venue is a real one', () => {
    const rig = openRig();
    waitForFunding(rig);
    rig.venue.restart(new Map([['BINANCE', 'live']]));
    const from = rig.venue.sent.length;
    rig.venue.pass(1);
    expect(rig.venue.sent.slice(from)).toEqual([]);
  });
});
