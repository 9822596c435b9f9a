import { describe, expect, it } from 'vitest';
import { completedCostBps } from '../../src/analytics/completed-cost.js';
import { executionCost } from '../../src/analytics/execution-cost.js';
import { MidPath } from '../../src/analytics/mid-path.js';
import { TradedVolume } from '../../src/analytics/traded-volume.js';
import { amountOf } from '../../src/model/amount.js';
import { executionOf, fillOf } from './executions.js';

describe('what an order costs when its rest is taken at the end', () => {
  const fee = amountOf(1, 0);

  it('is its all-in slippage when nothing is left', () => {
    const execution = executionOf('BUY', [{ ...fillOf(1, 10, 101), fee }]);
    const market = { mids: new MidPath(), others: new TradedVolume().between(0, 1) };
    expect(completedCostBps(execution, { price: 999, takerFeePpm: 999 })).toBeCloseTo(
      executionCost(execution, market).allInSlippageBps ?? 0,
    );
  });

  it('charges the rest its price and the fee of a taker', () => {
    // 4 at 101 with a fee of 1, 6 at 105 with one of 1 %: 4 + 1 + 30 + 6.3 of 1000.
    const bought = executionOf('BUY', [{ ...fillOf(1, 4, 101), fee }]);
    expect(completedCostBps(bought, { price: 105, takerFeePpm: 10_000 })).toBeCloseTo(413);
    // Sold: 4 above arrival and 30 above, less the fees.
    const sold = executionOf('SELL', [{ ...fillOf(1, 4, 101), fee }]);
    expect(completedCostBps(sold, { price: 105, takerFeePpm: 10_000 })).toBeCloseTo(-267);
  });

  it('leaves nobody cheaper who leaves the hard part undone', () => {
    const idle = executionOf('BUY', []);
    expect(completedCostBps(idle, { price: 110, takerFeePpm: 0 })).toBeCloseTo(1000);
  });
});
