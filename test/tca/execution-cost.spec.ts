import { describe, expect, it } from 'vitest';
import { executionCost, type CostMarket } from '../../src/tca/execution-cost.js';
import { MidPath } from '../../src/tca/quote-history.js';
import { TradedVolume } from '../../src/tca/traded-volume.js';
import { amountOf, type Lots, type Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { executionOf, fillOf } from './executions.js';

/**
 * The mid rises from 100 to 104 half-way. Others trade 20 at 102 within the order's time, and more just outside of it.
 */
function market(): CostMarket {
  const mids = new MidPath();
  mids.append(100, 0 as EpochMs);
  mids.append(104, 500 as EpochMs);
  const trades = new TradedVolume();
  for (const [atMs, price, quantity] of [
    [-1, 999, 9],
    [0, 101, 10],
    [1000, 103, 10],
    [1001, 999, 9],
  ] as const) {
    trades.append(price as Ticks, quantity as Lots, atMs as EpochMs);
  }
  return { mids, others: trades.between(0, 1000) };
}

describe('the cost of an order', () => {
  const fills = [
    { ...fillOf(100, 4, 101, 'MAKER'), fee: amountOf(2, 0) },
    { ...fillOf(900, 4, 103), fee: amountOf(6, 0) },
  ];

  it('is measured against arrival, VWAP without and with own fills, and TWAP', () => {
    const cost = executionCost(executionOf('BUY', fills), market());
    expect(cost).toMatchObject({
      filled: 8,
      completion: 0.8,
      arrivalPrice: 100,
      averagePrice: 102,
      marketVwap: 102,
      marketVwapWithOwn: 102,
      twapPrice: 102,
      makerShare: 0.5,
    });
    expect(cost.arrivalSlippageBps).toBeCloseTo(200, 9);
    expect(cost.vwapSlippageBps).toBe(0);
    expect(cost.participation).toBeCloseTo(8 / 28, 12);
    expect(cost.feesBps).toBeCloseTo((10_000 * 8) / 816, 9);
    expect(cost.allInSlippageBps).toBeCloseTo(200 + (10_000 * 8) / 800, 9);
  });

  it('has an implementation shortfall of fills, missed quantity and fees', () => {
    const cost = executionCost(executionOf('BUY', fills), market());
    const paid = 4 * 1 + 4 * 3;
    const missed = 2 * 4;
    expect(cost.implementationShortfallBps).toBeCloseTo((10_000 * (paid + missed + 8)) / (10 * 100), 9);
  });

  it('is mirrored for a SELL, except for fees', () => {
    const free = fills.map((fill) => fillOf(fill.atMs, fill.quantity, fill.price));
    const buy = executionCost(executionOf('BUY', free), market());
    const sell = executionCost(executionOf('SELL', free), market());
    expect(sell.arrivalSlippageBps).toBe(-(buy.arrivalSlippageBps ?? 0));
    expect(sell.implementationShortfallBps).toBe(-buy.implementationShortfallBps);
  });

  it('has exact fees on the grid of an exchange', () => {
    const fine = { ...executionOf('BUY', [{ ...fillOf(100, 50_000, 6_183_763), fee: amountOf(30_918_815, 6) }]) };
    const cost = executionCost(
      { ...fine, quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 },
      market(),
    );
    expect(cost.feesBps).toBeCloseTo(10, 9);
  });

  it('is null for figures that cannot be measured', () => {
    const others = new TradedVolume().between(0, 1000);
    const cost = executionCost(executionOf('BUY', []), { mids: new MidPath(), others });
    expect(cost).toMatchObject({
      averagePrice: null,
      arrivalSlippageBps: null,
      feesBps: null,
      allInSlippageBps: null,
      marketVwap: null,
      twapPrice: null,
      makerShare: null,
      participation: null,
      implementationShortfallBps: 0,
    });
  });
});
