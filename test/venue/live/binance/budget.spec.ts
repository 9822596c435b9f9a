import { describe, expect, it } from 'vitest';
import { type BinanceBudget, BinanceLimits } from '../../../../src/venue/live/binance/binance-requests.js';
import { BINANCE_USDM } from '../../../../src/venue/live/binance/binance-wallet.js';

const START_MS = 1_700_000_000_000 - (1_700_000_000_000 % 60_000);
const { place, cancel } = BINANCE_USDM.orders;

function openLimits() {
  const clock = { nowMs: START_MS };
  const limits = new BinanceLimits(BINANCE_USDM.limits, () => clock.nowMs);
  return { clock, limits };
}

/** Placements that the budget allows now. */
function allowed(budget: BinanceBudget): number {
  let count = 0;
  while (count < 10_000 && budget.take(place, 'DEADLINE') === null) count += 1;
  return count;
}

describe('the request budget of an account', () => {
  it('allows placements at a deadline 85 percent of the orders of ten seconds, and says when the next ones go', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    expect(allowed(budget)).toBe(255);
    expect(budget.take(place, 'DEADLINE')).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 10_000 });
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
    clock.nowMs += 10_000;
    expect(allowed(budget)).toBe(255);
  });

  it('counts orders for each account, and weights for all of them', () => {
    const { limits } = openLimits();
    const budgets = Array.from({ length: 10 }, () => limits.openBudget());
    const counts = budgets.map(allowed);
    expect(counts[0]).toBe(255);
    // The same share of the weight of the address.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_040);
  });

  it('takes the limits of exchangeInfo for open and later accounts', () => {
    const { limits } = openLimits();
    const budget = limits.openBudget();
    const row = { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 10 };
    limits.setLimits({
      rateLimits: [row, { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: 1 }],
    });
    expect([allowed(budget), allowed(limits.openBudget())]).toEqual([8, 8]);
    limits.setLimits({ symbols: [] });
    expect(allowed(limits.openBudget())).toBe(8);
  });

  it('takes the larger count of an answer', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    const counts = [
      ['ORDERS 10s', 200],
      ['REQUEST_WEIGHT 1m', 100],
    ] as const;
    budget.stated(counts, clock.nowMs);
    expect(allowed(budget)).toBe(55);
  });

  it('does not charge the count of the interval before to the present one', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    const sentAtMs = clock.nowMs - 20;
    clock.nowMs += 30;
    budget.stated([['ORDERS 10s', 270]], sentAtMs);
    expect(allowed(budget)).toBe(255);
  });

  it('stops orders alone after too many orders, and everything after a ban', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    budget.refused({ status: 429, code: -1015, message: '', retryAfterMs: 10_000 }, 'RESTING');
    expect(budget.take(place, 'DEADLINE')).not.toBeNull();
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
    budget.refused({ status: 418, code: -1003, message: '', retryAfterMs: 120_000 }, 'RESTING');
    expect(limits.weights.barredMs(clock.nowMs)).toBe(120_000);
    clock.nowMs += 119_000;
    expect(budget.take(cancel, 'CANCEL')).toMatchObject({ retryAfterMs: 1_000 });
    expect(budget.turnMs(cancel, 'CANCEL')).toBe(1_000);
    expect(limits.openBudget().take(cancel, 'CANCEL')).not.toBeNull();
    clock.nowMs += 1_000;
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
  });

  it('stops everything but cancels after a warning, and these after a warning of their own', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    budget.refused({ status: 429, code: -1003, message: '', retryAfterMs: 30_000 }, 'RESTING');
    for (const requestClass of ['HEDGE', 'STATUS', 'DEADLINE', 'RESTING', 'ROUTINE'] as const) {
      expect(budget.take(cancel, requestClass)).toMatchObject({ retryAfterMs: 30_000 });
      expect(budget.turnMs(cancel, requestClass)).toBe(30_000);
    }
    expect(limits.weights.barredMs(clock.nowMs)).toBe(0);
    // One in a second: the answer to the first may stop the others.
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
    expect(budget.take(cancel, 'CANCEL')).toMatchObject({ retryAfterMs: 1_000 });
    clock.nowMs += 1_000;
    expect(budget.turnMs(cancel, 'CANCEL')).toBe(0);
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
    budget.refused({ status: 429, code: -1003, message: '', retryAfterMs: 29_000 }, 'CANCEL');
    clock.nowMs += 28_000;
    expect(budget.take(cancel, 'CANCEL')).toMatchObject({ retryAfterMs: 1_000 });
    clock.nowMs += 1_000;
    expect(budget.take(cancel, 'CANCEL')).toBeNull();
    expect(budget.take(place, 'HEDGE')).toBeNull();
  });

  it('sends no cancel after a warning when the count of the exchange has no room for one', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    budget.stated([['REQUEST_WEIGHT 1m', 2_400]], clock.nowMs);
    budget.refused({ status: 429, code: -1003, message: '', retryAfterMs: 60_000 }, 'RESTING');
    expect(budget.take(cancel, 'CANCEL')).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('stops twice as long after each refusal of the address that follows the last stop, cancels as long as it says', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    const refuse = (retryAfterMs: number | null): readonly number[] => {
      budget.refused({ status: 418, code: -1003, message: '', retryAfterMs }, 'HEDGE');
      return (['HEDGE', 'CANCEL'] as const).map((one) => budget.take(cancel, one)!.retryAfterMs!);
    };
    expect(refuse(null)).toEqual([10_000, 10_000]);
    // Requests that were under way get the same refusal.
    expect(refuse(null)).toEqual([10_000, 10_000]);
    clock.nowMs += 10_000;
    expect(refuse(null)).toEqual([20_000, 20_000]);
    clock.nowMs += 30_000;
    expect(refuse(5_000)).toEqual([40_000, 5_000]);
    clock.nowMs += 40_000;
    expect(refuse(3_600_000)).toEqual([3_600_000, 3_600_000]);
    clock.nowMs += 3_600_000;
    expect(refuse(null)).toEqual([600_000, 600_000]);
    clock.nowMs += 600_000 + 60_000;
    expect(refuse(null)).toEqual([10_000, 10_000]);
  });

  it('slows the queue by the counts of the exchange before it refuses', () => {
    const { clock, limits } = openLimits();
    const budget = limits.openBudget();
    expect(budget.turnMs(place, 'RESTING')).toBe(0);
    // Eight tenths of 300 orders are for placements.
    budget.stated([['ORDERS 10s', 240]], clock.nowMs);
    expect(budget.turnMs(place, 'RESTING')).toBe(10_000);
    expect(budget.turnMs(place, 'HEDGE')).toBe(0);
    expect(budget.take(place, 'DEADLINE')).toBeNull();
    clock.nowMs += 9_000;
    budget.stated([['ORDERS 10s', 285]], clock.nowMs);
    expect(budget.turnMs(place, 'HEDGE')).toBe(1_000);
    expect(budget.turnMs(cancel, 'CANCEL')).toBe(0);
    // The weights are those of the address: another account slows this one.
    budget.stated([['REQUEST_WEIGHT 1m', 2_400]], clock.nowMs);
    expect(limits.openBudget().turnMs(cancel, 'CANCEL')).toBe(51_000);
  });
});
