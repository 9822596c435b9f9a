import { describe, expect, test } from 'vitest';
import { amountOf } from '../../../src/domain/quantity.js';
import { maintenanceOf, notionalCap, tierOf, tiersOf } from '../../../src/sim/account/margin-tier.js';
import { instrumentAt } from '../simulated-exchange.js';

const MAJOR = tiersOf(instrumentAt('BINANCE', 'BTC/USDT:USDT'));
const MINOR = tiersOf(instrumentAt('BINANCE', 'SOL/USDT:USDT'));

const usdt = (units: number): bigint => amountOf(units, 0);

describe('margin tiers', () => {
  test('are empty for spot', () => {
    expect(tiersOf(instrumentAt('BINANCE', 'BTC/USDT'))).toEqual([]);
  });

  test('have the published deductions', () => {
    const deductions = [0, 50, 2_550, 122_550, 1_372_550, 5_372_550, 7_872_550, 10_872_550, 30_872_550, 105_872_550];
    expect(MAJOR.map(({ deduction }) => deduction)).toEqual(deductions.map(usdt));
  });

  test.each([MAJOR, MINOR])('have a maintenance margin without steps', (...tiers) => {
    for (const { notionalMax } of tiers) {
      if (notionalMax === null) continue;
      const [at, beyond] = [maintenanceOf(tiers, notionalMax), maintenanceOf(tiers, notionalMax + 1_000_000n)];
      expect(beyond - at).toBeGreaterThan(0n);
      expect(beyond - at).toBeLessThanOrEqual(1_000_000n);
    }
  });

  test('apply their own rate at their upper edge, and the next rate one unit above', () => {
    expect(tierOf(MAJOR, usdt(50_000)).leverageMax).toBe(125);
    expect(tierOf(MAJOR, usdt(50_000) + 1n).leverageMax).toBe(100);
    expect(tierOf(MAJOR, usdt(10_000_000_000)).leverageMax).toBe(1);
  });

  test('allow smaller positions at higher leverage', () => {
    expect(notionalCap(MAJOR, 125)).toBe(usdt(50_000));
    expect(notionalCap(MAJOR, 51)).toBe(usdt(500_000));
    expect(notionalCap(MAJOR, 10)).toBe(usdt(80_000_000));
    expect(notionalCap(MAJOR, 1)).toBeNull();
    expect(notionalCap(MAJOR, 126)).toBe(0n);
  });
});
