import { describe, expect, it } from 'vitest';
import { completedCostBps, executionCost } from '../../src/tca/execution-cost.js';
import { MidPath } from '../../src/tca/quote-history.js';
import { TradedVolume } from '../../src/tca/traded-volume.js';
import { amountOf } from '../../src/domain/quantity.js';
import { executionOf, fillOf } from './executions.js';

describe('the cost of an order whose rest is taken at the end', () => {
  const fee = amountOf(1, 0);

  it('equals its all-in slippage when nothing is left', () => {
    const execution = executionOf('BUY', [{ ...fillOf(1, 10, 101), fee }]);
    const market = { mids: new MidPath(), others: new TradedVolume().between(0, 1) };
    expect(completedCostBps(execution, { price: 999, takerFeePpm: 999 })).toBeCloseTo(
      executionCost(execution, market).allInSlippageBps ?? 0,
    );
  });

  it('adds the price and the taker fee of the rest', () => {
    // 4 at 101 with a fee of 1, 6 at 105 with one of 1 %: 4 + 1 + 30 + 6.3 of 1000.
    const bought = executionOf('BUY', [{ ...fillOf(1, 4, 101), fee }]);
    expect(completedCostBps(bought, { price: 105, takerFeePpm: 10_000 })).toBeCloseTo(413);
    // Sold: 4 above arrival and 30 above, less the fees.
    const sold = executionOf('SELL', [{ ...fillOf(1, 4, 101), fee }]);
    expect(completedCostBps(sold, { price: 105, takerFeePpm: 10_000 })).toBeCloseTo(-267);
  });

  it('is not lower for an order that leaves its quantity undone', () => {
    const idle = executionOf('BUY', []);
    expect(completedCostBps(idle, { price: 110, takerFeePpm: 0 })).toBeCloseTo(1000);
  });
});
